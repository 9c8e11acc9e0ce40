"""Sizes and conditions as sympy expressions, composed part by part: sympy never reads a name of a model as code.

Division rounds down as ``floor(a/n)``; a broadcast is a Piecewise: the first argument that is not 1, or 1. An
expression has a size's value wherever the size divides by nothing that is 0. Symbols of one name and differing ranges
are one symbol as far as sympy's assumptions do not tell them apart.
"""

from __future__ import annotations

import functools
import operator
import zlib
from fractions import Fraction
from typing import Any

from shapeinfer.dims.conditions.condition import Condition
from shapeinfer.dims.terms.dim import Dim, Factors, Size, Terms
from shapeinfer.dims.terms.floating import Floating, Operand
from shapeinfer.dims.terms.ieee import CONVERT, MAX, MIN, SQRT, NoValueError, nearest
from shapeinfer.dims.terms.names import quoted
from shapeinfer.dims.terms.notations import register_notation
from shapeinfer.dims.terms.printing import MAX_PRINTED

_DIGITS = 60
"""A root is evaluated to so many digits: it comes no nearer to what lies between two floats."""


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

    def rounded(self, way: str, term: Floating) -> Any:
        value, half = self.floating(term), self.sympy.Rational(1, 2)
        down, up, near = self.sympy.floor(value), self.sympy.ceiling(value), self.sympy.floor(value + half)
        if way == "trunc":
            return self.sympy.Piecewise((down, value >= 0), (up, True))
        if way == "round":
            return self.sympy.Piecewise((near - near % 2, self.sympy.Eq(value + half, near)), (near, True))
        return down if way == "floor" else up

    def floating(self, term: Floating) -> Any:
        """Return a term of floats: functions ``f32`` and ``f64`` round what is exact within."""
        a, *others = [self._operand(a) for a in term.operands]
        if term.operation in (MIN, MAX):
            return (self.sympy.Min if term.operation == MIN else self.sympy.Max)(a, *others)
        exact = {CONVERT: lambda: a, SQRT: lambda: self.sympy.sqrt(a)}.get(term.operation)
        return _nearest(term.precision)(exact() if exact else _OPERATORS[term.operation](a, *others))

    def _operand(self, operand: Operand) -> Any:
        if isinstance(operand, Floating):
            return self.floating(operand)
        return self.sympy.Rational(operand) if isinstance(operand, float) else self.size(operand)

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


_OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


@functools.cache
def _nearest(precision: str) -> Any:
    """Return the sympy function that rounds to a precision."""
    import sympy

    def evaluated(_: Any, x: Any) -> Any:
        if not x.is_Rational and not (x.is_number and x.is_finite and x.is_real):
            return None
        exact = sympy.Rational(x if x.is_Rational else x.evalf(_DIGITS))
        try:
            return sympy.Rational(nearest(precision, Fraction(int(exact.p), int(exact.q))))
        except NoValueError:
            return sympy.nan

    def computed(x: float) -> float:
        return nearest(precision, float(x))

    return type(
        precision,
        (sympy.Function,),
        {"eval": classmethod(evaluated), "_eval_is_real": lambda _: True, "_imp_": staticmethod(computed), "nargs": 1},
    )


register_notation("sympy", _ToSympy)
