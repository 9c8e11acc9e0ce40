"""The most bytes that are alive at once, from sums that are compared without knowing the sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from shapeinfer.dims import Dim, Size, add, maximum, mul, total
from shapeinfer.dims.terms.decompose import as_sum

Bytes: TypeAlias = "Mapping[Dim | None, int]"
"""A sum: how often each length occurs in it, and under None its number."""


def byte_sum(size: Size) -> Bytes:
    """Return a length as a sum."""
    parts = as_sum(size)
    return {None: parts.number, **{term: c for c, term in parts.terms}}


def joined(a: Bytes, b: Bytes, sign: int = 1) -> Bytes:
    """Return ``a + b``, or ``a - b`` for a sign of -1."""
    out = dict(a)
    for term, count in b.items():
        out[term] = out.get(term, 0) + sign * count
    return {term: count for term, count in out.items() if count}


def greatest(sums: Iterable[Bytes]) -> list[Bytes]:
    """Return the sums that may be the greatest for some sizes: none that another one always reaches."""
    kept: list[Bytes] = []
    for one in {frozenset(s.items()): s for s in sums}.values():
        if not any(_reaches(other, one) for other in kept):
            kept = [other for other in kept if not _reaches(one, other)]
            kept.append(one)
    return kept


def _reaches(a: Bytes, b: Bytes) -> bool:
    """Whether ``a >= b`` term by term, which is enough since lengths are no less than 0."""
    return all(
        (more := a.get(term, 0) - b.get(term, 0)) == 0
        or (more > 0 and (term is None or (term.low is not None and term.low >= 0)))
        for term in {**a, **b}
    )


def peak_of(sums: Sequence[Bytes]) -> Size:
    """Return the greatest of sums as a length."""
    sizes = [add(total(mul(t, c) for t, c in s.items() if t is not None), s.get(None, 0)) for s in sums]
    return maximum(*sizes) if sizes else 0
