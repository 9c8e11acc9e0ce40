"""Products of matrices, and their inverses."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, NUMBERS, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes import linear
from shapeinfer.shapes.rank import of_rank_at_least

operator("MatMul(A: T, B: T; transpose_a: bool = False, transpose_b: bool = False) -> output: T", T=NUMBERS)
operator("Inverse(data: T; adjoint: bool = False) -> output: T", since=14, T=FLOATS)


@rule("MatMul", domain=DOMAIN)
def matmul(ctx: Context, a: Tensor, b: Tensor, *, transpose_a: bool = False, transpose_b: bool = False) -> Shape:
    """Multiply the trailing matrices, broadcasting the axes before them; a vector is not transposed."""
    return linear.matmul(ctx, a.dims, b.dims, transposed=(transpose_a, transpose_b))


@rule("Inverse", domain=DOMAIN, since=14)
def inverse(ctx: Context, data: Tensor) -> Shape:
    """Keep the shape, whose last two axes are those of square matrices."""
    of_rank_at_least(ctx, data, 2, "data")
    size = ctx.equal(data.dims[-2], data.dims[-1], DIM_MISMATCH, "data[-2] data[-1]")
    return *data.dims[:-2], size, size
