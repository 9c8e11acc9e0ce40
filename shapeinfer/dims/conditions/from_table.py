"""A table of where a condition holds, as the shortest condition that holds there."""

from __future__ import annotations

import itertools
import math

from shapeinfer.dims.conditions.condition import ALWAYS, NEVER, AllOf, AnyOf, AtMost, Condition, Divides, Equal
from shapeinfer.dims.conditions.periodic import MAX_WINDOW, Quantity, Refused, Truth, primes_of, quantity_of
from shapeinfer.dims.terms.arithmetic import add, floordiv, mod, sub
from shapeinfer.dims.terms.dim import Dim

MAX_PARTS = 4
"""A formula of more alternatives is not used."""


def from_table(condition: Condition) -> Condition | None:
    """Return a condition on one quantity as intervals and remainders; None where it is on more."""
    quantity = quantity_of((condition,))
    if quantity is None:
        return None
    try:
        truth = quantity.truth(condition)
    except Refused:
        return None
    inside = quantity.within(truth)
    if all(inside):
        return ALWAYS
    if not any(inside):
        return NEVER
    found = [_Formula(quantity, truth).condition(), _of_quotient(quantity, truth)]
    if quantity.count is not None and quantity.count <= len(truth.table):
        # what holds beyond the greatest value does not matter
        found.append(_Formula(quantity, Truth([*inside, False], 1).reduced()).condition())
        found.append(_Formula(quantity, Truth([*inside, inside[-1]], 1).reduced()).condition())
    return min((f for f in found if f is not None), key=lambda c: (c.cost(), c.text), default=None)


def _of_quotient(quantity: Quantity, truth: Truth) -> Condition | None:
    """Return a condition on ``y//n`` where what holds of ``y`` changes only at multiples of ``n``, None for no such."""
    if truth.period == 1 or quantity.least % quantity.step:
        return None
    size = truth.start + 2 * truth.period
    if size > MAX_WINDOW:
        return None
    table = truth.extended(size, 0)
    changes = [i for i in range(1, size) if table[i] != table[i - 1]]
    n = math.gcd(truth.period, *(i - changes[0] for i in changes))
    first = quantity.least // quantity.step
    if n == 1 or (first + changes[0]) % n:
        return None
    least = first // n
    blocks = [table[max(0, n * j - first)] for j in range(least, (first + size) // n)]
    quotient = floordiv(quantity.size, n * quantity.step)
    assert isinstance(quotient, Dim), "what holds of a number does not change"
    coarser = Quantity(quotient, least, None, 1)
    return _Formula(coarser, Truth(blocks, truth.period // n).reduced()).condition()


class _Formula:
    def __init__(self, quantity: Quantity, truth: Truth) -> None:
        self.size, self.step, self.least = quantity.size, quantity.step, quantity.least
        self.table, self.period, self.start = truth.table, truth.period, truth.start

    def value(self, i: int) -> int:
        return self.least + self.step * i

    def condition(self) -> Condition | None:
        if self.period == 1:
            endless = self.table[-1]
            parts = self.runs([*self.table[:-1], endless], endless)
            spaced = None if endless else self.spaced()
            return any_of(parts) if spaced is None else spaced
        pattern = [self.table[self.start + (i - self.start) % self.period] for i in range(self.start)]
        classes = self.classes()
        if classes is None:
            return None
        before = self.table[: self.start]
        if not any(before):
            excluded = [i for i, p in enumerate(pattern) if p]
            if not excluded:
                return any_of(classes)
            first, last = self.value(self.first()), self.value(excluded[-1])
            are_first = len(excluded) > 1 and excluded[-1] == len(excluded) - 1
            bound = last + 1 if are_first else 1 if last <= 0 < first else first
            return AllOf((AtMost(bound, self.size), *([any_of(classes)] if len(classes) > 1 else classes)))
        if all(b for b, p in zip(before, pattern) if p):
            longer = self.table + self.table[self.start :]
            extra = [r for r in self.intervals(longer) if any(not p for p in pattern[r[0] : r[1] + 1])]
            return any_of([*(self.interval(*r) for r in extra), *classes])
        repeating = any_of(classes)
        if repeating is None:
            return None
        later = AllOf((AtMost(self.value(self.first(self.start)), self.size), repeating))
        return any_of([*self.runs(before, False), later])

    def first(self, since: int = 0) -> int:
        return self.table.index(True, since)

    def intervals(self, table: list[bool]) -> list[tuple[int, int]]:
        out: list[tuple[int, int]] = []
        for i, holds in enumerate(table):
            if holds and out and out[-1][1] == i - 1:
                out[-1] = (out[-1][0], i)
            elif holds:
                out.append((i, i))
        return out

    def runs(self, table: list[bool], endless: bool) -> list[Condition]:
        found = self.intervals(table)
        return [self.interval(i, None if endless and j == len(table) - 1 else j) for i, j in found[: MAX_PARTS + 1]]

    def interval(self, i: int, j: int | None) -> Condition:
        if j is None:
            return AtMost(self.value(i), self.size)
        if i == j:
            return Equal(self.size, self.value(i))
        upper = AtMost(self.size, self.value(j))
        return AllOf((AtMost(self.value(i), self.size), upper)) if i else upper

    def spaced(self) -> Condition | None:
        """Return finitely many values that are evenly spaced, None for others."""
        members = [i for i, holds in enumerate(self.table) if holds]
        gap = members[1] - members[0] if len(members) > 2 else 1
        if gap < 2 or any(b - a != gap for a, b in itertools.pairwise(members)):
            return None
        lower = [AtMost(self.value(members[0]), self.size)] if members[0] >= gap else []
        return AllOf((*lower, AtMost(self.size, self.value(members[-1])), self.remainder(gap, members[0])))

    def classes(self) -> list[Condition] | None:
        """Return the repeating part as remainders, largest classes first; None for too many."""
        period = self.period
        holds = {(self.start + i) % period for i in range(period) if self.table[self.start + i]}
        out: list[Condition] = []
        left = set(holds)
        for n in (d for d in range(2, period + 1) if period % d == 0):
            for r in range(n):
                members = set(range(r, period, n))
                if members <= holds and members & left:
                    out.append(self.remainder(n, r))
                    left -= members
                    if len(out) > MAX_PARTS:
                        return self.remainders()
            if not left:
                break
        between = self.remainders()
        return out if between is None else min(out, between, key=_reading_length)

    def remainders(self) -> list[Condition] | None:
        """Return the repeating part as ranges of the remainder by its period; None for too many."""
        if self.step > 1:
            return None
        period = self.period
        table = [False] * period
        for i in range(self.start, len(self.table)):
            table[self.value(i) % period] = self.table[i]
        runs = self.intervals(table)
        if len(runs) > 2:
            return None
        rest = mod(self.size, period)
        out: list[Condition] = []
        for low, high in runs:
            bounds = [AtMost(low, rest)] if low else []
            bounds += [AtMost(rest, high)] if high < period - 1 else []
            single = Divides(period, sub(self.size, low if 2 * low < period else low - period))
            out.append(single if low == high else bounds[0] if len(bounds) == 1 else AllOf(tuple(bounds)))
        return sorted(out, key=lambda part: (part.rank, part.bound, part.text))

    def remainder(self, n: int, r: int) -> Condition:
        """Return that the number of a value has remainder ``r`` by ``n``, as a condition on the value."""
        # primes that divide the step alone say nothing of the values, which are multiples of it
        divisor, left = 1, self.step * n
        for prime in primes_of(n):
            while left % prime == 0:
                left //= prime
                divisor *= prime
        rest = self.value(r) % divisor
        return Divides(divisor, add(self.size, -rest if 2 * rest < divisor else divisor - rest))


def _reading_length(parts: list[Condition]) -> tuple[int, int]:
    return sum(p.cost() for p in parts), len(parts)


def any_of(parts: list[Condition]) -> Condition | None:
    """Return a choice of parts, None for too many."""
    if len(parts) > MAX_PARTS:
        return None
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))
