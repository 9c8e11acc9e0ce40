"""What holds for all that symbols stand for, proved case by case: that a size is 0, or never below 0.

A few bindings refute nearly all that does not hold, for the price of evaluating it. What they leave is proved, or not
claimed:

1. A division of a selection is a selection of divisions: ``max(a, b)//n == max(a//n, b//n)`` where ``n >= 1``.
2. A selection is the alternative that no other exceeds. Each is a case, and where ``a`` is at least ``b`` all
   selections of the two agree: so ``max(a, b) + min(a, b) == a + b``.
3. A symbol is ``L*q + r`` for each remainder ``r`` of ``L``, a common multiple of the numbers that what holds the
   symbol is divided by: then these divisions are exact but for numbers.
4. A symbol of few values is each of them.
5. In a case without any of these, bounds decide, or a difference with what the case assumes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from shapeinfer.budget import look
from shapeinfer.dims.terms.arithmetic import add, floordiv, maximum, memoised, minimum, mul, sub
from shapeinfer.dims.terms.dim import Dim, Size, symbol
from shapeinfer.dims.terms.expression import evaluated, replaced
from shapeinfer.dims.terms.floors import Floor
from shapeinfer.dims.terms.sizes import bounds_of, is_symbol, terms_of

MAX_WEIGHT = 120
"""Nothing is proved of larger sizes."""
MAX_SYMBOLS = 8
MAX_CASES = 40
"""So many cases are looked at where selections are taken apart first."""
MAX_REMAINDERS = 256
"""So many where remainders come first, and so many remainders of a symbol."""
MAX_DEPTH = 16
"""So many times a case is split again."""
MAX_KNOWN = 6
"""So many assumptions of a case are remembered, the latest."""
FEW = 8
"""A symbol that has no more values is each of them in turn."""

SPREADS = (100, 1000, 8, 1, 3, 2, 30, 6, 17, 60)
"""How far from the least value symbols are, in each of the bindings that may refute a claim."""


@memoised
def always_zero(size: Size) -> bool:
    """Return whether a size is 0 wherever it has a value; True only where it is proved."""
    if isinstance(size, int):
        return size == 0
    return _is_worth_it(size, lambda n: n == 0) and _proved((size, sub(0, size)))


@memoised
def never_negative(size: Size) -> bool:
    """Return whether a size is at least 0 wherever it has a value; True only where it is proved."""
    if isinstance(size, int):
        return size >= 0
    return _is_natural(size) or (_is_worth_it(size, lambda n: n >= 0) and _proved((size,)))


def _is_worth_it(size: Dim, claim: Callable[[int], bool]) -> bool:
    """Return whether a size has cases and no binding refutes a claim on its value."""
    if size.weight > MAX_WEIGHT or len(size.symbols) > MAX_SYMBOLS or not _has_cases(size):
        return False
    symbols = sorted(size.symbols, key=lambda s: s.order)
    stands = False
    for at in range(len(SPREADS)):
        try:
            if not claim(evaluated(size, {s: _sample(s, i, at) for i, s in enumerate(symbols)})):
                return False
            stands = True
        except ZeroDivisionError:
            continue
    return stands


def _has_cases(size: Size) -> bool:
    if isinstance(size, int) or size.is_symbol:
        return False
    return bool(size.sign_of_choice) or isinstance(size, Floor) or any(map(_has_cases, size.parts))


def _sample(s: Dim, index: int, at: int) -> int:
    """Return a value of a symbol: any will do that is the same in every run."""
    steps = pow(3, 11 * at + 5 * index + 1, 1009) % (SPREADS[at] + 1)
    if s.low is None:
        if s.high is None:
            return s.divisor * (steps - 4)
        return s.high - s.divisor * steps
    if s.high is not None:
        steps %= (s.high - s.low) // s.divisor + 1
    return s.low + s.divisor * steps


_Sizes: TypeAlias = "tuple[Size, ...]"
_Case: TypeAlias = "tuple[dict[Dim, Size], _Sizes]"
"""What stands for what in a case, and the sizes that are at least 0 in it."""
_Split: TypeAlias = "Callable[[_Sizes], list[_Case] | None]"
"""Returns cases of sizes, one of which always holds; None where there are none."""


class _TooManyCases(Exception):
    """The proof would take too long."""


class _NoCase(Exception):
    """A case holds for nothing that the symbols may stand for."""


def _proved(goals: _Sizes) -> bool:
    """Return whether sizes are proved to be at least 0."""
    done: dict[Dim, Size] = {}
    goals = tuple(_with_divided_alternatives(g, done) for g in goals)
    for splits, most in (
        ((_by_alternative, _by_remainder, _by_value), MAX_CASES),
        ((_by_remainder, _by_alternative, _by_value), MAX_REMAINDERS),
    ):
        try:
            if _Proof(splits, most).holds(goals, (), MAX_DEPTH):
                return True
        except _TooManyCases:
            continue
    return False


class _Proof:
    """A search for a proof that sizes are at least 0, over a limited number of cases."""

    def __init__(self, splits: Sequence[_Split], most: int) -> None:
        self._splits = splits
        self._left = most

    def holds(self, goals: _Sizes, known: _Sizes, depth: int) -> bool:
        """Return whether sizes are proved to be at least 0 where others are. Raises _TooManyCases."""
        look()
        self._left -= 1
        if self._left < 0 or not depth:
            raise _TooManyCases
        goals = tuple(g for g in goals if not _follows(g, known))
        if not goals:
            return True
        for split in self._splits:
            cases = split(goals)
            if cases is not None:
                return all(self._holds_in(case, goals, known, depth - 1) for case in cases)
        return False

    def _holds_in(self, case: _Case, goals: _Sizes, known: _Sizes, depth: int) -> bool:
        mapping, assumed = case
        goals, known = _replaced(goals, mapping), _replaced(known, mapping)
        for size in assumed:
            if _contradicts(size, known):
                return True
            try:
                narrowed = _narrowed(size)
            except _NoCase:
                return True
            known = (*known, size)
            if narrowed:
                goals, known = _replaced(goals, narrowed), _replaced(known, narrowed)
        return self.holds(goals, tuple(k for k in known if not _is_natural(k))[-MAX_KNOWN:], depth)


def _replaced(sizes: _Sizes, mapping: dict[Dim, Size]) -> _Sizes:
    return tuple(replaced(s, mapping) for s in sizes)


def _follows(goal: Size, known: _Sizes) -> bool:
    """Return whether a size is at least 0 by its bounds, or since it is no less than a multiple of one that is."""
    if _is_natural(goal):
        return True
    return any(_is_natural(sub(mul(goal, m), mul(k, n))) for k in known for m, n in _multiples(goal, k, 1))


def _contradicts(size: Size, known: _Sizes) -> bool:
    """Return whether a size cannot be at least 0 where others are."""
    if _is_negative(size):
        return True
    return any(_is_negative(add(mul(size, m), mul(k, n))) for k in known for m, n in _multiples(size, k, -1))


def _multiples(a: Size, b: Size, sign: int) -> Iterator[tuple[int, int]]:
    """Yield numbers ``m, n`` above 0 for which ``m*a - sign*n*b`` is without one of the terms that both have."""
    others = {t: c for c, t in terms_of(b)[0]}
    ratios: dict[tuple[int, int], None] = {}
    for c, t in terms_of(a)[0]:
        d = others.get(t, 0)
        if sign * c * d > 0:
            g = math.gcd(c, d)
            ratios[abs(d) // g, abs(c) // g] = None
    return iter(ratios)


def _is_natural(size: Size) -> bool:
    low, _ = bounds_of(size)
    return low is not None and low >= 0


def _is_negative(size: Size) -> bool:
    _, high = bounds_of(size)
    return high is not None and high < 0


def _narrowed(size: Size) -> dict[Dim, Size]:
    """Return a symbol in the range that is left where a size is at least 0, if it is of that alone. Raises _NoCase."""
    terms, number = terms_of(size)
    if len(terms) != 1 or not is_symbol(terms[0][1]):
        return {}
    ((c, s),) = terms
    low, high = (-(number // c), None) if c > 0 else (None, number // -c)
    return {s: _within(s, low, high)}


def _within(s: Dim, low: int | None, high: int | None) -> Size:
    """Return a symbol in a smaller range. Raises _NoCase for an empty one."""
    lows = [end for end in (low, s.low) if end is not None]
    highs = [end for end in (high, s.high) if end is not None]
    try:
        return symbol(s.name, max(lows, default=None), min(highs, default=None), s.divisor, s.is_fresh)
    except ValueError:
        raise _NoCase from None


def _with_divided_alternatives(size: Size, done: dict[Dim, Size]) -> Size:
    """Return a size whose divisions of a selection are selections of divisions."""
    if isinstance(size, int) or size.is_symbol:
        return size
    found = done.get(size)
    if found is None:
        found = size.rebuilt([_with_divided_alternatives(p, done) for p in size.parts])
        if isinstance(found, Floor):
            found = _divided(*found.parts)
        done[size] = found
    return found


def _divided(a: Size, n: Size) -> Size:
    chosen = [(c, t) for c, t in terms_of(a)[0] if t.sign_of_choice]
    low, _ = bounds_of(n)
    if len(chosen) != 1 or low is None or low < 1:
        return floordiv(a, n)
    ((c, t),) = chosen
    rest = sub(a, mul(t, c))
    each = [floordiv(add(rest, mul(x, c)), n) for x in t.alternatives]
    return maximum(*each) if t.sign_of_choice * c > 0 else minimum(*each)


def _parts_of(sizes: _Sizes) -> list[Dim]:
    """Return the distinct parts of sizes, themselves included, those of others before these."""
    found: dict[Dim, None] = {}

    def visit(size: Size) -> None:
        if not isinstance(size, int) and size not in found:
            for p in size.parts:
                visit(p)
            found[size] = None

    for s in sizes:
        visit(s)
    return list(found)


def _by_alternative(goals: _Sizes) -> list[_Case] | None:
    """Take the first selection apart, of which all parts of others come before."""
    chosen = next((p for p in _parts_of(goals) if p.sign_of_choice), None)
    if chosen is None:
        return None
    sign = chosen.sign_of_choice
    cases: list[_Case] = []
    for i, a in enumerate(chosen.alternatives):
        # of equal alternatives the first one counts, so that no two cases overlap
        leads = [sub(mul(sub(a, b), sign), int(j < i)) for j, b in enumerate(chosen.alternatives) if j != i]
        cases.append(({chosen: a}, tuple(leads)))
    return cases


def _by_remainder(goals: _Sizes) -> list[_Case] | None:
    """Write a symbol as a multiple and a remainder, the one of the fewest remainders first."""
    done: dict[Dim, dict[Dim, int]] = {}
    periods: dict[Dim, int] = {}
    for g in goals:
        _join(periods, _periods(g, done))
    periods = {s: math.lcm(n, s.divisor) for s, n in periods.items() if s.divisor % n}
    if not periods:
        return None
    s = min(periods, key=lambda s: (periods[s] // s.divisor, s.order))
    period = periods[s]
    if period // s.divisor > MAX_REMAINDERS:
        raise _TooManyCases
    cases: list[_Case] = []
    for r in range(0, period, s.divisor):
        low = None if s.low is None else -((r - s.low) // period)
        high = None if s.high is None else (s.high - r) // period
        if low is None or high is None or low <= high:
            multiple = symbol(s.name, low, high, 1, s.is_fresh)
            cases.append(({s: add(mul(multiple, period), r)}, ()))
    return cases


def _periods(size: Size, done: dict[Dim, dict[Dim, int]]) -> dict[Dim, int]:
    """Return for each symbol a number by whose multiples it may grow without a change of any remainder."""
    if isinstance(size, int):
        return {}
    if size.is_symbol:
        return {size: 1}
    found = done.get(size)
    if found is None:
        found = done[size] = {}
        if size.division is None:
            for p in size.parts:
                _join(found, _periods(p, done))
        else:
            a, n = size.division
            for c, t in terms_of(a)[0]:
                period = n // math.gcd(n, c)
                _join(found, {s: period * p for s, p in _periods(t, done).items()})
    return found


def _join(periods: dict[Dim, int], more: dict[Dim, int]) -> None:
    for s, n in more.items():
        periods[s] = math.lcm(periods.get(s, 1), n)


def _by_value(goals: _Sizes) -> list[_Case] | None:
    """Take a symbol of few values apart, or the least values of one that a small number is divided by."""
    for p in _parts_of(goals):
        if p.is_symbol and p.low is not None and p.high is not None and p.high - p.low < FEW * p.divisor:
            return [({p: n}, ()) for n in range(p.low, p.high + 1, p.divisor)]
    for p in _parts_of(goals):
        if isinstance(p, Floor) and p.division is None:
            a, n = p.parts
            if isinstance(a, int) and is_symbol(n) and isinstance(n, Dim) and n.low is not None and abs(a) < FEW:
                return _at_end(n, n.low)
    return None


def _at_end(s: Dim, low: int) -> list[_Case]:
    try:
        return [({s: low}, ()), ({s: _within(s, low + 1, None)}, ())]
    except _NoCase:
        return [({s: low}, ())]
