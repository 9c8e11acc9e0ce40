"""Count from one number to another by steps, in integers and in the floats that hold sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from shapeinfer.diagnostics.codes import INVALID_VALUE
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import (
    Dim,
    Floating,
    NoValueError,
    Ratio,
    Size,
    ceildiv,
    dyadic,
    floating,
    less_equal,
    maximum,
    mul,
    nonzero,
    ratio,
    sub,
    text_of,
)
from shapeinfer.facts import Contents, DType, Element, Tensor
from shapeinfer.shapes.contents import is_data
from shapeinfer.shapes.elementwise.floats import PRECISIONS, as_operand, integer


def steps(ledger: Ledger, start: Tensor, limit: Tensor, delta: Tensor, by: str = "delta") -> Size:
    """Return how many numbers there are from ``start`` by ``delta``, which the port ``by`` holds, before ``limit``."""
    first, last, step = (_only(x) for x in (start, limit, delta))
    if isinstance(step, (int, float)) and step == 0:
        ledger.fail(INVALID_VALUE, f"{by} is 0", by)
    if isinstance(step, Dim) and not is_data(step):
        ledger.require(nonzero(step), INVALID_VALUE, f"{by} is {text_of(step)}; it must not be 0", by)
    if first is None or last is None or step is None:
        return ledger.fresh()
    if all(isinstance(e, (int, float)) for e in (first, last, step)):
        found: Size | None = _numeric(first, last, step, start.dtype)
    else:
        found = _symbolic(first, last, step)
        if found is None and start.dtype in PRECISIONS:
            found = _rounded((first, last, step), start.dtype)
    return ledger.fresh() if found is None else found


def _only(x: Tensor) -> Element:
    return x.value[0] if x.value is not None and len(x.value) == 1 else None


def _numeric(first: Any, last: Any, step: Any, of: DType) -> int | None:
    """Compute as runtimes do: the difference in the tensors' type, the quotient in double precision.

    Newer ones compute the difference of floats in double precision, too; None where that makes a difference.
    """
    if not (of.is_integer or of.is_float):
        return None
    try:
        start, end, by = (np.array(e, of.dtype) for e in (first, last, step))
    except (OverflowError, ValueError, TypeError):  # a number that its type cannot hold, or a type that there is not
        return None
    with np.errstate(all="ignore"):
        differences = [float(np.subtract(end, start))]
        if of.is_float:
            differences.append(float(end) - float(start))
        found = {max(math.ceil(n), 0) if np.isfinite(n) else None for n in np.divide(differences, np.float64(by))}
    return found.pop() if len(found) == 1 else None


def _symbolic(first: Element, last: Element, step: Element) -> Size | None:
    fractions = [_exact_fraction(e) for e in (first, last, step)]
    if any(p is None for p in fractions):
        return None
    (a, below_a), (b, below_b), (d, below_d) = (p for p in fractions if p is not None)
    above = mul(sub(mul(b, below_a), mul(a, below_b)), below_d)
    below = mul(d, below_a * below_b)
    if isinstance(below, int) and below < 0:
        above, below = sub(0, above), -below
    if not less_equal(1, below).is_yes:
        return None
    return maximum(ceildiv(above, below), 0)


def _rounded(entries: Sequence[Element], dtype: DType) -> Size | None:
    """Compute as ``_numeric`` does, where floats round: from 0, which no difference with rounds."""
    try:
        first, last, step = (as_operand(e, dtype) for e in entries)
        many = floating("f64", "/", last, step) if first == 0 else None
        if many is None or (isinstance(many, Floating) and many.denominators):
            return None
        return maximum(integer("ceil", many), 0)
    except (TypeError, NoValueError):
        return None


def _exact_fraction(e: Element) -> tuple[Size, int] | None:
    """Return a number as a size over a power of two."""
    if isinstance(e, Ratio):
        return e.above, e.below
    if isinstance(e, float):
        return dyadic(e)
    return (int(e), 1) if isinstance(e, int) else (e, 1) if isinstance(e, Dim) else None


def counted(out: Tensor, start: Tensor, delta: Tensor) -> Contents | None:
    """Return the numbers from ``start`` by ``delta``, as many as ``out`` has, where all are exact."""
    if out.dtype.is_float and out.dtype not in PRECISIONS:
        return None
    first, step = (_exact_fraction(_only(x)) for x in (start, delta))
    (count,) = out.dims
    if first is None or step is None or not isinstance(count, int):
        return None
    (a, below_a), (d, below_d) = first, step
    try:
        entries = [ratio(mul(a, below_d) + mul(d, i * below_a), below_a * below_d) for i in range(count)]
    except ValueError:
        return None
    if out.dtype.is_float:
        return tuple(float(e) if isinstance(e, int) else e for e in entries)
    return tuple(entries)
