"""Sizes taken apart into terms and factors, and measured, whatever they are stored as."""

from __future__ import annotations

import math

from attrs import frozen

from shapeinfer.dims.terms.arithmetic import add, memoised, mul, product, total
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.sizes import factors_of, terms_of


@frozen(repr=False)
class Sum:
    """Terms, each a number times a size that is no number, and a number."""

    terms: tuple[tuple[int, Dim], ...]
    number: int

    @staticmethod
    def of(size: Size) -> Sum:
        """Return a number or a size as a sum of one term."""
        return Sum((), size) if isinstance(size, int) else Sum(((1, size),), 0)

    def minus(self, other: Sum) -> Sum:
        """Return the difference, for sums that share no term."""
        return Sum((*self.terms, *((-c, t) for c, t in other.terms)), self.number - other.number)

    def content(self) -> int:
        """Return the greatest number that divides every term."""
        return math.gcd(*(c for c, _ in self.terms)) or 1

    def over(self, g: int) -> Sum:
        """Return the sum divided by a number that divides all of it."""
        return self if g == 1 else Sum(tuple((c // g, t) for c, t in self.terms), self.number // g)

    def size(self) -> Size:
        """Return the sum as a size."""
        return add(total(mul(t, c) for c, t in self.terms), self.number)

    def shared(self) -> tuple[list[Dim], Size]:
        """Return the distinct factors that all terms share, and what the terms leave without them."""
        powers = [dict(t.as_factors()[1]) for _, t in self.terms]
        shared = {f: n for f in powers[0] if (n := min(p.get(f, 0) for p in powers))} if powers else {}
        rest = [
            mul(product(f for f, n in p.items() for _ in range(n - shared.get(f, 0))), c)
            for (c, _), p in zip(self.terms, powers)
        ]
        return list(shared), total(rest)


def as_sum(size: Size) -> Sum:
    """Return a size as a sum."""
    return Sum(*terms_of(size))


def distinct_factors(size: Size) -> tuple[Dim, ...]:
    """Return the distinct factors of a product, a size alone for what is none."""
    return tuple(base for base, _ in factors_of(size)[1])


@memoised
def growth(size: Size) -> tuple[int, int]:
    """Return ``d, c`` such that ``abs(size) <= c * n**d`` wherever ``abs(symbol) <= n`` for every symbol.

    ``d`` is how many symbols are multiplied; ``n`` is 1 at least.
    """
    if isinstance(size, int):
        return 0, abs(size)
    return (1, 1) if size.is_symbol else size.growth([growth(p) for p in size.parts])
