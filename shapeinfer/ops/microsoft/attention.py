"""Attention of transformers, with its projections or without."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
    NOT_DIVISIBLE,
    TOO_FEW_ELEMENTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import (
    AllOf,
    AnyOf,
    AtMost,
    Divides,
    Equal,
    Size,
    at_least,
    exact_div,
    has_fresh_symbol,
    maximum,
    mul,
    product,
    text_of,
)
from shapeinfer.facts import Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.operands import absent, one_entry, one_of, required, together
from shapeinfer.ops.microsoft.schema import BYTES, DOMAIN, FLOATS, HALF_OR_SINGLE, contrib
from shapeinfer.ops.registry import Output, rule
from shapeinfer.shapes.contents import scalar
from shapeinfer.shapes.named import NamedAxes

contrib(
    "Attention(input: T, weights: T, bias?: T, mask_index?: int32, past?: T, attention_bias?: T, "
    "past_sequence_length?: int32; do_rotary?: int, mask_filter_value?: float, num_heads: int, "
    "past_present_share_buffer?: int, qkv_hidden_sizes?: ints, rotary_embedding_dim?: int, scale?: float, "
    "unidirectional: int = 0) -> output: T, present?: T",
    T=FLOATS,
)


@rule("Attention", domain=DOMAIN, unranked=[3, 5])
def attention(
    ctx: Context,
    input: Tensor,
    weights: Tensor,
    bias: Tensor | None = None,
    mask_index: Tensor | None = None,
    past: Tensor | None = None,
    *,
    num_heads: int,
    qkv_hidden_sizes: Sequence[int] = (),
    past_present_share_buffer: int = 0,
) -> list[Shape]:
    """Project the input to queries, keys and values, and attend; present is the past with the new."""
    require_positive(ctx, num_heads, "num_heads")
    axes = NamedAxes(ctx)
    axes.read(input, "input", "batch steps features")
    hidden = merged(ctx, axes, weights, bias, num_heads, qkv_hidden_sizes)
    head = exact_div(hidden, num_heads)
    if past is not None:
        stacked(ctx, axes, past, num_heads, head)
    steps = axes["past"] + axes["steps"] if past is not None else axes["steps"]
    if past_present_share_buffer and past is not None:
        steps = axes["past"]
    elif mask_index is not None:
        axes.bind("total", steps, "the number of all tokens", "past steps")
        read_mask(ctx, axes, mask_index)
    return [(*axes.shape("batch steps"), hidden), (2, axes["batch"], num_heads, steps, head)]


def merged(
    ctx: Context, axes: NamedAxes, weights: Tensor, bias: Tensor | None, num_heads: int, sizes: Sequence[int]
) -> Size:
    """Read the weights of queries, keys and values side by side, and return the values' part."""
    if sizes and len(sizes) != 3:
        ctx.fail(LENGTH_MISMATCH, f"qkv_hidden_sizes has {len(sizes)} entries; expected 3")
    if sizes:
        axes.bind("columns", sum(sizes), "the sum of qkv_hidden_sizes")
    axes.read(weights, "weights", "features columns")
    axes.read(bias, "bias", "columns")
    columns = axes.known("columns")
    if columns is None:
        return mul(ctx.fresh(), num_heads)
    parts = sizes or (divided(ctx, columns, 3, "the width of weights", "weights[1]"),)
    for part in parts:
        divided(ctx, part, num_heads, "the hidden size", "weights[1]")
    return parts[-1]


def stacked(ctx: Context, axes: NamedAxes, past: Tensor, num_heads: int, head: Size) -> None:
    """Read the keys and values so far, which are stacked."""
    axes.bind("two", 2, "the number of key and value")
    axes.bind("heads", num_heads, "num_heads")
    axes.bind("head", head, "the size of a head")
    axes.read(past, "past", "two batch heads past head")


def read_mask(ctx: Context, axes: NamedAxes, mask: Tensor) -> None:
    """Read a mask over all tokens, of each sequence or each of its steps; other ranks hold other things."""
    if mask.shape is None:
        return
    if mask.rank == 3:
        axes.read(mask, "mask_index", "batch steps total")
    elif mask.rank == 2:
        rows, columns = mask.dims
        whole = AllOf((Equal(rows, axes["batch"]), Equal(columns, axes["total"])))
        expected = ", ".join(text_of(d) for d in axes.shape("batch total"))
        message = f"mask_index is {mask.text}; it must be [{expected}], or have one column to mask nothing"
        ctx.require(AnyOf((whole, Equal(columns, 1))), DIM_MISMATCH, message, "mask_index")


def require_positive(ctx: Context, number: int, name: str) -> None:
    """Refuse a number below 1."""
    if number < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"{name} is {number}; it must be positive", detail=Detail(name))


def divided(ctx: Context, size: Size, by: int, what: str, at: str) -> Size:
    """Return a size divided by a number, which must divide it."""
    ctx.require(Divides(by, size), NOT_DIVISIBLE, f"{what} is {text_of(size)}, which is not divisible by {by}", at)
    return exact_div(size, by)


contrib(
    "GroupQueryAttention(query: T, key?: T, value?: T, past_key?: T_CACHE, past_value?: T_CACHE, seqlens_k: int32, "
    "total_sequence_length: int32, cos_cache?: T, sin_cache?: T, position_ids?: int64, attention_bias?: T, head_sink?: "
    "T, k_scale?: float, v_scale?: float, q_norm_weight?: T, k_norm_weight?: T, query_seqlens?: int32; causal: int = "
    '1, do_rotary?: int, k_norm_epsilon?: float, k_quant_type: string = "NONE", kv_cache_bit_width?: int, '
    "kv_num_heads: int, local_window_size: int = -1, num_heads: int, q_norm_epsilon?: float, qk_norm_epsilon: float = "
    "1e-06, qk_output: int = 0, rotary_interleaved?: int, scale?: float, sliding_window_cache: int = 0, "
    'smooth_softmax: int = -1, softcap?: float, v_quant_type: string = "NONE") -> output: T, present_key?: T_CACHE, '
    "present_value?: T_CACHE, output_qk?: T",
    T=FLOATS,
    T_CACHE="float float16 bfloat16 uint8 int8 float8e4m3fn",
)


@rule("GroupQueryAttention", domain=DOMAIN, unranked=[3, 4, 4, 4])
def group_query_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    past_key: Tensor | None,
    past_value: Tensor | None,
    seqlens_k: Tensor,
    total_sequence_length: Tensor,
    cos_cache: Tensor | None = None,
    sin_cache: Tensor | None = None,
    position_ids: Tensor | None = None,
    attention_bias: Tensor | None = None,
    head_sink: Tensor | None = None,
    k_scale: Tensor | None = None,
    v_scale: Tensor | None = None,
    q_norm_weight: Tensor | None = None,
    k_norm_weight: Tensor | None = None,
    query_seqlens: Tensor | None = None,
    *,
    num_heads: int,
    kv_num_heads: int,
    causal: int = 1,
    do_rotary: int = 0,
    kv_cache_bit_width: int = 0,
    local_window_size: int = -1,
    qk_output: int = 0,
    sliding_window_cache: int = 0,
) -> list[Output]:
    """Attend with fewer heads of keys and values than of queries; present holds all keys, or fills a buffer."""
    axes = heads(ctx, num_heads)
    share_heads(ctx, num_heads, kv_num_heads)
    if qk_output and ctx.outputs < 4:
        message = f"qk_output is {qk_output}, but the node has no output output_qk"
        ctx.report(CONFLICTING_ARGUMENTS, message, detail=Detail("qk_output"))
    if causal == 0:
        _check_bidirectional(ctx, local_window_size, query_seqlens)
    together(ctx, key=key, value=value)
    together(ctx, past_key=past_key, past_value=past_value)
    together(ctx, cos_cache=cos_cache, sin_cache=sin_cache)
    together(ctx, q_norm_weight=q_norm_weight, k_norm_weight=k_norm_weight)
    if do_rotary:
        required(ctx, cos_cache, "cos_cache", "do_rotary is 1")
    if query_seqlens is not None:
        required(ctx, past_key, "past_key", "query_seqlens is present")

    axes.bind("kv_heads", kv_num_heads, "kv_num_heads")
    axes.read(query, "query", "batch steps width")
    if seqlens_k.shape is not None:
        # Exporters keep an axis of size 1, which the runtime allows.
        message = f"seqlens_k has {text_of(product(seqlens_k.shape))} entries for {text_of(axes['batch'])} sequences"
        ctx.equal(axes["batch"], product(seqlens_k.shape), DIM_MISMATCH, "query[0] seqlens_k", message)
    parts = num_heads + 2 * kv_num_heads if key is None else num_heads
    width = axes.known("width")
    head = ctx.fresh() if width is None else divided(ctx, width, parts, "the width of query", "query[2]")
    message = f"the size of a head is {text_of(head)}; it must be a multiple of 8"
    ctx.require(Divides(8, head), NOT_DIVISIBLE, message, "query[2]")
    axes.bind("whole_head", head, "the size of a head", "width")
    if kv_cache_bit_width != 4:
        axes.bind("head", head, "the size of a head")
    axes.bind("kv_width", mul(head, kv_num_heads), "kv_num_heads times the size of a head", "width")
    keys = "steps" if past_key is None else "keys"
    axes.read(key, "key", f"batch {keys} kv_width")
    axes.read(value, "value", f"batch {keys} kv_width")
    axes.read(past_key, "past_key", "batch kv_heads past head")
    axes.read(past_value, "past_value", "batch kv_heads past head")
    axes.read(cos_cache, "cos_cache", "positions half")
    axes.read(sin_cache, "sin_cache", "positions half")
    axes.read(position_ids, "position_ids", "batch steps")
    axes.read(head_sink, "head_sink", "heads")
    axes.read(q_norm_weight, "q_norm_weight", "whole_head")
    axes.read(k_norm_weight, "k_norm_weight", "whole_head")
    axes.read(query_seqlens, "query_seqlens", "batch")
    one_entry(ctx, total_sequence_length, "total_sequence_length")
    whole = scalar(ctx, total_sequence_length)
    _read_bias(ctx, axes, attention_bias, whole)
    if not sliding_window_cache and key is not None and key.shape is not None and not has_fresh_symbol(whole):
        message = f"total_sequence_length is {text_of(whole)}; it must be at least the {text_of(axes[keys])} of key"
        ctx.require(AtMost(axes[keys], whole), TOO_FEW_ELEMENTS, message, "total_sequence_length key[1]")
    if past_key is not None and query_seqlens is None and not has_fresh_symbol(whole):
        _one_step_or_sequence(ctx, axes, whole)
    if past_key is None:
        present = axes["steps"]
    elif sliding_window_cache:
        present = axes["past"]
    else:
        present = maximum(axes["past"], whole)
    if sliding_window_cache:
        require_positive(ctx, local_window_size, "local_window_size")
        required(ctx, past_key, "past_key", "sliding_window_cache is 1")
        message = f"the cache holds {text_of(present)} positions; local_window_size is {local_window_size}"
        at = axes.places("past") or "past_key"
        ctx.require(at_least(present, local_window_size), TOO_FEW_ELEMENTS, message, at)
    dtype = query.dtype if past_key is None else past_key.dtype
    cache = tensor(dtype, (axes["batch"], kv_num_heads, present, axes["head"]))
    scores = (axes["batch"], num_heads, axes["steps"], whole)
    return [(*axes.shape("batch steps"), mul(head, num_heads)), cache, cache, scores]


def _one_step_or_sequence(ctx: Context, axes: NamedAxes, whole: Size) -> None:
    """Require one position at a time behind the past, of more than one sequence."""
    batch, steps = axes["batch"], axes["steps"]
    several = AllOf((Equal(batch, 1), at_least(steps, 2)))
    message = (
        f"{text_of(steps)} positions follow the past, of {text_of(whole)} in total; it must be 1 position, "
        f"or 1 sequence instead of {text_of(batch)}"
    )
    ctx.require(AnyOf((Equal(steps, 1), Equal(steps, whole), several)), CONFLICTING_ARGUMENTS, message, "query[1]")


def _read_bias(ctx: Context, axes: NamedAxes, bias: Tensor | None, whole: Size) -> None:
    """Read what is added to the scores, which the batch or all heads may share."""
    axes.read(bias, "attention_bias", "_ _ steps _")
    if bias is None or bias.shape is None:
        return
    for axis, name in ((0, "batch"), (1, "heads")):
        one_of(ctx, bias.dims[axis], (axes[name], 1), f"attention_bias[{axis}]")
    if not has_fresh_symbol(whole):
        one_of(ctx, bias.dims[3], (whole,), "attention_bias[3]")


def _check_bidirectional(ctx: Context, local_window_size: int, query_seqlens: Tensor | None) -> None:
    """Refuse what is defined for causal attention only."""
    absent(ctx, query_seqlens, "query_seqlens", "only where causal is 1")
    if local_window_size != -1:
        message = f"local_window_size is {local_window_size}; where causal is 0 it must be -1"
        ctx.report(CONFLICTING_ARGUMENTS, message, detail=Detail("local_window_size"))


def share_heads(ctx: Context, num_heads: int, kv_num_heads: int) -> None:
    """Require that as many heads of queries share each head of keys."""
    require_positive(ctx, kv_num_heads, "kv_num_heads")
    if num_heads % kv_num_heads:
        message = f"num_heads is {num_heads}; it must be divisible by kv_num_heads, {kv_num_heads}"
        ctx.fail(NOT_DIVISIBLE, message, detail=Detail("num_heads"))


contrib(
    "QAttention(input: T1, weight: T2, bias: T3, input_scale: T3, weight_scale: T3, mask_index?: int32, "
    "input_zero_point?: T1, weight_zero_point?: T2, past?: T3; do_rotary?: int, mask_filter_value?: float, "
    "num_heads: int, past_present_share_buffer?: int, scale?: float, unidirectional: int = 0) -> output: T3, "
    "present?: T3",
    T1=BYTES,
    T2=BYTES,
    T3=HALF_OR_SINGLE,
)


@rule("QAttention", domain=DOMAIN, unranked=[3, 5])
def qattention(
    ctx: Context,
    input: Tensor,
    weight: Tensor,
    bias: Tensor,
    input_scale: Tensor,
    weight_scale: Tensor,
    mask_index: Tensor | None = None,
    input_zero_point: Tensor | None = None,
    weight_zero_point: Tensor | None = None,
    past: Tensor | None = None,
    *,
    num_heads: int,
    past_present_share_buffer: int = 0,
) -> list[Shape]:
    """Attend as Attention does, with a quantized projection."""
    out: list[Shape] = attention(
        ctx,
        input,
        weight,
        bias,
        mask_index,
        past,
        num_heads=num_heads,
        past_present_share_buffer=past_present_share_buffer,
    )
    return out


contrib(
    "QOrderedAttention(input: int8, scale_input: float, scale_Q_gemm: float, scale_K_gemm: float, scale_V_gemm: "
    "float, Q_weight: int8, K_weight: int8, V_weight: int8, scale_Q_weight: float, scale_K_weight: float, "
    "scale_V_weight: float, Q_bias: float, K_bias: float, V_bias: float, scale_QKT_gemm?: float, "
    "scale_QKT_softmax?: float, scale_values_gemm: float, mask_index?: int32, past?: int8, attention_bias?: float; "
    "num_heads: int, order_input: int, order_output: int, order_weight: int, qkv_hidden_sizes?: ints, "
    "unidirectional: int = 0) -> output: int8",
)


@rule("QOrderedAttention", domain=DOMAIN, unranked=3)
def qordered_attention(
    ctx: Context,
    input: Tensor,
    scale_input: Tensor,
    scale_q_gemm: Tensor,
    scale_k_gemm: Tensor,
    scale_v_gemm: Tensor,
    q_weight: Tensor,
    k_weight: Tensor,
    v_weight: Tensor,
) -> Shape:
    """Project the input with three matrices, and attend."""
    axes = NamedAxes(ctx)
    axes.read(input, "input", "batch steps features")
    axes.read(v_weight, "v_weight", "features hidden")
    return axes.shape("batch steps hidden")


def heads(ctx: Context, num_heads: int) -> NamedAxes:
    """Start naming axes, with the number of heads known."""
    require_positive(ctx, num_heads, "num_heads")
    axes = NamedAxes(ctx)
    axes.bind("heads", num_heads, "num_heads")
    return axes


def grouped(
    ctx: Context, query: Tensor, names: str, packed: bool, num_heads: int, kv_num_heads: int
) -> tuple[Size, NamedAxes]:
    """Read a query, which may be packed with keys and values, and return the size of a head."""
    axes = heads(ctx, num_heads)
    share_heads(ctx, num_heads, kv_num_heads)
    axes.bind("kv_heads", kv_num_heads, "kv_num_heads")
    axes.read(query, "query", names)
    parts = num_heads + 2 * kv_num_heads if packed else num_heads
    head = divided(ctx, axes["width"], parts, "the width of query", "query[-1]") if query.shape else ctx.fresh()
    axes.bind("head", head, "the size of a head")
    return head, axes
