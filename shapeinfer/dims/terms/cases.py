"""What holds for all that symbols stand for, proved case by case: that a size is 0, or never below 0.

A few bindings refute nearly all that does not hold, for the price of evaluating it. What they leave is proved, or not
claimed:

1. A division of a selection is a selection of divisions, and a multiple one of multiples:
   ``max(a, b)//n == max(a//n, b//n)`` where ``n >= 1``, and ``x*max(a, b) == max(x*a, x*b)`` where ``x >= 0``.
2. A selection is the alternative that no other exceeds. Each is a case, and where ``a`` is at least ``b`` all
   selections of the two agree: so ``max(a, b) + min(a, b) == a + b``.
3. A symbol is ``L*q + r`` for each remainder ``r`` of ``L``, a common multiple of the numbers that what holds the
   symbol is divided by: then these divisions are exact but for numbers.
4. A symbol of few values is each of them; one that is multiplied or divides is its least value, or above it.
5. In a case without any of these, bounds decide, or a difference with what the case assumes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from shapeinfer.budget import look
from shapeinfer.dims.terms.arithmetic import add, floordiv, maximum, memoised, minimum, mul, sub, total
from shapeinfer.dims.terms.bounds import bounds_of_sum
from shapeinfer.dims.terms.dim import Dim, Size, symbol
from shapeinfer.dims.terms.expression import evaluated, replaced
from shapeinfer.dims.terms.floors import Floor
from shapeinfer.dims.terms.polynomials import without
from shapeinfer.dims.terms.sizes import bounds_of, is_natural, symbols_of, terms_of

MAX_WEIGHT = 120
"""Nothing is proved of larger sizes."""
MAX_SYMBOLS = 8
MAX_CASES = 40
"""So many cases are looked at where selections are taken apart first."""
MAX_REMAINDERS = 256
"""So many where remainders come first, and so many remainders of a symbol."""
MAX_DEPTH = 16
"""So many times a case is split again."""
MAX_KNOWN = 10
"""So many assumptions of a case are remembered, the latest."""
SMALL = 3
"""Least values below this are cases of their own."""
FEW = 8
"""A symbol that has no more values is each of them in turn."""

SPREADS = (100, 0, 1000, 8, 1, 3, 2, 30, 6, 17, 60)
"""How far from the least value symbols are, in each of the bindings that may refute a claim."""


@memoised
def always_zero(size: Size) -> bool:
    """Return whether a size is 0 wherever it has a value; True only where it is proved."""
    if isinstance(size, int):
        return size == 0
    return _is_worth_it(size, lambda n: n == 0) and _proved(size, zero=True)


@memoised
def never_negative(size: Size) -> bool:
    """Return whether a size is at least 0 wherever it has a value; True only where it is proved."""
    if isinstance(size, int):
        return size >= 0
    return is_natural(size) or (_is_worth_it(size, lambda n: n >= 0) and _proved(size, zero=False))


def _is_worth_it(size: Dim, claim: Callable[[int], bool]) -> bool:
    """Return whether a size has cases and no binding refutes a claim on its value."""
    if size.weight > MAX_WEIGHT or len(size.symbols) > MAX_SYMBOLS or not _has_cases(size):
        return False
    symbols = sorted(size.symbols, key=lambda s: s.order)
    if len({s.name for s in symbols}) < len(symbols):
        # a case has symbols of the same names and other ranges, which must be no others of the size
        return False
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
    return bool(size.sign_of_choice) or size.is_floor or size.is_nonlinear or any(map(_has_cases, size.parts))


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
_Split: TypeAlias = "Callable[[Size], list[_Case] | None]"
"""Returns cases of a size, one of which always holds; None where there are none."""


class _TooManyCases(Exception):
    """The proof would take too long."""


class _NoCase(Exception):
    """A case holds for nothing that the symbols may stand for."""


def _proved(size: Size, zero: bool) -> bool:
    """Return whether a size is proved to be at least 0, or to be 0."""
    size = replaced(size, {s: _multiple(s) for s in symbols_of(size) if s.divisor > 1})
    size = _with_alternatives_outside(size, {})
    for splits, most in (
        ((_by_alternative, _by_remainder, _by_value), MAX_CASES),
        ((_by_remainder, _by_alternative, _by_value), MAX_REMAINDERS),
    ):
        try:
            if _Proof(splits, most, zero).holds(size, (), MAX_DEPTH):
                return True
        except _TooManyCases:
            continue
    return False


def _multiple(s: Dim) -> Size:
    """Return a symbol as a number times one that nothing is known to divide."""
    low, high = (None if end is None else end // s.divisor for end in s.bounds())
    return mul(symbol(s.name, low, high, 1, s.is_fresh), s.divisor)


class _Proof:
    """A search for a proof that a size is at least 0, or is 0, over a limited number of cases."""

    def __init__(self, splits: Sequence[_Split], most: int, zero: bool) -> None:
        self._splits = splits
        self._left = most
        self._zero = zero

    def holds(self, size: Size, known: _Sizes, depth: int) -> bool:
        """Return whether it is proved of a size where others are at least 0. Raises _TooManyCases."""
        look()
        self._left -= 1
        if self._left < 0 or not depth:
            raise _TooManyCases
        if not self._zero:
            size = _tightened(size)
        if _follows(size, known) and (not self._zero or _follows(sub(0, size), known)):
            return True
        for split in self._splits:
            cases = split(size)
            if cases is not None:
                return all(self._holds_in(case, size, known, depth - 1) for case in cases)
        return False

    def _holds_in(self, case: _Case, size: Size, known: _Sizes, depth: int) -> bool:
        mapping, assumed = case
        size, known = replaced(size, mapping), _replaced(known, mapping)
        for more in _with_consequences(assumed):
            if _contradicts(more, known):
                return True
            try:
                narrowed = _narrowed(more)
            except _NoCase:
                return True
            known = (*known, more, *_combined(more, known))
            if narrowed:
                size, known = replaced(size, narrowed), _replaced(known, narrowed)
        return self.holds(size, tuple(k for k in dict.fromkeys(known) if not is_natural(k))[-MAX_KNOWN:], depth)


def _with_consequences(sizes: _Sizes) -> list[Size]:
    """Return sizes that are at least 0, and those that are so since these are."""
    found: list[Size] = []
    for size in map(_tightened, sizes):
        opened = _without_floors(size)
        found += [size] if opened is size else [size, _tightened(opened)]
    return found


def _without_floors(size: Size) -> Size:
    """Return a size that is at least 0 where this one is, with ``a//n`` between ``(a - n + 1)/n`` and ``a/n``."""
    terms, _ = terms_of(size)
    floors = [(c, t, t.division) for c, t in terms if t.division is not None]
    if not floors:
        return size
    common = math.lcm(*(n for _, _, (_, n) in floors))
    whole = mul(sub(size, total(mul(t, c) for c, t, _ in floors)), common)
    return add(whole, total(mul(a if c > 0 else sub(a, n - 1), c * common // n) for c, _, (a, n) in floors))


def _combined(size: Size, known: _Sizes) -> _Sizes:
    """Return sums of multiples of a size and others that are at least 0, without a term that they share."""
    return tuple(
        _tightened(add(mul(size, m), mul(k, n))) for k in known[:MAX_KNOWN] for m, n in _multiples(size, k, -1)
    )[:MAX_KNOWN]


def _tightened(size: Size) -> Size:
    """Return a size that is at least 0 where this one is, its terms without a number that divides all of them."""
    terms, number = terms_of(size)
    g = math.gcd(*(c for c, _ in terms))
    return size if g <= 1 else total([*(mul(t, c // g) for c, t in terms), number // g])


def _replaced(sizes: _Sizes, mapping: dict[Dim, Size]) -> _Sizes:
    return tuple(replaced(s, mapping) for s in sizes)


def _follows(goal: Size, known: _Sizes) -> bool:
    """Return whether a size is at least 0 by its bounds, or since it is no less than a multiple of one that is."""
    if is_natural(goal):
        return True
    return any(is_natural(sub(mul(goal, m), mul(k, n))) for k in known for m, n in _multiples(goal, k, 1))


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


def _is_negative(size: Size) -> bool:
    _, high = bounds_of(size)
    return high is not None and high < 0


def _narrowed(size: Size) -> dict[Dim, Size]:
    """Return symbols in the ranges that are left to them where a size is at least 0. Raises _NoCase."""
    found: dict[Dim, Size] = {}
    terms, number = terms_of(size)
    for i, (c, s) in enumerate(terms):
        if not s.is_symbol:
            continue
        # c*s >= -(all else) >= -most
        _, high = bounds_of_sum([t for j, t in enumerate(terms) if j != i], number)
        if high is None:
            continue
        most = math.floor(high)
        now = _within(s, -(most // c), None) if c > 0 else _within(s, None, most // -c)
        if now is not s:
            found[s] = now
    return found


def _within(s: Dim, low: int | None, high: int | None) -> Size:
    """Return a symbol in a smaller range. Raises _NoCase for an empty one."""
    lows = [end for end in (low, s.low) if end is not None]
    highs = [end for end in (high, s.high) if end is not None]
    try:
        return symbol(s.name, max(lows, default=None), min(highs, default=None), s.divisor, s.is_fresh)
    except ValueError:
        raise _NoCase from None


def _with_alternatives_outside(size: Size, done: dict[Dim, Size]) -> Size:
    """Return a size whose divisions and multiples of a selection are selections of divisions and multiples."""
    if isinstance(size, int) or size.is_symbol:
        return size
    found = done.get(size)
    if found is None:
        found = size.rebuilt([_with_alternatives_outside(p, done) for p in size.parts])
        if isinstance(found, Floor):
            a, n = found.parts
            found = _divided(a, n, done)
        elif isinstance(found, Dim) and found.is_nonlinear:
            found = _multiplied(found, done)
        done[size] = found
    return found


def _divided(a: Size, n: Size, done: dict[Dim, Size]) -> Size:
    chosen = [(c, t) for c, t in terms_of(a)[0] if t.sign_of_choice]
    low, _ = bounds_of(n)
    if len(chosen) != 1 or low is None or low < 1:
        return floordiv(a, n)
    ((c, t),) = chosen
    rest = sub(a, mul(t, c))
    each = [_with_alternatives_outside(floordiv(add(rest, mul(x, c)), n), done) for x in t.alternatives]
    return maximum(*each) if t.sign_of_choice * c > 0 else minimum(*each)


def _multiplied(product: Dim, done: dict[Dim, Size]) -> Size:
    coefficient, factors = product.as_factors()
    chosen = [b for b, exponent in factors if b.sign_of_choice and exponent == 1]
    if len(chosen) != 1 or coefficient < 0:
        return product
    (t,) = chosen
    others = without(product, t, 1)
    if not is_natural(others):
        return product
    each = [_with_alternatives_outside(mul(others, x), done) for x in t.alternatives]
    return maximum(*each) if t.sign_of_choice > 0 else minimum(*each)


def _parts_of(size: Size, into_broadcasts: bool = True) -> list[Dim]:
    """Return the distinct parts of a size, itself included, those of others before these."""
    found: dict[Dim, None] = {}

    def visit(size: Size) -> None:
        if not isinstance(size, int) and size not in found:
            if into_broadcasts or not size.alternatives or size.sign_of_choice:
                for p in size.parts:
                    visit(p)
            found[size] = None

    visit(size)
    return list(found)


def _by_alternative(size: Size) -> list[_Case] | None:
    """Take the first selection apart, of which all parts of others come before."""
    chosen = next((p for p in _parts_of(size) if p.sign_of_choice), None)
    if chosen is None:
        return None
    sign = chosen.sign_of_choice
    cases: list[_Case] = []
    for i, a in enumerate(chosen.alternatives):
        # of equal alternatives the first is the largest and the last the smallest, so that no two cases overlap
        others = [(b, j < i if sign > 0 else j > i) for j, b in enumerate(chosen.alternatives) if j != i]
        leads = [sub(mul(sub(a, b), sign), int(strictly)) for b, strictly in others]
        cases.append(({chosen: a}, tuple(leads)))
    return cases


def _by_remainder(size: Size) -> list[_Case] | None:
    """Write a symbol as a multiple and a remainder, one that the fewest remainders are enough for."""
    periods: dict[Dim, int] = {}
    # what broadcasts is taken whole: what its remainders are decides nothing about it
    for p in _parts_of(size, into_broadcasts=False):
        if p.division is None:
            continue
        a, n = p.division
        for c, t in terms_of(a)[0]:
            for s in (b for b, _ in t.as_factors()[1] if b.is_symbol):
                period = math.lcm(s.divisor, n // math.gcd(n, c))
                if period > s.divisor:
                    periods[s] = min(periods.get(s, period), period)
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


def _by_value(size: Size) -> list[_Case] | None:
    """Take a symbol apart that has few values, or the least value of one that is multiplied or divides."""
    parts = _parts_of(size)
    for p in parts:
        if p.is_symbol and p.low is not None and p.high is not None and p.high - p.low < FEW * p.divisor:
            return [({p: n}, ()) for n in range(p.low, p.high + 1, p.divisor)]
    for p in parts:
        if p.is_nonlinear:
            for s in sorted(p.symbols, key=lambda s: s.order):
                if s.low is not None and s.low < SMALL:
                    return [({s: s.low}, ()), ({s: _within(s, s.low + 1, None)}, ())]
    return None
