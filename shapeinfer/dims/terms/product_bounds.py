"""Bounds of sums whose products are tied to each other, which bounds term by term do not see.

Each law bounds a sum whose products share a factor with a term of the other sign; they are asked only where its terms
one by one leave open whether it is above or below 0.
"""

from __future__ import annotations

import functools
import math
from typing import TypeAlias

from shapeinfer.dims.terms import intervals
from shapeinfer.dims.terms.bounds import bounds_of_sum, install_law
from shapeinfer.dims.terms.dim import Dim, Factors, Size
from shapeinfer.dims.terms.intervals import EVERYTHING, Interval
from shapeinfer.dims.terms.polynomials import added, multiplied, without
from shapeinfer.dims.terms.sizes import bounds_of, exponent_of, factors_of, is_natural, terms_of

MAX_BOUNDED = 12
"""A sum of more terms is bounded term by term."""
MAX_SHARED = 3
"""So many factors are taken out, one at a time, and no higher power is written out."""
MAX_PRODUCTS = 64

_Polynomial: TypeAlias = "dict[Factors, int]"


def bounds_of_products(size: Dim) -> Interval:
    """Bound a sum by what its products share."""
    terms, _ = size.as_terms()
    if len(terms) > MAX_BOUNDED:
        return EVERYTHING
    signs: dict[Dim, list[bool]] = {}
    for c, t in terms:
        for b, _ in t.as_factors()[1]:
            signs.setdefault(b, []).append(c > 0)
    found = intervals.intersection(_by_quotient(size), _by_difference(size))
    shared = [b for b, each in signs.items() if any(each) and not all(each)]
    if shared:
        each = (_with_factor_out(size, b) for b in shared[:MAX_SHARED])
        found = functools.reduce(intervals.intersection, each, intervals.intersection(found, _from_ends(size, signs)))
    return found


def _with_factor_out(size: Dim, factor: Dim) -> Interval:
    """Bound ``x*a - x*b + c`` as ``x*(a - b) + c``."""
    terms, number = size.as_terms()
    inside = added([(c, without(t, factor, 1)) for c, t in terms if exponent_of(t, factor)])
    rest = [(c, t) for c, t in terms if not exponent_of(t, factor)]
    return intervals.plus(intervals.times(factor.bounds(), bounds_of(inside)), bounds_of_sum(rest, number))


def _from_ends(size: Dim, factors: dict[Dim, list[bool]]) -> Interval:
    """Bound a sum as one of what its factors exceed their least by: ``(N - 1)*(P - 1)`` for ``N*P - N - P + 1``."""
    ends: dict[Dim, tuple[int, int]] = {}
    rests: dict[Dim, Interval] = {}
    for b in factors:
        low, high = b.bounds()
        if low is not None:
            ends[b], rests[b] = (1, low), (0, None if high is None else high - low)
        elif high is not None:
            ends[b], rests[b] = (-1, high), (0, None)
        else:
            ends[b], rests[b] = (1, 0), EVERYTHING
    if all(end == (1, 0) for end in ends.values()):
        return EVERYTHING
    terms, number = size.as_terms()
    whole: _Polynomial = {(): number}
    for c, t in terms:
        product: _Polynomial = {(): c}
        for b, exponent in t.as_factors()[1]:
            sign, end = ends[b]
            if exponent > MAX_SHARED or len(product) > MAX_PRODUCTS:
                return EVERYTHING
            product = {
                (*before, (b, k)) if k else before: n * math.comb(exponent, k) * sign**k * end ** (exponent - k)
                for before, n in product.items()
                for k in range(exponent + 1)
            }
        for powers, n in product.items():
            whole[powers] = whole.get(powers, 0) + n
    out: Interval = (0, 0)
    for powers, n in whole.items():
        product_bounds: Interval = (n, n)
        for b, k in powers:
            product_bounds = intervals.times(product_bounds, intervals.power(rests[b], k))
        out = intervals.plus(out, product_bounds)
    return out


def _by_quotient(size: Dim) -> Interval:
    """Bound a sum with ``a//n``, where ``n >= 1``, by what bounds that.

    ``a - n + 1 <= n*(a//n) <= a``, and ``0 <= a//n <= a//k`` where ``a >= 0`` and ``n >= k``.
    """
    terms, _ = size.as_terms()
    for c, term in terms:
        for b, exponent in term.as_factors()[1]:
            if not b.is_floor or not b.is_nonlinear or exponent > 1:
                continue
            a, n = _division(b)
            if not _is_opposed(size, c, a, n):
                continue
            k, _ = bounds_of(n)
            if k is None or k < 1:
                continue
            rest = _over(c, without(term, b, 1), n)
            if rest is not None:
                ends = multiplied(rest, a), multiplied(rest, added([(1, a), (-1, n)], 1))
            elif is_natural(a):
                rest = added([(c, without(term, b, 1))])
                ends = multiplied(rest, b.rebuilt((a, k))), 0
            else:
                continue
            low, high = bounds_of(rest)
            if low is None or low < 0:
                if high is None or high > 0:
                    continue
                ends = ends[1], ends[0]
            most, least = (added([(1, size), (-c, term), (1, end)]) for end in ends)
            return bounds_of(least)[0], bounds_of(most)[1]
    return EVERYTHING


def _division(floor: Dim) -> tuple[Size, Size]:
    """Return ``a, n`` of ``a//n``, which ``(x//n)//k`` is for the ``a`` that is ``x//k``."""
    a, n = floor.parts
    if isinstance(n, int) and isinstance(a, Dim):
        return floor.rebuilt((a.parts[0], n)), a.parts[1]
    return a, n


def _by_difference(size: Dim) -> Interval:
    """Bound a sum with ``a//n - b//n``, where ``n >= 1``: it is ``(a - b)//n``, or 1 more."""
    terms, _ = size.as_terms()
    floors = [(c, t) for c, t in terms if t.is_floor and t.division is None]
    for i, (c, t) in enumerate(floors):
        for d, u in floors[i + 1 :]:
            n = t.parts[1]
            if c * d < 0 and n is u.parts[1] and (bounds_of(n)[0] or 0) >= 1:
                k = c if abs(c) <= abs(d) else -d
                between = t.rebuilt((added([(1, t.parts[0]), (-1, u.parts[0])]), n))
                rest = added([(1, size), (-k, t), (k, u), (k, between)])
                return intervals.plus(bounds_of(rest), (min(k, 0), max(k, 0)))
    return EVERYTHING


def _is_opposed(size: Dim, coefficient: int, *sizes: Size) -> bool:
    """Return whether a term of the other sign has a factor of other sizes."""
    inside = {b for p in sizes for _, t in terms_of(p)[0] for b, _ in t.as_factors()[1]}
    return any(b in inside for c, t in size.as_terms()[0] if c * coefficient < 0 for b, _ in t.as_factors()[1])


def _over(coefficient: int, size: Size, n: Size) -> Size | None:
    """Return a product over another one, None where that has a factor more."""
    number, factors = factors_of(n)
    if coefficient % number or any(exponent_of(size, b) < k for b, k in factors):
        return None
    for b, k in factors:
        size = without(size, b, k)
    return added([(coefficient // number, size)])


install_law(bounds_of_products)
