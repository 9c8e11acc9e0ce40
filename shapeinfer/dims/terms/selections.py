"""Functions whose value is one of their arguments: the largest, the smallest, and what lengths broadcast to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.expression import Expression, added, divisor_of, place, terms_of
from shapeinfer.dims.terms.interning import interned

MAX_RIVALS = 8
"""A Max or Min drops what one of the first few arguments makes needless."""


class Selection(Expression):
    """At least two arguments, flat, distinct and in order."""

    __slots__ = ()

    def settle(self) -> None:
        self.parts = self._fields
        self.weight = 1 + sum(1 if isinstance(p, int) else p.weight for p in self.parts)
        self.divisor = math.gcd(*map(divisor_of, self.parts))
        self.order = (self.rank, *map(place, self.parts))

    def rebuilt(self, parts: Sequence[Size]) -> Size:
        return selected(type(self), parts)


class Max(Selection):
    """The largest of its arguments."""

    __slots__ = ()
    rank = 5

    def compute(self, values: Sequence[int]) -> int:
        return max(values)


class Min(Selection):
    """The smallest of its arguments."""

    __slots__ = ()
    rank = 6

    def compute(self, values: Sequence[int]) -> int:
        return min(values)


class Broadcast(Selection):
    """What compatible lengths broadcast to: the one that is not 1, or 1."""

    __slots__ = ()
    rank = 7

    def compute(self, values: Sequence[int]) -> int:
        return next((v for v in values if v != 1), 1)


def selected(kind: type[Selection], args: Iterable[Size]) -> Size:
    """Return a selection of lengths, without those that never count."""
    flat: dict[Size, None] = {}
    for a in args:
        flat.update(dict.fromkeys(a.parts if isinstance(a, kind) else (a,)))
    ordered = sorted(flat, key=place)
    kept = _broadcast(ordered) if kind is Broadcast else _extreme(kind, ordered)
    if len(kept) == 1:
        return kept[0]
    made: Selection = interned(kind, *kept)
    return made


def _extreme(kind: type[Selection], args: list[Size]) -> list[Size]:
    kept: list[Size] = []
    for a in args:
        # each is held against each, so of many only against the first few
        rivals = kept[:MAX_RIVALS]
        if not any(_beats(kind, k, a) for k in rivals):
            kept = [k for k in rivals if not _beats(kind, a, k)] + kept[MAX_RIVALS:] + [a]
    return kept


def _beats(kind: type[Selection], a: Size, b: Size) -> bool:
    low, high = _bounds(added([(1, a), (-1, b)]))
    return (low is not None and low >= 0) if kind is Max else (high is not None and high <= 0)


def _bounds(size: Size) -> tuple[int | None, int | None]:
    return (size, size) if isinstance(size, int) else size.bounds()


def _broadcast(args: list[Size]) -> list[Size]:
    kept = [a for a in args if isinstance(a, Dim) or a != 1]
    # min(b, c) with c >= 1 is 1 only where b is: by the claim the two are equal, or b is the one that counts
    kept = [a for a in kept if not (isinstance(a, Min) and any(b is not a and _is_capped(a, b) for b in kept))]
    # by the claim, a length that can never be 1 is the result
    sure = next((a for a in kept if _never_one(a)), None)
    return (kept or [1]) if sure is None else [sure]


def caps(a: Size, b: Size) -> tuple[Size, ...] | None:
    """Return ``c`` where ``a`` is ``min(b, *c)``, None where it is not."""
    if not isinstance(a, Min) or b not in a.parts:
        return None
    return tuple(c for c in a.parts if c is not b and c != b)


def _is_capped(a: Size, b: Size) -> bool:
    found = caps(a, b)
    return found is not None and all((_bounds(c)[0] or 0) >= 1 for c in found)


def _never_one(size: Size) -> bool:
    """Tell whether a length is surely not 1."""
    low, high = _bounds(size)
    if (low is not None and low > 1) or (high is not None and high < 1):
        return True
    terms, number = terms_of(size)
    return bool((1 - number) % (math.gcd(*(c * t.divisor for c, t in terms)) or 2))
