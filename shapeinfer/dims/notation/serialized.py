"""Sizes and conditions as plain data that a program in any language can evaluate."""

from __future__ import annotations

from typing import TypeAlias

from shapeinfer.dims.conditions.condition import Condition
from shapeinfer.dims.terms.dim import Dim, Factors, Size, Terms
from shapeinfer.dims.terms.floating import Floating, Operand

Entry: TypeAlias = "tuple[str | int, ...]"


class Table:
    """A list of operations, each on results of earlier ones, so that one pass evaluates all of them.

    An entry is ``("n", digits)`` for a number, ``("s", name)`` for a symbol, or an operation and the indices of what it
    takes: ``+ * ** // max min broadcast`` give sizes, ``== <= | and or`` say whether something holds, where ``a | b``
    is that ``a`` divides ``b``. Division rounds down; ``broadcast`` is the first size that is not 1, or 1.

    ``("f", text)`` is a float in JavaScript's notation. ``f32+``, ``f64/`` and the like compute floats from floats and
    sizes, in single or double precision: ``+ - * / sqrt min max``, and ``convert``, which rounds its only operand. The
    others have no value where their precision does not represent a size. ``floor ceil round trunc`` of a float are
    sizes; ``round`` is to the even one of two that are as near.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._indices: dict[Entry, int] = {}
        self._done: dict[Dim | Floating, int] = {}

    def size(self, size: Size) -> int:
        """Return the index of a size, which is added where it is new."""
        if isinstance(size, int):
            return self._entry("n", str(size))
        found = self._done.get(size)
        if found is None:
            found = self._done[size] = size.accept(self)
        return found

    def condition(self, condition: Condition) -> int:
        """Return the index of a condition, which is added where it is new."""
        return condition.accept(self)

    def symbol(self, symbol: Dim) -> int:
        return self._entry("s", symbol.name)

    def plus(self, terms: Terms, number: int) -> int:
        each = [self._times(c, [self.size(t)]) for c, t in terms]
        return self._entry("+", *each, *([self.size(number)] if number else []))

    def times(self, coefficient: int, factors: Factors) -> int:
        return self._times(coefficient, [self._power(f, n) for f, n in factors])

    def floordiv(self, a: Size, n: Size) -> int:
        return self._entry("//", self.size(a), self.size(n))

    def largest(self, args: tuple[Size, ...]) -> int:
        return self._entry("max", *map(self.size, args))

    def smallest(self, args: tuple[Size, ...]) -> int:
        return self._entry("min", *map(self.size, args))

    def broadcast(self, args: tuple[Size, ...]) -> int:
        return self._entry("broadcast", *map(self.size, args))

    def rounded(self, way: str, term: Floating) -> int:
        return self._entry(way, self._floating(term))

    def _floating(self, term: Floating) -> int:
        found = self._done.get(term)
        if found is None:
            operands = map(self._operand, term.operands)
            found = self._done[term] = self._entry(term.precision + term.operation, *operands)
        return found

    def _operand(self, operand: Operand) -> int:
        if isinstance(operand, Floating):
            return self._floating(operand)
        return self._entry("f", repr(operand)) if isinstance(operand, float) else self.size(operand)

    def equal(self, a: Size, b: Size) -> int:
        return self._entry("==", self.size(a), self.size(b))

    def at_most(self, a: Size, b: Size) -> int:
        return self._entry("<=", self.size(a), self.size(b))

    def divides(self, divisor: Size, a: Size) -> int:
        return self._entry("|", self.size(divisor), self.size(a))

    def all_of(self, parts: tuple[Condition, ...]) -> int:
        return self._entry("and", *map(self.condition, parts))

    def any_of(self, parts: tuple[Condition, ...]) -> int:
        return self._entry("or", *map(self.condition, parts))

    def _times(self, coefficient: int, factors: list[int]) -> int:
        if coefficient != 1:
            factors = [self.size(coefficient), *factors]
        return factors[0] if len(factors) == 1 else self._entry("*", *factors)

    def _power(self, factor: Dim, exponent: int) -> int:
        base = self.size(factor)
        return base if exponent == 1 else self._entry("**", base, self.size(exponent))

    def _entry(self, *entry: str | int) -> int:
        index = self._indices.setdefault(entry, len(self.entries))
        if index == len(self.entries):
            self.entries.append(entry)
        return index
