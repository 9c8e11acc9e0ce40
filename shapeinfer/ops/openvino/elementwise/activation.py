"""Activations that look along an axis: SoftMax, LogSoftmax, PRelu."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import NOT_BROADCASTABLE
from shapeinfer.dims import AnyOf, Equal, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, NUMBERS, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.elementwise.broadcast import onto, side

SOFTMAX = ("SoftMax", "Softmax")
"""An IR writes the first, the specification both."""

for _name in SOFTMAX:
    for _since in (1, 8):
        operator(f"{_name}(data: T; axis: int = 1) -> output: T", since=_since, T=NUMBERS)
operator("LogSoftmax(data: T; axis: int = 1) -> output: T", since=5, T=NUMBERS)


PRELU = ("PReLU", "PRelu")
for _name in PRELU:
    operator(f"{_name}(data: T, slope: S) -> output: T", T=NUMBERS, S=NUMBERS)


@rule(*SOFTMAX, domain=DOMAIN)
@rule("LogSoftmax", domain=DOMAIN, since=5)
def softmax(ctx: Context, data: Tensor, *, axis: int = 1) -> Shape:
    """Keep the shape; in version 1 the axis cannot be negative."""
    ctx.axis(axis, max(data.rank, 1), negative=ctx.version > 1, at="data")
    return data.dims


@rule(*PRELU, domain=DOMAIN)
def prelu(ctx: Context, data: Tensor, slope: Tensor) -> Shape:
    """Keep the shape; a list of slopes is one for each channel, else slopes are broadcast onto the data."""
    if slope.shape is None:
        return data.dims
    if len(slope.shape) != 1 or data.rank < 2:
        onto(ctx, side(data.dims, "data"), side(slope.shape, "slope"))
        return data.dims
    (count,), channels, last = slope.shape, data.dims[1], data.dims[-1]
    message = (
        f"slope has {text_of(count)} entries; expected {text_of(channels)} (channels) or {text_of(last)} (last axis)"
    )
    fits = AnyOf((Equal(count, channels), Equal(count, last), Equal(count, 1)))
    ctx.require(fits, NOT_BROADCASTABLE, message, "slope[0] data[1]")
    return data.dims
