"""Tensors whose entries follow a pattern: Range, Eye."""

from __future__ import annotations

import numpy as np

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.dims import Dim, equal, product
from shapeinfer.facts import Contents, DType, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, NUMBERS, element_type, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.contents import sizes_in
from shapeinfer.shapes.elementwise.casts import converted, convertible
from shapeinfer.shapes.movement.counting import counted, steps
from shapeinfer.shapes.movement.indexing import numbers
from shapeinfer.shapes.rank import of_rank

operator("Range(start: T, stop: T, step: T) -> output: T", T=NUMBERS)
operator(
    "Range(start: A, stop: B, step: C; output_type: element_type) -> output: T",
    since=4,
    A=NUMBERS,
    B=NUMBERS,
    C=NUMBERS,
    T=NUMBERS,
)
operator(
    "Eye(num_rows: I, num_columns: I, diagonal_index: I, batch_shape?: I; output_type: element_type) -> output: T",
    since=9,
    I=INTEGERS,
    T=ANY,
)


@rule("Range", domain=DOMAIN, unranked=1)
def range_1(ctx: Context, start: Tensor, stop: Tensor, step: Tensor) -> Shape:
    """Count from ``start`` up or down to ``stop``, which is left out."""
    return _counted(ctx, start, stop, step, start.dtype)


@rule("Range", domain=DOMAIN, since=4, unranked=1)
def range_4(ctx: Context, start: Tensor, stop: Tensor, step: Tensor, *, output_type: DType) -> Tensor:
    """Count in the type that ``output_type`` names; to an integer, numbers are cut off before they are used."""
    dtype = element_type(ctx, "output_type", output_type, NUMBERS)
    return tensor(dtype, _counted(ctx, start, stop, step, dtype))


def _counted(ctx: Context, start: Tensor, stop: Tensor, step: Tensor, dtype: DType) -> Shape:
    for x, port in ((start, "start"), (stop, "stop"), (step, "step")):
        of_rank(ctx, x, 0, port)
    # Floats of any width are counted in double precision.
    by = DType.DOUBLE if dtype.is_float else dtype
    for x, port in ((start, "start"), (stop, "stop"), (step, "step")):
        convertible(ctx, x, by, port)
    first, last, delta = (_as(x, by) for x in (start, stop, step))
    return (steps(ctx, first, last, delta, "step"),)


def _as(x: Tensor, dtype: DType) -> Tensor:
    return tensor(dtype, x.shape, converted(x, dtype))


@contents("Range", domain=DOMAIN)
def range_entries(out: Tensor, start: Tensor, stop: Tensor, step: Tensor) -> Contents | None:
    """Count, where the first number and the step are known."""
    return counted(out, _as(start, out.dtype), _as(step, out.dtype))


@rule("Eye", domain=DOMAIN, since=9)
def eye(
    ctx: Context,
    num_rows: Tensor,
    num_columns: Tensor,
    diagonal_index: Tensor,
    batch_shape: Tensor | None = None,
    *,
    output_type: DType,
) -> Tensor:
    """Return a matrix of that many rows and columns for each element of the batch."""
    for x, port in ((num_rows, "num_rows"), (num_columns, "num_columns"), (diagonal_index, "diagonal_index")):
        if x.shape is not None and equal(product(x.shape), 1).is_no:
            ctx.fail(LENGTH_MISMATCH, f"{port} must have one element; it is {x.text}", port)
    if batch_shape is not None and (batch_shape.shape is None or isinstance(product(batch_shape.shape), Dim)):
        return tensor(output_type, None)
    batch: Shape = () if batch_shape is None else sizes_in(ctx, batch_shape, "batch_shape")
    rows, columns = (_one(ctx, x, port) for x, port in ((num_rows, "num_rows"), (num_columns, "num_columns")))
    return tensor(output_type, (*batch, *rows, *columns))


def _one(ctx: Context, x: Tensor, port: str) -> Shape:
    return (ctx.fresh(),) if x.shape is None or x.value is None else sizes_in(ctx, x, port)


@contents("Eye", domain=DOMAIN, since=9)
def eye_entries(
    out: Tensor, num_rows: Tensor, num_columns: Tensor, diagonal_index: Tensor, batch_shape: Tensor | None = None
) -> Contents | None:
    """Put ones on the diagonal of a single matrix."""
    at = numbers(diagonal_index.value)
    if out.rank != 2 or at is None or out.dtype.numpy() is None:
        return None
    rows, columns = (d for d in out.dims if isinstance(d, int))
    return tuple(np.eye(rows, columns, at[0], dtype=out.dtype.numpy()).ravel().tolist())
