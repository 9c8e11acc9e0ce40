"""Sizes as text. Each kind of term writes itself, with the help of what is here."""

from __future__ import annotations

import functools

from shapeinfer.dims.terms.dim import ATOM, SUM, Dim, Size
from shapeinfer.dims.terms.sizes import is_symbol, place
from shapeinfer.remembered import forgotten_by

MAX_PRINTED = 4000
MAX_BITS = 8192
"""No longer number is written: each digit takes as long as all before it."""


def text_of(size: Size) -> str:
    """Return a size as a Python integer expression; a symbol alone is its bare name."""
    return number_text(size) if isinstance(size, int) else size.text


def number_text(number: int) -> str:
    """Return a number in digits, or how many bits it has where Python writes no more digits."""
    bits = number.bit_length()
    return str(number) if bits <= MAX_BITS else f"`a number of {bits} bits`"


def quoted_text(size: Size) -> str:
    """Return a size as text that can be read back wherever it stands: odd names of symbols are quoted."""
    return written(size) if is_symbol(size) else text_of(size)


def portable_text(size: Size) -> str:
    """Return a size as text for other tools, which know no functions beyond ``max`` and ``min``.

    A broadcast, which is a function of ours, is written ``(max(a, b)*min(1, a, b))``: the same number for sizes that
    broadcast.
    """
    if isinstance(size, int) or size.is_symbol or "broadcast(" not in size.text:
        return text_of(size)
    return print_expression(size, portable=True)


def print_expression(size: Dim, *, portable: bool = False) -> str:
    """Print an expression: terms by falling degree, then by name, constants last.

    An expression whose text would have no end, since its parts share parts, is named by a digest of them.
    """
    if size.weight <= MAX_PRINTED:
        return size.written(portable)
    return f"`{_digest(size)} of {size.weight.bit_length()} bits`"


def written(size: Size, portable: bool = False) -> str:
    """Return a size as its text stands in that of others."""
    return number_text(size) if isinstance(size, int) else size.written(portable)


def bracketed(size: Size, least: int, portable: bool) -> str:
    """Return the text of a size, in brackets unless it binds as tightly as ``least``."""
    text = written(size, portable)
    precedence = size.precedence if isinstance(size, Dim) else ATOM if size >= 0 else SUM
    return f"({text})" if precedence < least else text


@functools.lru_cache(maxsize=20_000)
def _digest(size: Size) -> str:
    import hashlib  # slow to load, and seldom needed

    if isinstance(size, int) or size.is_symbol:
        shown = [str(place(size))]
    else:
        shown = [*map(_digest, size.parts), *map(hex, size.numbers())]
    return hashlib.sha256("\0".join([type(size).__name__, *shown]).encode("utf-8", "replace")).hexdigest()[:16]


forgotten_by(_digest.cache_clear)
