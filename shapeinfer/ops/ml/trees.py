"""Ensembles of decision trees."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    ELEMENT_TYPE_MISMATCH,
    INDEX_OUT_OF_RANGE,
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
    MISSING_ATTRIBUTE,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AtMost, Size, text_of
from shapeinfer.facts import DType, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.ml.linear import DOMAIN, chosen
from shapeinfer.ops.registry import Output, rule
from shapeinfer.shapes.rows import positive, rows

MOST_MODE = 6
"""The greatest code of a comparison, set membership."""


@rule("TreeEnsembleRegressor", domain=DOMAIN)
def tree_regressor(
    ctx: Context,
    x: Tensor,
    *,
    n_targets: int | None = None,
    nodes_featureids: Sequence[int] = (),
    nodes_modes: Sequence[str] = (),
    target_ids: Sequence[int] = (),
    base_values: Sequence[float] = (),
    base_values_as_tensor: Tensor | None = None,
    nodes_values_as_tensor: Tensor | None = None,
    target_weights_as_tensor: Tensor | None = None,
) -> Shape:
    """Return one value per row and target."""
    count, features = rows(ctx, x, "x")
    _check_features(ctx, features, nodes_featureids, nodes_modes)
    _as_wide(ctx, x, "base_values_as_tensor", base_values_as_tensor)
    _as_wide(ctx, x, "nodes_values_as_tensor", nodes_values_as_tensor)
    _as_wide(ctx, x, "target_weights_as_tensor", target_weights_as_tensor)
    if n_targets is not None and base_values and len(base_values) != n_targets:
        message = f"base_values has {len(base_values)} entries; it must have {n_targets}, one per target, or none"
        ctx.report(LENGTH_MISMATCH, message, detail=Detail("base_values"))
    if n_targets is not None and max(target_ids, default=-1) >= n_targets > 0:
        message = f"target_ids has {max(target_ids)}; there are {n_targets} targets"
        ctx.report(INDEX_OUT_OF_RANGE, message, detail=Detail("target_ids"))
    return count, ctx.fresh() if n_targets is None else positive(ctx, n_targets, "n_targets")


@rule("TreeEnsembleClassifier", domain=DOMAIN)
def tree_classifier(
    ctx: Context,
    x: Tensor,
    *,
    classlabels_int64s: Sequence[int] = (),
    classlabels_strings: Sequence[str] = (),
    nodes_featureids: Sequence[int] = (),
    nodes_modes: Sequence[str] = (),
    base_values_as_tensor: Tensor | None = None,
    class_weights_as_tensor: Tensor | None = None,
    nodes_values_as_tensor: Tensor | None = None,
) -> list[Output]:
    """Return a label per row, and a score per row and class."""
    _as_wide(ctx, x, "base_values_as_tensor", base_values_as_tensor)
    _as_wide(ctx, x, "class_weights_as_tensor", class_weights_as_tensor)
    _as_wide(ctx, x, "nodes_values_as_tensor", nodes_values_as_tensor)
    count, features = rows(ctx, x, "x")
    _check_features(ctx, features, nodes_featureids, nodes_modes)
    if not classlabels_int64s and not classlabels_strings:
        message = "one of the attributes classlabels_int64s, classlabels_strings is required"
        ctx.report(MISSING_ATTRIBUTE, message, detail=Detail("classlabels_int64s"))
    classes: Size = len(classlabels_int64s) or len(classlabels_strings) or ctx.fresh()
    return [chosen(count, classlabels_strings), (count, classes)]


@rule("TreeEnsemble", since=5, domain=DOMAIN, unranked=2)
def tree_ensemble(
    ctx: Context,
    x: Tensor,
    *,
    n_targets: int | None = None,
    nodes_splits: Tensor,
    nodes_modes: Tensor,
    leaf_weights: Tensor,
    nodes_hitrates: Tensor | None = None,
    membership_values: Tensor | None = None,
) -> Shape:
    """Return one value per row and target; the rows must be a matrix."""
    _check_list(ctx, nodes_splits, "nodes_splits", x.dtype)
    _check_list(ctx, leaf_weights, "leaf_weights", x.dtype)
    _check_list(ctx, nodes_modes, "nodes_modes", DType.UINT8)
    _check_list(ctx, nodes_hitrates, "nodes_hitrates", x.dtype if x.dtype is DType.FLOAT else DType.UNDEFINED)
    _of_type(ctx, membership_values, "membership_values", x.dtype)
    for mode in nodes_modes.value or ():
        if isinstance(mode, int) and mode > MOST_MODE:
            message = f"nodes_modes has {mode}; it must be a list of 0 to {MOST_MODE}"
            ctx.report(INVALID_ATTRIBUTE, message, detail=Detail("nodes_modes"))
            break
    if x.rank != 2:
        ctx.fail(RANK_MISMATCH, f"X must have rank 2; it has rank {x.rank}", "x")
    return x.dims[0], ctx.fresh() if n_targets is None else positive(ctx, n_targets, "n_targets")


def _as_wide(ctx: Context, x: Tensor, name: str, listed: Tensor | None) -> None:
    """Require that a tensor of numbers is as wide as the rows: doubles for doubles, floats for anything else."""
    if x.dtype:
        _of_type(ctx, listed, name, DType.DOUBLE if x.dtype is DType.DOUBLE else DType.FLOAT)


def _check_features(ctx: Context, features: Size, indices: Sequence[int], modes: Sequence[str]) -> None:
    """Require that the rows have every feature that a node compares; leaves compare none."""
    compared = [i for i, mode in zip(indices, modes) if mode != "LEAF"]
    if not compared:
        return
    last = max(compared)
    message = f"X has {text_of(features)} features; a node compares feature {last}"
    ctx.require(AtMost(last + 1, features), INDEX_OUT_OF_RANGE, message, "x", detail=Detail("nodes_featureids"))


def _check_list(ctx: Context, listed: Tensor | None, name: str, dtype: DType = DType.UNDEFINED) -> None:
    """Require that an attribute is a list, of an element type if there is one it must have."""
    if listed is not None and listed.shape is not None and len(listed.shape) != 1:
        ctx.report(RANK_MISMATCH, f"{name} must have rank 1; it has rank {len(listed.shape)}", detail=Detail(name))
    _of_type(ctx, listed, name, dtype)


def _of_type(ctx: Context, listed: Tensor | None, name: str, dtype: DType) -> None:
    if listed is not None and dtype and listed.dtype is not dtype:
        message = f"{name} is {listed.dtype.spelled}; it must be {dtype.spelled}"
        ctx.report(ELEMENT_TYPE_MISMATCH, message, detail=Detail(name, allowed=(dtype.spelled,)))
