"""Losses of classifiers."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INVALID_ATTRIBUTE, RANK_MISMATCH
from shapeinfer.facts import Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule

REDUCTIONS = ("none", "sum", "mean")


@rule("NegativeLogLikelihoodLoss", since=12)
def negative_log_likelihood(
    ctx: Context, input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean"
) -> Shape:
    """Give a loss for each target, or with a reduction one for all."""
    samples = _samples(ctx, ("input", input), ("target", target), ("weight", weight))
    return _loss(ctx, samples, reduction)


@rule("SoftmaxCrossEntropyLoss", since=12)
def softmax_cross_entropy(
    ctx: Context, scores: Tensor, labels: Tensor, weights: Tensor | None = None, *, reduction: str = "mean"
) -> list[Shape | None]:
    """Give a loss for each label, or with a reduction one for all, and the logarithms of the probabilities."""
    samples = _samples(ctx, ("scores", scores), ("labels", labels), ("weights", weights))
    if samples is None and reduction == "none":
        return [None, scores.shape]
    return [_loss(ctx, samples, reduction), scores.shape]


def _loss(ctx: Context, samples: Shape | None, reduction: str) -> Shape:
    if reduction not in REDUCTIONS:
        ctx.fail(INVALID_ATTRIBUTE, f"reduction is {reduction!r}, it must be one of {', '.join(REDUCTIONS)}")
    if reduction != "none":
        return ()
    if samples is None:
        raise UnknownRank
    return samples


def _samples(
    ctx: Context, input: tuple[str, Tensor], target: tuple[str, Tensor], weight: tuple[str, Tensor | None]
) -> Shape | None:
    """Return the shape that the targets have and the inputs, classes along axis 1 left out; None if unknown."""
    (port, x), (target_port, y), (weight_port, w) = input, target, weight
    if x.shape is None:
        return y.shape
    if len(x.shape) < 2:
        message = f"{ctx.spoken(port)} must have a batch and a class axis, it has rank {len(x.shape)}"
        ctx.fail(RANK_MISMATCH, message, port)
    if w is not None and w.shape is not None and len(w.shape) != 1:
        ctx.report(
            RANK_MISMATCH, f"{ctx.spoken(weight_port)} must be a vector, it has rank {len(w.shape)}", weight_port
        )
    elif w is not None and w.shape is not None:
        ctx.equal(x.shape[1], w.shape[0], DIM_MISMATCH, f"{port}[1] {weight_port}[0]")
    samples = (x.shape[0], *x.shape[2:])
    if y.shape is None:
        return samples
    if len(y.shape) != len(samples):
        message = (
            f"{ctx.spoken(target_port)} has rank {len(y.shape)}, it needs {len(samples)}: all axes but the classes"
        )
        ctx.fail(RANK_MISMATCH, message, f"{target_port} {port}")
    axes = (0, *range(2, len(x.shape)))
    pairs = enumerate(zip(axes, samples, y.shape))
    return tuple(ctx.equal(d, e, DIM_MISMATCH, f"{port}[{k}] {target_port}[{i}]") for i, (k, d, e) in pairs)
