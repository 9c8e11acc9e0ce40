"""Interval arithmetic: from where to where a value lies, with None for an end that is infinite or unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

End: TypeAlias = "int | Fraction | None"
Interval: TypeAlias = tuple[End, End]
IntegerInterval: TypeAlias = "tuple[int | None, int | None]"

EVERYTHING: Interval = (None, None)


def lowest_of(ends: Sequence[End]) -> End:
    """Return the least of several lower ends, None if one is None."""
    known = [end for end in ends if end is not None]
    return min(known) if len(known) == len(ends) else None


def highest_of(ends: Sequence[End]) -> End:
    """Return the greatest of several upper ends, None if one is None."""
    known = [end for end in ends if end is not None]
    return max(known) if len(known) == len(ends) else None


def hull(intervals: Sequence[Interval]) -> Interval:
    """Return the least interval that holds all of several."""
    return lowest_of([i[0] for i in intervals]), highest_of([i[1] for i in intervals])


def intersection(a: Interval, b: Interval) -> Interval:
    """Return what two intervals share."""
    return (
        max((x for x in (a[0], b[0]) if x is not None), default=None),
        min((x for x in (a[1], b[1]) if x is not None), default=None),
    )


def largest_of(intervals: Sequence[Interval]) -> Interval:
    """Bound the largest of several values: it is no lower than the best of their lower ends."""
    return max((low for low, _ in intervals if low is not None), default=None), highest_of([i[1] for i in intervals])


def smallest_of(intervals: Sequence[Interval]) -> Interval:
    """Bound the smallest of several values: it is no higher than the best of their upper ends."""
    return lowest_of([i[0] for i in intervals]), min((high for _, high in intervals if high is not None), default=None)


def plus(a: Interval, b: Interval) -> Interval:
    """Bound a sum."""
    return (
        None if a[0] is None or b[0] is None else a[0] + b[0],
        None if a[1] is None or b[1] is None else a[1] + b[1],
    )


def scaled(factor: int | Fraction, a: Interval) -> Interval:
    """Bound a multiple."""
    low, high = (None if end is None else factor * end for end in a)
    return (low, high) if factor >= 0 else (high, low)


def times(a: Interval, b: Interval) -> Interval:
    """Bound a product."""
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


def power(base: Interval, exponent: int) -> Interval:
    """Bound a power with an exponent above 0."""
    low, high = (None if end is None else end**exponent for end in base)
    if exponent % 2:
        return low, high
    if base[0] is not None and base[0] >= 0:
        return low, high
    if base[1] is not None and base[1] <= 0:
        return high, low
    return 0, (None if low is None or high is None else max(low, high))


def floordiv(a: IntegerInterval, n: IntegerInterval) -> Interval:
    """Bound a division that rounds down."""
    if n[1] is not None and n[1] < 0:
        a, n = _negated(a), _negated(n)
    if n[0] is None or n[0] < 0:
        return EVERYTHING
    # division by 0 has no value; where n may be 0 the interval holds 0 as well, whatever becomes of it
    values: list[list[int]] = [[], []] if n[0] else [[0], [0]]
    for end, found in zip(a, values, strict=True):
        if end is None:
            continue
        found.append(end // max(n[0], 1))
        found.append((0 if end >= 0 else -1) if n[1] is None else end // max(n[1], 1))
    return (None if a[0] is None else min(values[0])), (None if a[1] is None else max(values[1]))


def _negated(a: IntegerInterval) -> IntegerInterval:
    return (None if a[1] is None else -a[1]), (None if a[0] is None else -a[0])
