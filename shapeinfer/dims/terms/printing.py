"""Lengths as text."""

from __future__ import annotations

import functools
import re

from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.expression import Expression, Factors, Plus, Times, factors_of, place
from shapeinfer.dims.terms.floors import Floor
from shapeinfer.dims.terms.selections import Broadcast
from shapeinfer.remembered import forgotten_by

MAX_PRINTED = 4000
MAX_BITS = 8192
"""No longer number is written: each digit takes as long as all before it."""

NAME = r"(?!(?:and|or)\b)[A-Za-z_][\w.:$@#]*"


def text_of(size: Size) -> str:
    """Return a length as a Python integer expression; a symbol alone is its bare name."""
    return number_text(size) if isinstance(size, int) else size.text


def number_text(number: int) -> str:
    """Return a number in digits, or how many bits it has where Python writes no more digits."""
    bits = number.bit_length()
    return str(number) if bits <= MAX_BITS else f"`a number of {bits} bits`"


def quoted_text(size: Size) -> str:
    """Return a length as text that can be read back wherever it stands: odd names of symbols are quoted."""
    return _quoted(size) if isinstance(size, Dim) and size.is_symbol else text_of(size)


def quoted(name: str) -> str:
    """Return any name in quotes: text that is no Python, so that Python refuses to run it."""
    return "`" + name.replace("`", "``") + "`"


def _quoted(symbol: Dim) -> str:
    plain = re.fullmatch(NAME, symbol.name) or (symbol.is_fresh and symbol.name.startswith("?"))
    return symbol.name if plain else quoted(symbol.name)


def portable_text(size: Size) -> str:
    """Return a length as text for other tools, which know no functions beyond ``max`` and ``min``."""
    if isinstance(size, int) or size.is_symbol or "broadcast(" not in size.text:
        return text_of(size)
    return print_expression(size, portable=True)


_SUM, _PRODUCT, _ATOM = 1, 2, 3


def print_expression(size: Dim, *, portable: bool = False) -> str:
    """Print an expression: terms by falling degree, then by name, constants last.

    ``portable`` writes a broadcast, which is a function of ours, as ``(max(a, b)*min(1, a, b))``: the same
    number for lengths that broadcast, in functions that every tool knows. An expression whose text would have
    no end, since its parts share parts, is named by a digest of them.
    """
    if size.weight <= MAX_PRINTED:
        return _print(size, portable)[0]
    return f"`{_digest(size)} of {size.weight.bit_length()} bits`"


@functools.lru_cache(maxsize=20_000)
def _digest(size: Size) -> str:
    import hashlib  # slow to load, and seldom needed

    numbers: list[int] = []
    if isinstance(size, Plus):
        numbers = [size.number, *(c for c, _ in size.terms)]
    elif isinstance(size, Times):
        numbers = [size.coefficient, *(n for _, n in size.factors)]
    parts = [*map(_digest, size.parts), *map(hex, numbers)] if isinstance(size, Expression) else [str(place(size))]
    return hashlib.sha256("\0".join([type(size).__name__, *parts]).encode("utf-8", "replace")).hexdigest()[:16]


forgotten_by(_digest.cache_clear)


def _print(size: Size, portable: bool) -> tuple[str, int]:
    if isinstance(size, int):
        return number_text(size), (_ATOM if size >= 0 else _SUM)
    if not isinstance(size, Expression):
        return _quoted(size), _ATOM
    if isinstance(size, Plus):
        return _sum(size, portable), _SUM
    if isinstance(size, Times):
        sign, text = _term(size.coefficient, size.factors, portable)
        if sign < 0:
            return _negative(size.coefficient, size.factors, text), _SUM
        return text, _PRODUCT
    if isinstance(size, Floor):
        a, n = size.parts
        return f"{_bracket(a, _PRODUCT, portable)}//{_bracket(n, _ATOM, portable)}", _PRODUCT
    args = ", ".join(sorted(_print(a, portable)[0] for a in size.parts))
    if portable and isinstance(size, Broadcast):
        return f"(max({args})*min(1, {args}))", _ATOM
    return f"{type(size).__name__.lower()}({args})", _ATOM


def _sum(size: Plus, portable: bool) -> str:
    terms = [(c, factors_of(t)[1]) for c, t in size.terms]
    printed = [(*_term(c, factors, portable), c, factors) for c, factors in terms]
    printed.sort(key=lambda t: (t[0] < 0, -sum(n for _, n in t[3]), t[1]))
    sign, text, c, factors = printed[0]
    first = _negative(c, factors, text) if sign < 0 else text
    rest = [(sign, text) for sign, text, _, _ in printed[1:]]
    if size.number:
        rest.append((size.number, number_text(abs(size.number))))
    return first + "".join((" - " if sign < 0 else " + ") + text for sign, text in rest)


def _negative(coefficient: int, factors: Factors, text: str) -> str:
    """Put a minus before a term: it binds more than the division after it."""
    alone = coefficient == -1 and len(factors) == 1 and factors[0][1] == 1
    return f"-({text})" if alone and isinstance(factors[0][0], Floor) else f"-{text}"


def _term(coefficient: int, factors: Factors, portable: bool) -> tuple[int, str]:
    """Return a term as its sign and the text of the rest."""
    number = abs(coefficient)
    several = number > 1 or len(factors) > 1
    texts = [number_text(number)] if number > 1 else []
    printed = []
    for base, exponent in factors:
        if exponent > 1:
            printed.append(f"{_bracket(base, _ATOM, portable)}**{exponent}")
            continue
        text, level = _print(base, portable)
        bare = level >= _PRODUCT and not (several and isinstance(base, Floor))
        printed.append(text if bare else f"({text})")
    return (-1 if coefficient < 0 else 1), "*".join(texts + sorted(printed))


def _bracket(size: Size, least: int, portable: bool) -> str:
    text, level = _print(size, portable)
    return f"({text})" if level < least else text
