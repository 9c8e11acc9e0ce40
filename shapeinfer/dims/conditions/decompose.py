"""Sums taken apart into terms, factors, floors and selections, without a word of how they are stored."""

from __future__ import annotations

import math

from attrs import frozen

from shapeinfer.dims.conditions.condition import AllOf, AnyOf, AtMost, Condition, Divides, Equal, nonzero
from shapeinfer.dims.terms import expression
from shapeinfer.dims.terms.arithmetic import add, memoised, mul, product, total
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.expression import terms_of
from shapeinfer.dims.terms.floors import Floor
from shapeinfer.dims.terms.selections import Max, Min


@frozen(repr=False)
class Sum:
    """Terms, each a number times a length that is no number, and a number."""

    terms: tuple[tuple[int, Dim], ...]
    number: int

    @staticmethod
    def of(size: Size) -> Sum:
        """Return a number or a length as a sum of one term."""
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
        """Return the sum as a length."""
        return add(total(mul(t, c) for c, t in self.terms), self.number)

    def shared(self) -> tuple[list[Dim], Size]:
        """Return the distinct factors that all terms share, and what the terms leave without them."""
        powers = [_powers(t) for _, t in self.terms]
        shared = {f: n for f in powers[0] if (n := min(p.get(f, 0) for p in powers))} if powers else {}
        rest = [
            mul(product(f for f, n in p.items() for _ in range(n - shared.get(f, 0))), c)
            for (c, _), p in zip(self.terms, powers)
        ]
        return list(shared), total(rest)


def as_sum(size: Size) -> Sum:
    """Return a length as a sum."""
    return Sum(*terms_of(size))


def distinct_factors(size: Size) -> tuple[Dim, ...]:
    """Return the distinct factors of a product, a length alone for what is none."""
    return () if isinstance(size, int) else tuple(_powers(size))


def _powers(size: Dim) -> dict[Dim, int]:
    return dict(expression.factors_of(size)[1])


def divisors_of(size: Size) -> frozenset[Dim]:
    """Return the lengths that a length divides by and that may be 0, where it has no value."""
    found: set[Dim] = set()
    seen: set[Size] = set()
    left = [size]
    while left:
        part = left.pop()
        if part in seen or not isinstance(part, expression.Expression):
            continue
        seen.add(part)
        if isinstance(part, Floor) and isinstance(part.parts[1], Dim) and not nonzero(part.parts[1]).answer().is_yes:
            found.add(part.parts[1])
        left += part.parts
    return frozenset(found)


@memoised
def growth(size: Size) -> tuple[int, int]:
    """Return ``d, c`` such that a length is no farther from 0 than ``c * n**d`` where no symbol is farther than ``n``.

    ``d`` is how many symbols are multiplied; ``n`` is 1 at least.
    """
    if isinstance(size, int):
        return 0, abs(size)
    if size.is_symbol:
        return 1, 1
    parts = [growth(p) for p in size.parts]  # type: ignore[attr-defined] # what is no symbol has parts
    if isinstance(size, expression.Plus):
        return max(d for d, _ in parts), abs(size.number) + sum(abs(k) * c for (k, _), (_, c) in zip(size.terms, parts))
    if isinstance(size, expression.Times):
        powers = [(n * d, c**n) for (_, n), (d, c) in zip(size.factors, parts)]
        return sum(d for d, _ in powers), abs(size.coefficient) * math.prod(c for _, c in powers)
    if isinstance(size, Floor):
        # rounding down may lead away from 0, to -1 at least
        d, c = parts[0]
        return d, max(1, -(-c // abs(size.parts[1]))) if isinstance(size.parts[1], int) else c
    return max(d for d, _ in parts), max(c for _, c in parts)


def floor_of(size: Dim) -> tuple[Size, int] | None:
    """Return ``b, n`` of ``b//n`` for a number ``n``, None for what is no such floor."""
    if not isinstance(size, Floor):
        return None
    b, n = size.parts
    return (b, n) if isinstance(n, int) else None


def choice_of(size: Dim) -> tuple[str, list[Size]] | None:
    """Return the kind and arguments of a ``max`` or ``min``, None for what is none."""
    return (type(size).__name__, list(size.parts)) if isinstance(size, (Max, Min)) else None


def weight(condition: Condition) -> int:
    """Return how many parts the expressions of a condition have."""
    if isinstance(condition, (AllOf, AnyOf)):
        return sum(weight(p) for p in condition.parts)
    return sum(weight_of_size(s) for s in sides(condition))


def sides(condition: Equal | AtMost | Divides) -> tuple[Size, Size]:
    """Return the two lengths that a condition compares."""
    return (condition.divisor, condition.a) if isinstance(condition, Divides) else (condition.a, condition.b)


def weight_of_size(size: Size) -> int:
    """Return how many parts an expression has."""
    return 1 if isinstance(size, int) else size.weight
