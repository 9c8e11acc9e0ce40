"""Convolutions and pools fused with what follows, with channels first or last."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from shapeinfer.diagnostics.codes import DIM_MISMATCH, MISSING_ATTRIBUTE, MISSING_INPUT, RANK_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import BYTES, DOMAIN, HALF_OR_SINGLE, UP_TO_DOUBLE, contrib
from shapeinfer.ops.onnx.windows.conv import bias, conv, operands, qlinear_conv
from shapeinfer.ops.onnx.windows.pool import global_pool, pool
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import entries
from shapeinfer.shapes.windows.layout import channels_first, channels_last
from shapeinfer.shapes.windows.window import WINDOW, Ints, Window, covered_sizes, of_each

contrib(
    "FusedConv(X: T, W: T, B?: T, Z?: T; activation?: string, activation_params?: floats, auto_pad: string = "
    '"NOTSET", dilations?: ints, group: int = 1, kernel_shape?: ints, pads?: ints, strides?: ints) -> Y: T',
    T=UP_TO_DOUBLE,
)


@rule("FusedConv", domain=DOMAIN)
def fused_conv(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    z: Tensor | None = None,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Convolve, add a tensor of the output's shape, and activate."""
    out: Shape = conv(ctx, x, w, b, kernel_shape=kernel_shape, group=group, window=window)
    return _check_addend(ctx, out, z)


def _check_addend(ctx: Context, out: Shape, z: Tensor | None) -> Shape:
    """Require that the added tensor has the shape of the output."""
    if z is None or z.shape is None:
        return out
    if z.rank != len(out):
        ctx.fail(RANK_MISMATCH, f"Z has rank {z.rank} and the output rank {len(out)}; they must be equal", "z")
    agreed = []
    for i, (size, added) in enumerate(zip(out, z.shape)):
        message = f"axis {i} is {text_of(added)} in Z and {text_of(size)} in the output"
        agreed.append(ctx.equal(size, added, DIM_MISMATCH, f"z[{i}] x", message))
    return tuple(agreed)


contrib(
    'NhwcConv(X: T, W: T, B?: T; auto_pad: string = "NOTSET", dilations?: ints, group: int = 1, kernel_shape?: '
    "ints, pads?: ints, strides?: ints) -> Y: T",
    T=UP_TO_DOUBLE,
)


@rule("NhwcConv", domain=DOMAIN)
def nhwc_conv(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Convolve with channels last; the weights have theirs last too."""
    first = channels_first(ctx, x, "x"), channels_first(ctx, w, "w")
    return channels_last(conv(ctx, *first, b, kernel_shape=kernel_shape, group=group, window=window))


contrib(
    "NhwcFusedConv(X: T, W: T, B?: T, Z?: T; activation?: string, activation_params?: floats, auto_pad: string = "
    '"NOTSET", dilations?: ints, group: int = 1, kernel_shape?: ints, pads?: ints, strides?: ints) -> Y: T',
    T=HALF_OR_SINGLE,
)


@rule("NhwcFusedConv", domain=DOMAIN)
def nhwc_fused_conv(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    z: Tensor | None = None,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Convolve with channels last, add a tensor of the output's shape, and activate."""
    out = channels_last(
        conv(ctx, channels_first(ctx, x, "x"), w, b, kernel_shape=kernel_shape, group=group, window=window)
    )
    return _check_addend(ctx, out, z)


contrib(
    "QLinearConv(x: T1, x_scale: float, x_zero_point: T1, w: T2, w_scale: float, w_zero_point: T2, y_scale: float, "
    'y_zero_point: T3, B?: int32; auto_pad: string = "NOTSET", channels_last: int = 0, dilations?: ints, group: int '
    "= 1, kernel_shape?: ints, pads?: ints, strides?: ints) -> y: T3",
    T1=BYTES,
    T2=BYTES,
    T3=BYTES,
)


@rule("QLinearConv", domain=DOMAIN)
def qlinear_conv_any(
    ctx: Context,
    x: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
    b: Tensor | None = None,
    *,
    channels_last: int = 0,
    group: int = 1,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Convolve quantized numbers, with channels first or last."""
    of_x = x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, b
    first = channels_first(ctx, x, "x") if channels_last else x
    out: Shape = qlinear_conv(ctx, first, *of_x, kernel_shape=kernel_shape, group=group, window=window)
    return _to_layout(out, channels_last)


def _to_layout(shape: Shape, last: int) -> Shape:
    return channels_last(shape) if last else shape


contrib(
    "QLinearAveragePool(X: T, x_scale: float, x_zero_point?: T, y_scale: float, y_zero_point?: T; auto_pad: string "
    '= "NOTSET", ceil_mode: int = 0, channels_last: int = 0, count_include_pad: int = 0, kernel_shape: ints, pads?: '
    "ints, strides?: ints) -> Y: T",
    T=BYTES,
)


@rule("QLinearAveragePool", domain=DOMAIN)
def qlinear_average_pool(
    ctx: Context,
    x: Tensor,
    *,
    channels_last: int = 0,
    kernel_shape: Sequence[int],
    window: Window = WINDOW,
) -> Shape:
    """Average over windows, with channels first or last."""
    first = channels_first(ctx, x, "x") if channels_last else x
    return _to_layout(pool(ctx, first, kernel_shape=kernel_shape, window=window), channels_last)


contrib(
    "QLinearGlobalAveragePool(X: T, x_scale: float, x_zero_point: T, y_scale: float, y_zero_point: T; "
    "channels_last: int = 0) -> Y: T",
    T=BYTES,
)


@rule("QLinearGlobalAveragePool", domain=DOMAIN)
def qlinear_global_average_pool(ctx: Context, x: Tensor, *, channels_last: int = 0) -> Shape:
    """Leave one element of each channel, with channels first or last."""
    return _to_layout(global_pool(ctx, channels_first(ctx, x, "x") if channels_last else x), channels_last)


contrib(
    'NhwcMaxPool(x: T; auto_pad: string = "NOTSET", ceil_mode: int = 0, dilations?: ints, kernel_shape: ints, '
    "pads?: ints, strides?: ints) -> y: T",
    T=BYTES,
)


@rule("NhwcMaxPool", domain=DOMAIN)
def nhwc_max_pool(
    ctx: Context,
    x: Tensor,
    *,
    kernel_shape: Sequence[int],
    window: Window = WINDOW,
) -> Shape:
    """Take the greatest of each window, with channels last."""
    first = channels_first(ctx, x, "x")
    return channels_last(pool(ctx, first, kernel_shape=kernel_shape, window=window))


contrib(
    'MaxpoolWithMask(X: float, M: int32; auto_pad: string = "NOTSET", kernel_shape?: ints, pads?: ints, '
    "storage_order: int = 0, strides?: ints) -> Y: float",
)


@rule("MaxpoolWithMask", domain=DOMAIN)
def maxpool_with_mask(
    ctx: Context,
    x: Tensor,
    m: Tensor,
    *,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Take the greatest of each window where a mask allows."""
    if kernel_shape is None:
        ctx.fail(
            MISSING_ATTRIBUTE, "MaxpoolWithMask requires the attribute kernel_shape", detail=Detail("kernel_shape")
        )
    out: Shape = pool(ctx, x, kernel_shape=kernel_shape, window=window)
    return out


contrib(
    'ConvTransposeWithDynamicPads(X: T, W: T, Pads?: int64, B?: T; auto_pad: string = "NOTSET", dilations?: ints, '
    "group: int = 1, kernel_shape?: ints, output_padding?: ints, strides?: ints) -> Y: T",
    T=UP_TO_DOUBLE,
)


@rule("ConvTransposeWithDynamicPads", domain=DOMAIN)
def conv_transpose_with_dynamic_pads(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    pads: Tensor | None = None,
    b: Tensor | None = None,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    output_padding: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Spread each element over a window of weights; the padding is computed."""
    if pads is None:
        ctx.fail(MISSING_INPUT, "ConvTransposeWithDynamicPads requires its input Pads", "pads")
    of = operands(ctx, x, w, kernel_shape, window, group)
    channels = of.w[1] * group
    bias(ctx, b, channels)
    space = of.x[2:]
    known = [p for p in entries(ctx, pads, "pads") if isinstance(p, int)]
    if len(known) != 2 * len(space):
        return (of.x[0], channels, *(ctx.fresh() for _ in space))
    extra = tuple(output_padding or (0,) * len(space))
    of_each(ctx, "output_padding", extra, len(space), least=0)
    over = evolve(window, pads=known, auto_pad="NOTSET").of(ctx, of.window.kernel_shape, len(space))
    return (of.x[0], channels, *covered_sizes(ctx, over, space, extra, "x"))
