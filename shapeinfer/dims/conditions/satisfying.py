"""Sizes that satisfy conditions: the smallest, or those nearest to sizes that do not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from shapeinfer.budget import look
from shapeinfer.dims.conditions.condition import Condition
from shapeinfer.dims.conditions.witness import Test, test_of
from shapeinfer.dims.terms.dim import Dim

MAX_SYMBOLS = 12
MAX_STEPS = 20_000
SMALL = 64
"""All sizes up to this are tried, and those about the numbers in the conditions."""
LARGEST = 1 << 31


def satisfying(conditions: Sequence[Condition], near: Mapping[str, int] | None = None) -> dict[str, int] | None:
    """Return sizes of at least 1 that satisfy all conditions, by the names of their symbols; None if none are found.

    The smallest ones, dim by dim in the order of the names, or with ``near`` those nearest to it. Only sizes up to 64,
    near the numbers in the conditions and near ``near`` are tried, and not all of those of many dims.
    """
    symbols = sorted({s for c in conditions for s in c.symbols}, key=lambda s: s.name)
    if len(symbols) > MAX_SYMBOLS or any(c.answer().is_no for c in conditions):
        return None
    search = _Search(conditions, symbols, near or {})
    return {s.name: search.values[s] for s in symbols} if search.fill(0) else None


class _Search:
    """A search over the sizes of symbols, each condition tested once all its symbols have one."""

    def __init__(self, conditions: Sequence[Condition], symbols: Sequence[Dim], near: Mapping[str, int]) -> None:
        numbers = {int(n) for c in conditions for n in re.findall(r"\b\d{1,9}\b", c.text)}
        self.symbols = symbols
        self.choices = [_choices(s, numbers, near.get(s.name)) for s in symbols]
        self.values: dict[Dim, int] = {}
        self.left = MAX_STEPS
        place = {s: i for i, s in enumerate(symbols)}
        self.tests: list[list[Test]] = [[] for _ in symbols]
        for c in conditions:
            if c.symbols:
                self.tests[max(place[s] for s in c.symbols)].append(test_of(c))

    def fill(self, index: int) -> bool:
        """Find sizes for the symbols from an index on."""
        if index == len(self.symbols):
            return True
        for size in self.choices[index]:
            look()
            self.left -= 1
            if self.left < 0:
                return False
            self.values[self.symbols[index]] = size
            if all(map(self._holds, self.tests[index])) and self.fill(index + 1):
                return True
        return False

    def _holds(self, test: Test) -> bool:
        try:
            return test(self.values)
        except ZeroDivisionError:
            return False


def _choices(symbol: Dim, numbers: set[int], near: int | None) -> list[int]:
    """Return the sizes to try of a symbol, the best first."""
    found = {*range(1, SMALL + 1), *(n + k for n in numbers for k in (-1, 0, 1))}
    if near is not None:
        found |= {near + k for k in range(-SMALL, SMALL + 1)}
        found |= {n * (near // n + k) for n in numbers if n for k in (0, 1)}
    low = max(1, symbol.low or 0)
    high = LARGEST if symbol.high is None else symbol.high
    kept = (n for n in found if low <= n <= high and n % symbol.divisor == 0)
    return sorted(kept, key=lambda n: (abs(n - near), n) if near is not None else (n, n))
