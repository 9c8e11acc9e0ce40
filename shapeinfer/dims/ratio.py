"""Exact halves, quarters and so on of sizes: what float tensors hold that steer shapes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attrs import frozen

from shapeinfer.dims.conditions.decisions import divides
from shapeinfer.dims.terms.arithmetic import add, ceildiv, floordiv, mul, sub, substitute
from shapeinfer.dims.terms.dim import Dim, Size

MAX_BELOW = 1 << 10
MAX_ABOVE = 1 << 20


@frozen(repr=False)
class Ratio:
    """``above / below`` with a symbolic numerator and a power of two below.

    Floats hold such numbers exactly as far as they hold the numerator, so up to there what is computed here is what a
    runtime computes; other factors round, and are refused.
    """

    above: Dim
    below: int

    @property
    def symbols(self) -> frozenset[Dim]:
        return self.above.symbols

    @property
    def text(self) -> str:
        return f"({self.above.text})/{self.below}"

    def _sympy_(self) -> Any:
        """Return it as a sympy expression."""
        return self.above._sympy_() / self.below

    def substitute(self, mapping: Mapping[Dim, Size]) -> Size | Ratio | float:
        return ratio(substitute(self.above, mapping), self.below)

    def floor(self) -> Size:
        return floordiv(self.above, self.below)

    def ceil(self) -> Size:
        return ceildiv(self.above, self.below)

    def trunc(self) -> Size:
        """Round toward zero. Raises ValueError where the sign is not known."""
        if self.above.low is None or self.above.low < 0:
            raise ValueError(f"the sign of {self.text} is not known")
        return self.floor()

    def __add__(self, other: object) -> Any:
        return _combined(self, other, add)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return _combined(self, other, sub)

    def __rsub__(self, other: object) -> Any:
        parts = _parts(other)
        return (
            NotImplemented
            if parts is None
            else ratio(sub(mul(parts[0], self.below), mul(self.above, parts[1])), parts[1] * self.below)
        )

    def __mul__(self, other: object) -> Any:
        parts = _parts(other)
        return NotImplemented if parts is None else ratio(mul(self.above, parts[0]), self.below * parts[1])

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        parts = _parts(other)
        if parts is None or not isinstance(parts[0], int) or parts[0] <= 0 or parts[0] & (parts[0] - 1):
            return NotImplemented
        return ratio(mul(self.above, parts[1]), self.below * parts[0])


def ratio(above: Size, below: int) -> Size | Ratio | float:
    """Return ``above / below`` for a power of two, as a size where it is an integer.

    Raises ValueError for a denominator that floats may round.
    """
    if below > MAX_BELOW:
        raise ValueError(f"a denominator of {below} may round")
    if isinstance(above, int):
        return above // below if above % below == 0 else above / below
    while below > 1 and divides(2, above).is_yes:
        above, below = floordiv(above, 2), below // 2
        if isinstance(above, int):
            return ratio(above, below)
    return above if below == 1 else Ratio(above, below)


def dyadic(number: float) -> tuple[int, int] | None:
    """Return a float as numerator and power of two, None where either is too large to stay exact."""
    try:
        fraction = Fraction(number)
    except (ValueError, OverflowError):
        return None
    if fraction.denominator > MAX_BELOW or abs(fraction.numerator) > MAX_ABOVE:
        return None
    return fraction.numerator, fraction.denominator


def _parts(value: object) -> tuple[Size, int] | None:
    if isinstance(value, Ratio):
        return value.above, value.below
    if isinstance(value, (int, Dim)):
        return value, 1
    if isinstance(value, float):
        return dyadic(value)
    return None


def _combined(a: Ratio, b: object, operation: Any) -> Any:
    parts = _parts(b)
    if parts is None:
        return NotImplemented
    return ratio(operation(mul(a.above, parts[1]), mul(parts[0], a.below)), a.below * parts[1])
