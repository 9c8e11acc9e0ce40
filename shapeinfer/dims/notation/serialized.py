"""Lengths and conditions as plain data that a program in any language can evaluate."""

from __future__ import annotations

from typing import TypeAlias

from shapeinfer.dims.conditions.condition import AllOf, AnyOf, Condition, Divides, Equal
from shapeinfer.dims.terms.dim import Dim, Size

Entry: TypeAlias = "tuple[str | int, ...]"


class Table:
    """A list of operations, each on results of earlier ones, so that one pass evaluates all of them.

    An entry is ``("n", digits)`` for a number, ``("s", name)`` for a symbol, or an operation and the indices of what it
    takes: ``+ * ** // max min broadcast`` give lengths, ``== <= | and or`` say whether something holds, where ``a | b``
    is that ``a`` divides ``b``. Division rounds down; ``broadcast`` is the first length that is not 1, or 1.
    """

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._indices: dict[Entry, int] = {}
        self._done: dict[Dim, int] = {}

    def size(self, size: Size) -> int:
        """Return the index of a length, which is added where it is new."""
        if isinstance(size, int):
            return self._entry("n", str(size))
        if size.is_symbol:
            return self._entry("s", size.name)
        found = self._done.get(size)
        if found is None:
            found = self._done[size] = self._expression(size)
        return found

    def condition(self, condition: Condition) -> int:
        """Return the index of a condition, which is added where it is new."""
        if isinstance(condition, (AllOf, AnyOf)):
            word = "and" if isinstance(condition, AllOf) else "or"
            return self._entry(word, *map(self.condition, condition.parts))
        if isinstance(condition, Divides):
            return self._entry("|", self.size(condition.divisor), self.size(condition.a))
        return self._entry("==" if isinstance(condition, Equal) else "<=", *map(self.size, (condition.a, condition.b)))

    def _expression(self, size: Dim) -> int:
        from shapeinfer.dims.terms.expression import Expression, Plus, Times

        if isinstance(size, Plus):
            terms = [self._times(c, [self.size(t)]) for c, t in size.terms]
            return self._entry("+", *terms, *([self.size(size.number)] if size.number else []))
        if isinstance(size, Times):
            return self._times(size.coefficient, [self._power(f, n) for f, n in size.factors])
        assert isinstance(size, Expression), "the rest are functions"
        return self._entry(_WORDS[type(size).__name__], *map(self.size, size.parts))

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


_WORDS = {"Floor": "//", "Max": "max", "Min": "min", "Broadcast": "broadcast"}
