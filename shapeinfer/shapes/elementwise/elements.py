"""Arithmetic on the known entries of tensors: exact on symbols, whether the result's type holds them or not.

A float tensor that steers shapes holds sizes and dyadic fractions of them, which floats compute exactly as far as
they hold the results; what they round is a term of floats (``shapes/elementwise/floats``). What a type does not hold is
dropped by who calls (``limits.within_limits``, ``facts.capacity``).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, cast

import numpy as np

from shapeinfer.dims import (
    Answer,
    Dim,
    Floating,
    Ratio,
    Size,
    dyadic,
    equal,
    exact_div,
    floordiv,
    less,
    less_equal,
    maximum,
    minimum,
    mod,
    mul,
    ratio,
    sub,
)
from shapeinfer.facts import Contents, DType, Element, Tensor, holds
from shapeinfer.shapes.elementwise.floats import rounding
from shapeinfer.shapes.elementwise.numeric import NUMERIC

EXACT = frozenset({DType.FLOAT, DType.DOUBLE, DType.INT64, DType.INT32, DType.UINT64, DType.UINT32, DType.BOOL})
"""Types whose symbolic entries are followed; the others' ranges are too small for sizes."""
MAX_EXPONENT = 8
MAX_SHIFT = 32

Operation = Callable[..., Element]


def fold(name: str, out: Tensor, *inputs: Tensor) -> Contents | None:
    """Return the entries of an element-wise operation over broadcast inputs, None where none is known."""
    arrays = [x.array for x in inputs]
    if any(a is None for a in arrays) or out.shape is None:
        return None
    shape = cast("tuple[int, ...]", out.shape)
    columns = [np.broadcast_to(a, shape).ravel().tolist() for a in arrays if a is not None]
    if all(_is_number(e) for column in columns for e in column):
        computed = _computed(name, out.dtype, inputs, columns)
        if computed is not None:
            return computed
    return tuple(_computed_entry(name, out.dtype, inputs, entries) for entries in zip(*columns))


def fold_axes(name: str, x: Tensor, axes: Collection[int]) -> Contents | None:
    """Return the entries of ``x`` combined along axes by ``Add``, ``Mul``, ``Max`` or ``Min``, None where unknown."""
    array = x.array
    if array is None or x.dtype not in EXACT:
        return None
    kept = [i for i in range(array.ndim) if i not in axes]
    count = math.prod(array.shape[i] for i in kept)
    rows = array.transpose([*kept, *axes]).reshape(count, math.prod(array.shape[i] for i in axes))
    return tuple(combined(name, row, x.dtype) for row in rows.tolist())


def mean(x: Tensor, axes: Collection[int]) -> Contents | None:
    """Return the means along axes of integers whose sums are not negative, rounded down; None for an unknown one."""
    count = math.prod(d for i, d in enumerate(x.dims) if i in axes and isinstance(d, int))
    sums = fold_axes("Add", x, axes) if x.dtype.is_integer and count else None
    if sums is None:
        return None
    known = [s if isinstance(s, (int, Dim)) and less_equal(0, s).is_yes else None for s in sums]
    return tuple(None if s is None else floordiv(s, count) for s in known)


def combined(name: str, entries: Sequence[Element], dtype: DType) -> Element:
    """Combine entries one after another, which is right in any order as long as nothing rounds or wraps."""
    if not entries:
        return {"Add": 0, "Mul": 1}.get(name)
    out, *rest = entries
    for e in rest:
        out = _applied(name, (out, e), dtype)
        if isinstance(out, (int, float)) and not _holds(dtype, out):
            return None
        if isinstance(out, Floating) and len(rest) > 1 and name in ("Add", "Mul"):
            return None  # what rounds depends on the order
    return bool(out) if dtype is DType.BOOL and isinstance(out, int) else out


def _holds(dtype: DType, number: float) -> bool:
    """Return whether an element type holds a number and no neighbour of it was rounded to it."""
    return dyadic(number) is not None if dtype.is_float else holds(dtype, number)


def _is_number(e: Element) -> bool:
    return isinstance(e, (int, float))


def _computed_entry(name: str, to: DType, inputs: Sequence[Tensor], entries: Sequence[Element]) -> Element:
    """Return one entry, computed where all of its operands are numbers."""
    if all(_is_number(e) for e in entries):
        computed = _computed(name, to, inputs, [[e] for e in entries])
        if computed is not None:
            return computed[0]
    if any(x.dtype not in EXACT for x in inputs):
        return None
    return _applied(name, entries, inputs[-1].dtype)


def _applied(name: str, entries: Sequence[Element], dtype: DType) -> Element:
    """One entry: exact where the type holds it, and of floats otherwise as they round it."""
    exact = _exactly(name, entries, dtype)
    if dtype.is_float and (exact is None or not holds(dtype, exact)):
        return rounding(name, entries, dtype)
    return exact


def _exactly(name: str, entries: Sequence[Element], dtype: DType) -> Element:
    """One entry; an unknown operand gives an unknown entry, except to logic, which may not need it."""
    operation = _SYMBOLIC.get(name)
    if operation is None or (any(e is None for e in entries) and operation not in _KLEENE):
        return None
    if any(isinstance(e, str) for e in entries):
        return None
    try:
        return operation(*entries) if operation not in _TYPED else operation(*entries, dtype.is_float)
    except (TypeError, ValueError, ZeroDivisionError):
        return None


def _computed(name: str, out: DType, inputs: Sequence[Tensor], columns: Sequence[Any]) -> Contents | None:
    """Compute numbers in the tensors' own types, as a runtime does."""
    function = NUMERIC.get(name)
    types = [x.dtype.numpy() for x in inputs]
    to = out.numpy()
    if function is None or to is None or any(t is None for t in types):
        return None
    with np.errstate(all="ignore"):
        try:
            computed = function(*(np.array(column, dtype=t) for column, t in zip(columns, types)))
        except (TypeError, ValueError, OverflowError):
            return None
    if computed is None or not np.all(np.isfinite(computed)):
        return None
    return tuple(computed.astype(to).tolist())


def _fraction(e: Element) -> tuple[Size, int]:
    """An entry as a numerator and a power of two. Raises TypeError for a float that may round."""
    if isinstance(e, Ratio):
        return e.above, e.below
    if isinstance(e, float) and e.is_integer():
        return int(e), 1
    if isinstance(e, float):
        found = dyadic(e)
        if found is None:
            raise TypeError(f"{e} may round")
        return found
    if isinstance(e, (int, Dim)):
        return (int(e) if isinstance(e, int) else e), 1
    raise TypeError(f"{type(e).__name__} is no exact number")


def _added(sign: int) -> Operation:
    def operation(a: Element, b: Element) -> Element:
        (x, m), (y, n) = _fraction(a), _fraction(b)
        return ratio(mul(x, n) + sign * mul(y, m), m * n)

    return operation


def _mul(a: Element, b: Element) -> Element:
    (x, m), (y, n) = _fraction(a), _fraction(b)
    return ratio(mul(x, y), m * n)


def _div(a: Element, b: Element, is_float: bool) -> Element:
    (x, m), (y, n) = _fraction(a), _fraction(b)
    above, below = mul(x, n), mul(y, m)
    if below == 0 or (is_float and _may_be_zero(below)):
        return None
    whole = exact_div(above, below)
    if mul(whole, below) is above or mul(whole, below) == above:
        return whole
    if is_float:
        return ratio(above, below) if isinstance(below, int) and below > 0 and below & (below - 1) == 0 else None
    # Integer division truncates; that is rounding down only where nothing is negative.
    return floordiv(above, below) if _low(above) >= 0 and _low(below) >= 0 else None


def _floor_div(a: Element, b: Element) -> Element:
    """Division of integers that rounds down; by 0 there is none."""
    (x, m), (y, n) = _fraction(a), _fraction(b)
    if m != 1 or n != 1 or _low(y) < 0 or y == 0:
        return None
    return floordiv(x, y)


def _may_be_zero(size: Size) -> bool:
    """Whether a float divided by it may be infinite or no number, where integers have to be divided by something."""
    return not equal(size, 0).is_no


def _low(size: Size) -> float:
    if isinstance(size, int):
        return size
    return -math.inf if size.low is None else size.low


def _mod(a: Element, b: Element, is_float: bool) -> Element:
    """The remainder with the sign of ``b``, where that is not negative; integers have none by 0."""
    (x, m), (y, n) = _fraction(a), _fraction(b)
    if m != 1 or n != 1 or _low(y) < 0 or (is_float and _may_be_zero(y)):
        return None
    if x is y:
        return 0
    return sub(y, 1) if isinstance(x, int) and x == -1 else mod(x, y)


def _fmod(a: Element, b: Element, is_float: bool) -> Element:
    """The remainder with the sign of ``a``, which is the other one where neither is negative."""
    return _mod(a, b, is_float) if _low(_fraction(a)[0]) >= 0 else None


def _pow(a: Element, b: Element) -> Element:
    base, below = _fraction(a)
    exponent, other = _fraction(b)
    if below != 1 or other != 1 or not isinstance(exponent, int) or not 0 <= exponent <= MAX_EXPONENT:
        return None
    out: Size = 1
    for _ in range(exponent):
        out = mul(out, base)
    return out


def _extreme(function: Callable[..., Size]) -> Operation:
    def operation(*entries: Element) -> Element:
        parts = [_fraction(e) for e in entries]
        return function(*(p[0] for p in parts)) if all(p[1] == 1 for p in parts) else None

    return operation


def _compared(question: Callable[[Size, Size], Answer]) -> Operation:
    def operation(a: Element, b: Element) -> Element:
        (x, m), (y, n) = _fraction(a), _fraction(b)
        answer = question(mul(x, n), mul(y, m))
        return None if answer.is_maybe else answer.is_yes

    return operation


def _not(a: Element) -> Element:
    return None if a is None else not a


def _and(a: Element, b: Element) -> Element:
    if a is False or b is False:
        return False
    return True if a is True and b is True else None


def _or(a: Element, b: Element) -> Element:
    if a is True or b is True:
        return True
    return False if a is False and b is False else None


def _where(condition: Element, a: Element, b: Element) -> Element:
    if isinstance(condition, bool):
        return a if condition else b
    return a if a is b or (type(a) is type(b) and a == b) else None


def _rounded(way: str) -> Operation:
    def operation(a: Element) -> Element:
        if isinstance(a, Ratio):
            return a.floor() if way == "floor" else a.ceil()
        return a if isinstance(a, (int, Dim)) else None

    return operation


def _abs(a: Element) -> Element:
    if not isinstance(a, Dim):
        return None
    if _low(a) >= 0:
        return a
    return sub(0, a) if a.high is not None and a.high <= 0 else None


def _sign(a: Element) -> Element:
    if not isinstance(a, Dim):
        return None
    if _low(a) >= 1:
        return 1
    return -1 if a.high is not None and a.high <= -1 else None


def _never(a: Element) -> Element:
    """Answer for what is neither infinite nor no number."""
    if isinstance(a, Floating):
        return False if a.is_defined and not a.denominators else None
    return None if isinstance(a, float) and not math.isfinite(a) else False


def _xor(a: Element, b: Element) -> Element:
    return a is not b if isinstance(a, bool) and isinstance(b, bool) else None


def _shifted(way: Callable[[Size, Size], Size]) -> Operation:
    """Shift by a number of bits that no type loses all of itself to."""

    def operation(a: Element, b: Element) -> Element:
        return way(a, 1 << b) if isinstance(a, (int, Dim)) and isinstance(b, int) and b < MAX_SHIFT else None

    return operation


_SYMBOLIC: dict[str, Operation] = {
    "Add": _added(1),
    "Sum": lambda *es: functools.reduce(_added(1), es),
    "Sub": _added(-1),
    "Mul": _mul,
    "Div": _div,
    "FloorDiv": _floor_div,
    "Mod": _mod,
    "FMod": _fmod,
    "Pow": _pow,
    "Max": _extreme(maximum),
    "Min": _extreme(minimum),
    "Equal": _compared(equal),
    "NotEqual": lambda a, b: _not(_compared(equal)(a, b)),
    "Less": _compared(less),
    "LessOrEqual": _compared(less_equal),
    "Greater": _compared(lambda a, b: less(b, a)),
    "GreaterOrEqual": _compared(lambda a, b: less_equal(b, a)),
    "And": _and,
    "Or": _or,
    "Xor": _xor,
    "Not": _not,
    "Where": _where,
    "ShiftLeft": _shifted(mul),
    "ShiftRight": _shifted(floordiv),
    "IsNaN": _never,
    "IsInf": _never,
    "Floor": _rounded("floor"),
    "Ceil": _rounded("ceil"),
    "Round": lambda a: a if isinstance(a, Dim) else None,
    "Neg": lambda a: _added(-1)(0, a),
    "Abs": _abs,
    "Sign": _sign,
    "Identity": lambda a: a,
    "Relu": lambda a: _extreme(maximum)(0, a),
}
_KLEENE = frozenset({_SYMBOLIC["And"], _SYMBOLIC["Or"], _SYMBOLIC["Where"], _SYMBOLIC["Identity"]})
_TYPED = frozenset({_div, _mod, _fmod})
