"""Integers that floats are rounded to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from shapeinfer.dims.terms.dim import Dim, Size, TermVisitor
from shapeinfer.dims.terms.expression import Expression
from shapeinfer.dims.terms.floating import Floating, Operand
from shapeinfer.dims.terms.ieee import CONVERT, MANTISSAS, MAX, MIN, NoValueError
from shapeinfer.dims.terms.interning import interned
from shapeinfer.dims.terms.intervals import EVERYTHING, Interval
from shapeinfer.dims.terms.selections import Max, Min, selected

ROUNDED: dict[str, Callable[[float], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "trunc": math.trunc,
}
"""How floats are rounded to integers: down, up, to the nearest (halves to the even one), toward 0."""
LIMIT = 1 << 63
"""What does not fit int64 has no value: processors differ."""

_T = TypeVar("_T")


class Rounded(Expression):
    """A float rounded to an integer: right only under the claim that none of its denominators is 0."""

    __slots__ = ("denominators", "reach", "term", "way")

    rank = 8
    way: str
    term: Floating

    def derive(self) -> None:
        self.way, self.term = self._fields
        self.parts = self.term.leaves
        self.denominators = self.term.denominators
        self.reach = self.term.reach if is_integral(self.term) else None
        self.weight = 1 + self.term.weight
        self.divisor = 1
        self.order = (self.rank, self.way, self.term.order)

    def numbers(self) -> tuple[int, ...]:
        return tuple(self.term.numbers())

    def interval(self) -> Interval:
        if not is_integral(self.term):
            return EVERYTHING
        way = ROUNDED[self.way]
        low, high = (way(end) if math.isfinite(end) else None for end in (self.term.low, self.term.high))
        return low, high

    def growth(self, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
        degree, factor = self.term.growth(dict(zip(self.term.leaves, parts)))[0]
        return degree, factor + 1

    def accept(self, visitor: TermVisitor[_T]) -> _T:
        return visitor.rounded(self.way, self.term)

    def written(self, portable: bool) -> str:
        return f"{self.way}({self.term.written(portable)})"

    def compute(self, values: Sequence[int]) -> int:
        return _within_limit(ROUNDED[self.way](self.term.value(dict(zip(self.term.leaves, values)))))

    def rebuilt(self, parts: Sequence[Size]) -> Size:
        try:
            return rounded(self.way, self.term.rebuilt(parts))
        except NoValueError:
            return self  # as a division by 0 does


def is_integral(term: Floating) -> bool:
    """Return whether a float is known to round to an int64 wherever none of its denominators is 0.

    Where it has no value, or a greater one, a runtime goes on with any number.
    """
    return term.is_defined and all(abs(end) < LIMIT for end in term.reach)


def rounded(way: str, operand: Operand) -> Size:
    """Return a float as the integer that it is rounded to. Raises NoValueError beyond int64."""
    if isinstance(operand, (int, Dim)):
        return operand
    if isinstance(operand, float):
        return _within_limit(ROUNDED[way](operand))
    if operand.operation in (MIN, MAX):
        # rounding keeps the order
        return selected(Min if operand.operation == MIN else Max, [rounded(way, a) for a in operand.operands])
    if operand.operation == CONVERT and isinstance(operand.operands[0], Dim):
        (whole,) = operand.operands
        if isinstance(whole, Rounded) and MANTISSAS[whole.term.precision] <= MANTISSAS[operand.precision]:
            return whole
        way = "floor"
    if way == "trunc" and (operand.low >= 0 or operand.high <= 0):
        way = "floor" if operand.low >= 0 else "ceil"
    found = interned(Rounded, way, operand)
    low, high = found.bounds()
    return low if low is not None and low == high else found


def _within_limit(number: int) -> int:
    if abs(number) >= LIMIT:
        raise NoValueError(f"{number} is beyond int64")
    return number
