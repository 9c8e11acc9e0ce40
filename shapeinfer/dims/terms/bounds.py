"""Bounds of expressions, from the ranges of their symbols.

Every step takes the arguments of a function as the bounds that each of them remembers, so the cost grows with
the expression's size; only a sum is ever split into cases, and their number is limited.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from shapeinfer.budget import look
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.expression import Plus, Times, added, divisor_of, terms_of
from shapeinfer.dims.terms.floors import Floor
from shapeinfer.dims.terms.selections import Broadcast, Max, Selection

End: TypeAlias = "int | Fraction | None"
Interval: TypeAlias = tuple[End, End]

MAX_TERMS = 40
"""A longer sum is bounded term by term."""
MAX_CASES = 12
MAX_OPENED = 4

_EVERYTHING: Interval = (None, None)


def bounds_of(size: Size) -> tuple[int | None, int | None]:
    """Return the least and the greatest integer that a length can be, None where not known."""
    if isinstance(size, int):
        return size, size
    look()
    low, high = _sharp(size, MAX_CASES)
    return (None if low is None else math.ceil(low)), (None if high is None else math.floor(high))


def _sharp(size: Size, cases: int) -> Interval:
    """Bound a sum case by case over its selections, and with its floors as fractions less a remainder."""
    plain = _plain(size)
    terms, number = terms_of(size)
    if len(terms) + (number != 0) > MAX_TERMS:
        return plain
    for i, (coefficient, term) in enumerate(terms if isinstance(size, Plus) else ()):
        if isinstance(term, Selection) and len(term.parts) <= cases:
            others = (*terms[:i], *terms[i + 1 :])
            each = [_sharp(added([*others, (coefficient, a)], number), cases // len(term.parts)) for a in term.parts]
            return _meet(plain, _chosen(term, coefficient > 0, each))
    return _meet(plain, _opened(size))


def _chosen(selection: Selection, upright: bool, cases: list[Interval]) -> Interval:
    """Bound what holds a selection, from the bounds with each argument in its place."""
    lows, highs = [c[0] for c in cases], [c[1] for c in cases]
    least, greatest = _least(lows), _greatest(highs)
    if isinstance(selection, Broadcast):
        return least, greatest
    if isinstance(selection, Max) == upright:
        # the largest of the cases: no lower than the best of their lower bounds
        return max((x for x in lows if x is not None), default=None), greatest
    return least, min((x for x in highs if x is not None), default=None)


def _least(values: list[End]) -> End:
    known = [v for v in values if v is not None]
    return min(known) if len(known) == len(values) else None


def _greatest(values: list[End]) -> End:
    known = [v for v in values if v is not None]
    return max(known) if len(known) == len(values) else None


def _meet(a: Interval, b: Interval) -> Interval:
    return (
        max((x for x in (a[0], b[0]) if x is not None), default=None),
        min((x for x in (a[1], b[1]) if x is not None), default=None),
    )


def _plain(size: Size) -> Interval:
    """Bound a length from bounds of its parts alone."""
    if isinstance(size, int) or size.is_symbol:
        return bounds(size)
    if isinstance(size, Plus):
        return _total(size.terms, size.number)
    if isinstance(size, Times):
        factors = [_power(bounds(b), n) for b, n in size.factors]
        return _scaled(size.coefficient, functools.reduce(_times, factors))
    if isinstance(size, Floor):
        a, n = size.parts
        return _floor(bounds(a), bounds(n))
    assert isinstance(size, Selection)
    return _chosen(size, True, [bounds(a) for a in size.parts])


def bounds(size: Size) -> tuple[int | None, int | None]:
    """Return what a length remembers of its bounds."""
    return (size, size) if isinstance(size, int) else size.bounds()


def _total(terms: Iterable[tuple[int | Fraction, Dim]], number: int | Fraction) -> Interval:
    start: Interval = (number, number)
    return functools.reduce(_plus, (_scaled(c, bounds(t)) for c, t in terms), start)


def _plus(a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else a[0] + b[0],
        None if a[1] is None or b[1] is None else a[1] + b[1],
    )


def _scaled(factor: int | Fraction, a: Interval) -> Interval:
    low, high = (None if end is None else factor * end for end in a)
    return (low, high) if factor >= 0 else (high, low)


def _times(a: Interval, b: Interval) -> Interval:
    ends: list[int | Fraction | float] = []
    for x in (-math.inf if a[0] is None else a[0], math.inf if a[1] is None else a[1]):
        for y in (-math.inf if b[0] is None else b[0], math.inf if b[1] is None else b[1]):
            # an end at infinity is never reached, so 0 times it is 0
            if x == 0 or y == 0:
                ends.append(0)
            elif isinstance(x, float) or isinstance(y, float):
                ends.append(math.inf if (x > 0) == (y > 0) else -math.inf)
            else:
                ends.append(x * y)
    low, high = min(ends), max(ends)
    return (None if isinstance(low, float) else low), (None if isinstance(high, float) else high)


def _power(base: Interval, exponent: int) -> Interval:
    low, high = (None if end is None else end**exponent for end in base)
    if exponent % 2:
        return low, high
    if base[0] is not None and base[0] >= 0:
        return low, high
    if base[1] is not None and base[1] <= 0:
        return high, low
    return 0, (None if low is None or high is None else max(low, high))


def _floor(a: tuple[int | None, int | None], n: tuple[int | None, int | None]) -> Interval:
    if n[1] is not None and n[1] < 0:
        a, n = (_negated(a), _negated(n))
    if n[0] is None or n[0] < 0:
        return _EVERYTHING
    # by 0 there is no value; where n may be 0 the interval holds 0 as well, whatever is made of it
    values: list[list[int]] = [[], []] if n[0] else [[0], [0]]
    for end, found in zip(a, values, strict=True):
        if end is None:
            continue
        found.append(end // max(n[0], 1))
        found.append((0 if end >= 0 else -1) if n[1] is None else end // max(n[1], 1))
    return (None if a[0] is None else min(values[0])), (None if a[1] is None else max(values[1]))


def _negated(a: tuple[int | None, int | None]) -> tuple[int | None, int | None]:
    return (None if a[1] is None else -a[1]), (None if a[0] is None else -a[0])


def _opened(size: Size) -> Interval:
    """Bound with every ``b//n`` written as ``b/n`` less a remainder in [0, (n-1)/n], layer by layer."""
    best, slack = _EVERYTHING, (Fraction(0), Fraction(0))
    whole, number = terms_of(size)
    terms: dict[Dim, int | Fraction] = {t: c for c, t in whole}
    rest: int | Fraction = number
    for _ in range(MAX_OPENED):
        floors = [(c, t) for t, c in terms.items() if isinstance(t, Floor) and isinstance(t.parts[1], int)]
        if not floors:
            break
        for _, t in floors:
            del terms[t]
        for c, t in floors:
            b, n = t.parts
            assert isinstance(n, int)
            inner, more = terms_of(b)
            rest += Fraction(c * more, n)
            for d, core in inner:
                terms[core] = terms.get(core, 0) + Fraction(c * d, n)
            if divisor_of(b) % n:
                loss = c * Fraction(n - 1, n)
                slack = (slack[0] - loss, slack[1]) if loss > 0 else (slack[0], slack[1] - loss)
        terms = {t: c for t, c in terms.items() if c}
        best = _meet(best, _plus(_total(((c, t) for t, c in terms.items()), rest), slack))
    return best
