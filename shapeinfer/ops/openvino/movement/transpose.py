"""Transpose: reorder axes."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.dims import Equal, text_of
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.axes import permuted
from shapeinfer.shapes.movement.indexing import numbers
from shapeinfer.shapes.movement.reshape import need_list

operator("Transpose(data: T, order: I) -> output: T", T=ANY, I=INTEGERS)


@rule("Transpose", domain=DOMAIN)
def transpose(ctx: Context, data: Tensor, order: Tensor) -> Shape:
    """Put the axes into the order that ``order`` holds; reverse them where it is empty."""
    listed = need_list(ctx, order, "order").shape
    if listed == (0,):
        return permuted(ctx, data.dims, None)
    perm = numbers(order.value)
    if data.shape is None:
        if listed is None or not isinstance(listed[0], int):
            raise UnknownRank
        shape: Shape = tuple(ctx.fresh() for _ in range(listed[0]))
    else:
        shape = data.shape
    if perm is not None:
        return permuted(ctx, shape, perm, "order")
    if listed is not None and isinstance(listed[0], int):
        message = f"order has {text_of(listed[0])} entries; expected {len(shape)}, one per axis of data"
        ctx.require(Equal(listed[0], len(shape)), LENGTH_MISMATCH, message, "order[0] data")
    return tuple(ctx.fresh() for _ in shape)


@contents("Transpose", domain=DOMAIN)
def transposed(out: Tensor, data: Tensor, order: Tensor) -> Contents | None:
    """Read the entries in the new order of axes."""
    perm = numbers(order.value)
    return None if perm is None and order.shape != (0,) else moves.transposed(data, perm or None)
