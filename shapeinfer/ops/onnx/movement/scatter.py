"""ScatterElements, Scatter, ScatterND and TensorScatter: a tensor with entries replaced, of the same shape."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INVALID_ATTRIBUTE, TOO_FEW_ELEMENTS
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AtMost, Size, text_of
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.elementwise.broadcast import side
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import tuple_length, within
from shapeinfer.shapes.movement.updates import agree, rest_of_tuples
from shapeinfer.shapes.rank import alike, of_rank

_COMBINED = {"add": "Add", "mul": "Mul", "max": "Max", "min": "Min"}
"""The operator that each reduction applies to an entry and its updates."""


@rule("ScatterElements", "Scatter", since=9)
def scatter_elements(ctx: Context, data: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0) -> Shape:
    """Keep the shape of ``data``; ``indices`` and ``updates`` have one shape, which fits into it."""
    if indices.shape is not None:
        agree(ctx, updates, side(indices.shape, "indices"), "the shape of indices")
        if data.shape is None:
            return tuple(ctx.fresh() for _ in indices.shape)
        within(ctx, data, indices, axis)
    return data.dims


@rule("ScatterND", since=11)
def scatter_nd(ctx: Context, data: Tensor, indices: Tensor, updates: Tensor) -> Shape:
    """Keep the shape of ``data``; an update is what a tuple of indices leaves of it."""
    if indices.shape is not None and data.shape is not None:
        try:
            count = tuple_length(ctx, data, indices)
        except UnknownRank:
            return data.dims
        agree(ctx, updates, rest_of_tuples(indices.dims, data.dims, count), "which follows from indices and data")
    return data.dims


@contents("ScatterElements", "Scatter", since=9)
def scattered_elements(
    out: Tensor, data: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0, reduction: str = "none"
) -> Contents | None:
    """Put the updates at the indices along the axis, or combine them with what is there."""
    return moves.replaced(data, moves.along_axis(data, indices, axis), updates, _COMBINED.get(reduction))


@contents("ScatterND", since=11)
def scattered_nd(
    out: Tensor, data: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none"
) -> Contents | None:
    """Put the updates where the tuples of indices point, or combine them with what is there."""
    return moves.replaced(data, moves.by_tuples(data, indices), updates, _COMBINED.get(reduction))


@rule("TensorScatter", since=24)
def tensor_scatter(
    ctx: Context, past_cache: Tensor, update: Tensor, write_indices: Tensor | None = None, *, axis: int = -2
) -> Shape:
    """Keep the shape of the cache; the update has it too, except that its sequence may be shorter."""
    k = ctx.axis(axis, past_cache.rank, negative=True, at="past_cache")
    if k == 0:
        ctx.fail(
            INVALID_ATTRIBUTE,
            "axis is 0, the batch axis; it must be another axis",
            "past_cache",
            detail=Detail("axis"),
        )
    alike(ctx, update, past_cache, "update past_cache")
    out = list(past_cache.dims)
    for i, new in enumerate(update.shape or ()):
        out[i] = _slot(ctx, out[i], new, i, is_sequence=i == k)
    if write_indices is not None and write_indices.shape is not None:
        of_rank(ctx, write_indices, 1, "write_indices")
        batch = "past_cache[0]" if out[0] is past_cache.dims[0] else "update[0]"
        out[0] = ctx.equal(write_indices.shape[0], out[0], DIM_MISMATCH, f"write_indices[0] {batch}")
    return tuple(out)


def _slot(ctx: Context, old: Size, new: Size, axis: int, *, is_sequence: bool) -> Size:
    """Require that an axis of the update is that of the cache, or for the sequence's no longer."""
    at = f"update[{axis}] past_cache[{axis}]"
    if not is_sequence:
        return ctx.equal(new, old, DIM_MISMATCH, at)
    message = f"axis {axis} of update is {text_of(new)}, more than the {text_of(old)} of past_cache"
    ctx.require(AtMost(new, old), TOO_FEW_ELEMENTS, message, at)
    return old
