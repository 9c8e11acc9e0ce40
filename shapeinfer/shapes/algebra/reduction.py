"""Fold axes away: sums, extremes and their like."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Dim, Size
from shapeinfer.facts import Shape, Tensor, UnknownRank
from shapeinfer.shapes.movement.axes import normal


def is_set(flag: int) -> bool:
    """Whether a flag is 1. Raises UnknownRank for one that is not 0 either, for which runtimes take this and that."""
    if flag not in (0, 1):
        raise UnknownRank
    return flag == 1


def reduced(shape: Shape, axes: Collection[int], *, keep: bool) -> Shape:
    """Return the shape with ``axes`` folded: to 1 if they are kept, else dropped."""
    if keep:
        return tuple(1 if i in axes else d for i, d in enumerate(shape))
    return tuple(d for i, d in enumerate(shape) if i not in axes)


def folded(ledger: Ledger, x: Tensor, axes: Sequence[int], *, keep: bool) -> Shape:
    """Fold the listed axes, all of them if none is listed; naming one twice folds it once."""
    if not axes and not keep:
        return ()
    every = range(x.rank)
    # Runtimes take negative axes in every version, and any axis of a scalar that is 0 or -1.
    found = {normal(ledger, a, x.rank, at="x") for a in axes} if x.rank or not set(axes) <= {0, -1} else set()
    return reduced(x.dims, found or set(every), keep=keep)


def reduced_somewhere(ledger: Ledger, shape: Shape, count: Size | None, *, keep: bool) -> Shape:
    """Return what is known of the shape after a reduction of ``count`` unknown axes.

    No axis is folded where there are none; two entries may name the same axis. Stops where not even the
    rank is known.
    """
    if keep:
        return tuple(_folded_or_not(ledger, d) for d in shape)
    if count == 1 and isinstance(count, int):
        return tuple(ledger.fresh() for _ in shape[1:])
    raise UnknownRank


def _folded_or_not(ledger: Ledger, size: Size) -> Size:
    if isinstance(size, Dim):
        low, high = size.low, size.high
        return ledger.fresh(min(1, low or 0), None if high is None else max(1, high))
    return size if size == 1 else ledger.fresh(min(1, size), max(1, size))
