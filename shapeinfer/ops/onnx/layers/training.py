"""Training: steps of optimizers, and gradients (ai.onnx.preview.training)."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.facts import Fact, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.elementwise.broadcast import equal_shapes

DOMAIN = "ai.onnx.preview.training"


@rule("Adagrad", "Momentum", since=1, domain=DOMAIN)
def one_state_step(ctx: Context, r: Tensor, t: Tensor, *inputs: Tensor) -> list[Fact]:
    """Update tensors, the first inputs, by their gradients and one accumulated state each."""
    return _stepped(ctx, inputs, 1)


@rule("Adam", since=1, domain=DOMAIN)
def two_state_step(ctx: Context, r: Tensor, t: Tensor, *inputs: Tensor) -> list[Fact]:
    """Update tensors, the first inputs, by their gradients and two accumulated states each."""
    return _stepped(ctx, inputs, 2)


def _stepped(ctx: Context, inputs: Sequence[Tensor], states: int) -> list[Fact]:
    """Return the new tensors and states; all that belongs to one tensor has its shape."""
    count, rest = divmod(len(inputs), states + 2)
    if rest:
        message = f"the node has {len(inputs)} tensor inputs; expected a multiple of {states + 2}"
        ctx.fail(LENGTH_MISMATCH, message)
    facts: list[Fact] = []
    for i in range(count):
        group = range(i, len(inputs), count)
        is_known = any(inputs[k].shape is not None for k in group)
        shape = equal_shapes(ctx, [inputs[k] for k in group], [f"inputs.{k}" for k in group]) if is_known else None
        facts.append(tensor(inputs[i].dtype, shape))
    return facts * (states + 1)


@rule("Gradient", since=1, domain=DOMAIN)
def gradient(ctx: Context, *inputs: Tensor, xs: Sequence[str], zs: Sequence[str] = ()) -> list[Fact]:
    """Return a gradient for each input that ``xs`` names, of its shape and type."""
    if len(inputs) != len(xs) + len(zs):
        message = f"xs and zs name {len(xs) + len(zs)} tensors; the node has {len(inputs)} inputs"
        ctx.fail(LENGTH_MISMATCH, message)
    return [tensor(x.dtype, x.shape) for x in inputs[: len(xs)]]
