"""Tensors whose entries follow a pattern: Range, EyeLike, Trilu."""

from __future__ import annotations

import numpy as np

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH, RANK_MISMATCH
from shapeinfer.dims import Equal, product, text_of
from shapeinfer.facts import Contents, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.onnx.elementwise.cast import element_type
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement.counting import counted, steps


@rule("Range", since=11, unranked=1)
def range_(ctx: Context, start: Tensor, limit: Tensor, delta: Tensor) -> Shape:
    """Count from ``start`` up or down to ``limit``, which is left out."""
    for x, name in ((start, "start"), (limit, "limit"), (delta, "delta")):
        _need_one(ctx, x, name)
    return (steps(ctx, start, limit, delta),)


@contents("Range")
def numbers(out: Tensor, start: Tensor, limit: Tensor, delta: Tensor) -> Contents | None:
    """Count, where the first number and the step are known."""
    return counted(out, start, delta)


@rule("EyeLike", since=9, unranked=2)
def eye_like(ctx: Context, input: Tensor, *, dtype: int | None = None) -> Tensor:
    """Keep the shape, which must have two axes, and with ``dtype`` change the element type."""
    to = input.dtype if dtype is None else element_type(ctx, "EyeLike", "dtype", dtype)
    if input.shape is None:
        return tensor(to, (ctx.fresh(), ctx.fresh()))
    if input.rank != 2:
        ctx.fail(RANK_MISMATCH, f"EyeLike requires rank 2; the input has rank {input.rank}", "input")
    return tensor(to, input.dims)


@contents("EyeLike")
def eye(out: Tensor, input: Tensor, *, k: int = 0) -> Contents | None:
    """Put ones on the diagonal."""
    rows, columns = out.dims
    if not isinstance(rows, int) or not isinstance(columns, int) or out.dtype.numpy() is None:
        return None
    return tuple(np.eye(rows, columns, k, dtype=out.dtype.numpy()).ravel().tolist())


@rule("Trilu", since=14)
def trilu(ctx: Context, input: Tensor, k: Tensor | None = None) -> Shape:
    """Keep the shape, whose last two axes are matrices."""
    if k is not None:
        _need_one(ctx, k, "k")
    if input.rank < 2:
        ctx.fail(RANK_MISMATCH, f"Trilu requires rank 2 or more; the input has rank {input.rank}", "input")
    return input.dims


@contents("Trilu")
def triangle(out: Tensor, input: Tensor, k: Tensor | None = None, *, upper: int = 1) -> Contents | None:
    """Put zeros above or below the diagonal."""
    number = (0,) if k is None else k.value
    if input.array is None or number is None or not isinstance(number[0], int):
        return None
    rows, columns = input.array.shape[-2:]
    mask = np.tri(rows, columns, number[0] - 1, dtype=bool) if upper else ~np.tri(rows, columns, number[0], dtype=bool)
    zero = False if input.dtype.name == "BOOL" else 0.0 if input.dtype.is_float else 0
    return tuple(np.where(mask, np.array(zero, dtype=object), input.array).ravel().tolist())


def _need_one(ctx: Context, x: Tensor, name: str) -> None:
    """Require that a tensor is a scalar or a list of one entry."""
    if x.shape is None:
        return
    if x.rank > 1:
        ctx.fail(RANK_MISMATCH, f"{name} must be a scalar; it has rank {x.rank}", name)
    count = product(x.shape)
    ctx.require(Equal(count, 1), LENGTH_MISMATCH, f"{name} must have one element; it has {text_of(count)}", name)
