"""Lengths times factors, as runtimes compute them in single precision.

An axis that is scaled is assumed to be shorter than 2**24, before and after: beyond, single precision rounds integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import (
    Dim,
    Floating,
    NoValueError,
    Operand,
    Ratio,
    Size,
    dyadic,
    floating,
    floordiv,
    maximum,
    minimum,
    mul,
)
from shapeinfer.facts import Element, Shape
from shapeinfer.shapes.elementwise.casts import finite
from shapeinfer.shapes.elementwise.floats import integer

_SURE = 1 << 22
"""Below, what single precision computes of a whole number, rounding twice, is nearest to that number."""


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

    The factor is the least or the greatest of what the axes' own would be. Rounding keeps the order of numbers, so each
    size is the least or the greatest of what those make of it. Right only under the claim that no axis is 0 which
    becomes a positive number.
    """
    if len(sizes) == 1:
        return tuple(wanted)
    try:
        extreme = minimum if inside else maximum
        return tuple(extreme(*(_by_factor_of(size, *pair) for pair in zip(sizes, wanted))) for size in sizes)
    except NoValueError:
        return tuple(0 if n == 0 and isinstance(n, int) else _bounded(ledger, w, inside) for n, w in zip(sizes, wanted))


def _by_factor_of(size: Size, before: Size, after: Size) -> Size:
    """Return a size scaled as one axis is, a half rounded up. Raises NoValueError where that is unknown."""
    if before == after:
        return size  # an axis of 0 that stays 0 has the factor 1, too
    if not isinstance(after, int) or (after == 0 and isinstance(before, Dim)):
        raise NoValueError("an axis that may be 0 before and after, and stay so by any factor")
    if size == before and after < _SURE:
        return after
    product = floating("f32", "*", floating("f32", "/", after, before), size)
    return integer("floor", floating("f64", "+", product, 0.5))


def _bounded(ledger: Ledger, wanted: Size, inside: bool) -> Size:
    if isinstance(wanted, Dim):
        return ledger.fresh()
    return ledger.fresh(0, wanted) if inside else ledger.fresh(wanted)
