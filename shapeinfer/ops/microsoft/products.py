"""Matrix products fused with transposition, activation or dequantization."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import RANK_MISMATCH
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import ALL_FLOATS, DOMAIN, contrib
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.linear import matmul

contrib(
    "FusedMatMul(A: T, B: T; alpha: float = 1.0, transA: int = 0, transB: int = 0, transBatchA: int = 0, "
    "transBatchB: int = 0) -> Y: T",
    T=ALL_FLOATS,
)
contrib(
    "FusedMatMulActivation(A: T, B: T; activation: string, activation_alpha?: float, activation_axis?: int, "
    "activation_beta?: float, activation_gamma?: float, alpha: float = 1.0, transA: int = 0, transB: int = 0, "
    "transBatchA: int = 0, transBatchB: int = 0) -> Y: T",
    T=ALL_FLOATS,
)


@rule("FusedMatMul", "FusedMatMulActivation", domain=DOMAIN)
def fused_matmul(
    ctx: Context,
    a: Tensor,
    b: Tensor,
    *,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> Shape:
    """Multiply matrices that may be transposed, or have their rows before the batch axes."""
    if (transBatchA or transBatchB) and (a.rank != b.rank or a.rank < 3):
        message = f"A has rank {a.rank} and B rank {b.rank}; with transBatch both have the same, of at least 3"
        ctx.fail(RANK_MISMATCH, message, "a b")
    left, right = _turned(a.dims, transA, transBatchA), _turned(b.dims, transB, transBatchB)
    return matmul(ctx, left, right)


contrib("TransposeMatMul(A: T, B: T; alpha: float = 1.0, transA: int = 0, transB: int = 0) -> Y: T", T=ALL_FLOATS)


@rule("TransposeMatMul", domain=DOMAIN)
def transpose_matmul(ctx: Context, a: Tensor, b: Tensor, *, transA: int = 0, transB: int = 0) -> Shape:
    """Multiply matrices that may be transposed."""
    return matmul(ctx, _turned(a.dims, transA), _turned(b.dims, transB))


def _turned(shape: Shape, transposed: int, batch: int = 0) -> Shape:
    """Bring the rows behind the batch axes and swap them with the columns; a vector stays as it is."""
    if batch:
        shape = (*shape[1:-1], shape[0], shape[-1])
    return (*shape[:-2], shape[-1], shape[-2]) if transposed and len(shape) > 1 else shape
