"""Convolutions: a window of weights over the spatial axes, in groups of channels."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AnyOf, AtMost, Equal, Size, product, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.windows.channels import divided
from shapeinfer.shapes.windows.convolution import aligned, each_point, takes
from shapeinfer.shapes.windows.window import WINDOW, Ints, SlidingWindow, Window, covered_sizes, of_each, window_counts


@frozen
class Operands:
    """The shapes of input and weights, of one rank, and the window that the weights are."""

    x: Shape
    w: Shape
    window: SlidingWindow


def operands(ctx: Context, x: Tensor, w: Tensor, kernel_shape: Ints, window: Window, group: int) -> Operands:
    """Check that input and weights have one rank, and build their window."""
    xs, ws = aligned(ctx, x, w)
    if group < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"group is {group}; it must be at least 1", detail=Detail("group"))
    if window.pads and window.auto_pad not in ("", "NOTSET"):
        ctx.fail(CONFLICTING_ARGUMENTS, f"auto_pad {window.auto_pad} and pads exclude each other; keep one of them")
    kernel = _kernel(ctx, ws, kernel_shape)
    return Operands(xs, ws, window.of(ctx, kernel, len(xs) - 2))


def _kernel(ctx: Context, w: Shape, kernel_shape: Ints) -> Shape:
    if not kernel_shape:
        return w[2:]
    if len(kernel_shape) != len(w) - 2:
        message = (
            f"kernel_shape has {len(kernel_shape)} entries for the {len(w) - 2} spatial axes of {ctx.port_name('w')}"
        )
        ctx.fail(LENGTH_MISMATCH, message, "w")
    for axis, (size, expected) in enumerate(zip(w[2:], kernel_shape), 2):
        message = f"entry {axis - 2} of kernel_shape is {expected} but {ctx.place(f'w[{axis}]')} is {text_of(size)}"
        ctx.equal(size, expected, DIM_MISMATCH, f"w[{axis}]", message)
    return tuple(kernel_shape)


def _channels(ctx: Context, x: Tensor, xs: Shape, ws: Shape, group: int) -> None:
    """Check that the weights take the input's channels, and have the same number of filters in each group."""
    if x.shape is not None:
        takes(ctx, xs[1], ws[1], group, "x[1] w[1]")
    divided(ctx, ws[0], group, f"filters of {ctx.port_name('w')}", "w[0]")


def bias(ctx: Context, b: Tensor | None, channels: Size) -> None:
    """Check that there is one entry of bias for each output channel."""
    if b is None or b.shape is None:
        return
    if len(b.shape) != 1:
        ctx.report(RANK_MISMATCH, f"{ctx.port_name('b')} has rank {len(b.shape)}; a bias must have rank 1", "b")
        return
    message = f"{ctx.port_name('b')} has {text_of(b.shape[0])} entries for {text_of(channels)} output channels"
    ctx.equal(b.shape[0], channels, DIM_MISMATCH, "b[0] w", message)


@rule("Conv", since=1)
def conv(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Slide the weights over the spatial axes, one output channel for each filter."""
    of = operands(ctx, x, w, kernel_shape, window, group)
    _channels(ctx, x, of.x, of.w, group)
    bias(ctx, b, of.w[0])
    return of.x[0], of.w[0], *window_counts(ctx, of.window, of.x[2:], "x")


@rule("ConvInteger", since=10)
def conv_integer(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    x_zero_point: Tensor | None = None,
    w_zero_point: Tensor | None = None,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Convolve integers; the zero point of the weights is one for all or one for each filter."""
    of = operands(ctx, x, w, kernel_shape, window, group)
    _channels(ctx, x, of.x, of.w, group)
    _scalar(ctx, x_zero_point, "x_zero_point")
    _scalar_or_per_filter(ctx, w_zero_point, of.w[0], "w_zero_point")
    return of.x[0], of.w[0], *window_counts(ctx, of.window, of.x[2:], "x")


@rule("QLinearConv", since=10)
def qlinear_conv(
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
    group: int = 1,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Convolve quantized numbers; the weights have one scale for all or one for each filter."""
    of = operands(ctx, x, w, kernel_shape, window, group)
    _channels(ctx, x, of.x, of.w, group)
    bias(ctx, b, of.w[0])
    scalars = {"x_scale": x_scale, "x_zero_point": x_zero_point, "y_scale": y_scale, "y_zero_point": y_zero_point}
    for name, one in scalars.items():
        _scalar(ctx, one, name)
    _scalar_or_per_filter(ctx, w_scale, of.w[0], "w_scale")
    _scalar_or_per_filter(ctx, w_zero_point, of.w[0], "w_zero_point")
    return of.x[0], of.w[0], *window_counts(ctx, of.window, of.x[2:], "x")


def _scalar(ctx: Context, x: Tensor | None, name: str) -> None:
    """Check that a parameter is a scalar, or one element along one axis."""
    if x is None or x.shape is None or not x.shape:
        return
    message = f"{ctx.port_name(name)} is {x.text}; it must be a scalar"
    if len(x.shape) > 1:
        ctx.report(RANK_MISMATCH, message, name)
    else:
        ctx.require(Equal(x.shape[0], 1), DIM_MISMATCH, message, f"{name}[0]")


def _scalar_or_per_filter(ctx: Context, x: Tensor | None, filters: Size, name: str) -> None:
    """Check that a parameter of the weights is a scalar or has one entry for each filter."""
    if x is None or x.shape is None or not x.shape:
        return
    message = f"{ctx.port_name(name)} is {x.text}; it must be a scalar or have {text_of(filters)} entries"
    if len(x.shape) > 1:
        ctx.report(RANK_MISMATCH, message, name)
    else:
        fits = AnyOf((Equal(x.shape[0], filters), Equal(x.shape[0], 1)))
        ctx.require(fits, DIM_MISMATCH, message, f"{name}[0] w[0]")


@rule("ConvTranspose", since=1)
def conv_transpose(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    output_padding: Ints = None,
    output_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Spread each element over a window of weights: the shapes of a convolution, backwards."""
    of = operands(ctx, x, w, kernel_shape, window, group)
    channels = of.w[1] * group
    if x.shape is not None and w.shape is not None:
        takes(ctx, of.x[1], of.w[0], 1, "x[1] w[0]")
    divided(ctx, of.w[0], group, f"channels of {ctx.port_name('w')}", "w[0]")
    bias(ctx, b, channels)
    extra = _output_padding(ctx, of.window, output_padding)
    space = of.x[2:]
    if output_shape:
        return of.x[0], channels, *_required_sizes(ctx, of.window, space, extra, output_shape)
    return of.x[0], channels, *covered_sizes(ctx, of.window, space, extra, "x")


def _output_padding(ctx: Context, over: SlidingWindow, listed: Ints) -> tuple[int, ...]:
    """Return how many elements are added at the end of each axis; they must be fewer than a stride."""
    extra = tuple(listed or (0,) * len(over.strides))
    of_each(ctx, "output_padding", extra, len(over.strides), least=0)
    for more, one in zip(extra, over.along):
        if more >= max(one.stride, one.dilation):
            message = f"output_padding {more} must be less than the stride {one.stride} or the dilation {one.dilation}"
            ctx.fail(INVALID_ATTRIBUTE, message, detail=Detail("output_padding"))
    return extra


def _required_sizes(
    ctx: Context, over: SlidingWindow, sizes: Shape, extra: Sequence[int], output_shape: Sequence[int]
) -> Shape:
    """Return the sizes that the attribute ``output_shape`` requires, to which padding is fitted."""
    axes = len(sizes)
    if len(output_shape) not in (axes, axes + 2):
        message = f"output_shape has {len(output_shape)} entries; expected {axes} or {axes + 2}"
        ctx.fail(LENGTH_MISMATCH, message)
    asked = tuple(output_shape[-axes:])
    of_each(ctx, "output_shape", asked, axes)
    for axis, (one, size, more, required) in enumerate(zip(over.along, sizes, extra, asked), 2):
        # The required size may exceed what the windows cover, if one more window would not fit.
        most = size * one.stride + one.extent + max(more - one.stride, -1)
        message = f"output_shape is {required} along axis {axis}; the windows cover at most {text_of(most)}"
        ctx.require(AtMost(required, most), INVALID_ATTRIBUTE, message, f"x[{axis}]", detail=Detail("output_shape"))
    return asked


@rule("DeformConv", since=19)
def deform_conv(
    ctx: Context,
    x: Tensor,
    w: Tensor,
    offset: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    offset_group: int = 1,
    window: Window = WINDOW,
) -> Shape:
    """Convolve with a window whose every point is displaced, by an offset for each output element."""
    of = operands(ctx, x, w, kernel_shape, window, group)
    _channels(ctx, x, of.x, of.w, group)
    bias(ctx, b, of.w[0])
    if offset_group < 1:
        ctx.fail(
            INVALID_ATTRIBUTE, f"offset_group is {offset_group}; it must be at least 1", detail=Detail("offset_group")
        )
    divided(ctx, of.x[1], offset_group, f"channels of {ctx.port_name('x')}", "x[1]")
    space = window_counts(ctx, of.window, of.x[2:], "x")
    points = offset_group * product(of.window.kernel_shape)
    each_point(ctx, offset, of.x[0], points * len(space), space, "offset")
    each_point(ctx, mask, of.x[0], points, space, "mask")
    return of.x[0], of.w[0], *space
