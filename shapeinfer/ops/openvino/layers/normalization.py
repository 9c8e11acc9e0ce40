"""Normalizations, which keep the shape."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.dims import AtMost, Dim, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INTEGERS, NUMBERS, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.rank import of_rank, of_rank_at_least
from shapeinfer.shapes.rows import positive
from shapeinfer.shapes.windows.channels import divided, per_channel

_STATISTICS = "mean: T, variance: T; epsilon: float"
operator(f"BatchNormInference(gamma: T, beta: T, data: T, {_STATISTICS}) -> output: T", T=FLOATS)
operator(f"BatchNormInference(data: T, gamma: T, beta: T, {_STATISTICS}) -> output: T", since=5, T=FLOATS)
operator(
    "GroupNormalization(data: T, scale: T, bias: T; num_groups: int, epsilon: float) -> output: T", since=12, T=FLOATS
)
operator("GRN(data: T; bias: float) -> output: T", T=NUMBERS)
operator("LRN(data: T, axes: I; alpha: float, beta: float, bias: float, size: int) -> output: T", T=NUMBERS, I=INTEGERS)
operator(
    "MVN(data: T; eps: float, across_channels: bool = True, normalize_variance: bool = True, reduction_axes?: ints)"
    " -> output: T",
    T=NUMBERS,
)
operator(
    "MVN(data: T, axes: I; eps: float, normalize_variance: bool, eps_mode: string) -> output: T",
    since=6,
    T=NUMBERS,
    I=NUMBERS,
)
operator("NormalizeL2(data: T, axes: I; eps: float, eps_mode: string) -> output: T", T=NUMBERS, I=INTEGERS)


def _by_channel(ctx: Context, data: Tensor, parameters: dict[str, Tensor]) -> Shape:
    """Keep the shape; each parameter has an entry for each channel."""
    of_rank_at_least(ctx, data, 2, "data")
    count = ctx.fresh() if data.shape is None else data.shape[1]
    count = per_channel(ctx, count, "data" if data.shape is None else "data[1]", parameters)
    if data.shape is not None:
        return data.shape[0], count, *data.shape[2:]
    return data.dims


@rule("BatchNormInference", domain=DOMAIN, since=5)
def batch_norm(ctx: Context, data: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor) -> Shape:
    """Keep the shape; the parameters and statistics go by channel."""
    return _by_channel(ctx, data, {"gamma": gamma, "beta": beta, "mean": mean, "variance": variance})


@rule("BatchNormInference", domain=DOMAIN)
def first_batch_norm(ctx: Context, gamma: Tensor, beta: Tensor, data: Tensor, mean: Tensor, variance: Tensor) -> Shape:
    """Keep the shape of the third input; the parameters and statistics go by channel."""
    return _by_channel(ctx, data, {"gamma": gamma, "beta": beta, "mean": mean, "variance": variance})


@rule("GroupNormalization", domain=DOMAIN, since=12)
def group_normalization(ctx: Context, data: Tensor, scale: Tensor, bias: Tensor, *, num_groups: int) -> Shape:
    """Keep the shape; the channels divide into groups, the parameters go by channel."""
    positive(ctx, num_groups, "num_groups")
    shape = _by_channel(ctx, data, {"scale": scale, "bias": bias})
    channels = shape[1] if data.shape is None else data.shape[1]
    divided(ctx, channels, num_groups, f"channels of {ctx.port_name('data')}", "data[1]")
    return shape


@rule("GRN", domain=DOMAIN)
def grn(ctx: Context, data: Tensor) -> Shape:
    """Keep the shape."""
    of_rank_at_least(ctx, data, 2, "data")
    return data.dims


@rule("LRN", "NormalizeL2", domain=DOMAIN)
def over_axes(ctx: Context, data: Tensor, axes: Tensor) -> Shape:
    """Keep the shape; the axes that are normalized over must be there."""
    _check_axes(ctx, data, axes)
    return data.dims


@rule("MVN", domain=DOMAIN, since=6)
def mvn(ctx: Context, data: Tensor, axes: Tensor) -> Shape:
    """Keep the shape; the axes that are normalized over are a list, no longer than there are axes."""
    of_rank(ctx, axes, 1, "axes")
    if data.shape is not None and axes.shape is not None:
        message = f"axes has {text_of(axes.shape[0])} entries, more than the {data.rank} axes of data"
        ctx.require(AtMost(axes.shape[0], data.rank), LENGTH_MISMATCH, message, "axes[0]")
    _check_axes(ctx, data, axes)
    return data.dims


@rule("MVN", domain=DOMAIN)
def first_mvn(ctx: Context, data: Tensor, *, reduction_axes: tuple[int, ...] | None = None) -> Shape:
    """Keep the shape."""
    for axis in reduction_axes or ():
        ctx.axis(axis, data.rank, at="data")
    return data.dims


def _check_axes(ctx: Context, data: Tensor, axes: Tensor) -> None:
    """Check the axes that are known; naming one twice means no more than naming it once."""
    if data.shape is None or axes.value is None:
        return
    for axis in ctx.ints(axes, "axes"):
        if not isinstance(axis, Dim):
            ctx.axis(axis, data.rank, at="axes")
