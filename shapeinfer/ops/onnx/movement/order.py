"""TopK, CumSum, CumProd and ReverseSequence: what goes along one axis in order."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import equal, product, text_of
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.algebra.reduction import is_set
from shapeinfer.shapes.contents import scalar
from shapeinfer.shapes.movement.indexing import numbers
from shapeinfer.shapes.movement.order import lengths_within, running_totals, top, top_entries
from shapeinfer.shapes.rank import of_rank, of_rank_at_least


@rule("TopK", since=1)
def top_k_attribute(ctx: Context, x: Tensor, *, axis: int = -1, k: int) -> list[Shape | Tensor]:
    """Keep the ``k`` largest along one axis, and where they stood."""
    if k < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"k is {k}; it must be positive", "x", detail=Detail("k"))
    return top_entries(x, top(ctx, x, axis, k, "x x"))


@rule("TopK", since=10)
def top_k(
    ctx: Context, x: Tensor, k: Tensor, *, axis: int = -1, largest: int = 1, sorted: int = 1
) -> list[Shape | Tensor]:
    """Keep the ``k`` largest or smallest entries along one axis, and their indices."""
    of_rank(ctx, k, 1, "k", "a list of one number")
    if k.shape is not None:
        ctx.equal(k.shape[0], 1, LENGTH_MISMATCH, "k[0]", f"K must have one element; it has {text_of(k.shape[0])}")
    shapes = top(ctx, x, axis, scalar(ctx, k) if k.value else None, "k x")
    return top_entries(x, shapes, largest=is_set(largest)) if is_set(sorted) else [*shapes]


@rule("CumSum", since=11)
@rule("CumProd", since=26)
def cumulative(ctx: Context, x: Tensor, axis: Tensor) -> Shape:
    """Keep the shape; ``axis`` must hold one of its axes."""
    if axis.shape is not None and equal(product(axis.shape), 1).is_no:
        ctx.fail(LENGTH_MISMATCH, f"axis must have one element; it is {axis.text}", "axis")
    known = numbers(axis.value)
    if known:
        ctx.axis(known[0], x.rank, negative=True, at="x")
    return x.dims


@contents("CumSum")
def cumulated(out: Tensor, x: Tensor, axis: Tensor, *, exclusive: int = 0, reverse: int = 0) -> Contents | None:
    """Add up entries, where there is but one axis and all of them are known integers or sizes."""
    return running_totals(x, exclusive=bool(exclusive), reverse=bool(reverse))


@rule("ReverseSequence", since=10)
def reverse_sequence(
    ctx: Context, x: Tensor, sequence_lens: Tensor, *, batch_axis: int = 1, time_axis: int = 0
) -> Shape:
    """Keep the shape; there is one length for each element of the batch."""
    of_rank_at_least(ctx, x, 2, "x")
    batch, time = (
        ctx.axis(batch_axis, x.rank, negative=True, at="x"),
        ctx.axis(time_axis, x.rank, negative=True, at="x"),
    )
    if batch == time or max(batch_axis, time_axis) > 1:
        message = f"batch_axis {batch_axis} and time_axis {time_axis} must be 0 and 1 in some order"
        ctx.fail(INVALID_ATTRIBUTE, message, "x", detail=Detail("batch_axis" if batch_axis > 1 else "time_axis"))
    out = list(x.dims)
    if sequence_lens.shape is not None:
        of_rank(ctx, sequence_lens, 1, "sequence_lens")
        out[batch] = ctx.equal(x.dims[batch], sequence_lens.shape[0], DIM_MISMATCH, f"x[{batch}] sequence_lens[0]")
        lengths_within(ctx, sequence_lens, x.dims[time], f"sequence_lens x[{time}]")
    return tuple(out)
