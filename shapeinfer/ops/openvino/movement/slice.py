"""Slice, StridedSlice and SliceScatter: a range of positions along each of some axes."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, LENGTH_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Size
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.elementwise.broadcast import Side
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import FAR, known_entries, numbers, up_to
from shapeinfer.shapes.movement.slicing import count_of, cut, moving
from shapeinfer.shapes.movement.updates import agree

_RANGES = "start: I, stop: J, step: K, axes?: A"
_INDICES: dict[str, Any] = dict.fromkeys("IJKA", INTEGERS)
"""Each list of integers may be of a type of its own."""
_MASKS = "begin_mask end_mask new_axis_mask shrink_axis_mask ellipsis_mask"
operator(f"Slice(data: T, {_RANGES}) -> output: T", since=8, T=ANY, **_INDICES)
operator(f"SliceScatter(data: T, updates: T, {_RANGES}) -> output: T", since=15, T=ANY, **_INDICES)
operator(
    "StridedSlice(data: T, begin: I, end: J, stride?: K; "
    + ", ".join(f"{mask}: ints = ()" for mask in _MASKS.split())
    + ") -> output: T",
    T=ANY,
    **_INDICES,
)


@rule("Slice", domain=DOMAIN, since=8)
def slice_(ctx: Context, data: Tensor, start: Tensor, stop: Tensor, step: Tensor, axes: Tensor | None = None) -> Shape:
    """Keep the positions from each ``start`` to before each ``stop``, by ``step``."""
    sliced = _sliced(ctx, data.dims, start, stop, step, axes)
    return tuple(up_to(ctx, d) for d in data.dims) if sliced is None else sliced


def _sliced(ctx: Context, shape: Shape, start: Tensor, stop: Tensor, step: Tensor, axes: Tensor | None) -> Shape | None:
    """Return the shape after slicing, None if the sliced axes are unknown."""
    count = count_of(ctx, {"start": start, "stop": stop, "step": step, "axes": axes})
    if isinstance(count, int) and count > len(shape):
        ctx.fail(LENGTH_MISMATCH, f"start has {count} entries; data has {len(shape)} axes", "start data")
    where = range(count) if axes is None and isinstance(count, int) else numbers(axes.value if axes else None)
    if where is None or not isinstance(count, int):
        return None
    return cut(
        ctx,
        shape,
        where,
        known_entries(start, count),
        known_entries(stop, count),
        known_entries(step, count),
        at="step",
    )


@contents("Slice", domain=DOMAIN, since=8)
def sliced_entries(
    out: Tensor, data: Tensor, start: Tensor, stop: Tensor, step: Tensor, axes: Tensor | None = None
) -> Contents | None:
    """Take the entries in the ranges, where all of them are known."""
    return moves.cut_by_inputs(data, start, stop, axes, step)


@rule("SliceScatter", domain=DOMAIN, since=15)
def slice_scatter(
    ctx: Context,
    data: Tensor,
    updates: Tensor,
    start: Tensor,
    stop: Tensor,
    step: Tensor,
    axes: Tensor | None = None,
) -> Shape:
    """Keep the shape; ``updates`` has that of the slice that it replaces."""
    sliced = _sliced(ctx, data.dims, start, stop, step, axes)
    if sliced is not None:
        expected = Side(sliced, tuple(f"data[{i}]" for i in range(len(sliced))), "data")
        agree(ctx, updates, expected, "the shape of the slice that it replaces")
    return data.dims


def _ones(mask: Sequence[int]) -> frozenset[int]:
    return frozenset(i for i, bit in enumerate(mask) if bit)


def _axes_per_entry(rank: int, count: int, new: AbstractSet[int], ellipsis: AbstractSet[int]) -> list[range]:
    """Return the data axes of each step: none for a new axis, the remaining ones for an ellipsis."""
    single = sum(i not in new and i not in ellipsis for i in range(count))
    out, at = [], 0
    for i in range(count):
        width = max(rank - single, 0) if i in ellipsis else 0 if i in new else 1
        out.append(range(at, at + width))
        at += width
    return out


def _masked(
    starts: Sequence[Size | None],
    ends: Sequence[Size | None],
    steps: Sequence[Size | None],
    from_start: AbstractSet[int],
    to_end: AbstractSet[int],
) -> tuple[list[Size | None], list[Size | None]]:
    """Return starts and ends with what is masked at the end of the axis where the range begins, or ends."""
    signs = [(1 if s > 0 else -1) if isinstance(s, int) else 0 for s in steps]
    first = [(None, 0, FAR)[g] if i in from_start else s for i, (s, g) in enumerate(zip(starts, signs))]
    last = [(None, FAR, -FAR)[g] if i in to_end else e for i, (e, g) in enumerate(zip(ends, signs))]
    return first, last


@rule("StridedSlice", domain=DOMAIN)
def strided_slice(
    ctx: Context,
    data: Tensor,
    begin: Tensor,
    end: Tensor,
    stride: Tensor | None = None,
    *,
    begin_mask: tuple[int, ...] = (),
    end_mask: tuple[int, ...] = (),
    new_axis_mask: tuple[int, ...] = (),
    shrink_axis_mask: tuple[int, ...] = (),
    ellipsis_mask: tuple[int, ...] = (),
) -> Shape:
    """Slice as Python does, which the specification calls an equivalent.

    So does OpenVINO. The text has an empty range keep one element, and a masked end leave out the first one where
    the step is negative; neither is so.
    """
    count = count_of(ctx, {"begin": begin, "end": end, "stride": stride})
    if not isinstance(count, int):
        raise UnknownRank
    new, ellipsis, shrunk = _ones(new_axis_mask), _ones(ellipsis_mask), _ones(shrink_axis_mask)
    if len(ellipsis) > 1:
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"ellipsis_mask is {list(ellipsis_mask)}; only one entry can be 1",
            detail=Detail("ellipsis_mask"),
        )
    least = count - len(new | ellipsis)
    if least > data.rank:
        ctx.fail(LENGTH_MISMATCH, f"begin indexes {least} axes; data has rank {data.rank}", "begin data")
    axes = _axes_per_entry(data.rank, count, new, ellipsis)
    read = axes[-1].stop if axes else 0
    if read > data.rank:
        ctx.fail(LENGTH_MISMATCH, f"begin indexes {read} axes; data has rank {data.rank}", "begin data")
    steps: list[Size | None] = [1] * count if stride is None else known_entries(stride, count)
    masks = (_ones(begin_mask), _ones(end_mask))
    starts, ends = _masked(known_entries(begin, count), known_entries(end, count), steps, *masks)
    out: list[Size] = []
    for i, over in enumerate(axes):
        if i in ellipsis:
            out += data.dims[over.start : over.stop]
        elif i in new:
            out.append(1)
        elif i not in shrunk:
            out.append(moving(ctx, data.dims[over.start], over.start, starts[i], ends[i], steps[i], "stride"))
    return (*out, *data.dims[read:])


@contents("StridedSlice", domain=DOMAIN)
def strided_entries(
    out: Tensor,
    data: Tensor,
    begin: Tensor,
    end: Tensor,
    stride: Tensor | None = None,
    *,
    begin_mask: tuple[int, ...] = (),
    end_mask: tuple[int, ...] = (),
    new_axis_mask: tuple[int, ...] = (),
    shrink_axis_mask: tuple[int, ...] = (),
    ellipsis_mask: tuple[int, ...] = (),
) -> Contents | None:
    """Take the entries in the ranges, where all of them are known."""
    (count,) = begin.dims
    if not isinstance(count, int) or data.value is None:
        return None
    new, ellipsis, shrunk = _ones(new_axis_mask), _ones(ellipsis_mask), _ones(shrink_axis_mask)
    steps: list[Size | None] = [1] * count if stride is None else known_entries(stride, count)
    steps = [1 if i in shrunk else s for i, s in enumerate(steps)]
    starts, ends = _masked(
        known_entries(begin, count), known_entries(end, count), steps, _ones(begin_mask), _ones(end_mask)
    )
    # The specification does not define a masked begin on an axis that shrink_axis_mask drops.
    starts = [None if i in shrunk and i in _ones(begin_mask) else s for i, s in enumerate(starts)]
    ends = [_after(starts[i]) if i in shrunk else e for i, e in enumerate(ends)]
    axes = _axes_per_entry(data.rank, count, new, ellipsis)
    chosen = [i for i in range(count) if i not in new and i not in ellipsis]
    rows = [numbers([column[i] for i in chosen]) for column in (starts, ends, steps)]
    first, last, by = rows
    if first is None or last is None or by is None:
        return None
    return moves.cut(data, [axes[i].start for i in chosen], first, last, by)


def _after(index: Size | None) -> Size | None:
    """Return the end of a range of one position."""
    return FAR if index == -1 else None if index is None else index + 1
