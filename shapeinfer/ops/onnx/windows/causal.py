"""CausalConvWithState: a convolution along time that carries what it needs of the past."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import TOO_FEW_ELEMENTS
from shapeinfer.dims import at_least, sub, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes


@rule("CausalConvWithState", since=27, unranked=3)
def causal_conv_with_state(
    ctx: Context, input: Tensor, weight: Tensor, bias: Tensor | None = None, past_state: Tensor | None = None
) -> list[Shape]:
    """Keep the shape, and return the last inputs, one fewer than the size of the kernel."""
    axes = NamedAxes(ctx)
    axes.read(input, "input", "batch channels steps")
    axes.read(weight, "weight", "channels 1 kernel")
    axes.read(bias, "bias", "channels")
    kernel = axes.known("kernel")
    if kernel is not None:
        message = f"axis 2 of weight is {text_of(kernel)}; the kernel must not be empty"
        ctx.require(at_least(kernel, 1), TOO_FEW_ELEMENTS, message, "weight[2]")
        axes.bind("past", sub(kernel, 1), "the kernel size minus 1", "kernel")
    axes.read(past_state, "past_state", "batch channels past")
    return [axes.shape("batch channels steps"), axes.shape("batch channels past")]
