"""Lengths and conditions as plain data that a program in any language can evaluate."""

from __future__ import annotations

from typing import Any, TypeAlias

from shapeinfer.dims.conditions import AllOf, AnyOf, Condition, Divides, Equal
from shapeinfer.dims.dim import Size

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
        self._done: dict[Any, int] = {}

    def size(self, size: Size) -> int:
        """Return the index of a length, which is added where it is new."""
        if isinstance(size, int):
            return self._entry("n", str(size))
        if size.is_symbol:
            return self._entry("s", size.name)
        return self._expression(size._expr)

    def condition(self, condition: Condition) -> int:
        """Return the index of a condition, which is added where it is new."""
        if isinstance(condition, (AllOf, AnyOf)):
            word = "and" if isinstance(condition, AllOf) else "or"
            return self._entry(word, *map(self.condition, condition.parts))
        if isinstance(condition, Divides):
            return self._entry("|", self.size(condition.divisor), self.size(condition.a))
        return self._entry("==" if isinstance(condition, Equal) else "<=", *map(self.size, (condition.a, condition.b)))

    def _expression(self, expr: Any) -> int:
        from shapeinfer.dims.expressions import dim_of_symbol

        if expr.is_Integer:
            return self._entry("n", str(int(expr)))
        if expr.is_Symbol:
            return self._entry("s", dim_of_symbol(expr).name)
        found = self._done.get(expr)
        if found is None:
            word = "+" if expr.is_Add else "*" if expr.is_Mul else "**" if expr.is_Pow else _WORDS[expr.func.__name__]
            found = self._done[expr] = self._entry(word, *map(self._expression, expr.args))
        return found

    def _entry(self, *entry: str | int) -> int:
        index = self._indices.setdefault(entry, len(self.entries))
        if index == len(self.entries):
            self.entries.append(entry)
        return index


_WORDS = {"FloorDiv": "//", "Max": "max", "Min": "min", "Broadcast": "broadcast"}
