"""Training: steps of optimizers, and gradients (ai.onnx.preview.training)."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import DIM_MISMATCH, LENGTH_MISMATCH, RANK_MISMATCH
from shapeinfer.facts import Fact, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule

DOMAIN = "ai.onnx.preview.training"


@rule("Adagrad", "Momentum", since=1, domain=DOMAIN)
def one_state_step(ctx: Context, r: Tensor, t: Tensor, *inputs: Tensor) -> list[Fact]:
    """Update tensors, given first, by their gradients and one accumulated state each."""
    return _stepped(ctx, inputs, 1)


@rule("Adam", since=1, domain=DOMAIN)
def two_state_step(ctx: Context, r: Tensor, t: Tensor, *inputs: Tensor) -> list[Fact]:
    """Update tensors, given first, by their gradients and two accumulated states each."""
    return _stepped(ctx, inputs, 2)


def _stepped(ctx: Context, inputs: Sequence[Tensor], states: int) -> list[Fact]:
    """Return the new tensors and states; all that belongs to one tensor has its shape."""
    count, rest = divmod(len(inputs), states + 2)
    if rest:
        message = f"{len(inputs)} tensors are not {states + 2} for each one that is optimized"
        ctx.fail(LENGTH_MISMATCH, message)
    facts: list[Fact] = []
    for i in range(count):
        shape = inputs[i].shape
        for k in range(i + count, len(inputs), count):
            shape = _shared(ctx, shape, inputs[k].shape, i, k)
        facts.append(tensor(inputs[i].dtype, shape))
    return facts * (states + 1)


def _shared(ctx: Context, first: Shape | None, other: Shape | None, i: int, k: int) -> Shape | None:
    if first is None or other is None:
        return other if first is None else first
    if len(first) != len(other):
        message = f"input {k} has rank {len(other)} and the tensor it belongs to, input {i}, rank {len(first)}"
        ctx.fail(RANK_MISMATCH, message, f"inputs.{i} inputs.{k}")
    pairs = enumerate(zip(first, other))
    return tuple(ctx.equal(d, e, DIM_MISMATCH, f"inputs.{i}[{a}] inputs.{k}[{a}]") for a, (d, e) in pairs)


@rule("Gradient", since=1, domain=DOMAIN)
def gradient(ctx: Context, *inputs: Tensor, xs: Sequence[str], zs: Sequence[str] = ()) -> list[Fact]:
    """Give a gradient for each input that ``xs`` names, alike in shape and type."""
    if len(inputs) != len(xs) + len(zs):
        message = f"xs and zs name {len(xs) + len(zs)} tensors, the node has {len(inputs)} inputs"
        ctx.fail(LENGTH_MISMATCH, message)
    return [tensor(x.dtype, x.shape) for x in inputs[: len(xs)]]
