"""Slice: a range of positions along each of some axes."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, LENGTH_MISMATCH
from shapeinfer.dims import Size
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes import moves
from shapeinfer.shapes.axes import normal_all
from shapeinfer.shapes.indexing import known, numbers, sliced, up_to
from shapeinfer.shapes.rank import of_rank


@rule("Slice", since=1)
def slice_attributes(
    ctx: Context, data: Tensor, *, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int] | None = None
) -> Shape:
    """Keep the positions from each of ``starts`` to before each of ``ends``."""
    where = range(len(starts)) if axes is None else axes
    if not len(starts) == len(ends) == len(where):
        message = f"{len(starts)} starts, {len(ends)} ends and {len(where)} axes; Slice needs one of each for an axis"
        ctx.fail(LENGTH_MISMATCH, message, "data")
    return _cut(ctx, data.dims, where, starts, ends, [1] * len(starts))


@rule("Slice", since=10)
def slice_inputs(
    ctx: Context, data: Tensor, starts: Tensor, ends: Tensor, axes: Tensor | None = None, steps: Tensor | None = None
) -> Shape:
    """Keep the positions from each of ``starts`` to before each of ``ends``, by ``steps``."""
    count = _count(ctx, {"starts": starts, "ends": ends, "axes": axes, "steps": steps})
    where = range(count) if axes is None and isinstance(count, int) else numbers(axes.value if axes else None)
    if where is None or not isinstance(count, int):
        return tuple(up_to(ctx, d) for d in data.dims)
    by: Sequence[Size | None] = [1] * count if steps is None else known(steps, count)
    return _cut(ctx, data.dims, where, known(starts, count), known(ends, count), by)


def _count(ctx: Context, lists: dict[str, Tensor | None]) -> Size | None:
    """Return how many axes are sliced: what every list has one entry for."""
    count: Size | None = None
    for name, x in lists.items():
        if x is None or x.shape is None:
            continue
        of_rank(ctx, x, 1, name)
        if count is None:
            count, first = x.shape[0], name
            continue
        at = f"{name}[0] {first}[0]"
        if (ctx.equal(x.shape[0], count, LENGTH_MISMATCH, at)) is not count and isinstance(x.shape[0], int):
            count, first = x.shape[0], name
    return count


def _cut(
    ctx: Context,
    shape: Shape,
    axes: Sequence[int],
    starts: Sequence[Size | None],
    ends: Sequence[Size | None],
    steps: Sequence[Size | None],
) -> Shape:
    out = list(shape)
    # The runtime takes negative axes in every version.
    for axis, start, end, step in zip(normal_all(ctx, axes, len(shape), at="data"), starts, ends, steps):
        if isinstance(step, int) and step == 0:
            ctx.fail(INVALID_ATTRIBUTE, f"the step along axis {axis} is 0, a slice must move", "steps")
        out[axis] = sliced(ctx, shape[axis], start, end, step)
    return tuple(out)


@contents("Slice", since=1)
def slice_attributes_entries(
    out: Tensor, data: Tensor, *, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int] | None = None
) -> Contents | None:
    """Take the entries in the ranges."""
    where = range(len(starts)) if axes is None else axes
    return moves.cut(data, where, starts, ends, [1] * len(starts))


@contents("Slice", since=10)
def slice_inputs_entries(
    out: Tensor, data: Tensor, starts: Tensor, ends: Tensor, axes: Tensor | None = None, steps: Tensor | None = None
) -> Contents | None:
    """Take the entries in the ranges, where all of them are known."""
    return moves.cut_by_inputs(data, starts, ends, axes, steps)
