"""Scaled dot-product attention."""

from __future__ import annotations

from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.algebra.linear import matrices, outer_axes, product_of
from shapeinfer.shapes.contents import single
from shapeinfer.shapes.elementwise.broadcast import Side, joined, onto, side
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
    scores = product_of(ctx, matrices(query.dims, "query"), matrices(key.dims, "key"), transposed=(False, True))
    if attention_mask is not None and not causal:
        scores = _masked(ctx, scores, attention_mask)
    return product_of(ctx, scores, matrices(value.dims, "value")).shape


def _masked(ctx: Context, scores: Side, mask: Tensor) -> Side:
    """Broadcast the mask onto the scores of all queries and keys; the axes before broadcast both ways."""
    if not mask.dims:
        return scores
    of_rank_at_least(ctx, mask, 2, "attention_mask")
    masks = side(mask.dims, "attention_mask")
    onto(ctx, _last(scores, "the scores"), _last(masks))
    outer = joined(ctx, [outer_axes(scores), outer_axes(masks)])
    return Side((*outer.shape[:-2], *scores.shape[-2:]), (*outer.places[:-2], *scores.places[-2:]), scores.ports)


def _last(one: Side, name: str = "") -> Side:
    """Return the matrices alone."""
    return Side(one.shape[-2:], one.places[-2:], one.ports, name)
