"""Lengths times factors, as runtimes compute them in single precision.

An axis that is scaled is assumed to be shorter than 2**24, before and after: beyond, single precision rounds integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Dim, Floating, NoValueError, Operand, Ratio, Size, dyadic, floating, floordiv, mul
from shapeinfer.facts import Element, Shape
from shapeinfer.shapes.elementwise.casts import finite
from shapeinfer.shapes.elementwise.floats import integer


def scaled(ledger: Ledger, size: Size, factor: Element) -> Size:
    """Return a size times a factor, rounded down; fresh where the factor is unknown or would round."""
    if isinstance(factor, (str, type(None))):
        return ledger.fresh()
    if isinstance(factor, Floating):
        return _rounded(ledger, size, factor)
    if isinstance(factor, Ratio):
        return floordiv(mul(size, factor.above), factor.below)
    if isinstance(factor, Dim):
        return mul(size, factor)
    if isinstance(size, int):
        with np.errstate(over="ignore"):
            rounded = np.floor(np.float32(size) * np.float32(factor))
        return int(rounded) if np.isfinite(rounded) else ledger.fresh()
    parts = dyadic(factor) if math.isfinite(factor) else None
    if parts is None:
        return _rounded(ledger, size, float(np.float32(factor)))
    return floordiv(mul(size, parts[0]), parts[1])


def _rounded(ledger: Ledger, size: Size, factor: Operand) -> Size:
    try:
        product = floating("f32", "*", size, factor)
        found = integer("trunc", product)
    except NoValueError:
        return ledger.fresh()
    finite(ledger, product, "dim", "scales")
    return found


def in_proportion(ledger: Ledger, sizes: Sequence[Size], wanted: Sequence[Size], *, inside: bool) -> Shape:
    """Return sizes scaled by one factor, so that they just fit inside what is wanted, or just cover it.

    An axis of 0 does not decide the factor, so the other sizes are open.
    """
    if len(sizes) == 1:
        return tuple(wanted)
    known = [(n, w) for n, w in zip(sizes, wanted) if isinstance(n, int) and isinstance(w, int) and n > 0]
    if len(known) < len(sizes):
        return tuple(0 if n == 0 and isinstance(n, int) else _bounded(ledger, w, inside) for n, w in zip(sizes, wanted))
    factors = [np.float32(w) / np.float32(n) for n, w in known]
    factor = min(factors) if inside else max(factors)
    return tuple(int(np.floor(np.float32(n) * factor + np.float32(0.5))) for n, _ in known)


def _bounded(ledger: Ledger, wanted: Size, inside: bool) -> Size:
    if isinstance(wanted, Dim):
        return ledger.fresh()
    return ledger.fresh(0, wanted) if inside else ledger.fresh(wanted)
