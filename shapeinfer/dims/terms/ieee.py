"""Floats of single and double precision as IEEE 754 computes them, and between what they lie.

A number here is an integer or a double that is of the precision at hand, too.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

MANTISSAS = {"f32": 24, "f64": 53}
"""The precisions: the number of bits up to which each represents every integer."""
INFIX = "+-*/"
CONVERT, SQRT, MIN, MAX = "convert", "sqrt", "min", "max"
"""The operations: of any number of operands the last two, of two what stands between them, and of one the others."""
_ENOUGH = 51
"""Single precision needs no more bits of a number, of which the last one says whether there are others."""

Range: TypeAlias = tuple[float, float]


class NoValueError(ZeroDivisionError):
    """An operation has no finite result, or its term would be too large."""


def nearest(precision: str, number: float | Fraction) -> float:
    """Return the float of a precision that is nearest to a number. Raises NoValueError where that is not finite."""
    try:
        double = number if isinstance(number, float) else _double(precision, number)
        found: float = struct.unpack("f", struct.pack("f", double))[0] if precision == "f32" else double
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise NoValueError(f"a number beyond {precision}")
    return found


def _double(precision: str, number: int | Fraction) -> float:
    """Return the nearest double, or one that is on the same side of all that lies between floats of the precision."""
    above, below = number.numerator, number.denominator
    if precision == "f64":
        return above / below
    shift = _ENOUGH - above.bit_length() + below.bit_length()
    bits, rest = divmod(above << max(shift, 0), below << max(-shift, 0))
    return math.ldexp(bits | bool(rest), -shift)


def computed(precision: str, operation: str, operands: Sequence[float]) -> float:
    """Return what an operation on numbers comes to, which are floats of the precision unless it converts them.

    Raises NoValueError. It is computed as doubles, which have so many more bits than single precision that it makes no
    difference to round twice.
    """
    if operation == CONVERT:
        return nearest(precision, operands[0])
    if any(isinstance(a, int) and nearest(precision, a) != a for a in operands):
        raise NoValueError(f"{precision} does not represent an operand")
    try:
        return nearest(precision, _COMPUTED[operation](*map(float, operands)))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise NoValueError("no finite result") from None


_COMPUTED: dict[str, Callable[..., float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    SQRT: math.sqrt,
    MIN: lambda *several: min(several),
    MAX: lambda *several: max(several),
}


def shortest(precision: str, number: float) -> str:
    """Return the shortest decimal to which a number is the nearest float."""
    if precision == "f64":
        return repr(number)
    return next(t for digits in range(1, 18) if nearest(precision, float(t := f"{number:.{digits}g}")) == number)


def end(precision: str, number: float) -> float:
    """Return a bound as a precision rounds it, an infinity where it is beyond."""
    if number in (math.inf, -math.inf):
        return number
    try:
        return nearest(precision, number)
    except NoValueError:
        return math.inf if number > 0 else -math.inf


def _plus(a: Range, b: Range) -> Range:
    low, high = a[0] + b[0], a[1] + b[1]
    return (-math.inf if math.isnan(low) else low), (math.inf if math.isnan(high) else high)


def _multiplied(a: Range, b: Range) -> Range:
    ends = [0.0 if x == 0 or y == 0 else x * y for x in a for y in b]
    return min(ends), max(ends)


def _divided(a: Range, b: Range) -> Range:
    if b[0] < 0 < b[1]:
        return -math.inf, math.inf
    if b[0] < 0:
        return _divided((-a[1], -a[0]), (-b[1], -b[0]))
    # what is divided by 0 has no value, and by what is just above it any
    ends = [0.0 if x == 0 or math.isinf(y) else x / y if y else math.copysign(math.inf, x) for x in a for y in b]
    return min(ends), max(ends)


def _root(a: Range) -> Range:
    low, high = (math.sqrt(max(each, 0.0)) for each in a)
    return low, high


_BOUNDS: dict[str, Callable[..., Range]] = {
    "+": _plus,
    "-": lambda a, b: _plus(a, (-b[1], -b[0])),
    "*": _multiplied,
    "/": _divided,
    SQRT: _root,
    MIN: lambda *ranges: (min(low for low, _ in ranges), min(high for _, high in ranges)),
    MAX: lambda *ranges: (max(low for low, _ in ranges), max(high for _, high in ranges)),
    CONVERT: lambda a: a,
}


def bounded(precision: str, operation: str, operands: Sequence[Range]) -> Range:
    """Bound what an operation comes to, wherever it has a value. An infinite end is never reached.

    Rounding never swaps the order of two numbers, so these are the bounds of the exact results, rounded.
    """
    low, high = _BOUNDS[operation](*operands)
    return end(precision, low), end(precision, high)
