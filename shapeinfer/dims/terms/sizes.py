"""Functions of a size, be it a number or a Dim."""

from __future__ import annotations

import math
from typing import Any

from shapeinfer.dims.terms.dim import NUMBER, Dim, Factors, Size, Terms
from shapeinfer.dims.terms.intervals import IntegerInterval, Interval


def place(size: Size) -> tuple[Any, ...]:
    """Return what to sort sizes by: numbers first, then by structure and names."""
    return (NUMBER, size) if isinstance(size, int) else size.order


def divisor_of(size: Size) -> int:
    """Return a known divisor of every value of a size."""
    return abs(size) if isinstance(size, int) else size.divisor


def weight_of_size(size: Size) -> int:
    """Return how many parts an expression has."""
    return 1 if isinstance(size, int) else size.weight


def symbols_of(*sizes: Size) -> frozenset[Dim]:
    """Return the symbols that occur in sizes."""
    return frozenset().union(*(s.symbols for s in sizes if not isinstance(s, int)))


def is_symbol(size: Size) -> bool:
    """Return whether a size is a symbol alone."""
    return not isinstance(size, int) and size.is_symbol


def bounds_of(size: Size) -> IntegerInterval:
    """Return the least and the greatest value that a size can have, None where not known."""
    return (size, size) if isinstance(size, int) else size.bounds()


def is_natural(size: Size) -> bool:
    """Return whether a size is known to be at least 0."""
    low, _ = bounds_of(size)
    return low is not None and low >= 0


def interval_of(size: Size) -> Interval:
    """Return bounds of a size that follow from those of its parts alone."""
    return (size, size) if isinstance(size, int) else size.interval()


def terms_of(size: Size) -> tuple[Terms, int]:
    """Return a size as the terms of a sum and a number."""
    return ((), size) if isinstance(size, int) else size.as_terms()


def factors_of(size: Size) -> tuple[int, Factors]:
    """Return a size as a number and the factors of a product with their powers."""
    return (size, ()) if isinstance(size, int) else size.as_factors()


def content_of(size: Size) -> int:
    """Return the greatest number that divides every term, the number among them: the content of the polynomial."""
    terms, number = terms_of(size)
    return math.gcd(number, *(c for c, _ in terms))


def exponent_of(size: Size, base: Dim) -> int:
    """Return the power of a base in a product, 0 where it is no factor."""
    return next((n for b, n in factors_of(size)[1] if b is base), 0)
