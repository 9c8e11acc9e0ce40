"""Attention, its linear kin, and rotary position embeddings."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    MISSING_ATTRIBUTE,
    MISSING_INPUT,
    NOT_BROADCASTABLE,
    NOT_DIVISIBLE,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AnyOf, AtMost, Condition, Divides, Equal, Size, add, exact_div, mul, text_of
from shapeinfer.facts import Fact, Shape, Tensor, UnknownRank, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

SCORES = "batch q_heads queries total"


@rule("Attention", since=23, unranked=[None, 4, 4, 4])
def attention(
    ctx: Context,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    nonpad_kv_seqlen: Tensor | None = None,
    *,
    q_num_heads: int | None = None,
    kv_num_heads: int | None = None,
) -> list[Shape]:
    """Weigh ``v`` by how well its keys meet the queries; the present keys and values are the past ones and these."""
    axes = NamedAxes(ctx)
    packed = _rank(ctx, q, k, v) == 3
    if ctx.version >= 25:
        _check_caches(ctx, past_key, nonpad_kv_seqlen)
        if not packed and (q_num_heads is not None or kv_num_heads is not None):
            message = "inputs of rank 4 have an axis of heads; remove the attributes q_num_heads and kv_num_heads"
            ctx.report(CONFLICTING_ARGUMENTS, message, "q", detail=Detail("q_num_heads"))
    if packed:
        _read_packed(ctx, axes, (q, k, v), q_num_heads, kv_num_heads)
    else:
        _read_by_head(axes, q, k, v, ctx)
    _read_past(ctx, axes, past_key, past_value)
    axes.read(nonpad_kv_seqlen, "nonpad_kv_seqlen", "batch")
    _check_mask(ctx, axes, attn_mask)
    present = [axes.shape("batch kv_heads total head"), axes.shape("batch kv_heads total v_head")]
    if packed:
        return [(*axes.shape("batch queries"), mul(axes["q_heads"], axes["v_head"])), *present, axes.shape(SCORES)]
    return [axes.shape("batch q_heads queries v_head"), *present, axes.shape(SCORES)]


def _check_caches(ctx: Context, past_key: Tensor | None, nonpad_kv_seqlen: Tensor | None) -> None:
    """Require both present outputs or none, and no cache of the operator's beside lengths in one of the caller's."""
    present = [i < len(ctx.named) and ctx.named[i] for i in (1, 2)]
    if present[0] is not present[1]:
        ctx.report(CONFLICTING_ARGUMENTS, "present_key and present_value require each other; name both or none")
    if nonpad_kv_seqlen is not None and (past_key is not None or any(present)):
        message = "nonpad_kv_seqlen excludes past_key, past_value, present_key and present_value"
        ctx.report(CONFLICTING_ARGUMENTS, message, "nonpad_kv_seqlen")


def _rank(ctx: Context, *inputs: Tensor) -> int:
    """Return the rank that queries, keys and values share: 3 with the heads in the last axis, or 4."""
    ranks = [x.rank for x in inputs if x.shape is not None]
    if not ranks:
        raise UnknownRank
    if len(set(ranks)) > 1 or ranks[0] not in (3, 4):
        spoken = " and ".join(map(str, ranks))
        ctx.fail(
            RANK_MISMATCH, f"queries, keys and values have rank {spoken}; all must have rank 3 or all rank 4", "q k v"
        )
    return ranks[0]


def _read_by_head(axes: NamedAxes, q: Tensor, k: Tensor, v: Tensor, ctx: Context) -> None:
    axes.read(q, "q", "batch q_heads queries head")
    axes.read(k, "k", "batch kv_heads keys head")
    axes.read(v, "v", "batch kv_heads keys v_head")
    _check_groups(ctx, axes)


def _read_packed(
    ctx: Context,
    axes: NamedAxes,
    inputs: tuple[Tensor, Tensor, Tensor],
    q_heads: int | None,
    kv_heads: int | None,
) -> None:
    for name, heads in (("q", q_heads), ("kv", kv_heads)):
        if heads is None:
            ctx.fail(
                MISSING_ATTRIBUTE,
                f"inputs of rank 3 require the attribute {name}_num_heads",
                detail=Detail(f"{name}_num_heads"),
            )
        _bind_heads(ctx, axes, name, heads)
    _check_groups(ctx, axes)
    q, k, v = inputs
    _unpack(ctx, axes, q, "q", "batch queries _", "q_heads", "head")
    _unpack(ctx, axes, k, "k", "batch keys _", "kv_heads", "head")
    _unpack(ctx, axes, v, "v", "batch keys _", "kv_heads", "v_head")


def _bind_heads(ctx: Context, axes: NamedAxes, name: str, heads: int) -> None:
    if heads < 1:
        ctx.fail(
            INVALID_ATTRIBUTE, f"{name}_num_heads is {heads}; it must be at least 1", detail=Detail(f"{name}_num_heads")
        )
    axes.bind(f"{name}_heads", heads, f"{name}_num_heads")


def _unpack(ctx: Context, axes: NamedAxes, x: Tensor, port: str, names: str, heads: str, head: str) -> None:
    """Read an operand whose last axis packs all heads; ``heads`` names their number."""
    axes.read(x, port, names)
    if x.shape is None:
        return
    number, hidden = axes[heads], x.shape[-1]
    here = f"axis 2 of {ctx.port_name(port)}"
    message = f"{here} is {text_of(hidden)}, which is not divisible by {text_of(number)} heads"
    if not ctx.require(Divides(number, hidden), NOT_DIVISIBLE, message, f"{port}[2]").is_no:
        axes.bind_size(head, exact_div(hidden, number), f"the head size of {ctx.port_name(port)}", f"{port}[2]")


def _check_groups(ctx: Context, axes: NamedAxes, ports: str = "q k") -> None:
    q_heads, kv_heads = axes.known("q_heads"), axes.known("kv_heads")
    if q_heads is not None and kv_heads is not None:
        message = f"{text_of(q_heads)} query heads are not divisible by {text_of(kv_heads)} key heads"
        ctx.require(Divides(kv_heads, q_heads), NOT_DIVISIBLE, message, axes.places("q_heads kv_heads") or ports)


def _read_past(ctx: Context, axes: NamedAxes, past_key: Tensor | None, past_value: Tensor | None) -> None:
    if (past_key is None) is not (past_value is None):
        ctx.fail(MISSING_INPUT, "past_key and past_value require each other", "past_key past_value")
    axes.read(past_key, "past_key", "batch kv_heads past head")
    axes.read(past_value, "past_value", "batch kv_heads past v_head")
    past = 0 if past_key is None else axes["past"]
    axes.bind("total", add(past, axes["keys"]), "the total sequence length", "past keys")


def _check_mask(ctx: Context, axes: NamedAxes, mask: Tensor | None) -> None:
    """Check that the mask broadcasts onto the scores; from opset 24 it may be short of keys."""
    if mask is None or mask.shape is None:
        return
    name = ctx.port_name("attn_mask")
    scores = axes.shape(SCORES)
    if len(mask.shape) > len(scores):
        ctx.report(RANK_MISMATCH, f"{name} has rank {len(mask.shape)}; the scores have rank 4", "attn_mask")
        return
    for axis in range(-len(mask.shape), 0):
        size, target = mask.shape[axis], scores[axis]
        short = axis == -1 and ctx.version >= 24
        message = (
            f"axis {axis} of {name} is {text_of(size)} but axis {axis} of the scores is {text_of(target)}; "
            f"it must be {'at most ' if short else ''}{' or '.join(dict.fromkeys((text_of(target), '1')))}"
        )
        fits: Condition = AtMost(size, target) if short else Equal(size, target)
        at = f"attn_mask[{axis}] {axes.places(SCORES.split()[axis])}"
        ctx.require(
            AnyOf((fits, Equal(size, 1))), NOT_BROADCASTABLE, message, at, Detail(output_axis=axis + len(scores))
        )


@rule("FlexAttention", since=1, domain="ai.onnx.preview", unranked=4)
def flex_attention(ctx: Context, q: Tensor, k: Tensor, v: Tensor) -> Shape:
    """Weigh ``v`` by scores that subgraphs may change, which keep their shape."""
    axes = NamedAxes(ctx)
    _read_by_head(axes, q, k, v, ctx)
    return axes.shape("batch q_heads queries v_head")


@rule("LinearAttention", since=27, unranked=[3, 4])
def linear_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    past_state: Tensor | None = None,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    update_rule: str = "gated_delta",
) -> list[Shape | Fact]:
    """Answer queries from a recurrent state, which keys and values update step by step."""
    for part, name, x in (("gated", "decay", decay), ("delta", "beta", beta)):
        needed = part in update_rule.split("_")
        if needed and x is None:
            message = f"update_rule {update_rule} requires the input {name}"
            ctx.report(MISSING_INPUT, message, name)
        elif x is not None and not needed:
            ctx.report(CONFLICTING_ARGUMENTS, f"update_rule {update_rule} does not use {name}; remove it", name)
    axes = NamedAxes(ctx)
    _bind_heads(ctx, axes, "q", q_num_heads)
    _bind_heads(ctx, axes, "kv", kv_num_heads)
    _check_groups(ctx, axes, "query key")
    _unpack(ctx, axes, query, "query", "batch steps _", "q_heads", "head")
    _unpack(ctx, axes, key, "key", "batch steps _", "kv_heads", "head")
    _unpack(ctx, axes, value, "value", "batch steps _", "kv_heads", "v_head")
    axes.read(past_state, "past_state", "batch kv_heads head v_head")
    axes.read(decay, "decay", "batch steps _")
    axes.read(beta, "beta", "batch steps _")
    _of_width(ctx, decay, "decay", (kv_num_heads, mul(kv_num_heads, axes["head"])))
    _of_width(ctx, beta, "beta", (1, kv_num_heads))
    out = (*axes.shape("batch steps"), mul(axes["q_heads"], axes["v_head"]))
    dtype = query.dtype if past_state is None else past_state.dtype
    return [out, tensor(dtype, axes.shape("batch kv_heads head v_head"))]


def _of_width(ctx: Context, x: Tensor | None, name: str, widths: tuple[Size, Size]) -> None:
    """Require that the last axis has one of two sizes."""
    if x is not None and x.shape is not None:
        last, (one, other) = x.dims[-1], widths
        message = f"the last axis of {name} is {text_of(last)}; it must be {text_of(one)} or {text_of(other)}"
        ctx.require(AnyOf((Equal(last, one), Equal(last, other))), DIM_MISMATCH, message, f"{name}[-1]")


@rule("RotaryEmbedding", since=23)
def rotary_embedding(
    ctx: Context,
    x: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    position_ids: Tensor | None = None,
    *,
    num_heads: int | None = None,
    rotary_embedding_dim: int = 0,
) -> Shape:
    """Keep the shape; the caches hold half a head, or half of the rotary dim of it."""
    axes = NamedAxes(ctx)
    head = _read_rotated(ctx, axes, x, num_heads)
    half = rotary_embedding_dim or head
    if half is not None:
        message = f"the rotary dim is {text_of(half)}; it must be even"
        if not ctx.require(Divides(2, half), NOT_DIVISIBLE, message, "x").is_no:
            axes.bind("half", exact_div(half, 2), "half of the rotary dim", "" if rotary_embedding_dim else "head")
    cache = "batch steps half" if position_ids is None else "positions half"
    axes.read(position_ids, "position_ids", "batch steps")
    axes.read(cos_cache, "cos_cache", cache)
    axes.read(sin_cache, "sin_cache", cache)
    return x.dims


def _read_rotated(ctx: Context, axes: NamedAxes, x: Tensor, num_heads: int | None) -> Size | None:
    """Return the size of a head: the last axis, or a part of it where it holds all heads."""
    if x.shape is None:
        return None
    if len(x.shape) != 3:
        axes.read(x, "x", "batch heads steps head")
        return axes["head"]
    if not num_heads:
        ctx.fail(
            MISSING_ATTRIBUTE, "an input of rank 3 requires the attribute num_heads", "x", detail=Detail("num_heads")
        )
    axes.bind("heads", num_heads, "num_heads")
    _unpack(ctx, axes, x, "x", "batch steps _", "heads", "head")
    return axes.known("head")
