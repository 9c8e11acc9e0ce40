"""Activations that look along an axis: SoftMax, LogSoftmax, PRelu."""

from __future__ import annotations

from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, NUMBERS, operator
from shapeinfer.ops.registry import rule

SOFTMAX = ("SoftMax", "Softmax")
"""An IR writes the first, the specification both."""

for _name in SOFTMAX:
    for _since in (1, 8):
        operator(f"{_name}(data: T; axis: int = 1) -> output: T", since=_since, T=NUMBERS)
operator("LogSoftmax(data: T; axis: int = 1) -> output: T", since=5, T=NUMBERS)


@rule(*SOFTMAX, domain=DOMAIN)
@rule("LogSoftmax", domain=DOMAIN, since=5)
def softmax(ctx: Context, data: Tensor, *, axis: int = 1) -> Shape:
    """Keep the shape; version 1 counts its axis from the front alone."""
    ctx.axis(axis, max(data.rank, 1), negative=ctx.version > 1, at="data")
    return data.dims
