"""A smallest binding that breaks a condition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from shapeinfer.budget import look
from shapeinfer.dims.conditions.condition import AllOf, AtMost, Condition, Equal
from shapeinfer.dims.conditions.periodic import MAX_NODES, Refused, quantity_of
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.expression import compiled, evaluated
from shapeinfer.dims.terms.sizes import symbols_of, weight_of_size

Test: TypeAlias = "Callable[[dict[Dim, int]], bool]"

MAX_STEPS = 4096
MAX_SYMBOLS = 12
MAX_FIXED = 128
"""For each symbol solved for, this many choices of the others are tried."""


def witness(condition: Condition, among: Sequence[Condition] = (), limit: int = MAX_STEPS) -> dict[str, int] | None:
    """Return a smallest binding that satisfies all of ``among`` and violates the condition; None if none is found.

    Smallest by the sum, then by the numbers in the order of the names. It binds the condition's symbols, and
    those that conditions of ``among`` tie to them. Where no binding is among the first ``limit``, one is
    looked for with all symbols but one near their least, which need not be the smallest.
    """
    related = _related(condition, among)
    symbols = sorted(set(condition.symbols).union(*(c.symbols for c in related)), key=lambda s: s.name)
    if len(symbols) > MAX_SYMBOLS or any(s.low is None for s in symbols) or condition.answer().is_yes:
        return None
    if any(c.answer().is_no for c in among):
        return None
    tests = [(test_of(condition), False), *((test_of(c), True) for c in related)]

    def breaks(values: dict[Dim, int]) -> bool:
        look()
        try:
            return all(test(values) is wanted for test, wanted in tests)
        except ZeroDivisionError:
            return False

    for numbers in itertools.islice(_by_sum(symbols), limit):
        values = dict(zip(symbols, numbers))
        if breaks(values):
            return {s.name: v for s, v in values.items()}
    return _solved(condition, related, symbols, breaks)


def _related(condition: Condition, among: Sequence[Condition]) -> list[Condition]:
    """Return the conditions that share symbols with one, directly or through others."""
    reached, left = set(condition.symbols), list(dict.fromkeys(among))
    out: list[Condition] = []
    while near := [c for c in left if reached & c.symbols]:
        out += near
        left = [c for c in left if c not in near]
        reached.update(*(c.symbols for c in near))
    return out


def _by_sum(symbols: Sequence[Dim]) -> Iterator[tuple[int, ...]]:
    """Yield the symbols' values by rising sum, and in lexicographic order for each."""
    if not symbols:
        yield ()
        return
    least = sum(s.low or 0 for s in symbols)
    highs = [s.high for s in symbols]
    most = None if any(h is None for h in highs) else sum(h for h in highs if h is not None)
    for extra in itertools.count():
        if most is not None and least + extra > most:
            return
        yield from _of_sum(symbols, extra)


def _of_sum(symbols: Sequence[Dim], left: int) -> Iterator[tuple[int, ...]]:
    """Yield the values of symbols that are together so much above the least, in lexicographic order."""
    symbol, *others = symbols
    low, high = symbol.low or 0, symbol.high
    if not others:
        value = low + left
        if (high is None or value <= high) and value % symbol.divisor == 0:
            yield (value,)
        return
    last = low + left if high is None else min(high, low + left)
    for value in range(low, last + 1, symbol.divisor):
        for rest in _of_sum(others, left - (value - low)):
            yield (value, *rest)


def _solved(
    condition: Condition, related: Sequence[Condition], symbols: Sequence[Dim], breaks: Test
) -> dict[str, int] | None:
    """Fix all symbols but those that one decides, and look that one up in its table."""
    tied: dict[Dim, Size] = {}
    for c in related:
        # an equality that a symbol stands alone in says what the symbol is
        if isinstance(c, Equal) and isinstance(c.a, Dim) and c.a.is_symbol and c.a not in tied:
            inside = symbols_of(c.b)
            if c.a not in inside and not inside & set(tied) and c.a not in symbols_of(*tied.values()):
                tied[c.a] = c.b
    free = [s for s in symbols if s not in tied]
    wanted = [c.substitute(tied) for c in related]
    broken = condition.substitute(tied)
    best: tuple[int, tuple[int, ...]] | None = None
    for one in free:
        others = [s for s in free if s is not one]
        for numbers in itertools.islice(_by_sum(others), MAX_FIXED):
            fixed: dict[Dim, Size] = dict(zip(others, numbers))
            value = _least(one, broken.substitute(fixed), [c.substitute(fixed) for c in wanted])
            if value is None:
                continue
            values = {s: v for s, v in (fixed | {one: value}).items() if isinstance(v, int)}
            try:
                values |= {s: _number(v, values) for s, v in tied.items()}
            except ZeroDivisionError:
                continue
            found = tuple(values[s] for s in symbols)
            if _inside(values) and breaks(values) and (best is None or (sum(found), found) < best):
                best = (sum(found), found)
    return None if best is None else {s.name: v for s, v in zip(symbols, best[1])}


def _number(size: Size, values: dict[Dim, int]) -> int:
    return value_of(size)(values)


def _inside(values: dict[Dim, int]) -> bool:
    return all(v >= (s.low or 0) and (s.high is None or v <= s.high) and v % s.divisor == 0 for s, v in values.items())


def _least(one: Dim, broken: Condition, wanted: Sequence[Condition]) -> int | None:
    """Return the least value of one symbol that breaks a condition and satisfies others, by their tables."""
    if any(c.answer().is_no for c in wanted) or broken.answer().is_yes:
        return None
    limit = _beyond(broken, one)
    if limit is not None and all(not c.symbols for c in wanted):
        return limit
    open_parts = [c for c in wanted if c.symbols]
    quantity = quantity_of((*open_parts, broken))
    if quantity is None or quantity.size is not one:
        return limit
    try:
        allowed, kept = quantity.truth(AllOf(tuple(open_parts))), quantity.truth(broken)
        start, period = max(allowed.start, kept.start), math.lcm(allowed.period, kept.period)
        pairs = zip(allowed.extended(start, period), kept.extended(start, period))
    except Refused:
        return limit
    return next((quantity.least + quantity.step * i for i, (a, k) in enumerate(pairs) if a and not k), None)


def _beyond(condition: Condition, one: Dim) -> int | None:
    """Return the least value above a bound that a condition sets, however far."""
    if isinstance(condition, AtMost) and condition.a is one and isinstance(condition.b, int):
        return (max(condition.b, (one.low or 0) - 1) // one.divisor + 1) * one.divisor
    return None


def test_of(condition: Condition) -> Test:
    """Return a function of the symbols' values that tells whether a condition holds."""
    return condition.accept(_TESTS)


class _Tests:
    """Compiles each kind of condition to a test."""

    def equal(self, a: Size, b: Size) -> Test:
        one, other = value_of(a), value_of(b)
        return lambda values: one(values) == other(values)

    def at_most(self, a: Size, b: Size) -> Test:
        one, other = value_of(a), value_of(b)
        return lambda values: one(values) <= other(values)

    def divides(self, divisor: Size, a: Size) -> Test:
        below, above = value_of(divisor), value_of(a)

        def holds(values: dict[Dim, int]) -> bool:
            n, v = below(values), above(values)
            return v % n == 0 if n else v == 0

        return holds

    def all_of(self, parts: tuple[Condition, ...]) -> Test:
        tests = [test_of(p) for p in parts]
        return lambda values: all(t(values) for t in tests)

    def any_of(self, parts: tuple[Condition, ...]) -> Test:
        tests = [test_of(p) for p in parts]
        return lambda values: any(t(values) for t in tests)


_TESTS = _Tests()


def value_of(size: Size) -> Callable[[dict[Dim, int]], int]:
    """Return a function of the symbols' values that computes a size."""
    return (lambda values: evaluated(size, values)) if weight_of_size(size) > MAX_NODES else compiled(size)
