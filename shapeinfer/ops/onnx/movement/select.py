"""OneHot, NonZero, Compress, Unique and NonMaxSuppression: data-dependent sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shapeinfer.diagnostics.codes import (
    INVALID_VALUE,
    LENGTH_MISMATCH,
)
from shapeinfer.dims import Dim, Size, at_least, equal, less_equal, maximum, minimum, product, text_of, total
from shapeinfer.facts import Contents, DType, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.algebra.reduction import is_set
from shapeinfer.shapes.contents import scalar, single
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import entries_at, numbers, positions, up_to
from shapeinfer.shapes.movement.selection import distinct, distinct_entries, non_zeros
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import of_rank

COUNTED = 8
"""Up to this many kept positions are counted one by one: each counts where the axis reaches it."""


@rule("OneHot", since=9)
def one_hot(ctx: Context, indices: Tensor, depth: Tensor, values: Tensor, *, axis: int = -1) -> Shape:
    """Add an axis of size ``depth``."""
    of_rank(ctx, values, 1, "values")
    if values.shape is not None:
        ctx.equal(
            values.shape[0],
            2,
            LENGTH_MISMATCH,
            "values[0]",
            f"values has {text_of(values.shape[0])} elements; expected 2",
        )
    classes = _depth(ctx, depth)
    k = ctx.axis(axis, indices.rank + 1, negative=True, at="indices")
    return (*indices.dims[:k], classes, *indices.dims[k:])


def _depth(ctx: Context, depth: Tensor) -> Size:
    """Return the number of classes; a fraction is cut off."""
    if depth.shape is not None:
        message = f"depth must have one element; it is {depth.text}"
        if equal(product(depth.shape), 1).is_no:
            ctx.fail(LENGTH_MISMATCH, message, "depth")
    known = depth.value[0] if depth.value else None
    size = int(known) if isinstance(known, float) and math.isfinite(known) else known
    if not isinstance(size, (int, Dim)):
        return ctx.fresh()
    message = f"depth is {text_of(size)}; it must be at least 1"
    return ctx.fresh() if ctx.require(at_least(size, 1), INVALID_VALUE, message, "depth").is_no else size


@contents("OneHot")
def marked(out: Tensor, indices: Tensor, depth: Tensor, values: Tensor, *, axis: int = -1) -> Contents | None:
    """Put the second value at each known index along the new axis, the first elsewhere."""
    return None if values.value is None else moves.one_hot(out, indices, values.value, axis % out.rank)


@rule("NonZero", since=9, unranked=2)
def non_zero(ctx: Context, x: Tensor) -> Tensor:
    """Return a column of coordinates for each element that is not zero."""
    return non_zeros(ctx, x, DType.INT64)


@rule("Compress", since=9)
def compress(ctx: Context, x: Tensor, condition: Tensor, *, axis: int | None = None) -> Shape:
    """Keep the positions where ``condition`` is true, along one axis or of all elements."""
    of_rank(ctx, condition, 1, "condition")
    if axis is None:
        return (_count_selected(ctx, product(x.dims) if x.shape is not None else None, condition),)
    k = ctx.axis(axis, x.rank, negative=True, at="x")
    return (*x.dims[:k], _count_selected(ctx, x.dims[k], condition), *x.dims[k + 1 :])


def _count_selected(ctx: Context, size: Size | None, condition: Tensor) -> Size:
    """Return how many positions of an axis are kept; entries of the condition beyond the axis are ignored."""
    most = [s for s in (size, condition.shape[0] if condition.shape is not None else None) if s is not None]
    flags = numbers(condition.value)
    if flags is None or size is None:
        return up_to(ctx, minimum(*most)) if most else ctx.fresh()
    if isinstance(size, int):
        return sum(flags[:size])
    last = max((i for i, flag in enumerate(flags) if flag), default=-1)
    if last < 0 or less_equal(last + 1, size).is_yes:
        return sum(flags)
    if sum(flags) > COUNTED:
        return up_to(ctx, minimum(size, sum(flags)))
    return total(minimum(1, maximum(0, size - i)) for i, flag in enumerate(flags) if flag)


@contents("Compress")
def compressed(out: Tensor, x: Tensor, condition: Tensor, *, axis: int | None = None) -> Contents | None:
    """Take the entries where the condition is known to be true."""
    flags = numbers(condition.value)
    if flags is None or x.value is None:
        return None
    at = positions(x).ravel() if axis is None else positions(x)
    k = 0 if axis is None else axis
    kept = [i for i, flag in enumerate(flags[: at.shape[k]]) if flag]
    return entries_at(x, np.take(at, np.array(kept, dtype=np.int64), k))


@rule("Unique", since=11, fold=True)
def unique(ctx: Context, x: Tensor, *, axis: int | None = None, sorted: int = 1) -> Sequence[Shape | Tensor]:
    """Keep one of each value or slice, with its first index, the way back and its count."""
    flat = axis is None or x.rank == 1
    known = distinct_entries(x, sort=is_set(sorted)) if flat else None
    if known is not None:
        return known
    if axis is not None:
        k = ctx.axis(axis, x.rank, negative=True, at="x")
        size = x.dims[k]
        count = distinct(ctx, x, size, k)
        return [(*x.dims[:k], count, *x.dims[k + 1 :]), (count,), (size,), (count,)]
    volume = product(x.dims) if x.shape is not None else ctx.fresh()
    count = distinct(ctx, x, volume, None)
    return [(count,), (count,), (volume,), (count,)]


@rule("NonMaxSuppression", since=10, unranked=2, fold=True)
def non_max_suppression(
    ctx: Context,
    boxes: Tensor,
    scores: Tensor,
    max_output_boxes_per_class: Tensor | None = None,
    iou_threshold: Tensor | None = None,
    score_threshold: Tensor | None = None,
) -> Shape:
    """Return batch, class and box of each box that is kept."""
    limits = {"max_output_boxes_per_class": max_output_boxes_per_class, "iou_threshold": iou_threshold}
    for name, limit in (limits | {"score_threshold": score_threshold}).items():
        if limit is not None:
            single(ctx, limit, name)
    overlap = iou_threshold.value[0] if iou_threshold is not None and iou_threshold.value else 0
    if isinstance(overlap, (int, float)) and not 0 <= overlap <= 1:
        ctx.report(INVALID_VALUE, f"iou_threshold is {overlap}; it must be between 0 and 1", "iou_threshold")
    axes = NamedAxes(ctx)
    axes.bind("corners", 4, "the number of coordinates per box")
    axes.read(boxes, "boxes", "N B corners")
    axes.read(scores, "scores", "N C B")
    if scores.shape is None:
        return ctx.fresh(), 3
    return _most(ctx, axes.shape("N C B"), max_output_boxes_per_class), 3


def _most(ctx: Context, found: Shape, limit: Tensor | None) -> Size:
    """Return an unknown number of boxes, of each class at most the limit, which is 0 where there is none."""
    batches, classes, count = found
    each = 0 if limit is None else scalar(ctx, limit)
    return up_to(ctx, product((batches, classes, maximum(0, minimum(count, each)))))
