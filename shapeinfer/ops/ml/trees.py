"""Ensembles of decision trees."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import RANK_MISMATCH
from shapeinfer.dims import Size
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.ml.linear import DOMAIN, chosen
from shapeinfer.ops.registry import Output, rule
from shapeinfer.shapes.rows import positive, rows


@rule("TreeEnsembleRegressor", domain=DOMAIN)
def tree_regressor(ctx: Context, x: Tensor, *, n_targets: int | None = None) -> Shape:
    """Give each row one value for each target."""
    count, _ = rows(ctx, x, "x")
    return count, ctx.fresh() if n_targets is None else positive(ctx, n_targets, "n_targets")


@rule("TreeEnsembleClassifier", domain=DOMAIN)
def tree_classifier(
    ctx: Context,
    x: Tensor,
    *,
    classlabels_int64s: Sequence[int] = (),
    classlabels_strings: Sequence[str] = (),
) -> list[Output]:
    """Give each row a label, and a score for each class."""
    count, _ = rows(ctx, x, "x")
    classes: Size = len(classlabels_int64s) or len(classlabels_strings) or ctx.fresh()
    return [chosen(count, classlabels_strings), (count, classes)]


@rule("TreeEnsemble", since=5, domain=DOMAIN, unranked=2)
def tree_ensemble(ctx: Context, x: Tensor, *, n_targets: int | None = None) -> Shape:
    """Give each row one value for each target; the rows must lie in a matrix."""
    if x.rank != 2:
        ctx.fail(RANK_MISMATCH, f"X must have two axes, not {x.rank}", "x")
    return x.dims[0], ctx.fresh() if n_targets is None else positive(ctx, n_targets, "n_targets")
