"""Known entries in another element type: as runtimes convert them, and None where they may differ."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from shapeinfer.diagnostics.codes import DIVISION_BY_ZERO
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Dim, Floating, Operand, Ratio, equal, nonzero, text_of
from shapeinfer.facts import Contents, DType, Element, Tensor, holds, holds_all_of, is_any_number
from shapeinfer.shapes.elementwise.elements import EXACT
from shapeinfer.shapes.elementwise.floats import rounding_cast


def finite(ledger: Ledger, e: Operand, to: str, port: str) -> None:
    """Require that a float is not divided by 0, where it becomes an integer: then it would be no number or infinite."""
    if isinstance(e, Floating):
        for size in sorted(e.denominators, key=text_of):
            message = f"a float is divided by {text_of(size)}; where that is 0 it is infinite or NaN, which no {to} is"
            ledger.require(nonzero(size), DIVISION_BY_ZERO, message, port)


def convertible(ledger: Ledger, x: Tensor, to: DType, port: str) -> None:
    """Require that floats which become integers are finite."""
    if to.is_integer:
        for e in x.value or ():
            if isinstance(e, Floating):
                finite(ledger, e, to.spelled, port)


def converted(x: Tensor, to: DType) -> Contents | None:
    """Return the entries of ``x`` as another element type has them, where they are ``convertible``."""
    if x.value is None or DType.UNDEFINED in (x.dtype, to):
        return None
    return tuple(_converted_entry(e, x.dtype, to) for e in x.value)


def _converted_entry(e: Element, source: DType, to: DType) -> Element:
    if source is to:
        return e
    if isinstance(e, (Dim, Ratio, Floating)):
        if is_any_number(e) and not holds_all_of(to, source):
            return None
        return _symbolic(e, source, to) if source in EXACT and to in EXACT else None
    if isinstance(e, (int, float)):
        return _number(e, source, to)
    return None


def _symbolic(e: Dim | Ratio | Floating, source: DType, to: DType) -> Element:
    if isinstance(e, Floating) or (to.is_float and not holds(to, e)):
        return rounding_cast(e, source, to)
    if to is DType.BOOL:
        zero = equal(e.above if isinstance(e, Ratio) else e, 0)
        return None if zero.is_maybe else zero.is_no
    low = (e.above if isinstance(e, Ratio) else e).low
    if to.name.startswith("UINT") and (low is None or low < 0):
        return None
    if isinstance(e, Dim) or to.is_float:
        return e
    return e.trunc() if low is not None and low >= 0 else None


def _number(e: int | float, source: DType, to: DType) -> Element:
    origin, goal = source.numpy(), to.numpy()
    if origin is None or goal is None or goal.kind not in "biuf" or origin.kind not in "biuf":
        return None
    if origin.kind == "f" and goal.kind in "iu":
        # what lies outside the integers' range is undefined
        limits: Any = np.iinfo(goal.char)
        if not math.isfinite(e) or not limits.min <= math.trunc(e) <= limits.max:
            return None
        return math.trunc(e)
    if origin.kind in "iu" and not np.iinfo(cast("Any", origin)).min <= e <= np.iinfo(cast("Any", origin)).max:
        return None
    with np.errstate(all="ignore"):
        converted = np.array(e, dtype=origin).astype(goal).item()
    return converted if not isinstance(converted, float) or math.isfinite(converted) else None
