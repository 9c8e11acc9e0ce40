"""Slice: a range of positions along each of some axes."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.dims import Size, product
from shapeinfer.facts import MAX_CONTENTS, Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule, value_range
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import counts_up, known_entries, numbers, up_to
from shapeinfer.shapes.movement.slicing import count_of, cut


@rule("Slice", since=1)
def slice_attributes(
    ctx: Context, data: Tensor, *, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int] | None = None
) -> Shape:
    """Keep the positions from each of ``starts`` to before each of ``ends``."""
    where = range(len(starts)) if axes is None else axes
    if not len(starts) == len(ends) == len(where):
        message = f"starts has {len(starts)} entries, ends {len(ends)} and axes {len(where)}; they must be equal"
        ctx.fail(LENGTH_MISMATCH, message, "data")
    return cut(ctx, data.dims, where, starts, ends, [1] * len(starts))


@rule("Slice", since=10)
def slice_inputs(
    ctx: Context, data: Tensor, starts: Tensor, ends: Tensor, axes: Tensor | None = None, steps: Tensor | None = None
) -> Shape:
    """Keep the positions from each of ``starts`` to before each of ``ends``, by ``steps``."""
    count = count_of(ctx, {"starts": starts, "ends": ends, "axes": axes, "steps": steps})
    if isinstance(count, int) and count > max(data.rank, MAX_CONTENTS):  # for a few too many the message names the axis
        ctx.fail(LENGTH_MISMATCH, f"starts has {count} entries; data has {data.rank} axes", "starts data")
    where = range(count) if axes is None and isinstance(count, int) else numbers(axes.value if axes else None)
    if where is None or not isinstance(count, int):
        return tuple(up_to(ctx, d) for d in data.dims)
    by: Sequence[Size | None] = [1] * count if steps is None else known_entries(steps, count)
    return cut(ctx, data.dims, where, known_entries(starts, count), known_entries(ends, count), by)


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


@value_range("Slice", since=10)
def slice_ends(
    out: Tensor, data: Tensor, starts: Tensor, ends: Tensor, axes: Tensor | None = None, steps: Tensor | None = None
) -> tuple[Size, Size] | None:
    """Of entries that count up by one, such as a table of positions, the first ones from a known start on."""
    first = known_entries(starts, 1)[0]
    by_one = steps is None or steps.value == (1,)
    if (
        out.shape is None
        or not counts_up(data)
        or not isinstance(first, int)
        or first < 0
        or starts.shape != (1,)
        or not by_one
    ):
        return None
    entries = data.value or ()
    count = product(out.shape)
    low = entries[min(first, len(entries) - 1)]
    return (low, low + count - 1) if isinstance(low, int) else None
