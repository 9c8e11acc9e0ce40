"""Comparisons of products as comparisons of their factors, none of which is negative.

Where ``0 <= y_i <= x_i`` for every ``i``, the product of all ``y_i`` is no more than that of all ``x_i``, and the two
are equal only where every ``y_i == x_i`` or some ``x_i == 0``: with every ``x_i`` above 0 one ``y_i < x_i`` makes the
product less, or 0. So ``4*((H + 3)//4) * 4*((W + 3)//4) == H*W``, where each factor on the left is no less than its
like on the right, is a condition on ``H`` and one on ``W``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from shapeinfer.dims.conditions.condition import ALWAYS, AllOf, AnyOf, AtMost, Condition, Equal
from shapeinfer.dims.conditions.decisions import less_equal
from shapeinfer.dims.terms.arithmetic import mul, product
from shapeinfer.dims.terms.decompose import Sum, factored, groups_of
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.sizes import bounds_of, symbols_of

MAX_GROUPS = 3
"""Products of more factors that share no symbols are not taken apart."""
MAX_COEFFICIENT = 1 << 16
"""Greater numbers before a product are not shared out among its factors."""


def is_natural(size: Size) -> bool:
    """Return whether a size is never below 0."""
    low, _ = bounds_of(size)
    return low is not None and low >= 0


def is_power(term: Dim, factors: Sequence[Dim]) -> bool:
    """Return whether a product of one factor is a power of it."""
    return len(factors) == 1 and factors[0] is not term


# Of a difference, which is 0 or at least 0


def zero_product(difference: Sum) -> Condition | None:
    """Split ``product == 0``: a factor is 0."""
    shared, rest = difference.shared()
    if difference.number or not shared:
        return None
    parts: list[Condition] = [] if isinstance(rest, int) else [Equal(rest, 0)]
    if not parts and len(shared) == 1:
        return Equal(shared[0], 0) if is_power(difference.terms[0][1], shared) else None
    return AnyOf((*parts, *(Equal(f, 0) for f in shared)))


def equal_factors(difference: Sum) -> Condition | None:
    """Split an equality of products, and ``product == 0`` where the product is written as a sum."""
    if len(difference.terms) < 2:
        return None
    _, factors = factored(difference.size())
    if len(factors) > 1:
        return AnyOf(tuple(Equal(f, 0) for f in dict.fromkeys(factors)))
    return equal_products(*difference.sides())


def positive_product(difference: Sum) -> Condition | None:
    """Drop a factor that is never negative from ``0 <= product``, except where it is 0."""
    shared, rest = difference.shared()
    if not shared or isinstance(rest, int) or not all(is_natural(f) for f in shared):
        return None
    if difference.number == 0:
        return AnyOf((AtMost(0, rest), *(Equal(f, 0) for f in shared)))
    if difference.number == -1 and is_natural(rest):
        return AllOf((*(AtMost(1, f) for f in shared), AtMost(1, rest)))
    return None


def factors_at_most(difference: Sum) -> Condition | None:
    """Split ``0 <= product`` where the product is written as a sum, and a bound of one product by another."""
    if len(difference.terms) < 2:
        return None
    number, factors = factored(difference.size())
    signed = [f for f in factors if not is_natural(f)]
    if len(factors) < 2 or len(signed) > 1:
        above, below = difference.sides()
        return product_at_most(below, above)
    zero = tuple(Equal(f, 0) for f in factors if f not in signed)
    if not signed:
        return ALWAYS if number > 0 else AnyOf(zero)
    return AnyOf((AtMost(0, signed[0]) if number > 0 else AtMost(signed[0], 0), *zero))


# Of two products


def equal_products(a: Size, b: Size) -> Condition | None:
    """Return where two products are equal of which one has a factor for each of the other, all of them no less."""
    found = _matched(a, b)
    if found is None:
        return None
    shared, pairs, _ = found
    large = [x for x, _ in pairs]
    same = AllOf(tuple(Equal(x, y) for x, y in pairs))
    return AnyOf((same, *(Equal(x, 0) for x in large if isinstance(x, Dim)), *(Equal(f, 0) for f in shared)))


def product_at_most(a: Size, b: Size) -> Condition | None:
    """Return where one product is at most another: nowhere but where they are equal, or everywhere; None if unknown."""
    found = _matched(a, b)
    if found is None:
        return None
    return equal_products(a, b) if found[2] else ALWAYS


def _matched(a: Size, b: Size) -> tuple[list[Dim], list[tuple[Size, Size]], bool] | None:
    """Return the factors that two products share, pairs of the others, the larger first, and whether that is of ``a``.

    None where there are no such pairs.
    """
    if len(symbols_of(a, b)) < 2:
        return None
    (c, factors), (d, others) = factored(a), factored(b)
    shared, above, below = _without_shared(factors, others)
    if (
        not 0 < c <= MAX_COEFFICIENT
        or not 0 < d <= MAX_COEFFICIENT
        or not all(map(is_natural, (*above, *below, *shared)))
    ):
        return None
    groups = groups_of((*above, *below))
    if not 2 <= len(groups) <= MAX_GROUPS:
        return None
    pairs = [(_part(above, group), _part(below, group)) for group in groups]
    for is_above in (True, False):
        sizes = pairs if is_above else [(y, x) for x, y in pairs]
        found = _dominating(sizes, *((c, d) if is_above else (d, c)))
        if found is not None:
            return shared, found, is_above
    return None


def _without_shared(above: Sequence[Dim], below: Sequence[Dim]) -> tuple[list[Dim], list[Dim], list[Dim]]:
    """Return the factors that both products have, and those that only one has, as often as they occur."""
    shared: list[Dim] = []
    rest: list[Dim] = []
    left = list(below)
    for factor in above:
        if factor in left:
            left.remove(factor)
            shared.append(factor)
        else:
            rest.append(factor)
    return shared, rest, left


def _part(factors: Sequence[Dim], group: frozenset[Dim]) -> Size:
    return product(f for f in factors if f.symbols <= group)


def _dominating(pairs: Sequence[tuple[Size, Size]], c: int, d: int) -> list[tuple[Size, Size]] | None:
    """Share out ``c`` and ``d`` among the pairs, so that in each the first is no less than the second."""
    for shares in _shares(d, len(pairs)):
        left, out = c, []
        for i, ((x, y), share) in enumerate(zip(pairs, shares)):
            # the least that does, so that most is left for the others; the last one takes what is left
            tried = [left] if i == len(pairs) - 1 else _divisors(left)
            k = next((k for k in tried if less_equal(mul(y, share), mul(x, k)).is_yes), None)
            if k is None:
                break
            left //= k
            out.append((mul(x, k), mul(y, share)))
        else:
            return out
    return None


def _shares(number: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a product of so many."""
    if count == 1:
        yield (number,)
        return
    for k in _divisors(number):
        yield from ((k, *rest) for rest in _shares(number // k, count - 1))


def _divisors(number: int) -> list[int]:
    small = [k for k in itertools.takewhile(lambda k: k * k <= number, itertools.count(1)) if number % k == 0]
    return small + [number // k for k in reversed(small) if k * k != number]
