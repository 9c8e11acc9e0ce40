"""Expressions: sums and products of lengths, and functions of them, interned in one normal form.

A sum is distinct terms with coefficients and a number, a product distinct factors with powers and a coefficient;
both are in order, and nest only where writing them out would take too many terms. The functions' own laws are in
``floors`` and ``selections``. Parts are shared, and a tree of them would be exponential, so whoever walks an
expression remembers what was found for each part.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from shapeinfer.dims.terms.dim import NUMBER, Dim, Size
from shapeinfer.dims.terms.interning import interned
from shapeinfer.remembered import note

MAX_TERMS = 64
"""A product that would have more terms stays a product."""
HIGH_POWER = 16

Terms: TypeAlias = "tuple[tuple[int, Dim], ...]"
"""Coefficients, none of them 0, with lengths that are neither numbers, sums nor products with a coefficient."""
Factors: TypeAlias = "tuple[tuple[Dim, int], ...]"
"""Lengths that are neither numbers nor products, with powers above 0."""


class Expression(Dim):
    """A length made of others."""

    __slots__ = ("_fields", "_symbols", "parts", "whole")

    rank = 0
    """The place of the kind in every order."""

    _fields: tuple[Any, ...]
    _symbols: frozenset[Dim]
    parts: tuple[Size, ...]
    """What it is made of."""
    whole: bool
    """Whether it is, or has as a factor, a division by a number that leaves no remainder."""

    @property
    def symbols(self) -> frozenset[Dim]:
        return self._symbols

    def __reduce__(self) -> tuple[Any, ...]:
        return interned, (type(self), *self._fields)

    def begin(self) -> None:
        self._bounds = None
        self._text = None
        self.whole = False
        self.settle()
        self._symbols = frozenset().union(*(p.symbols for p in self.parts if not isinstance(p, int)))
        note(64 * len(self.parts))

    def settle(self) -> None:
        """Fill in what follows from the fields: parts, weight, divisor, order and whether it is whole."""
        raise NotImplementedError

    def compute(self, values: Sequence[int]) -> int:
        """Return the number that it is for numbers in place of its parts. Raises ZeroDivisionError."""
        raise NotImplementedError

    def rebuilt(self, parts: Sequence[Size]) -> Size:
        """Return the same of other parts, with every law applied."""
        raise NotImplementedError


def place(size: Size) -> tuple[Any, ...]:
    """Return what to sort lengths by: numbers first, then by structure and names."""
    return (NUMBER, size) if isinstance(size, int) else size.order


def divisor_of(size: Size) -> int:
    """Return a known divisor of every value of a length."""
    return abs(size) if isinstance(size, int) else size.divisor


class Plus(Expression):
    """A sum of at least two terms, or of a term and a number."""

    __slots__ = ("number", "terms")

    rank = 3
    terms: Terms
    number: int

    def settle(self) -> None:
        self.terms, self.number = self._fields
        self.parts = tuple(t for _, t in self.terms)
        self.weight = 1 + sum(map(_weight_of_term, self.terms)) + (self.number != 0)
        self.divisor = math.gcd(self.number, *(c * t.divisor for c, t in self.terms))
        self.order = (self.rank, *((t.order, c) for c, t in self.terms), ((NUMBER, self.number), 0))

    def compute(self, values: Sequence[int]) -> int:
        return self.number + sum([c * v for (c, _), v in zip(self.terms, values)])

    def rebuilt(self, parts: Sequence[Size]) -> Size:
        return added([(c, p) for (c, _), p in zip(self.terms, parts)], self.number)


def _weight_of_term(term: tuple[int, Dim]) -> int:
    coefficient, core = term
    if coefficient == 1:
        return core.weight
    return core.weight + (1 if isinstance(core, Times) and len(core.factors) > 1 else 2)


class Times(Expression):
    """A product: of several factors, of a number and a length that is no sum, or a power."""

    __slots__ = ("coefficient", "factors", "unexpanded")

    rank = 2
    coefficient: int
    factors: Factors
    unexpanded: bool
    """Whether it is a product of sums that stayed one."""

    def settle(self) -> None:
        self.coefficient, self.factors = self._fields
        self.parts = tuple(b for b, _ in self.factors)
        weights = [_weight_of_power(b, n) for b, n in self.factors]
        self.weight = sum(weights) + ((self.coefficient != 1) + 1 if self.coefficient != 1 or len(weights) > 1 else 0)
        self.divisor = abs(self.coefficient) * math.prod(b.divisor**n for b, n in self.factors)
        self.order = (self.rank, *((b.order, n) for b, n in self.factors), ((NUMBER, self.coefficient), 0))
        self.unexpanded = any(isinstance(b, Plus) for b, _ in self.factors)
        self.whole = any(isinstance(b, Expression) and b.whole for b, _ in self.factors)

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


def terms_of(size: Size) -> tuple[Terms, int]:
    """Return a length as the terms of a sum and a number."""
    if isinstance(size, int):
        return (), size
    if isinstance(size, Plus):
        return size.terms, size.number
    if isinstance(size, Times) and size.coefficient != 1:
        return ((size.coefficient, _one_of(size.factors)),), 0
    return ((1, size),), 0


def factors_of(size: Size) -> tuple[int, Factors]:
    """Return a length as a number and the factors of a product with their powers."""
    if isinstance(size, int):
        return size, ()
    return (size.coefficient, size.factors) if isinstance(size, Times) else (1, ((size, 1),))


def coefficient_of(size: Size) -> int:
    """Return the number before the factors of a product; a number is its own, that of anything else is 1."""
    return size if isinstance(size, int) else size.coefficient if isinstance(size, Times) else 1


def content_of(size: Size) -> int:
    """Return the greatest number that divides every term, the number among them."""
    terms, number = terms_of(size)
    return math.gcd(number, *(c for c, _ in terms))


def _one_of(factors: Factors) -> Dim:
    if len(factors) == 1 and factors[0][1] == 1:
        return factors[0][0]
    made: Dim = interned(Times, 1, factors)
    return made


def added(parts: Iterable[tuple[int, Size]], number: int = 0) -> Size:
    """Return a number and the sum of lengths times numbers."""
    merged: dict[Dim, int] = {}
    for coefficient, part in parts:
        terms, n = terms_of(part)
        number += coefficient * n
        for c, t in terms:
            merged[t] = merged.get(t, 0) + coefficient * c
    loose = [(c, t) for t, c in merged.items() if _is_loose(c, t)]
    if loose:
        rest = [(c, t) for t, c in merged.items() if not _is_loose(c, t)]
        return added([*rest, *((1, _settled(c, t)) for c, t in loose)], number)
    kept = [(c, t) for t, c in merged.items() if c]
    if not kept:
        return number
    if len(kept) == 1 and not number:
        return _scaled(*kept[0])
    kept.sort(key=_place_of_term)
    made: Plus = interned(Plus, tuple(kept), number)
    return made


def _place_of_term(term: tuple[int, Dim]) -> tuple[Any, ...]:
    return term[1].order


def _scaled(coefficient: int, core: Dim) -> Dim:
    if coefficient == 1:
        return core
    factors = core.factors if isinstance(core, Times) else ((core, 1),)
    made: Times = interned(Times, coefficient, factors)
    return made


def _divisor_in(base: Dim) -> int:
    """Return ``n`` of a factor ``b//n`` that leaves no remainder, 1 for any other."""
    return int(base._fields[1]) if isinstance(base, Expression) and base.whole else 1


def _is_loose(coefficient: int, core: Dim) -> bool:
    """Tell whether a term is ``k*(b//n)`` where ``k`` and ``n``, which divides ``b``, have a common factor."""
    if coefficient in (0, 1, -1) or not isinstance(core, Expression) or not core.whole:
        return False
    return any(math.gcd(coefficient, _divisor_in(b)) > 1 for b, _ in factors_of(core)[1])


def _settled(coefficient: int, core: Dim) -> Size:
    """Return ``k*(b//n)`` as ``(k/g)*(b//(n/g))`` wherever ``n`` is known to divide ``b``."""
    from shapeinfer.dims.terms.floors import floor

    out: list[Size] = []
    for base, exponent in factors_of(core)[1]:
        for _ in range(exponent):
            g = math.gcd(coefficient, _divisor_in(base))
            coefficient //= g
            out.append(floor(base._fields[0], base._fields[1] // g) if g > 1 else base)  # type: ignore[attr-defined]
    return _multiplied_all([coefficient, *out])


def multiplied(a: Size, b: Size) -> Size:
    """Return the expanded product, unless it would grow too large."""
    if isinstance(a, int):
        return added([(a, b)])
    if isinstance(b, int):
        return added([(b, a)])
    if isinstance(a, Plus) or isinstance(b, Plus):
        left, right = _listed(a), _listed(b)
        if len(left) * len(right) <= MAX_TERMS and not _is_unexpanded(a) and not _is_unexpanded(b):
            return added([(c * d, _joined(s, t)) for c, s in left for d, t in right])
    n, above = factors_of(a)
    m, below = factors_of(b)
    return added([(n * m, product_of((*above, *below)))])


def _multiplied_all(sizes: Iterable[Size]) -> Size:
    return functools.reduce(multiplied, sizes)


def _is_unexpanded(size: Dim) -> bool:
    return isinstance(size, Times) and size.unexpanded


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
    return product_of((*factors_of(a)[1], *factors_of(b)[1]))


def product_of(factors: Iterable[tuple[Dim, int]]) -> Size:
    """Return the product of powers of lengths that are neither numbers nor products, 1 for none."""
    powers: dict[Dim, int] = {}
    for base, exponent in factors:
        powers[base] = powers.get(base, 0) + exponent
    return _one_of(tuple(sorted(powers.items(), key=_place_of_factor))) if powers else 1


def _place_of_factor(factor: tuple[Dim, int]) -> tuple[Any, ...]:
    return factor[0].order


def power(base: Size, exponent: int) -> Size:
    """Return a length to the power of a number above 0."""
    if isinstance(base, int):
        return int(base**exponent)
    if isinstance(base, Plus):
        # a sum to a higher power has more terms than are written out
        return _multiplied_all([base] * exponent) if exponent <= MAX_TERMS else _one_of(((base, exponent),))
    coefficient, factors = factors_of(base)
    return added([(coefficient**exponent, product_of((b, n * exponent) for b, n in factors))])


def without(size: Size, base: Dim, exponent: int) -> Size:
    """Return a product, all of whose powers of a base are at least that of the exponent, divided by it."""
    coefficient, factors = factors_of(size)
    left = [(b, n - exponent if b is base else n) for b, n in factors if b is not base or n > exponent]
    return added([(coefficient, product_of(left))])


def exponent_of(size: Size, base: Dim) -> int:
    """Return the power of a base in a product, 0 where it is no factor."""
    return next((n for b, n in factors_of(size)[1] if b is base), 0)


def over(size: Size, number: int) -> Size:
    """Return a length divided by a number that divides all its terms."""
    if number == 1:
        return size
    terms, rest = terms_of(size)
    return added([(c // number, t) for c, t in terms], rest // number)


def replaced(size: Size, mapping: Mapping[Dim, Size]) -> Size:
    """Return a length with symbols replaced at once and every law applied anew, but for divisions by 0."""
    return _replaced(size, dict(mapping))


def _replaced(part: Size, done: dict[Dim, Size]) -> Size:
    if isinstance(part, int) or part.is_symbol:
        return part if isinstance(part, int) else done.get(part, part)
    found = done.get(part)
    if found is None:
        assert isinstance(part, Expression)
        found = done[part] = part.rebuilt([_replaced(p, done) for p in part.parts])
    return found


def evaluated(size: Size, values: Mapping[Dim, int]) -> int:
    """Return the number of a length, given its symbols'. Raises ZeroDivisionError."""
    return _evaluated(size, dict(values))


def _evaluated(part: Size, done: dict[Dim, int]) -> int:
    if isinstance(part, int):
        return part
    found = done.get(part)
    if found is None:
        assert isinstance(part, Expression)
        found = done[part] = part.compute([_evaluated(p, done) for p in part.parts])
    return found


def largest_in(size: Size) -> int:
    """Return the number farthest from 0 that is written in a length, as its distance."""
    return _largest(size, {})


def _largest(part: Size, done: dict[Dim, int]) -> int:
    if isinstance(part, int):
        return abs(part)
    if isinstance(part, Expression) and part not in done:
        written = [n for f in part._fields for n in _numbers(f)]
        done[part] = max([*map(abs, written), *(_largest(p, done) for p in part.parts)], default=0)
    return done.get(part, 0)


def _numbers(field: Any) -> Iterable[int]:
    if isinstance(field, int):
        yield field
    elif isinstance(field, tuple):
        for item in field:
            yield from _numbers(item)
