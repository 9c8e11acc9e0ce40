"""Lengths and conditions as sympy expressions, composed part by part: sympy never reads a name of a model as code."""

from __future__ import annotations

import zlib
from typing import Any

from shapeinfer.dims.conditions.condition import AllOf, AnyOf, Condition, Divides, Equal
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.expression import Expression, Plus, Times
from shapeinfer.dims.terms.floors import Floor
from shapeinfer.dims.terms.printing import MAX_PRINTED, quoted
from shapeinfer.dims.terms.selections import Broadcast, Max


def expression(size: Size) -> Any:
    """Return a length as a sympy expression that has its value wherever the length divides by nothing that is 0.

    Division rounds down as ``floor(a/n)``; a broadcast is a Piecewise: the first argument that is not 1, or 1.
    Symbols of one name and differing ranges are one symbol as far as sympy's assumptions do not tell them apart.
    Raises SympifyError for a length too large to be printed.
    """
    return _Conversion().size(size)


def relation(condition: Condition) -> Any:
    """Return a condition as a sympy relational or boolean. Raises as ``expression``."""
    return _Conversion().condition(condition)


class _Conversion:
    """Parts that were converted, each once: they are shared."""

    def __init__(self) -> None:
        self.done: dict[Dim, Any] = {}

    def size(self, size: Size) -> Any:
        import sympy  # slow to load, and seldom needed

        if isinstance(size, int):
            return sympy.Integer(size)
        if size.weight > MAX_PRINTED:
            raise sympy.SympifyError(f"an expression of {size.weight.bit_length()} bits of operations")
        if size not in self.done:
            self.done[size] = self._expression(size) if isinstance(size, Expression) else _symbol(size)
        return self.done[size]

    def _expression(self, size: Expression) -> Any:
        import sympy

        parts = [self.size(p) for p in size.parts]
        if isinstance(size, Plus):
            return sympy.Add(size.number, *(c * p for (c, _), p in zip(size.terms, parts)))
        if isinstance(size, Times):
            return sympy.Mul(size.coefficient, *(p**n for (_, n), p in zip(size.factors, parts)))
        if isinstance(size, Floor):
            return sympy.floor(parts[0] / parts[1])
        if isinstance(size, Broadcast):
            # the last is the result whatever it is: where it is 1, all of them are
            return sympy.Piecewise(*((p, sympy.Ne(p, 1)) for p in parts[:-1]), (parts[-1], True))
        return (sympy.Max if isinstance(size, Max) else sympy.Min)(*parts)

    def condition(self, condition: Condition) -> Any:
        import sympy

        if isinstance(condition, (AllOf, AnyOf)):
            joined = sympy.And if isinstance(condition, AllOf) else sympy.Or
            return joined(*map(self.condition, condition.parts))
        if isinstance(condition, Divides):
            a, n = self.size(condition.a), self.size(condition.divisor)
            if n.is_number and n != 0:
                return sympy.Eq(sympy.Mod(a, n), 0)
            # 0 divides nothing but 0; a comparison with a division by 0 is false
            none = sympy.And(sympy.Eq(n, 0), sympy.Eq(a, 0))
            return sympy.Or(none, sympy.And(sympy.Ne(n, 0), sympy.Eq(a - n * sympy.floor(a / n), 0)))
        compared = sympy.Eq if isinstance(condition, Equal) else sympy.Le
        return compared(self.size(condition.a), self.size(condition.b))


def _symbol(symbol: Dim) -> Any:
    """Return a symbol of the same name, quoted where that is no identifier: then no text that is printed runs."""
    import sympy

    assumed = {"integer": True}
    if symbol.low is not None and symbol.low >= 0:
        assumed["positive" if symbol.low else "nonnegative"] = True
    if symbol.divisor % 2 == 0:
        assumed["even"] = True
    name = symbol.name if symbol.name.isidentifier() else quoted(symbol.name)
    if symbol.is_fresh:
        # what the inputs do not determine is not what they name so; the same Dim is the same Dummy
        return sympy.Dummy(name, dummy_index=zlib.crc32(repr(symbol.order).encode()), **assumed)
    return sympy.Symbol(name, **assumed)
