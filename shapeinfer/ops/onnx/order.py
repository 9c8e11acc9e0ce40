"""TopK, CumSum, CumProd and ReverseSequence: what goes along one axis in order."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
    NEGATIVE_LENGTH,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
)
from shapeinfer.dims import AtMost, Size, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import scalar


@rule("TopK", since=1)
def top_k_attribute(ctx: Context, x: Tensor, *, axis: int = -1, k: int) -> list[Shape]:
    """Keep the ``k`` largest along one axis, and where they stood."""
    if k < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"k is {k}, it must be positive", "x")
    return _top(ctx, x, axis, k, "x")


@rule("TopK", since=10)
def top_k(ctx: Context, x: Tensor, k: Tensor, *, axis: int = -1) -> list[Shape]:
    """Keep as many of the largest along one axis as ``k`` says, and where they stood."""
    if k.shape is not None:
        if len(k.shape) != 1:
            ctx.fail(RANK_MISMATCH, f"K must be a list of one number, it has rank {len(k.shape)}", "k")
        ctx.equal(k.shape[0], 1, LENGTH_MISMATCH, "k[0]", f"K must hold one number, it holds {text_of(k.shape[0])}")
    return _top(ctx, x, axis, scalar(ctx, k), "k")


def _top(ctx: Context, x: Tensor, axis: int, k: Size, port: str) -> list[Shape]:
    at = ctx.axis(axis, x.rank, negative=True, at="x")
    message = f"K is {text_of(k)}, it cannot be negative"
    if ctx.require(AtMost(0, k), NEGATIVE_LENGTH, message, port).is_no:
        k = ctx.fresh()
    message = f"K is {text_of(k)}, more than the {text_of(x.dims[at])} of axis {at} of X"
    if ctx.require(AtMost(k, x.dims[at]), TOO_FEW_ELEMENTS, message, f"{port} x[{at}]").is_no:
        k = ctx.fresh()
    out = (*x.dims[:at], k, *x.dims[at + 1 :])
    return [out, out]
