"""Linear models and support vector machines."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.dims import Size
from shapeinfer.facts import DType, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import Output, rule
from shapeinfer.shapes.rows import covered, fits, one_of, positive, rows

DOMAIN = "ai.onnx.ml"


@rule("LinearRegressor", domain=DOMAIN)
def linear_regressor(ctx: Context, x: Tensor, *, targets: int = 1, coefficients: Sequence[float] = ()) -> Shape:
    """Return one value per row and target."""
    count, features = rows(ctx, x, "x")
    if coefficients:
        covered(ctx, features, targets, len(coefficients), "x")
    return count, positive(ctx, targets, "targets")


@rule("LinearClassifier", domain=DOMAIN)
def linear_classifier(
    ctx: Context,
    x: Tensor,
    *,
    coefficients: Sequence[float],
    intercepts: Sequence[float] = (),
    classlabels_ints: Sequence[int] = (),
    classlabels_strings: Sequence[str] = (),
) -> list[Output]:
    """Return a label per row, and a score per row and class; one intercept decides between two classes."""
    count, features = rows(ctx, x, "x")
    one_of(ctx, {"classlabels_ints": classlabels_ints, "classlabels_strings": classlabels_strings}, required=False)
    if intercepts:
        covered(ctx, features, len(intercepts), len(coefficients), "x")
    scores: Size = len(intercepts) or ctx.fresh(1)
    if scores == 1 and (classlabels_ints or classlabels_strings):
        scores = 2
    return [chosen(count, classlabels_strings), (count, scores)]


@rule("SVMRegressor", domain=DOMAIN)
def svm_regressor(
    ctx: Context,
    x: Tensor,
    *,
    n_supports: int = 0,
    support_vectors: Sequence[float] = (),
    coefficients: Sequence[float] = (),
) -> Shape:
    """Return one value per row."""
    count, features = rows(ctx, x, "x")
    if n_supports > 0 and support_vectors:
        fits(ctx, features, len(support_vectors) // n_supports, "x")
    elif coefficients and not n_supports:
        fits(ctx, features, len(coefficients), "x")
    return count, 1


@rule("SVMClassifier", domain=DOMAIN)
def svm_classifier(
    ctx: Context,
    x: Tensor,
    *,
    classlabels_ints: Sequence[int] = (),
    classlabels_strings: Sequence[str] = (),
    vectors_per_class: Sequence[int] = (),
    support_vectors: Sequence[float] = (),
    coefficients: Sequence[float] = (),
    prob_a: Sequence[float] = (),
) -> list[Output]:
    """Return a label per row, and scores: one per class, or per pair of classes without probabilities."""
    count, features = rows(ctx, x, "x")
    classes = len(classlabels_ints) or len(classlabels_strings)
    if sum(vectors_per_class) > 0 and support_vectors:
        fits(ctx, features, len(support_vectors) // sum(vectors_per_class), "x")
    elif coefficients and classes and not vectors_per_class:
        fits(ctx, features, len(coefficients) // classes, "x")
    scores: Size = classes
    if vectors_per_class and not prob_a:
        scores = 2 if classes <= 2 else classes * (classes - 1) // 2
    return [chosen(count, classlabels_strings), (count, scores if classes else ctx.fresh())]


def chosen(count: Size, strings: Sequence[str]) -> Tensor:
    """Return the labels that a classifier chose: of strings where those are its classes, of integers otherwise."""
    return tensor(DType.STRING if strings else DType.INT64, (count,))
