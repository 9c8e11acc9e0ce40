"""Division that rounds down, with its laws; each is true for all integers within the symbols' ranges."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TypeVar

from shapeinfer.dims.terms import intervals
from shapeinfer.dims.terms.dim import ATOM, PRODUCT, Dim, Size, TermVisitor
from shapeinfer.dims.terms.expression import Expression
from shapeinfer.dims.terms.interning import interned
from shapeinfer.dims.terms.intervals import Interval
from shapeinfer.dims.terms.polynomials import added, multiplied, over, without
from shapeinfer.dims.terms.printing import bracketed
from shapeinfer.dims.terms.sizes import (
    bounds_of,
    content_of,
    divisor_of,
    exponent_of,
    factors_of,
    place,
    terms_of,
    weight_of_size,
)

_T = TypeVar("_T")


class Floor(Expression):
    """``a // n``, rounded toward minus infinity."""

    __slots__ = ("division", "exact_divisor", "is_exact", "is_nonlinear")

    rank = 4
    precedence = PRODUCT
    is_floor = True

    def derive(self) -> None:
        a, n = self.parts = self._fields
        self.weight = 1 + sum(map(weight_of_size, self.parts))
        self.division = (a, n) if isinstance(n, int) else None
        self.is_nonlinear = self.division is None or (isinstance(a, Floor) and a.is_nonlinear)
        self.is_exact = self.division is not None and divisor_of(a) % n == 0
        self.exact_divisor = n if self.is_exact else 1
        self.divisor = divisor_of(a) // n if self.is_exact else 1
        self.order = (self.rank, place(a), place(n))

    def times_part_of_divisor(self, factor: int) -> Size:
        return self if factor == 1 else floor(self.parts[0], self.exact_divisor // factor)

    def interval(self) -> Interval:
        a, n = self.parts
        return intervals.floordiv(bounds_of(a), bounds_of(n))

    def growth(self, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
        # rounding down may lead away from 0, to -1 at least
        d, c = parts[0]
        return d, c if self.division is None else max(1, -(-c // abs(self.division[1])))

    def accept(self, visitor: TermVisitor[_T]) -> _T:
        return visitor.floordiv(*self.parts)

    def written(self, portable: bool) -> str:
        a, n = self.parts
        return f"{bracketed(a, PRODUCT, portable)}//{bracketed(n, ATOM, portable)}"

    def compute(self, values: Sequence[int]) -> int:
        return values[0] // values[1]

    def rebuilt(self, parts: Sequence[Size]) -> Size:
        # by 0 there is no value: what has none either way stays as it is
        return self if parts[1] == 0 else floor(*parts)


def floor(a: Size, n: Size) -> Size:
    """Return ``a // n``. Raises ZeroDivisionError for a literal 0."""
    if isinstance(n, Dim):
        return 0 if a == 0 else _by_symbol(a, n)
    if n == 0:
        raise ZeroDivisionError("a dim is divided by 0")
    if isinstance(a, int):
        return a // n
    if n < 0:
        return floor(multiplied(a, -1), -n)
    return a if n == 1 else _by_number(a, n)


def _by_symbol(a: Size, n: Dim) -> Size:
    g = math.gcd(content_of(a), content_of(n))
    if g > 1:
        return floor(over(a, g), over(n, g))
    if n.low is None or n.low < 1:
        return _floor(a, n)
    return _by_natural(a, n)


def _by_natural(a: Size, n: Dim) -> Size:
    """Return ``a // n`` where ``n >= 1``."""
    terms, number = terms_of(a)
    g = math.gcd(content_of(n), *(c for c, _ in terms))
    if g > 1:
        # (g*y + r)//(g*m)  ->  (y + r//g)//m
        return floor(added([(c // g, t) for c, t in terms], number // g), over(n, g))
    for base, _ in factors_of(n)[1]:
        reduced = _reduced(a, base) if base.low is not None and base.low >= 1 else None
        if reduced is not None:
            return floor(reduced, without(n, base, 1))
    outside = [(c, t) for c, t in terms if _is_multiple(c, t, n)]
    if outside:
        # every term that n divides is divided exactly
        rest = added([(c, t) for c, t in terms if not _is_multiple(c, t, n)], number)
        return added([*((1, _quotient(c, t, n)) for c, t in outside), (1, floor(rest, n))])
    once = _once_less(a, n)
    if once is not None:
        return added([(1, once[0]), (1, floor(once[1], n))])
    if number <= 0 and all(c < 0 for c, _ in terms):
        # (-a)//n  ->  -((a - 1)//n) - 1
        return added([(-1, floor(added([(-c, t) for c, t in terms], -number - 1), n))], -1)
    content = content_of(n)
    if content > 1:
        # a//(k*m)  ->  (a//m)//k, so that the laws of division by numbers see it
        return floor(floor(a, over(n, content)), content)
    if isinstance(a, int):
        return _constant(_floor(a, n))
    if len(terms) == 1 and terms[0][0] == 1 and isinstance(terms[0][1], Floor):
        b, m = terms[0][1].parts
        if (bounds_of(m)[0] or 0) >= 1:
            # (b//m + r)//n  ->  (b + r*m)//(m*n)
            return floor(added([(1, b), (number, m)]), multiplied(m, n))
    return 0 if a.low is not None and a.low >= 0 and _is_below(a, n) else _constant(_floor(a, n))


def _reduced(a: Size, base: Dim) -> Size | None:
    """Return ``y + r//x`` for ``x*y + r``, where ``r//x`` is a number: then ``(x*y + r)//(x*m)`` is that over ``m``."""
    terms, number = terms_of(a)
    inside = [(c, without(t, base, 1)) for c, t in terms if exponent_of(t, base)]
    if not inside:
        return None
    rest = floor(added([(c, t) for c, t in terms if not exponent_of(t, base)], number), base)
    return added(inside, rest) if isinstance(rest, int) else None


def _once_less(a: Size, n: Dim) -> tuple[Size, Size] | None:
    """Return ``q, r`` for ``a == q*n + r`` where ``n`` is a sum and ``r`` has fewer terms than ``a``."""
    if not n.is_sum or isinstance(a, int):
        return None
    (least, first), *_ = n.as_terms()[0]
    terms, number = a.as_terms()
    for c, t in terms:
        if not c % least and _is_multiple(c, t, first):
            q = _quotient(c // least, t, first)
            rest = added([(1, a), (-1, multiplied(q, n))])
            others, rest_number = terms_of(rest)
            if len(others) + (rest_number != 0) < len(terms) + (number != 0):
                return q, rest
    return None


def _is_multiple(coefficient: int, term: Dim, n: Dim) -> bool:
    """Return whether a product, with its coefficient, is a multiple of another by its factors."""
    number, factors = factors_of(n)
    return coefficient % number == 0 and all(exponent_of(term, b) >= k for b, k in factors)


def _quotient(coefficient: int, term: Size, n: Dim) -> Size:
    number, factors = factors_of(n)
    for b, k in factors:
        term = without(term, b, k)
    return added([(coefficient // number, term)])


def _is_below(a: Dim, n: Dim) -> bool:
    _, high = bounds_of(added([(1, a), (-1, n)]))
    return high is not None and high < 0


def _constant(size: Dim) -> Size:
    """Return the number that a dim must be by its bounds, or the dim, such as 0 for ``2//n`` where ``n >= 3``."""
    low, high = size.bounds()
    return low if low is not None and low == high else size


def _floor(a: Size, n: Size) -> Floor:
    return interned(Floor, a, n)


def _by_number(a: Dim, n: int) -> Size:
    terms, number = terms_of(a)
    outside: list[tuple[int, Size]] = []
    inside: list[tuple[int, Dim]] = []
    apart: list[tuple[int, Dim]] = []
    rounded = [c for c, _ in terms if c % n]
    if rounded and max(rounded) < 0:
        # a floor of what is negated is a ceiling: -x // n  ->  -((x + n - 1)//n)
        return added([(-1, floor(added([(-1, a)], n - 1), n))])
    for coefficient, core in terms:
        # (q*n + r)*x // n  ->  q*x + (r*x)//n, with 0 <= r < n
        q, r = divmod(coefficient, n)
        if q:
            outside.append((q, core))
        if r:
            # a term that n divides by what is known of its symbols rounds on its own
            (inside if r * core.divisor % n else apart).append((r, core))
    q, number = divmod(number, n)
    alone = len(apart) == 1 and not inside and not number
    if outside or q or (apart and not alone):
        each = [(1, floor(added([t]), n)) for t in apart]
        return added([*outside, *each, (1, floor(added(inside, number), n))], q)
    if alone:
        shared = _shared_out(*apart[0], n)
        if shared is not None:
            return shared
    return _in_lowest_terms(a, n)


def _in_lowest_terms(a: Dim, n: int) -> Size:
    terms, number = terms_of(a)
    low, high = a.bounds()
    if low is not None and high is not None and low // n == high // n:
        return low // n
    g = math.gcd(n, *(c for c, _ in terms))
    if g > 1:
        # (g*y + r)//(g*m)  ->  (y + r//g)//m
        return floor(added([(c // g, t) for c, t in terms], number // g), n // g)
    if len(terms) == 1 and terms[0][0] == 1 and terms[0][1].division is not None:
        # (b//m + r)//n  ->  (b + r*m)//(m*n), where m > 0 by the canonical form
        b, m = terms[0][1].division
        return floor(added([(1, b)], number * m), m * n)
    if isinstance(a, Floor) and (bounds_of(a.parts[1])[0] or 0) >= 1:
        # ((g*y + r)//m)//(g*n)  ->  ((y + r//g)//m)//n, where m > 0
        divided, by = a.parts
        inside, rest = terms_of(divided)
        g = math.gcd(n, *(c for c, _ in inside))
        if g > 1:
            return floor(floor(added([(c // g, t) for c, t in inside], rest // g), by), n // g)
    return _floor(a, n)


def _shared_out(coefficient: int, core: Dim, n: int) -> Size | None:
    """Return a product divided by ``n``, which is shared out among its factors, None where it cannot be.

    ``(x*y)//4 -> (x//2)*(y//2)`` where 2 divides x and y: each division is exact.
    """
    factors = [b for b, exponent in core.as_factors()[1] for _ in range(exponent)]
    if len(factors) < 2:
        return None
    g = math.gcd(coefficient, n)
    coefficient, n = coefficient // g, n // g
    out: list[Size] = [coefficient]
    for base in factors:
        g = math.gcd(base.divisor, n)
        n //= g
        out.append(floor(base, g))
    return functools.reduce(multiplied, out) if n == 1 else None
