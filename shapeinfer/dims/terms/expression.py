"""Expressions: terms of other terms, interned in one canonical form.

Parts are shared, and a tree of them would be exponential, so whoever walks an expression remembers what was found for
each part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shapeinfer.dims.terms.bounds import integer_bounds
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.interning import interned
from shapeinfer.dims.terms.intervals import IntegerInterval
from shapeinfer.dims.terms.printing import print_expression
from shapeinfer.remembered import note, note_text


class Expression(Dim):
    """A term of other terms."""

    __slots__ = ("_bounds", "_fields", "_symbols", "_text", "parts")

    rank = 0
    """The place of the kind in every order."""

    _bounds: IntegerInterval | None
    _fields: tuple[Any, ...]
    _symbols: frozenset[Dim]
    _text: str | None
    parts: tuple[Size, ...]

    @property
    def symbols(self) -> frozenset[Dim]:
        return self._symbols

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = print_expression(self)
            note_text(self._text)
        return self._text

    def bounds(self) -> IntegerInterval:
        if self._bounds is None:
            self._bounds = integer_bounds(self)
        return self._bounds

    def __reduce__(self) -> tuple[Any, ...]:
        return interned, (type(self), *self._fields)

    def initialize(self) -> None:
        self._bounds = None
        self._text = None
        self.derive()
        self._symbols = frozenset().union(*(p.symbols for p in self.parts if not isinstance(p, int)))
        note(64 * len(self.parts))

    def derive(self) -> None:
        """Set what follows from the fields: parts, weight, divisor, order and what else the kind has."""
        raise NotImplementedError


def replaced(size: Size, mapping: Mapping[Dim, Size]) -> Size:
    """Return a size with symbols replaced at once and every law applied anew, but for divisions by 0."""
    return _replaced(size, dict(mapping))


def _replaced(part: Size, done: dict[Dim, Size]) -> Size:
    if isinstance(part, int) or part.is_symbol:
        return part if isinstance(part, int) else done.get(part, part)
    found = done.get(part)
    if found is None:
        found = done[part] = part.rebuilt([_replaced(p, done) for p in part.parts])
    return found


def evaluated(size: Size, values: Mapping[Dim, int]) -> int:
    """Return the number of a size, given its symbols'. Raises ZeroDivisionError."""
    return _evaluated(size, dict(values))


def _evaluated(part: Size, done: dict[Dim, int]) -> int:
    if isinstance(part, int):
        return part
    found = done.get(part)
    if found is None:
        found = done[part] = part.compute([_evaluated(p, done) for p in part.parts])
    return found


def compiled(size: Size) -> Callable[[dict[Dim, int]], int]:
    """Return a function of the symbols' values that computes a size."""
    if isinstance(size, int):
        return lambda _: size
    if size.is_symbol:
        return lambda values: values[size]
    parts, compute = [compiled(p) for p in size.parts], size.compute
    return lambda values: compute([p(values) for p in parts])


def largest_in(size: Size) -> int:
    """Return the largest absolute value of the numbers written in a size."""
    return _largest(size, {})


def _largest(part: Size, done: dict[Dim, int]) -> int:
    if isinstance(part, int):
        return abs(part)
    if part not in done:
        done[part] = max([*map(abs, part.numbers()), *(_largest(p, done) for p in part.parts)], default=0)
    return done[part]
