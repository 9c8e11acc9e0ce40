"""Scaled dot-product attention."""

from __future__ import annotations

from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.broadcast import both_ways, onto
from shapeinfer.shapes.contents import single
from shapeinfer.shapes.linear import matmul
from shapeinfer.shapes.rank import of_rank_at_least

operator(
    "ScaledDotProductAttention(query: T, key: T, value: T, attention_mask?: M, scale?: T, sink?: T; causal: bool)"
    " -> output: T",
    since=13,
    T=FLOATS,
    M=f"{FLOATS} bool",
)


@rule("ScaledDotProductAttention", domain=DOMAIN, since=13)
def scaled_dot_product_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None = None,
    scale: Tensor | None = None,
    *,
    causal: bool,
) -> Shape:
    """Weigh ``value`` by how well its keys meet the queries; the axes before the last two broadcast.

    A mask may add to those axes too; where ``causal`` is set it is not read, and a scalar masks nothing.
    """
    for port, x in {"query": query, "key": key, "value": value}.items():
        of_rank_at_least(ctx, x, 3, port)
    if scale is not None:
        single(ctx, scale, "scale")
    scores = matmul(ctx, query.dims, key.dims, ("query", "key"), transposed=(False, True))
    if attention_mask is not None and not causal:
        scores = _masked(ctx, scores, attention_mask)
    return matmul(ctx, scores, value.dims, ("key", "value"))


def _masked(ctx: Context, scores: Shape, mask: Tensor) -> Shape:
    """Broadcast the mask onto the scores of all queries and keys; the axes before broadcast both ways."""
    if not mask.dims:
        return scores
    of_rank_at_least(ctx, mask, 2, "attention_mask")
    onto(ctx, scores[-2:], mask.dims[-2:], ("query", "attention_mask"))
    outer = both_ways(ctx, [(*scores[:-2], 1, 1), (*mask.dims[:-2], 1, 1)], ("query", "attention_mask"))
    return *outer[:-2], *scores[-2:]
