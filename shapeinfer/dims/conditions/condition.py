"""Conditions on sizes, as data: each kind decides, substitutes, prints and measures itself.

Comparisons relate two sizes; a conjunction or disjunction joins conditions. They are interned as dims are, and decided
by the laws of ``decisions`` alone: ``simplest`` and ``implies`` do more.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from attrs import frozen

from shapeinfer.dims.conditions.decisions import Answer, capped_by, divides, equal, less_equal
from shapeinfer.dims.conditions.logic import Logic
from shapeinfer.dims.terms.arithmetic import add, substitute
from shapeinfer.dims.terms.decompose import as_remainder
from shapeinfer.dims.terms.dim import Dim, Size, symbol
from shapeinfer.dims.terms.interning import interned
from shapeinfer.dims.terms.notations import InSympy, algebra
from shapeinfer.dims.terms.printing import quoted_text
from shapeinfer.dims.terms.sizes import is_symbol, symbols_of, weight_of_size

_C = TypeVar("_C", bound="Condition")
_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class ConditionVisitor(Protocol[_T_co]):
    """What can be computed from a condition, kind by kind; it recurses into the parts itself."""

    def equal(self, a: Size, b: Size) -> _T_co:
        """Visit an Equal."""

    def at_most(self, a: Size, b: Size) -> _T_co:
        """Visit an AtMost."""

    def divides(self, divisor: Size, a: Size) -> _T_co:
        """Visit a Divides."""

    def all_of(self, parts: tuple[Condition, ...]) -> _T_co:
        """Visit a conjunction."""

    def any_of(self, parts: tuple[Condition, ...]) -> _T_co:
        """Visit a disjunction."""


@frozen
class SymbolRange:
    """What a comparison of a symbol with a number says: the symbol's range, and what divides it."""

    symbol: Dim
    low: int | None = None
    high: int | None = None
    divisor: int = 1

    def narrowed(self, known: Dim) -> Size | None:
        """Return the symbol in this range within one that is known, None where no number lies in both."""
        lows = [end for end in (self.low, known.low) if end is not None]
        highs = [end for end in (self.high, known.high) if end is not None]
        divisor = math.lcm(known.divisor, self.divisor)
        try:
            return symbol(known.name, max(lows, default=None), min(highs, default=None), divisor, known.is_fresh)
        except ValueError:
            return None


class Condition(Logic, InSympy):
    """A relation between sizes, or several that are joined. Interned, as dims are: ``is`` is equality."""

    __slots__ = ("__weakref__", "_answer", "_fields", "symbols", "weight")

    rank = 0
    """The place of the kind in every order."""

    _fields: tuple[Any, ...]
    _answer: Answer | None
    symbols: frozenset[Dim]
    """The symbols that occur in it."""
    weight: int
    """How many parts its expressions have."""

    parts: tuple[Condition, ...] = ()
    """What a conjunction or disjunction joins."""
    sides: tuple[Size, ...] = ()
    """The two sizes that a comparison relates."""

    def __copy__(self: _C) -> _C:
        return self

    def __deepcopy__(self: _C, memo: object) -> _C:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields

    def initialize(self) -> None:
        self._answer = None
        self.derive()

    def derive(self) -> None:
        """Set what follows from the fields."""
        raise NotImplementedError

    def answer(self) -> Answer:
        """Return whether it holds, as far as that is known."""
        if self._answer is None:
            self._answer = self._decide()
        return self._answer

    def _decide(self) -> Answer:
        raise NotImplementedError

    def substitute(self: _C, mapping: Mapping[Dim, Size]) -> _C:
        """Return the condition with all symbols replaced at once, unchecked; callers use ``subs``, which checks."""
        raise NotImplementedError

    def accept(self, visitor: ConditionVisitor[_T]) -> _T:
        """Return what the visitor's method for this kind returns."""
        raise NotImplementedError

    @property
    def bound(self) -> int:
        """The number that it bounds a size by, 0 where there is none."""
        return 0

    @property
    def conjuncts(self) -> tuple[Condition, ...]:
        """The conditions that must all hold: the parts of a conjunction, itself for any other."""
        return (self,)

    def cost(self) -> int:
        """Return how much there is to read in it."""
        raise NotImplementedError

    def symbol_range(self) -> SymbolRange | None:
        """Return what it says of a symbol that it compares with a number, None where it is no such comparison."""
        return None

    @staticmethod
    def from_sympy(expression: object) -> Condition:
        """Return the condition that a sympy relational or boolean is, for ``condition.expr`` that very condition.

        It takes relationals of what ``Dim.from_sympy`` takes, their conjunctions, disjunctions and negations, and
        ``Eq(Mod(a, n), 0)`` as divisibility. Raises ValueError that names the part that is no condition on sizes,
        TypeError for what is no relational or boolean.
        """
        condition: Condition = algebra("sympy").condition_of(expression)
        return condition

    @property
    def text(self) -> str:
        """An expression in Python's syntax."""
        raise NotImplementedError


class Comparison(Condition):
    """A relation between two sizes."""

    __slots__ = ("sides",)
    sides: tuple[Size, Size]

    def derive(self) -> None:
        self.sides = one, other = self._fields
        self.symbols = symbols_of(one, other)
        self.weight = weight_of_size(one) + weight_of_size(other)

    def substitute(self: _C, mapping: Mapping[Dim, Size]) -> _C:
        return interned(type(self), *(substitute(side, mapping) for side in self.sides))

    def cost(self) -> int:
        return 4 + sum(map(_cost_of, self.sides))


class _Relation(Comparison):
    """A comparison of one size with another, ``a`` and ``b``."""

    __slots__ = ("a", "b")
    a: Size
    b: Size

    def derive(self) -> None:
        super().derive()
        self.a, self.b = self._fields

    @property
    def bound(self) -> int:
        return self.b if isinstance(self.b, int) else self.a if isinstance(self.a, int) else 0


class Equal(_Relation):
    """``a == b``."""

    __slots__ = ()

    def __new__(cls, a: Size, b: Size) -> Equal:
        return interned(cls, a, b)

    def _decide(self) -> Answer:
        return equal(self.a, self.b)

    def accept(self, visitor: ConditionVisitor[_T]) -> _T:
        return visitor.equal(self.a, self.b)

    def symbol_range(self) -> SymbolRange | None:
        one, number = (self.b, self.a) if isinstance(self.a, int) else (self.a, self.b)
        if isinstance(one, int) or not one.is_symbol or not isinstance(number, int):
            return None
        return SymbolRange(one, number, number)

    @property
    def text(self) -> str:
        first, second = self.a, self.b
        if isinstance(first, int) or (is_symbol(second) and not is_symbol(first)):
            first, second = second, first
        return f"{_text_of(first)} == {_text_of(second)}"


class AtMost(_Relation):
    """``a <= b``."""

    __slots__ = ()
    rank = 1

    def __new__(cls, a: Size, b: Size) -> AtMost:
        return interned(cls, a, b)

    def _decide(self) -> Answer:
        return less_equal(self.a, self.b)

    def accept(self, visitor: ConditionVisitor[_T]) -> _T:
        return visitor.at_most(self.a, self.b)

    def symbol_range(self) -> SymbolRange | None:
        if isinstance(self.a, int):
            return SymbolRange(self.b, low=self.a) if isinstance(self.b, Dim) and self.b.is_symbol else None
        return SymbolRange(self.a, high=self.b) if isinstance(self.b, int) and self.a.is_symbol else None

    @property
    def text(self) -> str:
        if isinstance(self.a, int) and isinstance(self.b, Dim):
            return f"{_text_of(self.b)} >= {self.a}"
        return f"{_text_of(self.a)} <= {_text_of(self.b)}"


class Divides(Comparison):
    """``a % divisor == 0``."""

    __slots__ = ("a", "divisor")
    rank = 2
    divisor: Size
    a: Size

    def __new__(cls, divisor: Size, a: Size) -> Divides:
        return interned(cls, divisor, a)

    def derive(self) -> None:
        super().derive()
        self.divisor, self.a = self._fields

    def _decide(self) -> Answer:
        return divides(self.divisor, self.a)

    def accept(self, visitor: ConditionVisitor[_T]) -> _T:
        return visitor.divides(self.divisor, self.a)

    def symbol_range(self) -> SymbolRange | None:
        if isinstance(self.a, int) or not self.a.is_symbol or not isinstance(self.divisor, int):
            return None
        # what 0 divides is 0, which is no range of multiples
        return SymbolRange(self.a, divisor=self.divisor) if self.divisor else None

    @property
    def text(self) -> str:
        return f"{_bracketed(self.a)} % {_bracketed(self.divisor)} == 0"


class Junction(Condition):
    """Conditions joined by ``and`` or by ``or``."""

    __slots__ = ("parts",)
    parts: tuple[Condition, ...]

    def derive(self) -> None:
        (self.parts,) = self._fields
        self.symbols = frozenset().union(*(p.symbols for p in self.parts))
        self.weight = sum(p.weight for p in self.parts)

    def substitute(self: _C, mapping: Mapping[Dim, Size]) -> _C:
        return interned(type(self), tuple(p.substitute(mapping) for p in self.parts))

    def cost(self) -> int:
        return sum(p.cost() for p in self.parts)


class AnyOf(Junction):
    """A disjunction: at least one part holds."""

    __slots__ = ()
    rank = 4

    def __new__(cls, parts: tuple[Condition, ...]) -> AnyOf:
        return interned(cls, parts)

    def _decide(self) -> Answer:
        return functools.reduce(lambda x, y: x | y, (p.answer() for p in self.parts), Answer.NO)

    def accept(self, visitor: ConditionVisitor[_T]) -> _T:
        return visitor.any_of(self.parts)

    @property
    def text(self) -> str:
        undecided = [p for p in self.parts if not p.answer().is_no] or list(self.parts)
        if not undecided:
            return "never"
        return " or ".join(p.text for p in undecided)


class AllOf(Junction):
    """A conjunction: every part holds."""

    __slots__ = ()
    rank = 3

    def __new__(cls, parts: tuple[Condition, ...]) -> AllOf:
        return interned(cls, parts)

    def _decide(self) -> Answer:
        return functools.reduce(lambda x, y: x & y, (p.answer() for p in self.parts), Answer.YES)

    def accept(self, visitor: ConditionVisitor[_T]) -> _T:
        return visitor.all_of(self.parts)

    @property
    def conjuncts(self) -> tuple[Condition, ...]:
        return self.parts

    @property
    def text(self) -> str:
        if not self.parts:
            return "always"
        return " and ".join(f"({p.text})" if isinstance(p, AnyOf) else p.text for p in self.parts)


ALWAYS = AllOf(())
"""The condition that always holds."""
NEVER = AnyOf(())
"""The condition that never holds."""


def broadcastable(a: Size, b: Size) -> Condition:
    """Return what two sizes must satisfy to broadcast: equal, or one of them 1."""
    for x, y in ((a, b), (b, a)):
        caps = capped_by(x, y)
        if caps and all(less_equal(2, c).is_yes for c in caps):
            # min(y, c) is 1 only where y is, and then they are equal; a c of 1 would make it 1 for every y
            return AllOf(tuple(AtMost(y, c) for c in caps)) if len(caps) > 1 else AtMost(y, caps[0])
    parts = tuple(p for p in (Equal(a, b), Equal(a, 1), Equal(b, 1)) if not p.answer().is_no)
    return AnyOf(parts) if len(parts) > 1 else parts[0] if parts else Equal(a, b)


def at_least(a: Size, least: int) -> Condition:
    """Return ``a >= least``."""
    return AtMost(least, a)


def nonzero(a: Size) -> Condition:
    """Return ``a != 0``."""
    above, under = AtMost(1, a), AtMost(a, -1)
    return above if under.answer().is_no else under if above.answer().is_no else AnyOf((above, under))


def below(a: Size, b: Size) -> Condition:
    """Return ``a < b``."""
    return AtMost(a, b - 1) if isinstance(b, int) else AtMost(add(a, 1), b)


def _cost_of(side: Size) -> int:
    if isinstance(side, int) or side.is_symbol:
        return 1
    remainder = as_remainder(side)
    return 1 + (weight_of_size(side) if remainder is None else 2 + weight_of_size(remainder[0]))


def _text_of(side: Size) -> str:
    remainder = as_remainder(side)
    return quoted_text(side) if remainder is None else f"{_bracketed(remainder[0])} % {remainder[1]}"


def _bracketed(size: Size) -> str:
    text = quoted_text(size)
    return text if isinstance(size, int) or size.is_symbol else f"({text})"
