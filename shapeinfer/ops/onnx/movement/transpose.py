"""Transpose: reorder axes."""

from __future__ import annotations

from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.axes import permuted


@rule("Transpose", since=1)
def transpose(ctx: Context, data: Tensor, *, perm: tuple[int, ...] | None = None) -> Shape | None:
    """Put the axes into the order of ``perm``, or reverse them."""
    if data.shape is None and perm is not None:
        unknown = tuple(ctx.fresh() for _ in perm)
        return permuted(ctx, unknown, perm, "data")
    return permuted(ctx, data.dims, perm, "data")


@contents("Transpose")
def transposed(out: Tensor, data: Tensor, *, perm: tuple[int, ...] | None = None) -> Contents | None:
    """Read the entries in the new order of axes."""
    return moves.transposed(data, perm)
