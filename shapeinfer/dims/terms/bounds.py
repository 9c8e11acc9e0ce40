"""Bounds of terms, from the ranges of their symbols.

Each step takes the parts of a term as the bounds that each of them remembers, so the cost grows with the term's size;
only a sum is ever split into cases, and their number is limited.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from shapeinfer.budget import look
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.intervals import EVERYTHING, IntegerInterval, Interval, intersection, plus, scaled
from shapeinfer.dims.terms.sizes import interval_of, terms_of

MAX_TERMS = 40
"""A longer sum is bounded term by term."""
MAX_CASES = 12
MAX_OPENED = 4


def integer_bounds(size: Dim) -> IntegerInterval:
    """Return the least and the greatest integer that a dim can be, None where not known."""
    look()
    low, high = _sharp(size, MAX_CASES)
    return (None if low is None else math.ceil(low)), (None if high is None else math.floor(high))


def bounds_of_sum(terms: Iterable[tuple[int | Fraction, Dim]], number: int | Fraction) -> Interval:
    """Bound a sum term by term."""
    start: Interval = (number, number)
    return functools.reduce(plus, (scaled(c, t.bounds()) for c, t in terms), start)


_laws: list[Callable[[Dim], Interval]] = []


def install_law(law: Callable[[Dim], Interval]) -> None:
    """Install a law on sums with products or divisions by sizes, which needs every kind of term and so stands above."""
    _laws.append(law)


def _is_open(interval: Interval) -> bool:
    low, high = interval
    return (low is None or low < 0) and (high is None or high > 0)


def _sharp(size: Size, cases: int) -> Interval:
    """Bound a sum case by case over its selections, and with its floors as fractions less a remainder."""
    plain = interval_of(size)
    terms, number = terms_of(size)
    if len(terms) + (number != 0) > MAX_TERMS:
        return plain
    if not isinstance(size, int) and size.is_sum:
        for i, (coefficient, term) in enumerate(terms):
            if term.alternatives and len(term.alternatives) <= cases:
                fewer = cases // len(term.alternatives)
                others = size.parts[:i], size.parts[i + 1 :]
                each = [_sharp(size.rebuilt((*others[0], a, *others[1])), fewer) for a in term.alternatives]
                return intersection(plain, term.interval_of_choice(each, coefficient > 0))
    if _is_open(plain) and not isinstance(size, int) and any(t.is_nonlinear for _, t in terms):
        plain = functools.reduce(intersection, (law(size) for law in _laws), plain)
    at_once = intersection(plain, _opened(size, of_each_layer=False))
    floors = {t.weight for _, t in terms if t.division is not None}
    # (3*(h//4))//4 is no more than h//4, which is seen as long as h//4 is left whole.
    return at_once if len(floors) < 2 else intersection(at_once, _opened(size, of_each_layer=True))


def _opened(size: Size, of_each_layer: bool) -> Interval:
    """Bound with every ``b//n`` written as ``b/n`` less a remainder in [0, (n-1)/n], layer by layer.

    With ``of_each_layer`` only the largest floors are opened at a time, which hold others.
    """
    best, slack = EVERYTHING, (Fraction(0), Fraction(0))
    of_sum, number = terms_of(size)
    terms: dict[Dim, int | Fraction] = {t: c for c, t in of_sum}
    rest: int | Fraction = number
    for _ in range(MAX_OPENED):
        floors = [(c, t, t.division) for t, c in terms.items() if t.division is not None]
        if not floors:
            break
        if of_each_layer:
            largest = max(t.weight for _, t, _ in floors)
            floors = [floor for floor in floors if floor[1].weight == largest]
        for _, t, _ in floors:
            del terms[t]
        for c, t, (b, n) in floors:
            inner, more = terms_of(b)
            rest += Fraction(c * more, n)
            for d, core in inner:
                terms[core] = terms.get(core, 0) + Fraction(c * d, n)
            if not t.is_exact:
                loss = c * Fraction(n - 1, n)
                slack = (slack[0] - loss, slack[1]) if loss > 0 else (slack[0], slack[1] - loss)
        terms = {t: c for t, c in terms.items() if c}
        best = intersection(best, plus(bounds_of_sum(((c, t) for t, c in terms.items()), rest), slack))
    return best
