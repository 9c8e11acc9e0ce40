"""Products of matrices, and their inverses."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, MISSING_INPUT, RANK_MISMATCH
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INTEGERS, NUMBERS, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.algebra import linear
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import of_rank_at_least

operator("MatMul(A: T, B: T; transpose_a: bool = False, transpose_b: bool = False) -> output: T", T=NUMBERS)
operator("GroupedMatMul(A: T, B: T, offsets?: I) -> output: T", since=17, T=NUMBERS, I=INTEGERS)
operator("Inverse(data: T; adjoint: bool = False) -> output: T", since=14, T=FLOATS)

NAMES = {
    (3, 3): ("groups rows inner", "groups columns inner", "groups rows columns"),
    (2, 3): ("rows inner", "groups columns inner", "rows columns"),
    (2, 2): ("rows inner", "columns inner", "groups rows columns"),
}
"""The axes of both operands and of the output, by the operands' ranks."""


@rule("MatMul", domain=DOMAIN)
def matmul(ctx: Context, a: Tensor, b: Tensor, *, transpose_a: bool = False, transpose_b: bool = False) -> Shape:
    """Multiply the trailing matrices, broadcasting the axes before them; a vector is not transposed."""
    return linear.matmul(ctx, a.dims, b.dims, transposed=(transpose_a, transpose_b))


@rule("GroupedMatMul", domain=DOMAIN, since=17)
def grouped_matmul(ctx: Context, a: Tensor, b: Tensor, offsets: Tensor | None = None) -> Shape:
    """Multiply the matrices of each group; ``offsets`` has the end row of each group.

    The matrices of ``b`` are transposed. Of two plain ones the columns go by group.
    """
    axes = NamedAxes(ctx)
    ranks = (a.rank, b.rank)
    if ranks not in NAMES:
        ctx.fail(
            RANK_MISMATCH, f"A has rank {a.rank} and B rank {b.rank}; expected 3 and 3, 2 and 3, or 2 and 2", "a b"
        )
    if ranks != (3, 3) and offsets is None:
        ctx.fail(MISSING_INPUT, "offsets is required where A is a matrix", "offsets a")
    of_a, of_b, of_output = NAMES[ranks]
    axes.read(a, "a", of_a)
    axes.read(b, "b", of_b)
    if ranks != (3, 3):
        axes.read(offsets, "offsets", "groups")
    return axes.shape(of_output)


@rule("Inverse", domain=DOMAIN, since=14)
def inverse(ctx: Context, data: Tensor) -> Shape:
    """Keep the shape, whose last two axes are those of square matrices."""
    of_rank_at_least(ctx, data, 2, "data")
    size = ctx.equal(data.dims[-2], data.dims[-1], DIM_MISMATCH, "data[-2] data[-1]")
    return *data.dims[:-2], size, size
