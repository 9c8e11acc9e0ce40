"""Sizes and conditions in z3, whose integers have no end: what it proves holds for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from shapeinfer.dims import Condition, Dim, Size
from shapeinfer.dims.terms.dim import Factors, Terms

EFFORT = 400_000
"""What a question may cost, in z3's own count, which is the same on every machine; without an answer it is open."""


class Number:
    """An integer of z3 with Python's operators, whose division rounds down."""

    def __init__(self, term: Any) -> None:
        self.term = term

    def __add__(self, other: Any) -> Number:
        return Number(self.term + term(other))

    def __sub__(self, other: Any) -> Number:
        return Number(self.term - term(other))

    def __mul__(self, other: Any) -> Number:
        return Number(self.term * term(other))

    def __neg__(self) -> Number:
        return Number(-self.term)

    def __radd__(self, other: Any) -> Number:
        return Number(term(other) + self.term)

    def __rsub__(self, other: Any) -> Number:
        return Number(term(other) - self.term)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Number:
        return Number(floor(self.term, term(other)))

    def __rfloordiv__(self, other: Any) -> Number:
        return Number(floor(term(other), self.term))

    def __mod__(self, other: Any) -> Number:
        return Number(self.term - floor(self.term, term(other)) * term(other))


def term(value: Any) -> Any:
    """Return an integer as z3 has it."""
    return value.term if isinstance(value, Number) else z3.IntVal(value)


def floor(a: Any, n: Any) -> Any:
    """Return ``a//n``: z3 rounds down only where it divides by what is above 0."""
    if z3.is_int_value(n):
        return a / n if n.as_long() > 0 else (-a) / (-n)
    return z3.If(n > 0, a / n, (-a) / (-n))


def largest(*values: Any) -> Number:
    return _selected(values, lambda a, b: a >= b)


def smallest(*values: Any) -> Number:
    return _selected(values, lambda a, b: a <= b)


def _selected(values: Sequence[Any], leads: Any) -> Number:
    first, *others = map(term, values)
    for other in others:
        first = z3.If(leads(first, other), first, other)
    return Number(first)


def ceil(a: Any, n: Any) -> Any:
    """Return ``a/n`` rounded up."""
    return -(-a // n)


class Sizes:
    """Translates sizes, which it visits, and conditions."""

    def __init__(self) -> None:
        self.assumed: list[Any] = []
        """What must hold for the sizes to have a value."""

    def of(self, size: Size) -> Any:
        return z3.IntVal(size) if isinstance(size, int) else size.accept(self)

    def symbol(self, symbol: Dim) -> Any:
        return variable(symbol)

    def plus(self, terms: Terms, number: int) -> Any:
        return z3.Sum([z3.IntVal(number), *(c * self.of(t) for c, t in terms)])

    def times(self, coefficient: int, factors: Factors) -> Any:
        return z3.Product([z3.IntVal(coefficient), *(self.of(b) for b, n in factors for _ in range(n))])

    def floordiv(self, a: Size, n: Size) -> Any:
        below = self.of(n)
        self.assumed.append(below != 0)
        return floor(self.of(a), below)

    def largest(self, args: tuple[Size, ...]) -> Any:
        return largest(*(Number(self.of(a)) for a in args)).term

    def smallest(self, args: tuple[Size, ...]) -> Any:
        return smallest(*(Number(self.of(a)) for a in args)).term

    def broadcast(self, args: tuple[Size, ...]) -> Any:
        out, *others = map(self.of, args)
        for other in others:
            self.assumed.append(z3.Or(out == other, out == 1, other == 1))
            out = z3.If(out == 1, other, out)
        return out

    def rounded(self, way: str, term: Any) -> Any:
        raise NotImplementedError("floats are held against IEEE 754 in test_floating.py")

    def equal(self, a: Size, b: Size) -> Any:
        return self.of(a) == self.of(b)

    def at_most(self, a: Size, b: Size) -> Any:
        return self.of(a) <= self.of(b)

    def divides(self, divisor: Size, a: Size) -> Any:
        if isinstance(divisor, int):
            return self.of(a) % abs(divisor) == 0 if divisor else self.of(a) == 0
        n, value = self.of(divisor), self.of(a)
        return z3.If(n == 0, value == 0, value - n * floor(value, n) == 0)

    def all_of(self, parts: tuple[Condition, ...]) -> Any:
        return z3.And([p.accept(self) for p in parts])

    def any_of(self, parts: tuple[Condition, ...]) -> Any:
        return z3.Or([p.accept(self) for p in parts])


def variable(symbol: Dim) -> Any:
    return z3.Int(f"{symbol.name}#{symbol.low}:{symbol.high}:{symbol.divisor}")


def ranges(*symbols: Dim) -> list[Any]:
    """Return what is known of symbols."""
    out = []
    for s in symbols:
        v = variable(s)
        out += [v >= s.low] if s.low is not None else []
        out += [v <= s.high] if s.high is not None else []
        out += [v % s.divisor == 0] if s.divisor > 1 else []
    return out


def counterexample(claim: Any, *assumed: Any, effort: int = EFFORT) -> str:
    """Return "none" where a claim is proved, "some" where it is refuted, "open" where z3 gives up."""
    solver = z3.Solver()
    solver.set("rlimit", effort)
    solver.add(*assumed, z3.Not(claim))
    found = solver.check()
    return "none" if found == z3.unsat else "some" if found == z3.sat else "open"


def refuted(condition: Condition, given: Sequence[Condition] = (), effort: int = EFFORT) -> str:
    """Return as ``counterexample`` does whether a condition fails where others hold and all have a value."""
    sizes = Sizes()
    claim, known = condition.accept(sizes), [c.accept(sizes) for c in given]
    symbols = condition.symbols.union(*(c.symbols for c in given))
    return counterexample(
        claim, *ranges(*sorted(symbols, key=lambda s: s.order)), *known, *sizes.assumed, effort=effort
    )
