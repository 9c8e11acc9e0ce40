"""Bucketize and SearchSorted: where values belong among sorted ones."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH
from shapeinfer.facts import DType, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, INDEX, NUMBERS, element_type, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.rank import alike, of_rank, of_rank_at_least

operator(
    'Bucketize(data: T, buckets: B; output_type: element_type = "i64", with_right_bound: bool = True) -> output: I',
    since=3,
    T=NUMBERS,
    B=NUMBERS,
    I=INDEX,
)
operator(
    "SearchSorted(sorted_sequence: T, values: T; right_mode: bool = False, "
    'output_type: element_type = "i64") -> output: I',
    since=15,
    T=NUMBERS,
    I=INDEX,
)


@rule("Bucketize", domain=DOMAIN, since=3)
def bucketize(ctx: Context, data: Tensor, buckets: Tensor, *, output_type: DType = DType.INT64) -> Tensor:
    """Keep the shape; the bounds are a list."""
    of_rank(ctx, buckets, 1, "buckets")
    return tensor(element_type(ctx, "output_type", output_type, INDEX), data.shape)


@rule("SearchSorted", domain=DOMAIN, since=15)
def search_sorted(ctx: Context, sorted_sequence: Tensor, values: Tensor, *, output_type: DType = DType.INT64) -> Tensor:
    """Keep the shape of ``values``, which are looked for in one list, or in as many as they have rows."""
    dtype = element_type(ctx, "output_type", output_type, INDEX)
    of_rank_at_least(ctx, sorted_sequence, 1, "sorted_sequence")
    shape = values.shape
    if sorted_sequence.shape is None or len(sorted_sequence.shape) == 1:
        return tensor(dtype, shape)
    alike(ctx, sorted_sequence, values, "sorted_sequence values")
    rows = sorted_sequence.shape[:-1]
    if shape is None:
        return tensor(dtype, (*rows, ctx.fresh()))
    at = "sorted_sequence[{0}] values[{0}]"
    agreed = (ctx.equal(a, b, DIM_MISMATCH, at.format(i)) for i, (a, b) in enumerate(zip(rows, shape)))
    return tensor(dtype, (*agreed, shape[-1]))
