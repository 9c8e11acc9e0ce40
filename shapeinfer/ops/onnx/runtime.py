"""Operators that onnxruntime's tools put into ONNX's own domain, where ONNX has none or has it only later."""

from __future__ import annotations

from shapeinfer.facts import DType, Fact, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.ops.signature import declare
from shapeinfer.shapes.algebra.reduction import reduced
from shapeinfer.shapes.elementwise.broadcast import onto, side

FLOATS = "float16 float double bfloat16"

declare(
    "SimplifiedLayerNormalization(X: T, scale: V; axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1)"
    " -> Y: V, inv_std_var?: U",
    domain="",
    T=FLOATS,
    V=FLOATS,
    U="float double",
)


@rule("SimplifiedLayerNormalization", since=1)
def simplified_layer_normalization(
    ctx: Context, x: Tensor, scale: Tensor, *, axis: int = -1, stash_type: int = 1
) -> list[Fact]:
    """Keep the shape, scaled as ``scale`` is typed; the deviations have 1 in place of the normalized axes."""
    k = ctx.axis(axis, x.rank, negative=True, at="x")
    if scale.shape is not None:
        onto(ctx, side(x.dims, "x"), side(scale.shape, "scale"))
    deviations = reduced(x.dims, range(k, x.rank), keep=True)
    stash = DType(stash_type) if stash_type in list(DType) else DType.UNDEFINED
    return [tensor(scale.dtype, x.dims), tensor(stash, deviations)]
