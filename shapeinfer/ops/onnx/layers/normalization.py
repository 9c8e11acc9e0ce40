"""Normalizations, which keep the shape, and Dropout, which does too."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    MISSING_NODE_OUTPUT,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
    TOO_MANY_OUTPUTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Size, at_least, text_of
from shapeinfer.facts import DType, Fact, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.ops.signature import declare
from shapeinfer.shapes.algebra.reduction import reduced
from shapeinfer.shapes.elementwise.broadcast import onto, side
from shapeinfer.shapes.rank import of_rank, of_rank_at_least
from shapeinfer.shapes.windows.channels import divided, per_channel


def _channels(ctx: Context, x: Tensor) -> tuple[Size, str]:
    """Return the number of channels and its place; a tensor of one axis has one."""
    of_rank_at_least(ctx, x, 1, "x")
    if x.shape is None:
        return ctx.fresh(), "x"
    return (1, "x") if len(x.shape) == 1 else (x.shape[1], "x[1]")


@rule("BatchNormalization", since=14, unranked=[None, 1, 1])
def batch_normalization(
    ctx: Context,
    x: Tensor,
    scale: Tensor,
    b: Tensor,
    input_mean: Tensor,
    input_var: Tensor,
    *,
    training_mode: int = 0,
) -> list[Fact | Shape]:
    """Keep the shape; in training, the running mean and variance come out too."""
    needed = 3 if training_mode else 1
    if ctx.outputs != needed:
        code = MISSING_NODE_OUTPUT if ctx.outputs < needed else TOO_MANY_OUTPUTS
        ctx.report(code, f"training_mode {training_mode} has {needed} outputs; the node names {ctx.outputs}")
    parameters = {"scale": scale, "b": b, "input_mean": input_mean, "input_var": input_var}
    count = per_channel(ctx, *_channels(ctx, x), parameters)
    return [x.holding(None), (count,), (count,)]


@rule("BatchNormalization", since=1, unranked=[None, 1, 1, 1, 1])
def first_batch_normalization(
    ctx: Context, x: Tensor, scale: Tensor, b: Tensor, mean: Tensor, var: Tensor, *, spatial: int = 1
) -> list[Fact | Shape]:
    """Keep the shape; without ``spatial``, parameters have an entry for each element of an instance."""
    parameters = {"scale": scale, "b": b, "mean": mean, "var": var}
    if not spatial:
        return [x.holding(None), *_per_element(ctx, x, parameters)]
    count = per_channel(ctx, *_channels(ctx, x), parameters)
    return [x.holding(None), *((count,) for _ in parameters)]


def _per_element(ctx: Context, x: Tensor, parameters: dict[str, Tensor]) -> list[Shape]:
    """Require that every parameter has the axes of ``x`` but the first."""
    each = x.dims[1:]
    for port, parameter in parameters.items():
        of_rank(ctx, parameter, len(each), port, "without spatial")
        for axis, (size, own) in enumerate(zip(each, parameter.shape or ())):
            ctx.equal(size, own, DIM_MISMATCH, f"x[{axis + 1}] {port}[{axis}]")
    return [each for _ in parameters]


@rule("InstanceNormalization", since=1)
def instance_normalization(ctx: Context, x: Tensor, scale: Tensor, b: Tensor) -> Fact:
    """Keep the shape: batch, channels and at least one axis to normalize."""
    of_rank_at_least(ctx, x, 3, "x")
    per_channel(ctx, *_channels(ctx, x), {"scale": scale, "b": b})
    return x.holding(None)


@rule("GroupNormalization", since=18)
def group_normalization(ctx: Context, x: Tensor, scale: Tensor, bias: Tensor, *, num_groups: int) -> Fact:
    """Keep the shape; parameters go by group, from opset 21 on by channel."""
    of_rank_at_least(ctx, x, 2, "x")
    if num_groups < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"num_groups is {num_groups}; it must be at least 1", detail=Detail("num_groups"))
    channels, at = _channels(ctx, x)
    divided(ctx, channels, num_groups, f"channels of {ctx.port_name('x')}", "x[1]")
    parameters = {"scale": scale, "bias": bias}
    if ctx.version >= 21:
        per_channel(ctx, channels, at, parameters)
    else:
        per_channel(ctx, num_groups, "", parameters, "group")
    return x.holding(None)


def _normalized(ctx: Context, x: Tensor, axis: int, parameters: dict[str, Tensor | None]) -> int:
    """Return the first of the axes that are normalized, onto which parameters are broadcast."""
    k = ctx.axis(axis, x.rank, negative=True, at="x")
    for i, size in enumerate(x.dims[k:], k):
        message = f"axis {i} of {ctx.port_name('x')} is {text_of(size)}; it must be at least 1 to be normalized over"
        ctx.require(at_least(size, 1), TOO_FEW_ELEMENTS, message, f"x[{i}]")
    for port, parameter in parameters.items():
        if parameter is not None and parameter.shape is not None:
            onto(ctx, side(x.dims, "x"), side(parameter.shape, port))
    return k


# onnxruntime's tools put it into opsets before 17, which brought it.
declare(
    "LayerNormalization(X: T, Scale: V, B?: V; axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1)"
    " -> Y: V, Mean?: U, InvStdDev?: U",
    domain="",
    T="float16 float double bfloat16",
    V="float16 float double bfloat16",
    U="float bfloat16 double",
)


@rule("LayerNormalization", since=1)
def layer_normalization(
    ctx: Context, x: Tensor, scale: Tensor, b: Tensor | None = None, *, axis: int = -1, stash_type: int = 1
) -> list[Fact | Shape]:
    """Keep the shape; mean and deviation are 1 long along the normalized axes and typed as ``stash_type``."""
    k = _normalized(ctx, x, axis, {"scale": scale, "b": b})
    stash = DType(stash_type) if stash_type in (DType.FLOAT, DType.BFLOAT16) else DType.UNDEFINED
    statistics = tensor(stash, reduced(x.dims, range(k, x.rank), keep=True))
    return [x.dims, statistics, statistics]


@rule("RMSNormalization", since=23)
def rms_normalization(ctx: Context, x: Tensor, scale: Tensor, *, axis: int = -1) -> Shape:
    """Keep the shape; the element type is that of ``scale``."""
    _normalized(ctx, x, axis, {"scale": scale})
    return x.dims


@rule("LRN", since=1)
def local_response_normalization(ctx: Context, x: Tensor, *, size: int) -> Shape:
    """Keep the shape; the neighbours summed over are an odd number of channels."""
    if size < 1 or size % 2 == 0:
        ctx.fail(INVALID_ATTRIBUTE, f"size is {size}; it must be odd and positive", detail=Detail("size"))
    return x.dims


@rule("MeanVarianceNormalization", since=9)
def mean_variance_normalization(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


@rule("Dropout", since=12)
def dropout(
    ctx: Context, data: Tensor, ratio: Tensor | None = None, training_mode: Tensor | None = None
) -> list[Shape]:
    """Keep the shape, which the mask has too."""
    for port, parameter in {"ratio": ratio, "training_mode": training_mode}.items():
        if parameter is not None and parameter.shape:
            ctx.report(RANK_MISMATCH, f"{ctx.port_name(port)} is {parameter.text}; it must be a scalar", port)
    return [data.dims, data.dims]


@rule("Dropout", since=1)
def first_dropout(ctx: Context, data: Tensor) -> list[Shape]:
    """Keep the shape, which the mask has too."""
    return [data.dims, data.dims]
