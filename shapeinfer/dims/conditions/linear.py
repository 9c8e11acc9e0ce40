"""Systems of linear equations, solved by Gaussian elimination, exactly, in fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from shapeinfer.dims.conditions.condition import Equal
from shapeinfer.dims.terms.arithmetic import add, memoised, mul, sub
from shapeinfer.dims.terms.decompose import as_sum
from shapeinfer.dims.terms.dim import Dim, Size

MAX_EQUATIONS = 24
"""Only this many equations, the newest, are solved together."""
Row: TypeAlias = "dict[Dim, Fraction]"
"""The coefficients of one equation; the number that its terms add up to stands beside it."""


class Contradiction(Exception):
    """No integers satisfy the equations."""


@memoised
def is_linear(equation: Equal) -> bool:
    """Return whether an equation is between sums of symbols and numbers."""
    return all(t.is_symbol for _, t in as_sum(sub(equation.a, equation.b)).terms)


def determined(equations: Sequence[Equal]) -> dict[Dim, Size]:
    """Return the symbols that equations make a number, or an integer multiple of one other symbol plus a number.

    Raises Contradiction where no integers satisfy them.
    """
    solved: list[tuple[Dim, Row, Fraction]] = []
    for equation in equations[-MAX_EQUATIONS:]:
        whole = as_sum(sub(equation.a, equation.b))
        row: Row = {t: Fraction(c) for c, t in whole.terms}
        value = Fraction(-whole.number)
        for pivot, other, number in solved:
            row, value = _without(pivot, row, value, other, number)
        if not row:
            if value:
                raise Contradiction
            continue
        pivot = max(row, key=_dispensable)
        row, value = {t: c / row[pivot] for t, c in row.items()}, value / row[pivot]
        solved = [(p, *_without(pivot, r, v, row, value)) for p, r, v in solved]
        solved.append((pivot, row, value))
    return {p: size for p, r, v in solved if (size := _size(p, r, v)) is not None}


def _dispensable(symbol: Dim) -> tuple[bool, int, str]:
    """Fresh symbols are solved for first, then those of the author's with the longest names."""
    return symbol.is_fresh, len(symbol.text), symbol.text


def _without(pivot: Dim, row: Row, value: Fraction, other: Row, number: Fraction) -> tuple[Row, Fraction]:
    """Eliminate a pivot from an equation."""
    factor = row.get(pivot)
    if not factor:
        return row, value
    rest = {t: row.get(t, Fraction(0)) - factor * other.get(t, Fraction(0)) for t in {**row, **other}}
    return {t: c for t, c in rest.items() if c}, value - factor * number


def _size(pivot: Dim, row: Row, value: Fraction) -> Size | None:
    """Return what a solved row says of its pivot, None where that is no plain size."""
    if len(row) == 1:
        if value.denominator != 1:
            raise Contradiction
        return int(value)
    if len(row) > 2:
        return None
    other, factor = next((t, -c) for t, c in row.items() if t is not pivot)
    if factor.denominator != 1 or value.denominator != 1:
        return None
    return add(mul(other, int(factor)), int(value))
