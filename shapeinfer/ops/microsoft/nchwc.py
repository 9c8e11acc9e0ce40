"""Convolutions and pools on blocks of channels, whose size is the hardware's; domain ``com.microsoft.nchwc``."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH, RANK_MISMATCH
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import require_positive
from shapeinfer.ops.onnx.windows.conv import operands
from shapeinfer.ops.onnx.windows.pool import global_pool, pool
from shapeinfer.ops.registry import rule
from shapeinfer.ops.signature import declare
from shapeinfer.shapes.windows.convolution import takes
from shapeinfer.shapes.windows.window import WINDOW, Ints, Window, window_counts

BLOCKED = "com.microsoft.nchwc"
LARGEST_BLOCK = 16
"""A block has so many channels or half as many, as the processor has it."""

declare(
    "Conv(X: float, W: float, B?: float, Sum?: float; activation?: string, activation_params?: floats, auto_pad: "
    'string = "NOTSET", dilations?: ints, group: int = 1, kernel_shape?: ints, pads?: ints, strides?: ints) -> Y: '
    "float",
    domain="com.microsoft.nchwc",
)


@rule("Conv", domain=BLOCKED, unranked=4)
def conv(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Convolve; the filters fill whole blocks."""
    of = operands(ctx, x, w, kernel_shape, window, group)
    if x.shape is not None:
        takes(ctx, of.x[1], of.w[1], group, "x[1] w[1]")
    return of.x[0], of.w[0], *window_counts(ctx, of.window, of.x[2:], "x")


declare(
    'MaxPool(X: float; auto_pad: string = "NOTSET", ceil_mode: int = 0, dilations?: ints, kernel_shape: ints, '
    "pads?: ints, storage_order: int = 0, strides?: ints) -> Y: float",
    domain="com.microsoft.nchwc",
)
declare(
    'AveragePool(X: float; auto_pad: string = "NOTSET", ceil_mode: int = 0, count_include_pad: int = 0, dilations?: '
    "ints, kernel_shape: ints, pads?: ints, strides?: ints) -> Y: float",
    domain="com.microsoft.nchwc",
)

rule("MaxPool", "AveragePool", domain=BLOCKED)(pool)

declare("GlobalMaxPool(X: float) -> Y: float", domain="com.microsoft.nchwc")
declare("GlobalAveragePool(X: float) -> Y: float", domain="com.microsoft.nchwc")

rule("GlobalMaxPool", "GlobalAveragePool", domain=BLOCKED)(global_pool)

declare("ReorderInput(X: float; channels_last: int = 0) -> Y: float", domain="com.microsoft.nchwc")


@rule("ReorderInput", domain=BLOCKED, unranked=4)
def reorder_input(ctx: Context, x: Tensor, *, channels_last: int = 0) -> Shape:
    """Split the channels into blocks; the last one is padded."""
    n, *rest = _four(ctx, x)
    channels = rest.pop(-1 if channels_last else 0)
    fills_blocks = isinstance(channels, int) and channels % LARGEST_BLOCK == 0
    return (n, channels if fills_blocks else ctx.fresh(), *rest)


declare("ReorderOutput(X: float; channels: int = 0, channels_last: int = 0) -> Y: float", domain="com.microsoft.nchwc")


@rule("ReorderOutput", domain=BLOCKED, unranked=4)
def reorder_output(ctx: Context, x: Tensor, *, channels: int = 0, channels_last: int = 0) -> Shape:
    """Bring the channels out of their blocks."""
    n, _, height, width = _four(ctx, x)
    require_positive(ctx, channels, "channels")
    return (n, height, width, channels) if channels_last else (n, channels, height, width)


declare(
    'Upsample(X: float; coordinate_transformation_mode: string = "asymmetric", mode: string = "nearest", scales?: '
    "ints) -> Y: float",
    domain="com.microsoft.nchwc",
)


@rule("Upsample", domain=BLOCKED, unranked=4)
def upsample(ctx: Context, x: Tensor, *, scales: Sequence[int] = (1, 1, 1, 1)) -> Shape:
    """Multiply the axes by whole numbers."""
    shape = _four(ctx, x)
    if len(scales) != len(shape):
        ctx.fail(LENGTH_MISMATCH, f"scales has {len(scales)} entries; expected 4")
    return tuple(d * s for d, s in zip(shape, scales))


def _four(ctx: Context, x: Tensor) -> Shape:
    if x.rank != 4:
        ctx.fail(RANK_MISMATCH, f"X must have rank 4; it has rank {x.rank}", "x")
    return x.dims
