"""Losses of classifiers."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, RANK_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.facts import Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

REDUCTIONS = ("none", "sum", "mean")


@rule("NegativeLogLikelihoodLoss", since=12)
def negative_log_likelihood(
    ctx: Context, input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean"
) -> Shape:
    """Return a loss for each target, or with a reduction one for all."""
    samples = _samples(ctx, ("input", input), ("target", target), ("weight", weight))
    return _loss(ctx, samples, reduction)


@rule("SoftmaxCrossEntropyLoss", since=12)
def softmax_cross_entropy(
    ctx: Context, scores: Tensor, labels: Tensor, weights: Tensor | None = None, *, reduction: str = "mean"
) -> list[Shape | None]:
    """Return a loss for each label, or with a reduction one for all, and the logarithms of the probabilities."""
    samples = _samples(ctx, ("scores", scores), ("labels", labels), ("weights", weights))
    if samples is None and reduction == "none":
        return [None, scores.shape]
    return [_loss(ctx, samples, reduction), scores.shape]


def _loss(ctx: Context, samples: Shape | None, reduction: str) -> Shape:
    if reduction not in REDUCTIONS:
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"reduction is {reduction!r}; it must be one of {', '.join(REDUCTIONS)}",
            detail=Detail("reduction", allowed=tuple(REDUCTIONS)),
        )
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
        message = f"{ctx.port_name(port)} must have rank 2 or more (batch and classes); it has rank {len(x.shape)}"
        ctx.fail(RANK_MISMATCH, message, port)
    places = "".join(f" place{i}" for i in range(2, len(x.shape)))
    axes = NamedAxes(ctx)
    axes.read(x, port, f"batch classes{places}")
    axes.read(y, target_port, f"batch{places}")
    axes.read(w, weight_port, "classes")
    return axes.shape(f"batch{places}")
