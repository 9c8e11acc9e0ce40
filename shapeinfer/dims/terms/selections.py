"""Functions whose value is one of their arguments: the largest, the smallest, and what sizes broadcast to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeVar

from shapeinfer.dims.terms import intervals
from shapeinfer.dims.terms.dim import Size, TermVisitor
from shapeinfer.dims.terms.expression import Expression
from shapeinfer.dims.terms.interning import interned
from shapeinfer.dims.terms.intervals import Interval
from shapeinfer.dims.terms.polynomials import added
from shapeinfer.dims.terms.printing import written
from shapeinfer.dims.terms.sizes import bounds_of, divisor_of, place, terms_of, weight_of_size

MAX_RIVALS = 8
"""Max and Min compare each argument with only this many others."""

_T = TypeVar("_T")


class Selection(Expression):
    """At least two arguments, flat, distinct and in order."""

    __slots__ = ("alternatives",)
    function_name = ""

    def derive(self) -> None:
        self.parts = self.alternatives = self._fields
        self.weight = 1 + sum(map(weight_of_size, self.parts))
        self.divisor = math.gcd(*map(divisor_of, self.parts))
        self.order = (self.rank, *map(place, self.parts))

    @classmethod
    def kept(cls, args: list[Size]) -> list[Size]:
        """Return distinct arguments, in order, without those that never count."""
        raise NotImplementedError

    def interval(self) -> Interval:
        return self.interval_of_choice([bounds_of(a) for a in self.parts], upward=True)

    def growth(self, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
        return max(d for d, _ in parts), max(c for _, c in parts)

    def written(self, portable: bool) -> str:
        return f"{self.function_name}({self._arguments(portable)})"

    def _arguments(self, portable: bool) -> str:
        return ", ".join(sorted(written(a, portable) for a in self.parts))

    def rebuilt(self, parts: Sequence[Size]) -> Size:
        return selected(type(self), parts)


class _Extreme(Selection):
    """An argument that no other exceeds."""

    __slots__ = ()

    @classmethod
    def kept(cls, args: list[Size]) -> list[Size]:
        kept: list[Size] = []
        for a in args:
            # each is held against each, so of many only against the first few
            rivals = kept[:MAX_RIVALS]
            if not any(cls._beats(k, a) for k in rivals):
                kept = [k for k in rivals if not cls._beats(a, k)] + kept[MAX_RIVALS:] + [a]
        return kept

    @classmethod
    def _beats(cls, a: Size, b: Size) -> bool:
        """Return whether ``a`` is the one to choose of two, whatever they stand for."""
        low, high = bounds_of(added([(1, a), (-1, b)]))
        return (low is not None and low >= 0) if cls.sign_of_choice > 0 else (high is not None and high <= 0)

    def interval_of_choice(self, cases: Sequence[Interval], upward: bool) -> Interval:
        return (intervals.largest_of if (self.sign_of_choice > 0) == upward else intervals.smallest_of)(cases)


class Max(_Extreme):
    """The largest of its arguments."""

    __slots__ = ()
    rank = 5
    function_name = "max"
    sign_of_choice = 1

    def accept(self, visitor: TermVisitor[_T]) -> _T:
        return visitor.largest(self.parts)

    def compute(self, values: Sequence[int]) -> int:
        return max(values)


class Min(_Extreme):
    """The smallest of its arguments."""

    __slots__ = ()
    rank = 6
    function_name = "min"
    sign_of_choice = -1

    def accept(self, visitor: TermVisitor[_T]) -> _T:
        return visitor.smallest(self.parts)

    def compute(self, values: Sequence[int]) -> int:
        return min(values)


class Broadcast(Selection):
    """What compatible sizes broadcast to: the one that is not 1, or 1."""

    __slots__ = ()
    rank = 7
    function_name = "broadcast"

    @classmethod
    def kept(cls, args: list[Size]) -> list[Size]:
        kept = [a for a in args if a != 1]
        # min(b, c) with c >= 1 is 1 only where b is: by the claim the two are equal, or b is the one that counts
        kept = [a for a in kept if not any(b is not a and _is_capped(a, b) for b in kept)]
        # by the claim, a size that can never be 1 is the result
        sure = next((a for a in kept if _never_one(a)), None)
        return (kept or [1]) if sure is None else [sure]

    def interval_of_choice(self, cases: Sequence[Interval], upward: bool) -> Interval:  # noqa: ARG002 - as of all
        return intervals.hull(cases)

    def accept(self, visitor: TermVisitor[_T]) -> _T:
        return visitor.broadcast(self.parts)

    def written(self, portable: bool) -> str:
        args = self._arguments(portable)
        return f"(max({args})*min(1, {args}))" if portable else f"broadcast({args})"

    def compute(self, values: Sequence[int]) -> int:
        return next((v for v in values if v != 1), 1)


def selected(kind: type[Selection], args: Iterable[Size]) -> Size:
    """Return a selection of sizes, without those that never count."""
    flat: dict[Size, None] = {}
    for a in args:
        flat.update(dict.fromkeys(a.parts if isinstance(a, kind) else (a,)))
    kept = kind.kept(sorted(flat, key=place))
    return kept[0] if len(kept) == 1 else _interned(kind, kept)


def _interned(kind: type[Selection], args: list[Size]) -> Selection:
    return interned(kind, *args)


def caps(a: Size, b: Size) -> tuple[Size, ...] | None:
    """Return ``c`` where ``a`` is ``min(b, *c)``, None where it is not."""
    if isinstance(a, int) or a.sign_of_choice >= 0 or b not in a.parts:
        return None
    return tuple(c for c in a.parts if c is not b and c != b)


def _is_capped(a: Size, b: Size) -> bool:
    found = caps(a, b)
    return found is not None and all((bounds_of(c)[0] or 0) >= 1 for c in found)


def _never_one(size: Size) -> bool:
    """Return whether a size is surely not 1."""
    low, high = bounds_of(size)
    if (low is not None and low > 1) or (high is not None and high < 1):
        return True
    terms, number = terms_of(size)
    return bool((1 - number) % (math.gcd(*(c * t.divisor for c, t in terms)) or 2))
