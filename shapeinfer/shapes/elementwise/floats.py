"""Operations on floats computed from sizes, as runtimes round them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from shapeinfer.dims import Dim, Floating, NoValueError, Operand, Ratio, Size, floating, is_integral, nearest, rounded
from shapeinfer.facts import DType, Element, is_any_number

PRECISIONS = {DType.FLOAT: "f32", DType.DOUBLE: "f64"}

_BINARY = {"Add": "+", "Sum": "+", "Sub": "-", "Mul": "*", "Div": "/", "Max": "max", "Min": "min"}
_ROUNDED = {"Floor": "floor", "Ceil": "ceil", "Round": "round"}


def rounding(name: str, entries: Sequence[Element], dtype: DType) -> Element:
    """Return an operation on floats as a term, where it is fixed to the last bit; None where it is not."""
    try:
        operands = [as_operand(e, dtype) for e in entries]
        precision = PRECISIONS[dtype]
        if name in _COMPARED:
            return _COMPARED[name](*operands)
        if name in _ROUNDED:
            return _whole(_ROUNDED[name], precision, operands[0])
        if name in _UNARY:
            return _UNARY[name](precision, operands[0])
        return _binary(name, precision, operands)
    except (KeyError, TypeError, NoValueError):
        return None


def rounding_cast(e: Dim | Ratio | Floating, source: DType, to: DType) -> Element:
    """Return an entry as a float type rounds it, or as the integer that remains without its fraction.

    The integer is right only under the claim that none of the entry's denominators is 0.
    """
    try:
        operand = as_operand(e, source if source in PRECISIONS else to)
        if to.is_float:
            return floating(PRECISIONS[to], "convert", operand)
        return integer("trunc", operand) if to.is_integer and _may_be(to, operand) else None
    except (KeyError, TypeError, NoValueError):
        return None


def integer(way: str, operand: Operand) -> Size:
    """Return a float as the integer that it is rounded to, under the claim that none of its denominators is 0.

    Raises NoValueError where that is not enough for it to have a value.
    """
    if isinstance(operand, Floating) and not is_integral(operand):
        raise NoValueError("a float that may be infinite, no number or beyond int64")
    return rounded(way, operand)


def as_operand(e: Element, dtype: DType) -> Operand:
    """Return an entry of a float tensor as an operand. Raises TypeError for what is none, or is data."""
    if isinstance(e, (Dim, Ratio, Floating)) and is_any_number(e):
        raise TypeError(f"{type(e).__name__} is data")
    if isinstance(e, Ratio):
        return floating(PRECISIONS[dtype], "/", e.above, e.below)
    if isinstance(e, (int, float)):
        return nearest(PRECISIONS[dtype], e)
    if isinstance(e, (Dim, Floating)):
        return e
    raise TypeError(f"{type(e).__name__} is not a number")


def _binary(name: str, precision: str, operands: Sequence[Operand]) -> Operand | None:
    operation = _BINARY[name]
    if len(operands) > 2 and operation == "+":
        return None  # runtimes choose the order
    if operation == "/" and operands[0] == 1:
        return None  # onnxruntime divides y by x where a model has y * (1/x), which rounds once, not twice
    return floating(precision, operation, *operands)


def _whole(way: str, precision: str, x: Operand) -> Operand:
    """Return a float rounded to a whole number, which stays a float where it may be infinite or no number."""
    if not isinstance(x, Floating) or not x.denominators:
        return integer(way, x)
    if x.operation in ("min", "max"):
        return floating(precision, x.operation, *(_whole(way, precision, a) for a in x.operands))
    whole = integer(way, x)
    if isinstance(whole, int) or whole.denominators != x.denominators:
        raise NoValueError("a number wherever it has a value")
    return floating(precision, "convert", whole)


def _opposite(precision: str, x: Operand) -> Operand:
    return floating(precision, "*", -1, x)


def _absolute(precision: str, x: Operand) -> Operand | None:
    low, high = _bounds(x)
    return x if low >= 0 else _opposite(precision, x) if high <= 0 else None


_UNARY: dict[str, Callable[[str, Operand], Operand | None]] = {
    "Sqrt": lambda precision, x: floating(precision, "sqrt", x),
    "Reciprocal": lambda precision, x: floating(precision, "/", 1, x),
    "Neg": _opposite,
    "Abs": _absolute,
    "Relu": lambda precision, x: floating(precision, "max", x, 0),
}


def _bounds(x: Operand) -> tuple[float, float]:
    if isinstance(x, Floating):
        return (x.low, x.high) if x.is_defined and not x.denominators else (-math.inf, math.inf)
    if isinstance(x, Dim):
        return (-math.inf if x.low is None else x.low), (math.inf if x.high is None else x.high)
    return x, x


def _may_be(dtype: DType, x: Operand) -> bool:
    """Return whether an integer type has the sign of a number."""
    return not dtype.name.startswith("UINT") or (x.low if isinstance(x, Floating) else _bounds(x)[0]) >= 0


def _less(a: Operand, b: Operand) -> bool | None:
    (low_a, high_a), (low_b, high_b) = _bounds(a), _bounds(b)
    return True if high_a < low_b else False if low_a >= high_b else None


def _not(known: bool | None) -> bool | None:
    return None if known is None else not known


def _equal(a: Operand, b: Operand) -> bool | None:
    if a is b and isinstance(a, Floating) and a.is_defined and not a.denominators:
        return True
    return False if _less(a, b) or _less(b, a) else None


_COMPARED: dict[str, Callable[[Operand, Operand], bool | None]] = {
    "Less": _less,
    "LessOrEqual": lambda a, b: _not(_less(b, a)),
    "Greater": lambda a, b: _less(b, a),
    "GreaterOrEqual": lambda a, b: _not(_less(a, b)),
    "Equal": _equal,
    "NotEqual": lambda a, b: _not(_equal(a, b)),
}
