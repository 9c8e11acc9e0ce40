"""Conditions on one quantity, decided exactly: Presburger formulas of one variable are ultimately periodic.

Let ``y`` run through the multiples of its divisor from its least on, numbered ``i = 0, 1, ...``. A size built of ``y``
by sums, multiples, floors by numbers, ``max`` and ``min`` satisfies ``f(i + period) == f(i) + rise`` for every
``i >= start``: that is so for ``y`` itself and for numbers, and each operation keeps it, as a comment at each explains.
So a table of ``start + period`` values holds all of them, and a condition on ``f`` repeats too, or never changes again
once ``f`` has grown past what it is compared with.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence

from attrs import frozen

from shapeinfer.dims.conditions.condition import Condition
from shapeinfer.dims.terms.dim import Dim, Size, Terms
from shapeinfer.dims.terms.polynomials import added
from shapeinfer.dims.terms.sizes import terms_of

MAX_WINDOW = 4096
"""Longer tables are not built."""
MAX_NODES = 200
"""Expressions and conditions of more parts get no table."""


class Refused(Exception):
    """A condition is on more than one quantity, or its table would be too long."""


@frozen(repr=False)
class Line:
    """The values of a size: a table whose last ``period`` entries repeat, each time higher by ``rise``."""

    table: list[int]
    period: int
    rise: int

    @property
    def start(self) -> int:
        return len(self.table) - self.period

    def extended(self, start: int, period: int) -> Line:
        """Return the same values in a longer table, of a period that is a multiple."""
        size = start + period
        if size > MAX_WINDOW:
            raise Refused
        table = list(self.table)
        for i in range(len(table), size):
            table.append(table[i - self.period] + self.rise)
        return Line(table[:size], period, self.rise * (period // self.period))


@frozen(repr=False)
class Truth:
    """For which values a condition holds: a table whose last ``period`` entries repeat."""

    table: list[bool]
    period: int

    @property
    def start(self) -> int:
        return len(self.table) - self.period

    def extended(self, start: int, period: int) -> list[bool]:
        size = start + period
        if size > MAX_WINDOW:
            raise Refused
        tail = self.table[self.start :]
        missing = size - len(self.table)
        return (self.table + tail * (missing // self.period + 1))[:size] if missing > 0 else self.table[:size]

    def reduced(self) -> Truth:
        """Return the same with the least period and the shortest table."""
        tail, period = self.table[self.start :], self.period
        for factor in primes_of(period):
            while period % factor == 0 and tail == tail[: period // factor] * factor:
                period //= factor
                tail = tail[:period]
        table = self.table[: self.start] + tail
        while len(table) > period and table[-1] == table[-1 - period]:
            table.pop()
        return Truth(table, period)


def primes_of(number: int) -> list[int]:
    """Return the primes that divide a number."""
    found, factor = [], 2
    while factor * factor <= number:
        if number % factor == 0:
            found.append(factor)
            while number % factor == 0:
                number //= factor
        factor += 1
    return [*found, number] if number > 1 else found


def aligned(lines: Sequence[Line]) -> list[Line]:
    """Return lines with one start and one period."""
    start, period = max(x.start for x in lines), math.lcm(*(x.period for x in lines))
    return [x.extended(start, period) for x in lines]


def _sum(lines: Sequence[Line]) -> Line:
    # sums of what rises by fixed steps rise by the steps' sum
    lines = aligned(lines)
    return Line([sum(v) for v in zip(*(x.table for x in lines))], lines[0].period, sum(x.rise for x in lines))


def _scaled(line: Line, factor: int) -> Line:
    return Line([factor * v for v in line.table], line.period, factor * line.rise)


def _floor(line: Line, n: int) -> Line:
    # over a period in which it rises by a multiple of n, the floor rises by that over n
    line = line.extended(line.start, line.period * (n // math.gcd(n, line.rise)))
    return Line([v // n for v in line.table], line.period, line.rise // n)


def _extreme(a: Line, b: Line, sign: int) -> Line:
    choose: Callable[[int, int], int] = max if sign > 0 else min
    a, b = aligned((a, b))
    if sign * a.rise < sign * b.rise:
        a, b = b, a
    if a.rise != b.rise:
        # a gains a fixed step on b in every period, so from here on it is the one chosen
        lead = min(sign * (x - y) for x, y in zip(a.table[a.start :], b.table[b.start :]))
        start = a.start + a.period * max(0, -(lead // abs(a.rise - b.rise)))
        a, b = a.extended(start, a.period), b.extended(start, b.period)
    return Line(list(map(choose, a.table, b.table)), a.period, a.rise)


def _eventually_constant(line: Line, test: Callable[[int], bool], bound: int = 0) -> Truth:
    """Return where a test holds that never changes again beyond ``bound`` on either side of 0."""
    if not line.rise:
        return Truth([test(v) for v in line.table], line.period)
    sign = 1 if line.rise > 0 else -1
    least = min(sign * v for v in line.table[line.start :])
    start = line.start + line.period * max(0, (bound - least) // abs(line.rise) + 1)
    longer = line.extended(start, line.period)
    return Truth([test(v) for v in longer.table[: start + 1]], 1)


@frozen(repr=False)
class Quantity:
    """The one thing that a condition depends on, and the values it may have; it visits conditions on it.

    Values that it cannot have do no harm: what is true of more values is true of these.
    """

    size: Dim
    least: int
    count: int | None
    step: int

    @staticmethod
    def of(size: Dim) -> Quantity:
        """Raises Refused for a size without a least value."""
        if size.low is None:
            raise Refused
        step = max(size.divisor, 1)
        least = -(-size.low // step) * step
        return Quantity(size, least, None if size.high is None else (size.high - least) // step + 1, step)

    def line(self, size: Size) -> Line:
        """Return the values of a size. Raises Refused where it is none of this quantity alone."""
        if isinstance(size, int):
            return Line([size], 1, 0)
        if size is self.size:
            return Line([self.least], 1, self.step)
        number, plain, inner = decomposed(size)
        lines = [Line([number], 1, 0)]
        if plain:
            factor, core = primitive(plain, self.size)
            if core is not self.size:
                raise Refused
            lines.append(Line([factor * self.least], 1, factor * self.step))
        lines += [_scaled(self._inner(e), c) for c, e in inner]
        return _sum(lines)

    def _inner(self, size: Dim) -> Line:
        if size.division is not None:
            b, n = size.division
            return _floor(self.line(b), n)
        first, *others = map(self.line, size.alternatives)
        for other in others:
            first = _extreme(first, other, size.sign_of_choice)
        return first

    def truth(self, condition: Condition) -> Truth:
        """Return where a condition holds. Raises Refused where it is none of this quantity alone."""
        return condition.accept(self)

    def equal(self, a: Size, b: Size) -> Truth:
        return _eventually_constant(self._difference(a, b), lambda v: v == 0).reduced()

    def at_most(self, a: Size, b: Size) -> Truth:
        return _eventually_constant(self._difference(a, b), lambda v: v >= 0).reduced()

    def _difference(self, a: Size, b: Size) -> Line:
        return _sum((self.line(b), _scaled(self.line(a), -1)))

    def divides(self, divisor: Size, a: Size) -> Truth:
        line = self.line(a)
        if isinstance(divisor, int):
            n = abs(divisor)
            if not n:
                return _eventually_constant(line, lambda v: v == 0).reduced()
            line = line.extended(line.start, line.period * (n // math.gcd(n, line.rise)))
            return Truth([v % n == 0 for v in line.table], line.period).reduced()
        # nothing farther from 0 than a number divides it, but for 0
        if line.rise or len(line.table) > 1 or not line.table[0]:
            raise Refused
        number = abs(line.table[0])
        return _eventually_constant(self.line(divisor), lambda v: v != 0 and number % v == 0, number).reduced()

    def all_of(self, parts: tuple[Condition, ...]) -> Truth:
        return self._joined(parts, operator.and_, Truth([True], 1))

    def any_of(self, parts: tuple[Condition, ...]) -> Truth:
        return self._joined(parts, operator.or_, Truth([False], 1))

    def _joined(self, parts: Sequence[Condition], join: Callable[[bool, bool], bool], out: Truth) -> Truth:
        for part in parts:
            other = self.truth(part)
            start, period = max(out.start, other.start), math.lcm(out.period, other.period)
            pairs = out.extended(start, period), other.extended(start, period)
            out = Truth(list(map(join, *pairs)), period).reduced()
        return out

    def within(self, truth: Truth) -> list[bool]:
        """Return the part of a table that counts."""
        return truth.table if self.count is None else truth.table[: self.count]


def quantity_of(conditions: Iterable[Condition]) -> Quantity | None:
    """Return the one quantity that conditions depend on, None where there are more or it has no least value."""
    found: list[Dim] = []
    nodes = [0]
    try:
        for condition in conditions:
            _gather(condition, found, nodes)
        return Quantity.of(found[0]) if found else None
    except Refused:
        return None


def _gather(condition: Condition, found: list[Dim], nodes: list[int]) -> None:
    for part in condition.parts:
        _gather(part, found, nodes)
    for size in condition.sides:
        _gather_from(size, found, nodes)


def _gather_from(size: Size, found: list[Dim], nodes: list[int]) -> None:
    if isinstance(size, int):
        return None
    if size.is_symbol:
        return _note(size, found)
    nodes[0] += 1
    if nodes[0] > MAX_NODES:
        raise Refused
    _, plain, inner = decomposed(size)
    if plain:
        _note(primitive(plain, *found[:1])[1], found)
    for _, e in inner:
        for a in e.alternatives if e.division is None else e.division[:1]:
            _gather_from(a, found, nodes)
    return None


def _note(size: Dim, found: list[Dim]) -> None:
    if found and found[0] is not size:
        raise Refused
    found.append(size)


def decomposed(size: Size) -> tuple[int, Terms, list[tuple[int, Dim]]]:
    """Return a sum as its number, its plain terms, and floors, ``max`` and ``min`` with coefficients."""
    terms, number = terms_of(size)
    plain: list[tuple[int, Dim]] = []
    inner: list[tuple[int, Dim]] = []
    for term in terms:
        (inner if term[1].sign_of_choice or term[1].division is not None else plain).append(term)
    return number, tuple(plain), inner


def primitive(terms: Terms, known: Dim | None = None) -> tuple[int, Dim]:
    """Return terms as a number times what has no common number; of the two signs the one already known."""
    factor = math.gcd(*(c for c, _ in terms))
    if all(c < 0 for c, _ in terms):
        factor = -factor
    core = added([(c // factor, t) for c, t in terms])
    if known is not None and added([(-c // factor, t) for c, t in terms]) is known:
        return -factor, known
    if isinstance(core, int):
        raise Refused
    return factor, core
