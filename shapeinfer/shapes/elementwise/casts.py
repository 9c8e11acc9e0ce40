"""Known entries in another element type: as runtimes convert them, and None where they may differ."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from shapeinfer.dims import Dim, Ratio, equal
from shapeinfer.facts import Contents, DType, Element, Tensor, holds_all_of, is_any_number
from shapeinfer.shapes.elementwise.elements import EXACT


def converted(x: Tensor, to: DType) -> Contents | None:
    """Return the entries of ``x`` as another element type has them."""
    if x.value is None or DType.UNDEFINED in (x.dtype, to):
        return None
    return tuple(_converted_entry(e, x.dtype, to) for e in x.value)


def _converted_entry(e: Element, source: DType, to: DType) -> Element:
    if source is to:
        return e
    if isinstance(e, (Dim, Ratio)):
        if is_any_number(e) and not holds_all_of(to, source):
            return None
        return _symbolic(e, to) if source in EXACT and to in EXACT else None
    if isinstance(e, (int, float)):
        return _number(e, source, to)
    return None


def _symbolic(e: Dim | Ratio, to: DType) -> Element:
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
