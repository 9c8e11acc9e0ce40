"""Known entries that are moved about: joined, cut, gathered, replaced, reordered, repeated. Unknown ones are None."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from shapeinfer.dims import Dim, Size
from shapeinfer.facts import Contents, Element, Tensor
from shapeinfer.shapes.elementwise.elements import combined
from shapeinfer.shapes.movement.indexing import Positions, entries_at, numbers, picked, positions


def joined(inputs: Sequence[Tensor], axis: int) -> Contents | None:
    """Put the entries together along an axis, unknown ones where an input has none; None where a size is open."""
    if any(isinstance(d, Dim) for x in inputs for d in x.dims):
        return None
    return tuple(np.concatenate([_entries(x) for x in inputs], axis=axis).ravel().tolist())


def _entries(x: Tensor) -> Any:
    return np.full(x.dims, None, dtype=object) if x.array is None else x.array


def parts(x: Tensor, axis: int, sizes: Sequence[Size]) -> list[Tensor]:
    """Return each part of an axis with its entries, where those and all the sizes are known."""
    pieces = [x.of(*x.dims[:axis], d, *x.dims[axis + 1 :]) for d in sizes]
    known = [d for d in sizes if isinstance(d, int)]
    if x.array is None or len(known) < len(sizes) or sum(known) != x.dims[axis]:
        return pieces
    ends = np.cumsum([0, *known]).tolist()
    cuts = [np.take(x.array, range(a, b), axis) for a, b in itertools.pairwise(ends)]
    return [p.holding(tuple(c.ravel().tolist())) for p, c in zip(pieces, cuts)]


def cut(
    data: Tensor, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int], steps: Sequence[int]
) -> Contents | None:
    """Take the entries in the ranges, None where runtimes do not agree on one."""
    if data.value is None:
        return None
    kept = positions(data)
    for axis, start, end, step in zip(axes, starts, ends, steps):
        found = picked(kept.shape[axis], start, end, step)
        if found is None:
            return None
        kept = np.take(kept, found, axis)
    return entries_at(data, kept)


def cut_by_inputs(
    data: Tensor, starts: Tensor, ends: Tensor, axes: Tensor | None, steps: Tensor | None
) -> Contents | None:
    """Take the entries in the ranges that tensors hold, where all of them are known."""
    first, last = numbers(starts.value), numbers(ends.value)
    if first is None or last is None or data.value is None:
        return None
    where = range(len(first)) if axes is None else numbers(axes.value)
    by = [1] * len(first) if steps is None else numbers(steps.value)
    return None if where is None or by is None else cut(data, where, first, last, by)


def gathered(data: Tensor, indices: Tensor, axis: int) -> Contents | None:
    """Take the entries at the indices along an axis; one at an unknown index is unknown."""
    if not data.value or indices.value is None:
        return None
    known = [int(i) if isinstance(i, int) else 0 for i in indices.value]
    at = np.take(positions(data), np.array(known, dtype=np.int64), axis)
    # A position with an unknown index has no entry.
    unknown = np.array([not isinstance(i, int) for i in indices.value], dtype=bool)
    k = axis % data.rank
    at[(slice(None),) * k + (unknown,)] = -1
    return tuple(data.value[p] if p >= 0 else None for p in at.ravel().tolist())


def gathered_elements(data: Tensor, indices: Tensor, axis: int) -> Contents | None:
    """Take the entry at each index along an axis."""
    at = None if data.value is None else along_axis(data, indices, axis)
    return None if at is None else entries_at(data, at)


def gathered_tuples(data: Tensor, indices: Tensor) -> Contents | None:
    """Take the entries that the tuples of indices name."""
    at = None if data.value is None else by_tuples(data, indices)
    return None if at is None else entries_at(data, at)


def along_axis(data: Tensor, indices: Tensor, axis: int) -> Positions | None:
    """Return where each index along an axis points, which stays where it is on the others; None if one is not there."""
    at = numbers(indices.value)
    if at is None:
        return None
    shape = positions(indices).shape
    if len(shape) != data.rank or not -len(shape) <= axis < len(shape):
        return None
    where = list(np.indices(shape))
    where[axis] = np.array(at, dtype=np.int64).reshape(shape)
    return _at(data, where)


def by_tuples(data: Tensor, indices: Tensor) -> Positions | None:
    """Return where the tuples of indices point, None if one points nowhere."""
    at = numbers(indices.value)
    if not at:
        return None
    tuples = np.array(at, dtype=np.int64).reshape(positions(indices).shape)
    return _at(data, np.moveaxis(tuples, -1, 0))


def _at(data: Tensor, where: Iterable[Any]) -> Positions | None:
    try:
        found: Positions = positions(data)[tuple(where)]
    except IndexError:
        return None
    return found


def replaced(data: Tensor, at: Positions | None, updates: Tensor, combine: str | None = None) -> Contents | None:
    """Return the entries of ``data`` with those at the positions replaced; updates that meet have no order.

    With ``combine``, Add, Mul, Max or Min, they are combined with what is there, in any order.
    """
    if at is None or (data.value is None and updates.value is None):
        return None
    if combine is None and len(np.unique(at)) != at.size:
        return None
    out = list(data.value or [None] * positions(data).size)
    for position, new in zip(at.ravel().tolist(), updates.value or [None] * at.size):
        out[position] = new if combine is None else combined(combine, (out[position], new), data.dtype)
    return tuple(out)


def padded(
    data: Tensor, before: Sequence[int], after: Sequence[int], filler: Element, mode: str = "constant"
) -> Contents | None:
    """Put entries around the others: one of them all, or those that ``mode`` repeats, edge or reflect."""
    if data.value is None or (mode != "constant" and min((*before, *after), default=0) < 0):
        return None
    around = [(max(0, b), max(0, a)) for b, a in zip(before, after)]
    if mode == "constant":
        places = np.pad(positions(data), around, constant_values=-1)
        kept = zip(places.shape, before, after)
        places = places[tuple(slice(max(0, -b), size - max(0, -a)) for size, b, a in kept)]
    elif any(s <= (max(pads) if mode == "reflect" else 0) for s, pads in zip(positions(data).shape, around)):
        return None
    else:
        places = np.pad(positions(data), around, mode="reflect" if mode == "reflect" else "edge")
    return tuple(data.value[p] if p >= 0 else filler for p in places.ravel().tolist())


def transposed(data: Tensor, perm: Sequence[int] | None) -> Contents | None:
    """Read the entries in a new order of axes, reversed where there is none."""
    return None if data.array is None else tuple(np.transpose(data.array, perm).ravel().tolist())


def tiled(data: Tensor, times: Sequence[int]) -> Contents | None:
    """Lay copies of the entries along the axes."""
    return None if data.array is None else tuple(np.tile(data.array, times).ravel().tolist())


def one_hot(out: Tensor, indices: Tensor, values: Contents, axis: int) -> Contents | None:
    """Put the second value at each known index along the new axis of ``out``, the first elsewhere."""
    at = numbers(indices.value)
    if at is None:
        return None
    count = positions(out).shape[axis]
    found = np.array([i + count if i < 0 else i for i in at], dtype=np.int64).reshape(positions(indices).shape)
    here = np.arange(count).reshape((count,) + (1,) * (out.rank - 1 - axis))
    return tuple(values[bool(hit)] for hit in (np.expand_dims(found, axis) == here).ravel())
