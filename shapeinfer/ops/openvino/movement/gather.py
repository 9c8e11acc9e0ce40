"""Gather, GatherElements, GatherND and GatherTree: entries picked by index."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    AXIS_OUT_OF_RANGE,
    DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    NOT_BROADCASTABLE,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import broadcastable, product, text_of
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, NUMBERS, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.contents import scalar, single
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import tuple_length
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import alike

operator("Gather(data: T, indices: I, axis: A) -> output: T", T=ANY, I=INTEGERS, A=INTEGERS)
for _since in (7, 8):
    operator(
        "Gather(data: T, indices: I, axis: A; batch_dims: int = 0) -> output: T",
        since=_since,
        T=ANY,
        I=INTEGERS,
        A=INTEGERS,
    )
operator("GatherElements(data: T, indices: I; axis: int) -> output: T", since=6, T=ANY, I=INTEGERS)
for _since in (5, 8):
    operator("GatherND(data: T, indices: I; batch_dims: int = 0) -> output: T", since=_since, T=ANY, I=INTEGERS)
operator("GatherTree(step_ids: T, parent_idx: T, max_seq_len: T, end_token: T) -> final_idx: T", T=NUMBERS)


@rule("Gather", domain=DOMAIN)
def gather(ctx: Context, data: Tensor, indices: Tensor, axis: Tensor, *, batch_dims: int = 0) -> Shape:
    """Replace one axis by the axes of ``indices`` but for the batch's; an index beyond the axis gives zeros."""
    single(ctx, axis, "axis")
    batch = batch_dims + indices.rank if batch_dims < 0 else batch_dims
    if not 0 <= batch <= min(data.rank, indices.rank):
        message = f"batch_dims is {batch_dims}, more than the ranks of data ({data.rank}) and indices ({indices.rank})"
        ctx.fail(INVALID_ATTRIBUTE, message, "data indices", detail=Detail("batch_dims"))
    shared = tuple(
        ctx.equal(data.dims[i], indices.dims[i], DIM_MISMATCH, f"data[{i}] indices[{i}]") for i in range(batch)
    )
    k = scalar(ctx, axis)
    if not isinstance(k, int):
        return (*shared, *(ctx.fresh() for _ in range(data.rank + indices.rank - 1 - 2 * batch)))
    k = ctx.axis(k, data.rank, at="axis")
    if k < batch:
        detail = Detail(given=k, range=range(batch, data.rank))
        ctx.fail(AXIS_OUT_OF_RANGE, f"axis {k} is one of the {batch} batch axes", "axis data", detail)
    return (*shared, *data.dims[batch:k], *indices.dims[batch:], *data.dims[k + 1 :])


@contents("Gather", domain=DOMAIN)
def gathered(out: Tensor, data: Tensor, indices: Tensor, axis: Tensor, *, batch_dims: int = 0) -> Contents | None:
    """Take the entries at the indices; one at an unknown index, or beyond the axis, is unknown."""
    if batch_dims or axis.value is None or not isinstance(axis.value[0], int):
        return None
    k = axis.value[0]
    return moves.gathered(data, _inside(indices, data, k), k)


def _inside(indices: Tensor, data: Tensor, axis: int) -> Tensor:
    """Return the indices, those out of range as unknown."""
    if not -data.rank <= axis < data.rank:
        return indices.holding(None)
    size = data.dims[axis]
    if indices.value is None or not isinstance(size, int):
        return indices
    return indices.holding(tuple(None if isinstance(i, int) and not -size <= i < size else i for i in indices.value))


@rule("GatherElements", domain=DOMAIN, since=6)
def gather_elements(ctx: Context, data: Tensor, indices: Tensor, *, axis: int) -> Shape:
    """Keep the shape of ``indices``, which along all axes but one is that of ``data``."""
    if data.shape is None or indices.shape is None:
        return indices.dims if indices.shape is not None else tuple(ctx.fresh() for _ in data.dims)
    alike(ctx, data, indices, "data indices")
    k = ctx.axis(axis, data.rank, at="data")
    return tuple(
        d if i == k else ctx.equal(d, data.dims[i], DIM_MISMATCH, f"indices[{i}] data[{i}]")
        for i, d in enumerate(indices.dims)
    )


@contents("GatherElements", domain=DOMAIN, since=6)
def gathered_elements(out: Tensor, data: Tensor, indices: Tensor, *, axis: int) -> Contents | None:
    """Take the entry at each index along the axis, where all are on it."""
    return moves.gathered_elements(data, _inside(indices, data, axis), axis)


@rule("GatherND", domain=DOMAIN, since=5)
def gather_nd_5(ctx: Context, data: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Shape:
    """Do as version 8 does, but fold the axes of the batch into one."""
    count = tuple_length(ctx, data, indices, batch_dims)
    batch, rest = indices.dims[:batch_dims], indices.dims[batch_dims:-1]
    for i, d in enumerate(batch):
        if ctx.profile == "openvino":
            ctx.equal(d, data.dims[i], DIM_MISMATCH, f"indices[{i}] data[{i}]")
        else:
            message = (
                f"axis {i} is {text_of(d)} in indices and {text_of(data.dims[i])} in data; batch axes must be equal"
            )
            ctx.require(broadcastable(d, data.dims[i]), NOT_BROADCASTABLE, message, f"indices[{i}] data[{i}]")
    return (*((product(batch),) if batch else ()), *rest, *data.dims[batch_dims + count :])


@rule("GatherND", domain=DOMAIN, since=8)
def gather_nd(ctx: Context, data: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Shape:
    """Replace the last axis of ``indices``, which holds tuples of indices, by what the tuples leave of ``data``."""
    count = tuple_length(ctx, data, indices, batch_dims)
    batch = (
        ctx.equal(indices.dims[i], data.dims[i], DIM_MISMATCH, f"indices[{i}] data[{i}]") for i in range(batch_dims)
    )
    return (*batch, *indices.dims[batch_dims:-1], *data.dims[batch_dims + count :])


@contents("GatherND", domain=DOMAIN, since=5)
def gathered_nd(out: Tensor, data: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Contents | None:
    """Take the entries that the tuples of indices name."""
    return None if batch_dims else moves.gathered_tuples(data, indices)


@rule("GatherTree", domain=DOMAIN, unranked=3)
def gather_tree(ctx: Context, step_ids: Tensor, parent_idx: Tensor, max_seq_len: Tensor, end_token: Tensor) -> Shape:
    """Keep the shape, which is time, batch and beam."""
    axes = NamedAxes(ctx)
    axes.read(step_ids, "step_ids", "T B W")
    axes.read(parent_idx, "parent_idx", "T B W")
    axes.read(max_seq_len, "max_seq_len", "B")
    axes.read(end_token, "end_token", "")
    return axes.shape("T B W")
