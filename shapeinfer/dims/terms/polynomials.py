"""Sums and products, in the canonical form of polynomials.

A sum is distinct terms with coefficients and a number, a product distinct factors with powers and a coefficient; both
are in order, and nest only where writing them out would take too many terms. The factors are symbols and functions:
their own laws are in ``floors`` and ``selections``.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

from shapeinfer.dims.terms import intervals
from shapeinfer.dims.terms.bounds import bounds_of_sum
from shapeinfer.dims.terms.dim import ATOM, NUMBER, PRODUCT, SUM, Dim, Factors, Size, Terms, TermVisitor
from shapeinfer.dims.terms.expression import Expression
from shapeinfer.dims.terms.interning import interned
from shapeinfer.dims.terms.intervals import Interval
from shapeinfer.dims.terms.printing import bracketed, number_text
from shapeinfer.dims.terms.sizes import factors_of, terms_of

MAX_TERMS = 64
"""A product that would have more terms stays a product."""
MAX_SELECTIONS = 8
"""In a sum of more selections no two are held against each other."""
HIGH_POWER = 16
"""A higher power weighs as much as the product written out."""

_T = TypeVar("_T")


class Plus(Expression):
    """A sum of at least two terms, or of a term and a number."""

    __slots__ = ("number", "terms")

    rank = 3
    precedence = SUM
    is_sum = True
    terms: Terms
    number: int

    def derive(self) -> None:
        self.terms, self.number = self._fields
        self.parts = tuple(t for _, t in self.terms)
        self.weight = 1 + sum(map(_weight_of_term, self.terms)) + (self.number != 0)
        self.divisor = math.gcd(self.number, *(c * t.divisor for c, t in self.terms))
        self.order = (self.rank, *((t.order, c) for c, t in self.terms), ((NUMBER, self.number), 0))

    def as_terms(self) -> tuple[Terms, int]:
        return self.terms, self.number

    def numbers(self) -> tuple[int, ...]:
        return self.number, *(c for c, _ in self.terms)

    def interval(self) -> Interval:
        return bounds_of_sum(self.terms, self.number)

    def growth(self, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
        factor = abs(self.number) + sum(abs(k) * c for (k, _), (_, c) in zip(self.terms, parts))
        return max(d for d, _ in parts), factor

    def accept(self, visitor: TermVisitor[_T]) -> _T:
        return visitor.plus(self.terms, self.number)

    def written(self, portable: bool) -> str:
        terms = [_Written(c, t.as_factors()[1], portable) for c, t in self.terms]
        terms.sort(key=_Written.place)
        rest = [(t.is_negative, t.text) for t in terms[1:]]
        if self.number:
            rest.append((self.number < 0, number_text(abs(self.number))))
        return terms[0].signed() + "".join((" - " if negative else " + ") + text for negative, text in rest)

    def compute(self, values: Sequence[int]) -> int:
        return self.number + sum([c * v for (c, _), v in zip(self.terms, values)])

    def rebuilt(self, parts: Sequence[Size]) -> Size:
        return added([(c, p) for (c, _), p in zip(self.terms, parts)], self.number)


def _weight_of_term(term: tuple[int, Dim]) -> int:
    coefficient, core = term
    if coefficient == 1:
        return core.weight
    return core.weight + (1 if len(core.as_factors()[1]) > 1 else 2)


class Times(Expression):
    """A product: of several factors, of a number and a dim that is no sum, or a power."""

    __slots__ = ("coefficient", "factors", "is_exact", "is_unexpanded", "precedence")

    rank = 2
    is_nonlinear = True  # as a term of a sum, which has the coefficient
    coefficient: int
    factors: Factors

    def derive(self) -> None:
        self.coefficient, self.factors = self._fields
        self.parts = tuple(b for b, _ in self.factors)
        weights = [_weight_of_power(b, n) for b, n in self.factors]
        self.weight = sum(weights) + ((self.coefficient != 1) + 1 if self.coefficient != 1 or len(weights) > 1 else 0)
        self.divisor = abs(self.coefficient) * math.prod(b.divisor**n for b, n in self.factors)
        self.order = (self.rank, *((b.order, n) for b, n in self.factors), ((NUMBER, self.coefficient), 0))
        self.precedence = SUM if self.coefficient < 0 else PRODUCT
        self.is_unexpanded = any(b.is_sum for b, _ in self.factors)
        self.is_exact = any(b.is_exact for b, _ in self.factors)

    def as_terms(self) -> tuple[Terms, int]:
        if self.coefficient == 1:
            return ((1, self),), 0
        return ((self.coefficient, _one_of(self.factors)),), 0

    def as_factors(self) -> tuple[int, Factors]:
        return self.coefficient, self.factors

    def numbers(self) -> tuple[int, ...]:
        return self.coefficient, *(n for _, n in self.factors)

    def interval(self) -> Interval:
        powers = [intervals.power(b.bounds(), n) for b, n in self.factors]
        return intervals.scaled(self.coefficient, functools.reduce(intervals.times, powers))

    def growth(self, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
        powers = [(n * d, c**n) for (_, n), (d, c) in zip(self.factors, parts)]
        return sum(d for d, _ in powers), abs(self.coefficient) * math.prod(c for _, c in powers)

    def accept(self, visitor: TermVisitor[_T]) -> _T:
        return visitor.times(self.coefficient, self.factors)

    def written(self, portable: bool) -> str:
        return _Written(self.coefficient, self.factors, portable).signed()

    def compute(self, values: Sequence[int]) -> int:
        return self.coefficient * math.prod([int(v**n) for (_, n), v in zip(self.factors, values)])

    def rebuilt(self, parts: Sequence[Size]) -> Size:
        out: Size = self.coefficient
        for (_, n), part in zip(self.factors, parts):
            out = multiplied(out, power(part, n))
        return out


def _weight_of_power(base: Dim, exponent: int) -> int:
    # a high power counts as the product that it is, since that is what deciding about it costs
    return base.weight if exponent == 1 else base.weight + 2 if exponent <= HIGH_POWER else exponent * base.weight


class _Written:
    """The text of a term of a sum, without its sign."""

    def __init__(self, coefficient: int, factors: Factors, portable: bool) -> None:
        number = abs(coefficient)
        least = ATOM if number > 1 or len(factors) > 1 else PRODUCT
        powers = [
            bracketed(base, least, portable) if n == 1 else f"{bracketed(base, ATOM, portable)}**{n}"
            for base, n in factors
        ]
        self.text = "*".join(([number_text(number)] if number > 1 else []) + sorted(powers))
        self.is_negative = coefficient < 0
        self.degree = sum(n for _, n in factors)
        self.is_one_factor = coefficient == -1 and self.degree == 1
        self.factor = factors[0][0]

    def place(self) -> tuple[bool, int, str]:
        return self.is_negative, -self.degree, self.text

    def signed(self) -> str:
        """Return the text with its sign, which binds more than the division after it."""
        if not self.is_negative:
            return self.text
        return f"-({self.text})" if self.is_one_factor and self.factor.precedence == PRODUCT else f"-{self.text}"


def _one_of(factors: Factors) -> Dim:
    if len(factors) == 1 and factors[0][1] == 1:
        return factors[0][0]
    return _times(1, factors)


def added(parts: Iterable[tuple[int, Size]], number: int = 0) -> Size:
    """Return a number and the sum of sizes times numbers."""
    merged: dict[Dim, int] = {}
    for coefficient, part in parts:
        terms, n = terms_of(part)
        number += coefficient * n
        for c, t in terms:
            merged[t] = merged.get(t, 0) + coefficient * c
    loose = [(c, t) for t, c in merged.items() if _is_loose(c, t)]
    if loose:
        rest = [(c, t) for t, c in merged.items() if not _is_loose(c, t)]
        return added([*rest, *((1, _without_common_divisors(c, t)) for c, t in loose)], number)
    selections = [(c, t) for t, c in merged.items() if t.sign_of_choice and c]
    joined = _joined_selections(selections) if 1 < len(selections) <= MAX_SELECTIONS else None
    if joined:
        return added([*((c, t) for t, c in merged.items()), *joined], number)
    kept = [(c, t) for t, c in merged.items() if c]
    if not kept:
        return number
    if len(kept) == 1 and not number:
        return _scaled(*kept[0])
    kept.sort(key=_place_of_term)
    return _plus(tuple(kept), number)


def _plus(terms: Terms, number: int) -> Plus:
    return interned(Plus, terms, number)


def _times(coefficient: int, factors: Factors) -> Times:
    return interned(Times, coefficient, factors)


def _place_of_term(term: tuple[int, Dim]) -> tuple[object, ...]:
    return term[1].order


def _scaled(coefficient: int, core: Dim) -> Dim:
    return core if coefficient == 1 else _times(coefficient, core.as_factors()[1])


def _joined_selections(found: Sequence[tuple[int, Dim]]) -> list[tuple[int, Size]]:
    """Return what to add to a sum so that a larger and a smaller of the same two sizes become the two, [] for none.

    ``max(x, y) + min(x, y)`` is ``x + y``; so it is where both of one are ``d`` more than those of the other, of which
    ``d`` is taken: ``max(0, n - 2) + min(2, n)`` is ``n``, the rest of an axis and what was cut off it.
    """
    for (c, large), (d, small) in itertools.combinations(sorted(found, key=_place_of_term), 2):
        if large.sign_of_choice < 0:
            large, small = small, large
        if c != d or large.sign_of_choice < 0 or small.sign_of_choice > 0:
            continue
        if len(large.alternatives) != 2 or len(small.alternatives) != 2:
            continue
        x, y = small.alternatives
        for one, other in (large.alternatives, large.alternatives[::-1]):
            moved = added([(1, one), (-1, x)])
            if added([(1, other), (-1, y)]) == moved:
                return [(-c, large), (-c, small), (c, x), (c, y), (c, moved)]
    return []


def _is_loose(coefficient: int, core: Dim) -> bool:
    """Return whether a term is ``k*(b//n)`` where ``k`` and ``n``, which divides ``b``, have a common factor."""
    if coefficient in (0, 1, -1) or not core.is_exact:
        return False
    return any(math.gcd(coefficient, b.exact_divisor) > 1 for b, _ in core.as_factors()[1])


def _without_common_divisors(coefficient: int, core: Dim) -> Size:
    """Return ``k*(b//n)`` as ``(k/g)*(b//(n/g))`` wherever ``n`` is known to divide ``b``."""
    out: list[Size] = []
    for base, exponent in core.as_factors()[1]:
        for _ in range(exponent):
            g = math.gcd(coefficient, base.exact_divisor)
            coefficient //= g
            out.append(base.times_part_of_divisor(g))
    return _multiplied_all([coefficient, *out])


def multiplied(a: Size, b: Size) -> Size:
    """Return the expanded product, unless it would grow too large."""
    if isinstance(a, int):
        return added([(a, b)])
    if isinstance(b, int):
        return added([(b, a)])
    if a.is_sum or b.is_sum:
        left, right = _listed(a), _listed(b)
        if len(left) * len(right) <= MAX_TERMS and not a.is_unexpanded and not b.is_unexpanded:
            return added([(c * d, _joined(s, t)) for c, s in left for d, t in right])
    n, above = a.as_factors()
    m, below = b.as_factors()
    return added([(n * m, product_of((*above, *below)))])


def _multiplied_all(sizes: Iterable[Size]) -> Size:
    return functools.reduce(multiplied, sizes)


def _listed(size: Size) -> list[tuple[int, Size]]:
    """Return the terms of a sum, its number as a last one."""
    terms, number = terms_of(size)
    return [*terms, (number, 1)] if number else list(terms)


def _joined(a: Size, b: Size) -> Size:
    """Return the product of what has no coefficient."""
    if isinstance(a, int):
        return b
    if isinstance(b, int):
        return a
    return product_of((*a.as_factors()[1], *b.as_factors()[1]))


def product_of(factors: Iterable[tuple[Dim, int]]) -> Size:
    """Return the product of powers of sizes that are neither numbers nor products, 1 for none."""
    powers: dict[Dim, int] = {}
    for base, exponent in factors:
        powers[base] = powers.get(base, 0) + exponent
    return _one_of(tuple(sorted(powers.items(), key=_place_of_factor))) if powers else 1


def _place_of_factor(factor: tuple[Dim, int]) -> tuple[object, ...]:
    return factor[0].order


def power(base: Size, exponent: int) -> Size:
    """Return a size to the power of a number above 0."""
    if isinstance(base, int):
        return int(base**exponent)
    if base.is_sum:
        # a sum to a higher power has more terms than are written out
        return _multiplied_all([base] * exponent) if exponent <= MAX_TERMS else _one_of(((base, exponent),))
    coefficient, factors = base.as_factors()
    return added([(coefficient**exponent, product_of((b, n * exponent) for b, n in factors))])


def without(size: Size, base: Dim, exponent: int) -> Size:
    """Return a product, all of whose powers of a base are at least that of the exponent, divided by it."""
    coefficient, factors = factors_of(size)
    left = [(b, n - exponent if b is base else n) for b, n in factors if b is not base or n > exponent]
    return added([(coefficient, product_of(left))])


def over(size: Size, number: int) -> Size:
    """Return a size divided by a number that divides all its terms."""
    if number == 1:
        return size
    terms, rest = terms_of(size)
    return added([(c // number, t) for c, t in terms], rest // number)
