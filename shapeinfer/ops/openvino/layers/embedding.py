"""Bags of embeddings: sums or means of rows of a table."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Size
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, INDEX, NUMBERS, choice, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import only_entry
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import of_rank, of_rank_at_least

_REDUCED = 'reduction: string = "sum"'
_OFFSETS = "emb_table: T, indices: I, offsets: I, default_index?: I, per_sample_weights?: T"
_PACKED = "emb_table: T, indices: I, per_sample_weights?: T"
operator(f"EmbeddingBagOffsetsSum({_OFFSETS}) -> output: T", since=3, T=NUMBERS, I=INDEX)
operator(f"EmbeddingBagOffsets({_OFFSETS}; {_REDUCED}) -> output: T", since=15, T=NUMBERS, I=INDEX)
operator(f"EmbeddingBagPackedSum({_PACKED}) -> output: T", since=3, T=NUMBERS, I=INDEX)
operator(f"EmbeddingBagPacked({_PACKED}; {_REDUCED}) -> output: T", since=15, T=NUMBERS, I=INDEX)
operator(
    "EmbeddingSegmentsSum(emb_table: T, indices: I, segment_ids: I, num_segments: I, default_index?: I, "
    "per_sample_weights?: T) -> output: T",
    since=3,
    T=NUMBERS,
    I=INDEX,
)


@rule("EmbeddingBagOffsetsSum", domain=DOMAIN, since=3)
@rule("EmbeddingBagOffsets", domain=DOMAIN, since=15)
def bags_by_offset(
    ctx: Context,
    emb_table: Tensor,
    indices: Tensor,
    offsets: Tensor,
    default_index: Tensor | None = None,
    per_sample_weights: Tensor | None = None,
    *,
    reduction: str = "sum",
) -> Shape:
    """Return one row for each offset, where a bag of indices begins."""
    _check_reduction(ctx, reduction, per_sample_weights)
    axes = NamedAxes(ctx)
    axes.read(indices, "indices", "samples")
    axes.read(offsets, "offsets", "bags")
    axes.read(per_sample_weights, "per_sample_weights", "samples")
    _check_default(ctx, default_index)
    return _rows(ctx, emb_table, axes["bags"])


@rule("EmbeddingBagPackedSum", domain=DOMAIN, since=3)
@rule("EmbeddingBagPacked", domain=DOMAIN, since=15)
def packed_bags(
    ctx: Context,
    emb_table: Tensor,
    indices: Tensor,
    per_sample_weights: Tensor | None = None,
    *,
    reduction: str = "sum",
) -> Shape:
    """Return one row for each row of indices."""
    _check_reduction(ctx, reduction, per_sample_weights)
    axes = NamedAxes(ctx)
    axes.read(indices, "indices", "bags samples")
    axes.read(per_sample_weights, "per_sample_weights", "bags samples")
    return _rows(ctx, emb_table, axes["bags"])


@rule("EmbeddingSegmentsSum", domain=DOMAIN, since=3)
def segments(
    ctx: Context,
    emb_table: Tensor,
    indices: Tensor,
    segment_ids: Tensor,
    num_segments: Tensor,
    default_index: Tensor | None = None,
    per_sample_weights: Tensor | None = None,
) -> Shape:
    """Return one row per segment; each index has a segment id."""
    axes = NamedAxes(ctx)
    axes.read(indices, "indices", "samples")
    axes.read(segment_ids, "segment_ids", "samples")
    axes.read(per_sample_weights, "per_sample_weights", "samples")
    of_rank(ctx, num_segments, 0, "num_segments")
    _check_default(ctx, default_index)
    return _rows(ctx, emb_table, only_entry(ctx, num_segments, "num_segments", 0))


def _rows(ctx: Context, emb_table: Tensor, count: Size) -> Shape:
    of_rank_at_least(ctx, emb_table, 1, "emb_table")
    return count, *emb_table.dims[1:]


def _check_default(ctx: Context, default_index: Tensor | None) -> None:
    if default_index is not None:
        of_rank(ctx, default_index, 0, "default_index")


def _check_reduction(ctx: Context, reduction: str, weights: Tensor | None) -> None:
    if choice(ctx, "reduction", reduction, "sum mean") == "mean" and weights is not None:
        message = "reduction mean does not support per_sample_weights"
        ctx.report(INVALID_ATTRIBUTE, message, "per_sample_weights", detail=Detail("reduction"))
