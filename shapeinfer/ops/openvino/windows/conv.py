"""Convolutions: a window of weights over the spatial axes; with groups, the weights' first axis counts them."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.dims import Size, ceildiv, mul, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, NUMBERS, operator
from shapeinfer.ops.openvino.windows.windows import SLIDING, WINDOW, LayerWindow
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.windows.convolution import aligned, takes
from shapeinfer.shapes.windows.window import Ints, SlidingWindow, covered_sizes, of_each, window_counts

_BACKWARD = f"data: T, filter: T, output_shape?: I; {SLIDING}, output_padding?: ints"
operator(f"Convolution(data: T, filter: T; {SLIDING}) -> output: T", T=NUMBERS)
operator(f"GroupConvolution(data: T, filter: T; {SLIDING}) -> output: T", T=NUMBERS)
operator(f"ConvolutionBackpropData({_BACKWARD}) -> output: T", T=NUMBERS, I=INTEGERS)
operator(f"GroupConvolutionBackpropData({_BACKWARD}) -> output: T", T=NUMBERS, I=INTEGERS)
_BINARY = f"{SLIDING}, mode: string, pad_value: float"
operator(f"BinaryConvolution(data: T, filter: F; {_BINARY}) -> output: T", T=NUMBERS, F=ANY)


def padded_counts(ctx: Context, over: SlidingWindow, sizes: Shape) -> Shape:
    """Return how many windows fit along each spatial axis; along an empty one that is padded, none."""
    if over.is_same:
        return tuple(ceildiv(size, stride) for size, stride in zip(sizes, over.strides))
    return window_counts(ctx, over, sizes, "x")


def _forward(lead: int) -> Callable[..., Shape]:
    """Return the rule for weights with so many axes before the spatial ones, the groups first among three."""

    def convolution(
        ctx: Context,
        x: Tensor,
        w: Tensor,
        *,
        window: LayerWindow = WINDOW,
    ) -> Shape:
        """Slide the weights over the spatial axes, one output channel for each filter."""
        xs, ws = aligned(ctx, x, w, lead)
        groups, filters, each = ws[0] if lead == 3 else 1, ws[lead - 2], ws[lead - 1]
        if x.shape is not None:
            takes(ctx, xs[1], each, groups, f"x[1] w[{lead - 1}]" + (" w[0]" if lead == 3 else ""))
        over = window.of(ctx, ws[lead:])
        return xs[0], mul(groups, filters), *padded_counts(ctx, over, xs[2:])

    return convolution


def _backward(lead: int) -> Callable[..., Shape]:
    """Return the rule for weights with so many axes before the spatial ones, the groups first among three."""

    def convolution_backprop_data(
        ctx: Context,
        x: Tensor,
        w: Tensor,
        output_shape: Tensor | None = None,
        *,
        window: LayerWindow = WINDOW,
        output_padding: Ints = None,
    ) -> Shape:
        """Spread each element over a window of weights: the shapes of a convolution, backwards."""
        xs, ws = aligned(ctx, x, w, lead)
        groups, taken, each = ws[0] if lead == 3 else 1, ws[lead - 2], ws[lead - 1]
        if x.shape is not None:
            takes(ctx, xs[1], taken, groups, f"x[1] w[{lead - 2}]" + (" w[0]" if lead == 3 else ""))
        over = window.of(ctx, ws[lead:])
        space = _space(ctx, over, xs[2:], output_shape, output_padding)
        return xs[0], mul(groups, each), *space

    return convolution_backprop_data


def _space(ctx: Context, over: SlidingWindow, sizes: Shape, output_shape: Tensor | None, output_padding: Ints) -> Shape:
    """Return the spatial sizes: those of ``output_shape``, to which padding is fitted, or what the windows cover."""
    extra = tuple(output_padding or (0,) * len(sizes))
    of_each(ctx, "output_padding", extra, len(sizes), least=0)
    if output_shape is not None:
        return _required_sizes(ctx, output_shape, len(sizes))
    # There is no target size, so same_upper and same_lower pad nothing here.
    bare = evolve(over, auto_pad="VALID") if over.is_same else over
    return covered_sizes(ctx, bare, sizes, extra, "x")


def _required_sizes(ctx: Context, output_shape: Tensor, axes: int) -> Shape:
    count: Size = axes if not output_shape.shape else output_shape.shape[0]
    message = f"output_shape has {text_of(count)} entries for {axes} spatial axes"
    ctx.equal(axes, count, LENGTH_MISMATCH, "output_shape[0]", message)
    if output_shape.shape is not None and count == axes:
        return ctx.dims(output_shape, "output_shape")
    return tuple(ctx.fresh() for _ in range(axes))


rule("Convolution", "BinaryConvolution", domain=DOMAIN)(_forward(2))
rule("GroupConvolution", domain=DOMAIN)(_forward(3))
rule("ConvolutionBackpropData", domain=DOMAIN)(_backward(2))
rule("GroupConvolutionBackpropData", domain=DOMAIN)(_backward(3))
