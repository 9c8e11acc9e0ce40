"""Sizes and conditions as sympy expressions, composed part by part: sympy never reads a name of a model as code.

Division rounds down as ``floor(a/n)``; a broadcast is a Piecewise: the first argument that is not 1, or 1. An
expression has a size's value wherever the size divides by nothing that is 0. Symbols of one name and differing ranges
are one symbol as far as sympy's assumptions do not tell them apart.
"""

from __future__ import annotations

import zlib
from typing import Any

from shapeinfer.dims.conditions.condition import Condition
from shapeinfer.dims.terms.dim import Dim, Factors, Size, Terms
from shapeinfer.dims.terms.names import quoted
from shapeinfer.dims.terms.notations import register_notation
from shapeinfer.dims.terms.printing import MAX_PRINTED


class _ToSympy:
    """Converts each part once, since parts are shared. Raises SympifyError for a size too large to be printed."""

    def __init__(self) -> None:
        import sympy  # slow to load, and seldom needed

        self.sympy: Any = sympy
        self.done: dict[Dim, Any] = {}

    def size(self, size: Size) -> Any:
        if isinstance(size, int):
            return self.sympy.Integer(size)
        if size.weight > MAX_PRINTED:
            raise self.sympy.SympifyError(f"an expression of {size.weight.bit_length()} bits of operations")
        if size not in self.done:
            self.done[size] = size.accept(self)
        return self.done[size]

    def each(self, sizes: tuple[Size, ...]) -> list[Any]:
        return [self.size(size) for size in sizes]

    def symbol(self, symbol: Dim) -> Any:
        """Return a symbol of the same name, quoted where that is no identifier: then no text that is printed runs."""
        assumed = {"integer": True}
        if symbol.low is not None and symbol.low >= 0:
            assumed["positive" if symbol.low else "nonnegative"] = True
        if symbol.divisor % 2 == 0:
            assumed["even"] = True
        name = symbol.name if symbol.name.isidentifier() else quoted(symbol.name)
        if symbol.is_fresh:
            # what the inputs do not determine is not what they name so; the same Dim is the same Dummy
            return self.sympy.Dummy(name, dummy_index=zlib.crc32(repr(symbol.order).encode()), **assumed)
        return self.sympy.Symbol(name, **assumed)

    def plus(self, terms: Terms, number: int) -> Any:
        return self.sympy.Add(number, *(c * self.size(t) for c, t in terms))

    def times(self, coefficient: int, factors: Factors) -> Any:
        return self.sympy.Mul(coefficient, *(self.size(b) ** n for b, n in factors))

    def floordiv(self, a: Size, n: Size) -> Any:
        return self.sympy.floor(self.size(a) / self.size(n))

    def largest(self, args: tuple[Size, ...]) -> Any:
        return self.sympy.Max(*self.each(args))

    def smallest(self, args: tuple[Size, ...]) -> Any:
        return self.sympy.Min(*self.each(args))

    def broadcast(self, args: tuple[Size, ...]) -> Any:
        *others, last = self.each(args)
        # the last is the result whatever it is: where it is 1, all of them are
        return self.sympy.Piecewise(*((p, self.sympy.Ne(p, 1)) for p in others), (last, True))

    def equal(self, a: Size, b: Size) -> Any:
        return self.sympy.Eq(self.size(a), self.size(b))

    def at_most(self, a: Size, b: Size) -> Any:
        return self.sympy.Le(self.size(a), self.size(b))

    def divides(self, divisor: Size, a: Size) -> Any:
        sympy, above, n = self.sympy, self.size(a), self.size(divisor)
        if n.is_number and n != 0:
            return sympy.Eq(sympy.Mod(above, n), 0)
        # 0 divides nothing but 0; a comparison with a division by 0 is false
        none = sympy.And(sympy.Eq(n, 0), sympy.Eq(above, 0))
        return sympy.Or(none, sympy.And(sympy.Ne(n, 0), sympy.Eq(above - n * sympy.floor(above / n), 0)))

    def all_of(self, parts: tuple[Condition, ...]) -> Any:
        return self.sympy.And(*(part.accept(self) for part in parts))

    def any_of(self, parts: tuple[Condition, ...]) -> Any:
        return self.sympy.Or(*(part.accept(self) for part in parts))


register_notation("sympy", _ToSympy)
