"""Conditions on lengths, as data: asked, substituted and printed."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

from shapeinfer.dims.conditions.questions import Answer, capped_by, divides, equal, less_equal
from shapeinfer.dims.terms.arithmetic import add, substitute
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.interning import interned
from shapeinfer.dims.terms.printing import quoted_text


class _Asked:
    """What conditions share. Interned, as lengths are: ``is`` is equality."""

    __slots__ = ("__weakref__", "_answer", "_fields", "symbols")

    _fields: tuple[Any, ...]
    _answer: Answer | None
    symbols: frozenset[Dim]
    """The symbols that occur in it."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text})"

    def __copy__(self: _C) -> _C:
        return self

    def __deepcopy__(self: _C, memo: object) -> _C:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._fields

    def answer(self) -> Answer:
        """Return whether it holds, as far as that is known."""
        if self._answer is None:
            self._answer = self._asked()
        return self._answer

    def _asked(self) -> Answer:
        raise NotImplementedError

    def begin(self) -> None:
        self._answer = None
        self._begin(*self._fields)

    def _begin(self, *fields: Any) -> None:
        """Set what is known when it is made."""
        raise NotImplementedError

    def _sympy_(self) -> Any:
        """Return it as a sympy relational or boolean."""
        from shapeinfer.dims.notation.sympified import relation

        return relation(self)  # type: ignore[arg-type] # every subclass is a Condition

    @property
    def text(self) -> str:
        """An expression in Python's syntax."""
        raise NotImplementedError


_C = TypeVar("_C", bound=_Asked)


def _symbols(*sizes: Size) -> frozenset[Dim]:
    return frozenset().union(*(s.symbols for s in sizes if isinstance(s, Dim)))


class Equal(_Asked):
    """``a == b``."""

    __slots__ = ("a", "b")
    a: Size
    b: Size

    def __new__(cls, a: Size, b: Size) -> Equal:
        return interned(cls, a, b)

    def _begin(self, a: Size, b: Size) -> None:
        self.a, self.b, self.symbols = a, b, _symbols(a, b)

    def _asked(self) -> Answer:
        return equal(self.a, self.b)

    def substitute(self, mapping: Mapping[Dim, Size]) -> Equal:
        return Equal(substitute(self.a, mapping), substitute(self.b, mapping))

    @property
    def text(self) -> str:
        first, second = self.a, self.b
        if isinstance(first, int) or (isinstance(second, Dim) and second.is_symbol and not first.is_symbol):
            first, second = second, first
        return f"{quoted_text(first)} == {quoted_text(second)}"


class AtMost(_Asked):
    """``a <= b``."""

    __slots__ = ("a", "b")
    a: Size
    b: Size

    def __new__(cls, a: Size, b: Size) -> AtMost:
        return interned(cls, a, b)

    def _begin(self, a: Size, b: Size) -> None:
        self.a, self.b, self.symbols = a, b, _symbols(a, b)

    def _asked(self) -> Answer:
        return less_equal(self.a, self.b)

    def substitute(self, mapping: Mapping[Dim, Size]) -> AtMost:
        return AtMost(substitute(self.a, mapping), substitute(self.b, mapping))

    @property
    def text(self) -> str:
        if isinstance(self.a, int) and isinstance(self.b, Dim):
            return f"{quoted_text(self.b)} >= {self.a}"
        return f"{quoted_text(self.a)} <= {quoted_text(self.b)}"


class Divides(_Asked):
    """``a % divisor == 0``."""

    __slots__ = ("a", "divisor")
    divisor: Size
    a: Size

    def __new__(cls, divisor: Size, a: Size) -> Divides:
        return interned(cls, divisor, a)

    def _begin(self, divisor: Size, a: Size) -> None:
        self.divisor, self.a, self.symbols = divisor, a, _symbols(divisor, a)

    def _asked(self) -> Answer:
        return divides(self.divisor, self.a)

    def substitute(self, mapping: Mapping[Dim, Size]) -> Divides:
        return Divides(substitute(self.divisor, mapping), substitute(self.a, mapping))

    @property
    def text(self) -> str:
        return f"{_bracketed(self.a)} % {_bracketed(self.divisor)} == 0"


class AnyOf(_Asked):
    """At least one part holds."""

    __slots__ = ("parts",)
    parts: tuple[Condition, ...]

    def __new__(cls, parts: tuple[Condition, ...]) -> AnyOf:
        return interned(cls, parts)

    def _begin(self, parts: tuple[Condition, ...]) -> None:
        self.parts, self.symbols = parts, frozenset().union(*(p.symbols for p in parts))

    def _asked(self) -> Answer:
        return functools.reduce(lambda x, y: x | y, (p.answer() for p in self.parts), Answer.NO)

    def substitute(self, mapping: Mapping[Dim, Size]) -> AnyOf:
        return AnyOf(tuple(p.substitute(mapping) for p in self.parts))

    @property
    def text(self) -> str:
        undecided = [p for p in self.parts if not p.answer().is_no] or list(self.parts)
        if not undecided:
            return "never"
        return " or ".join(p.text for p in undecided)


class AllOf(_Asked):
    """Every part holds."""

    __slots__ = ("parts",)
    parts: tuple[Condition, ...]

    def __new__(cls, parts: tuple[Condition, ...]) -> AllOf:
        return interned(cls, parts)

    def _begin(self, parts: tuple[Condition, ...]) -> None:
        self.parts, self.symbols = parts, frozenset().union(*(p.symbols for p in parts))

    def _asked(self) -> Answer:
        return functools.reduce(lambda x, y: x & y, (p.answer() for p in self.parts), Answer.YES)

    def substitute(self, mapping: Mapping[Dim, Size]) -> AllOf:
        return AllOf(tuple(p.substitute(mapping) for p in self.parts))

    @property
    def text(self) -> str:
        if not self.parts:
            return "always"
        return " and ".join(f"({p.text})" if isinstance(p, AnyOf) else p.text for p in self.parts)


Condition: TypeAlias = Equal | AtMost | Divides | AnyOf | AllOf

ALWAYS = AllOf(())
"""The condition that always holds."""
NEVER = AnyOf(())
"""The condition that never holds."""


def broadcastable(a: Size, b: Size) -> Condition:
    """Return what two lengths must satisfy to broadcast: equal, or one of them 1."""
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
    return AtMost(add(a, 1), b)


def _bracketed(size: Size) -> str:
    text = quoted_text(size)
    return text if isinstance(size, int) or size.is_symbol else f"({text})"
