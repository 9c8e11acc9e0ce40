"""Gather, GatherElements and GatherND: entries picked by index."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import ends_in_range, tuple_length, within


@rule("Gather", since=1)
def gather(ctx: Context, data: Tensor, indices: Tensor, *, axis: int = 0) -> Shape:
    """Replace one axis by the axes of ``indices``, which pick positions along it."""
    k = ctx.axis(axis, data.rank, negative=True, at="data")
    if indices.shape is not None:
        ends_in_range(ctx, indices, data.dims[k], f"axis {k} of {ctx.port_name('data')}", f"data[{k}] indices")
    return data.dims[:k] + indices.dims + data.dims[k + 1 :]


@contents("Gather")
def gathered(out: Tensor, data: Tensor, indices: Tensor, *, axis: int = 0) -> Contents | None:
    """Take the entries at the indices; one at an unknown index is unknown."""
    return moves.gathered(data, indices, axis)


@rule("GatherElements", since=11)
def gather_elements(ctx: Context, data: Tensor, indices: Tensor, *, axis: int = 0) -> Shape:
    """Return the shape of ``indices``: each index picks along one axis, at its own position on the others."""
    if data.shape is None or indices.shape is None:
        return indices.dims if indices.shape is not None else tuple(ctx.fresh() for _ in data.dims)
    within(ctx, data, indices, axis)
    return indices.dims


@contents("GatherElements")
def gathered_elements(out: Tensor, data: Tensor, indices: Tensor, *, axis: int = 0) -> Contents | None:
    """Take the entry at each index along the axis."""
    return moves.gathered_elements(data, indices, axis)


@rule("GatherND", since=11)
def gather_nd(ctx: Context, data: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Shape:
    """Replace the last axis of ``indices``, which holds tuples of indices, by what the tuples leave of ``data``."""
    count = tuple_length(ctx, data, indices, batch_dims)
    for i in range(batch_dims):
        ctx.equal(indices.dims[i], data.dims[i], DIM_MISMATCH, f"indices[{i}] data[{i}]")
    return indices.dims[:-1] + data.dims[batch_dims + count :]


@contents("GatherND")
def gathered_nd(out: Tensor, data: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Contents | None:
    """Take the entries that the tuples of indices name."""
    return None if batch_dims else moves.gathered_tuples(data, indices)
