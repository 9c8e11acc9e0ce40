"""Lengths as text."""

from __future__ import annotations

import functools
import hashlib
import re
from typing import Any

from shapeinfer.dims.dim import Dim, Size

MAX_PRINTED = 4000

NAME = r"(?!(?:and|or)\b)[A-Za-z_][\w.:$@#]*"


def text_of(size: Size) -> str:
    """Return a length as a Python integer expression; a symbol alone is its bare name."""
    return str(size) if isinstance(size, int) else size.text


def quoted_text(size: Size) -> str:
    """Return a length as text that can be read back wherever it stands: odd names of symbols are quoted."""
    return _quoted(size) if isinstance(size, Dim) and size.is_symbol else text_of(size)


def _quoted(symbol: Dim) -> str:
    plain = re.fullmatch(NAME, symbol.name) or (symbol.made and symbol.name.startswith("?"))
    return symbol.name if plain else "`" + symbol.name.replace("`", "``") + "`"


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
    from shapeinfer.dims.expressions import weight_of

    weight = weight_of(size._expr)
    return (
        _print(size._expr, portable)[0]
        if weight <= MAX_PRINTED
        else f"`{_digest(size._expr)} of {weight.bit_length()} bits`"
    )


@functools.lru_cache(maxsize=20_000)
def _digest(expr: Any) -> str:
    parts = [_digest(a) for a in expr.args] or [str(expr)]
    return hashlib.sha256("\0".join([type(expr).__name__, *parts]).encode("utf-8", "replace")).hexdigest()[:16]


def _print(expr: Any, portable: bool) -> tuple[str, int]:
    from shapeinfer.dims.algebra import Broadcast, FloorDiv
    from shapeinfer.dims.expressions import dim_of_symbol

    if expr.is_Integer:
        return str(expr), (_ATOM if expr >= 0 else _SUM)
    if expr.is_Symbol:
        return _quoted(dim_of_symbol(expr)), _ATOM
    if expr.is_Add:
        terms = sorted(((t, *_term(t, portable)) for t in expr.args), key=lambda t: (_degree(t[0]), t[2], t[1] < 0))
        terms = [t for t in terms if t[1] > 0] + [t for t in terms if t[1] < 0]
        terms = [t for t in terms if not t[0].is_Integer] + [t for t in terms if t[0].is_Integer]
        first = terms[0][2] if terms[0][1] > 0 else _negative(terms[0][0], terms[0][2])
        return first + "".join((" - " if sign < 0 else " + ") + text for _, sign, text in terms[1:]), _SUM
    if expr.is_Mul:
        sign, text = _term(expr, portable)
        return (_negative(expr, text), _SUM) if sign < 0 else (text, _PRODUCT)
    if expr.is_Pow:
        return f"{_bracket(expr.args[0], _ATOM, portable)}**{expr.args[1]}", _PRODUCT
    if isinstance(expr, FloorDiv):
        return f"{_bracket(expr.args[0], _PRODUCT, portable)}//{_bracket(expr.args[1], _ATOM, portable)}", _PRODUCT
    args = ", ".join(sorted(_print(a, portable)[0] for a in expr.args))
    if portable and isinstance(expr, Broadcast):
        return f"(max({args})*min(1, {args}))", _ATOM
    return f"{type(expr).__name__.lower()}({args})", _ATOM


def _negative(expr: Any, text: str) -> str:
    """Put a minus before a term: it binds more than the division after it."""
    from shapeinfer.dims.algebra import FloorDiv

    return f"-({text})" if isinstance(expr.as_coeff_Mul()[1], FloorDiv) and expr.as_coeff_Mul()[0] == -1 else f"-{text}"


def _term(expr: Any, portable: bool) -> tuple[int, str]:
    """Return a term as its sign and the text of the rest."""
    from shapeinfer.dims.algebra import FloorDiv

    coefficient, rest = expr.as_coeff_Mul()
    sign, number = (-1 if coefficient < 0 else 1), abs(int(coefficient))
    if rest == 1:
        return sign, str(number)
    several = number > 1 or len(_factors(rest)) > 1
    factors = []
    for factor in _factors(rest):
        text, level = _print(factor, portable)
        bare = level >= _PRODUCT and not (several and isinstance(factor, FloorDiv))
        factors.append(text if bare else f"({text})")
    return sign, "*".join(([str(number)] if number > 1 else []) + sorted(factors))


def _factors(expr: Any) -> tuple[Any, ...]:
    return expr.args if expr.is_Mul else (expr,)


def _degree(expr: Any) -> int:
    if expr.is_Integer:
        return 1
    return -sum(int(f.args[1]) if f.is_Pow else 1 for f in _factors(expr.as_coeff_Mul()[1]))


def _bracket(expr: Any, least: int, portable: bool) -> str:
    text, level = _print(expr, portable)
    return f"({text})" if level < least else text
