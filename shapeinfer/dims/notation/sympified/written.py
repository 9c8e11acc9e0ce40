"""Sizes and conditions as sympy expressions.

Each reads back as the very object that was written.
"""

from __future__ import annotations

import functools
from typing import Any

import sympy
from sympy.core.sympify import SympifyError

from shapeinfer.dims.conditions.condition import AllOf, AnyOf, Condition
from shapeinfer.dims.conditions.simplify import reading_order
from shapeinfer.dims.notation.sympified.conditions import OrderedAnd, OrderedOr, condition_of, remainder_is_zero
from shapeinfer.dims.notation.sympified.floats import function_of
from shapeinfer.dims.notation.sympified.functions import Broadcast, FloorDiv
from shapeinfer.dims.notation.sympified.sizes import REMEMBERED
from shapeinfer.dims.notation.sympified.symbols import symbol_expression
from shapeinfer.dims.terms.dim import Dim, Factors, Size, Symbol, Terms
from shapeinfer.dims.terms.floating import Floating
from shapeinfer.dims.terms.interning import interned
from shapeinfer.dims.terms.printing import MAX_PRINTED
from shapeinfer.dims.terms.rounded import Rounded
from shapeinfer.dims.terms.sizes import bounds_of
from shapeinfer.remembered import forgotten_by

DEEP = 100
"""Sizes of fewer parts are not nested too deeply for recursion."""


def expression_of(converted: Dim | Condition) -> Any:
    """Return the expression of a size or a condition. Raises SympifyError for one that is too large to be printed."""
    if converted.weight > MAX_PRINTED:
        raise SympifyError(f"an expression of {converted.weight.bit_length()} bits of operations")
    try:
        for size in converted.sides if isinstance(converted, Condition) else (converted,):
            _write_parts(size)
        return _expression(converted)
    except RecursionError:
        raise SympifyError("an expression that is nested too deeply") from None


def _write_parts(size: Size) -> None:
    """Write the subterms of a large size bottom-up, each of which is memoised."""
    if isinstance(size, int) or size.weight < DEEP:
        return
    found: dict[Dim, None] = {}
    left = [size]
    while left:
        one = left.pop()
        found.pop(one, None)
        found[one] = None
        left += [part for part in one.parts if isinstance(part, Dim)]
    for part in reversed(found):
        _expression(part)


def latex_of(converted: Dim | Condition) -> str | None:
    """Return the LaTeX of a size or a condition, None for one that is too large."""
    try:
        return str(sympy.latex(expression_of(converted)))
    except (SympifyError, RecursionError):
        return None


@functools.lru_cache(maxsize=REMEMBERED)
def _expression(converted: Dim | Condition) -> Any:
    return converted.accept(_WRITER)


forgotten_by(_expression.cache_clear)


class _Writer:
    """Writes each kind of term and condition from the expressions of its parts.

    Sums, products and junctions are evaluated, which puts them in order, and kept if that reads back as the same. What
    else sympy's evaluation would change does not: its functions and relationals of canonical parts are as they are.
    """

    def size(self, size: Size) -> Any:
        return sympy.Integer(size) if isinstance(size, int) else _expression(size)

    def each(self, sizes: tuple[Size, ...]) -> list[Any]:
        return [self.size(size) for size in sizes]

    def symbol(self, symbol: Dim) -> Any:
        assert isinstance(symbol, Symbol)
        return symbol_expression(symbol)

    def plus(self, terms: Terms, number: int) -> Any:
        parts = [self.size(t) if c == 1 else sympy.Mul(c, self.size(t)) for c, t in terms]
        return sympy.Add(*parts, number)

    def times(self, coefficient: int, factors: Factors) -> Any:
        return sympy.Mul(coefficient, *(self.size(b) if n == 1 else sympy.Pow(self.size(b), n) for b, n in factors))

    def floordiv(self, a: Size, n: Size) -> Any:
        return FloorDiv(self.size(a), self.size(n), evaluate=False)

    def largest(self, args: tuple[Size, ...]) -> Any:
        return sympy.Max(*self.each(args), evaluate=False)

    def smallest(self, args: tuple[Size, ...]) -> Any:
        return sympy.Min(*self.each(args), evaluate=False)

    def broadcast(self, args: tuple[Size, ...]) -> Any:
        return Broadcast(*self.each(args), evaluate=False)

    def rounded(self, way: str, term: Floating) -> Any:
        return function_of(interned(Rounded, way, term))(*self.each(term.leaves), evaluate=False)

    def equal(self, a: Size, b: Size) -> Any:
        return sympy.Eq(self.size(a), self.size(b), evaluate=False)

    def at_most(self, a: Size, b: Size) -> Any:
        if isinstance(a, int) and isinstance(b, Dim):
            return sympy.Ge(self.size(b), self.size(a), evaluate=False)
        return sympy.Le(self.size(a), self.size(b), evaluate=False)

    def divides(self, divisor: Size, a: Size) -> Any:
        above, n = self.size(a), self.size(divisor)
        low, high = bounds_of(divisor)
        if (low is not None and low > 0) or (high is not None and high < 0):
            return sympy.Eq(sympy.Mod(above, n, evaluate=False), 0, evaluate=False)
        return OrderedOr.of(remainder_is_zero(n, above))

    def all_of(self, parts: tuple[Condition, ...]) -> Any:
        return _junction(AllOf(parts), sympy.And, OrderedAnd)

    def any_of(self, parts: tuple[Condition, ...]) -> Any:
        return _junction(AnyOf(parts), sympy.Or, OrderedOr)


def _junction(junction: Condition, plain: Any, ordered: Any) -> Any:
    parts = tuple(map(_expression, junction.parts))
    if tuple(sorted(junction.parts, key=reading_order)) == junction.parts:
        expression = plain(*parts)
        if condition_of(expression) is junction:
            return expression
    return ordered.of(parts)


_WRITER = _Writer()
