"""Attention over tokens that are packed without padding, or paged; and how tokens are packed."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    MISSING_ATTRIBUTE,
    MISSING_NODE_OUTPUT,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
    TOO_MANY_OUTPUTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import at_least, mul, text_of
from shapeinfer.facts import DType, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import grouped, heads, merged
from shapeinfer.ops.microsoft.operands import absent, one_of, read_bounds, required, together
from shapeinfer.ops.microsoft.schema import DOMAIN, HALF_OR_SINGLE, contrib
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

contrib(
    "PackedAttention(input: T, weights: T, bias: T, token_offset: int32, cumulative_sequence_length: int32, "
    "attention_bias?: T; num_heads: int, qkv_hidden_sizes?: ints, scale?: float) -> output: T",
    T=HALF_OR_SINGLE,
)


@rule("PackedAttention", domain=DOMAIN, unranked=2)
def packed_attention(
    ctx: Context,
    input: Tensor,
    weights: Tensor,
    bias: Tensor,
    *,
    num_heads: int,
    qkv_hidden_sizes: Sequence[int] = (),
) -> Shape:
    """Project packed tokens to queries, keys and values, and attend."""
    axes = heads(ctx, num_heads)
    axes.read(input, "input", "tokens features")
    return axes["tokens"], merged(ctx, axes, weights, bias, num_heads, qkv_hidden_sizes)


contrib(
    "PackedMultiHeadAttention(query: T, key?: T, value?: T, bias?: T, token_offset: int32, "
    "cumulative_sequence_length: int32, attention_bias?: T; mask_filter_value?: float, num_heads: int, scale?: "
    "float) -> output: T",
    T=HALF_OR_SINGLE,
)


@rule("PackedMultiHeadAttention", domain=DOMAIN, unranked=2)
def packed_multi_head_attention(
    ctx: Context, query: Tensor, key: Tensor | None = None, value: Tensor | None = None, *, num_heads: int
) -> Shape:
    """Attend between packed tokens."""
    axes = heads(ctx, num_heads)
    if query.rank == 4:
        axes.bind("three", 3, "the number of query, key and value")
        axes.read(query, "query", "tokens heads three head")
        return axes["tokens"], mul(axes["head"], num_heads)
    axes.read(query, "query", "tokens hidden")
    axes.read(key, "key", "tokens hidden")
    axes.read(value, "value", "tokens v_hidden")
    return axes.shape("tokens v_hidden")


contrib(
    "PagedAttention(query: T, key?: T, value?: T, key_cache: T_CACHE, value_cache?: T_CACHE, "
    "cumulative_sequence_length: int32, past_seqlens: int32, block_table: int32, cos_cache?: T, sin_cache?: T, "
    "slot_mapping?: int32, head_sink?: T, q_norm_weight?: T, k_norm_weight?: T, k_scale?: float, v_scale?: float, "
    'attention_metadata?: int32; do_rotary?: int, is_causal: int = 1, k_cache_dtype: string = "", k_quant_type: '
    'string = "NONE", kv_cache_layout: string = "SEPARATE", kv_num_heads: int, local_window_size: int = -1, '
    "num_heads: int, qk_norm_epsilon?: float, rotary_interleaved?: int, rotary_offset?: int, scale?: float, "
    'softcap?: float, v_cache_dtype: string = "", v_head_size?: int, v_quant_type: string = "NONE") -> output: T, '
    "key_cache_out?: T_CACHE, value_cache_out?: T_CACHE",
    T="float16 bfloat16",
    T_CACHE="float16 bfloat16 int8 float8e4m3fn uint8",
)


@rule("PagedAttention", domain=DOMAIN, unranked=[2, None, None])
def paged_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    key_cache: Tensor,
    value_cache: Tensor | None,
    cumulative_sequence_length: Tensor,
    past_seqlens: Tensor,
    block_table: Tensor,
    cos_cache: Tensor | None = None,
    sin_cache: Tensor | None = None,
    slot_mapping: Tensor | None = None,
    head_sink: Tensor | None = None,
    q_norm_weight: Tensor | None = None,
    k_norm_weight: Tensor | None = None,
    k_scale: Tensor | None = None,
    v_scale: Tensor | None = None,
    attention_metadata: Tensor | None = None,
    *,
    num_heads: int,
    kv_num_heads: int,
    do_rotary: int = 0,
    k_quant_type: str = "NONE",
    kv_cache_layout: str = "SEPARATE",
    scale: float | None = None,
    v_head_size: int = 0,
    v_quant_type: str = "NONE",
) -> list[Shape | None]:
    """Attend between packed tokens and blocks of a cache, which is written in place."""
    if kv_cache_layout == "LATENT":
        for x, name in ((value, "value"), (value_cache, "value_cache")):
            absent(ctx, x, name, "only where kv_cache_layout is SEPARATE")
        if kv_num_heads != 1:
            message = f"kv_num_heads is {kv_num_heads}; where kv_cache_layout is LATENT it must be 1"
            ctx.fail(CONFLICTING_ARGUMENTS, message, detail=Detail("kv_num_heads"))
        if ctx.outputs > 2:
            ctx.report(TOO_MANY_OUTPUTS, "where kv_cache_layout is LATENT there is no output value_cache_out")
    else:
        together(ctx, key=key, value=value)
        required(ctx, value_cache, "value_cache", "kv_cache_layout is SEPARATE")
        if ctx.outputs == 2:
            ctx.report(MISSING_NODE_OUTPUT, "the outputs key_cache_out and value_cache_out require each other")
        if v_head_size:
            message = f"v_head_size is {v_head_size}, which requires kv_cache_layout LATENT"
            ctx.fail(CONFLICTING_ARGUMENTS, message, detail=Detail("v_head_size"))
    _check_scales(ctx, "k", k_quant_type, key_cache, k_scale)
    _check_scales(ctx, "v", v_quant_type, value_cache, v_scale)
    if do_rotary:
        required(ctx, cos_cache, "cos_cache", "do_rotary is 1")
    together(ctx, cos_cache=cos_cache, sin_cache=sin_cache)
    together(ctx, q_norm_weight=q_norm_weight, k_norm_weight=k_norm_weight)

    head, axes = grouped(ctx, query, "tokens width", key is None, num_heads, kv_num_heads)
    axes.bind("kv_width", mul(head, kv_num_heads), "kv_num_heads times the size of a head", "width")
    read_bounds(ctx, axes, cumulative_sequence_length, "cumulative_sequence_length")
    for x, name, names in (
        (key, "key", "tokens kv_width"),
        (value, "value", "tokens kv_width"),
        (key_cache, "key_cache", f"blocks block kv_heads {_in_cache(key_cache)}"),
        (value_cache, "value_cache", f"blocks block kv_heads {_in_cache(value_cache)}"),
        (past_seqlens, "past_seqlens", "batch"),
        (block_table, "block_table", "batch _"),
        (cos_cache, "cos_cache", "positions half"),
        (sin_cache, "sin_cache", "positions half"),
        (slot_mapping, "slot_mapping", "tokens"),
        (head_sink, "head_sink", "heads"),
        (q_norm_weight, "q_norm_weight", "head"),
        (k_norm_weight, "k_norm_weight", "head"),
        (attention_metadata, "attention_metadata", "_"),
    ):
        axes.read(x, name, names)
    if attention_metadata is not None and attention_metadata.shape is not None:
        one_of(ctx, attention_metadata.dims[0], (2, 3), "attention_metadata[0]")
    if v_head_size:
        message = f"v_head_size is {v_head_size}; it must be at most the size of a head, {text_of(head)}"
        ctx.require(at_least(head, v_head_size), TOO_FEW_ELEMENTS, message, "query[1]")
        if scale is None and isinstance(head, int) and head != v_head_size:
            message = f"v_head_size is {v_head_size} and the size of a head {head}, which requires the attribute scale"
            ctx.report(MISSING_ATTRIBUTE, message, detail=Detail("scale"))
        head = v_head_size
    caches = [None if c is None else c.shape for c in (key_cache, value_cache)]
    return [(axes["tokens"], mul(head, num_heads)), *caches]


def _check_scales(ctx: Context, side: str, kind: str, cache: Tensor | None, scale: Tensor | None) -> None:
    """Require scales of a cache of quantized numbers, and only of such a one."""
    if kind != "NONE":
        required(ctx, scale, f"{side}_scale", f"{side}_quant_type is {kind}")
    if cache is not None and cache.dtype and (cache.dtype in (DType.FLOAT16, DType.BFLOAT16)) is not (kind == "NONE"):
        port = "key_cache" if side == "k" else "value_cache"
        message = f"{side}_quant_type is {kind}, but {port} has element type {cache.dtype.name.lower()}"
        ctx.report(CONFLICTING_ARGUMENTS, message, port)


def _in_cache(cache: Tensor | None) -> str:
    """Return the name of the last axis of a cache; bytes may hold two numbers each."""
    return "_" if cache is not None and cache.dtype in (DType.UINT8, DType.UNDEFINED) else "head"


contrib(
    "SparsePagedAttention(query: T, key?: T, value?: T, key_cache: T_CACHE, value_cache: T_CACHE, "
    "cumulative_sequence_length: int32, past_seqlens: int32, block_table: int32, slot_mapping?: int32, "
    "selected_indices: int32, selected_counts: int32, auxiliary_key?: T, auxiliary_value?: T, auxiliary_lengths?: "
    "int32, cos_cache?: T, sin_cache?: T, head_sink?: T, q_norm_weight?: T, k_norm_weight?: T, k_scale?: float, "
    'v_scale?: float, attention_metadata?: int32; attention_mode: string = "selected_only", auxiliary_cache_layout: '
    'string = "contiguous", auxiliary_kv_shared: int = 0, do_rotary: int = 0, is_causal: int = 1, k_quant_type: '
    'string = "NONE", kv_num_heads: int, local_window_size: int = -1, num_heads: int, qk_norm_epsilon: float = '
    "1e-06, rotary_interleaved: int = 0, rotary_offset: int = 0, scale?: float, selected_kv_source: string = "
    '"main", softcap?: float, v_quant_type: string = "NONE") -> output: T, key_cache_out?: T_CACHE, '
    "value_cache_out?: T_CACHE",
    T="float16 bfloat16",
    T_CACHE="float16 bfloat16 int8",
)


@rule("SparsePagedAttention", domain=DOMAIN, unranked=[2, None, None])
def sparse_paged_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    key_cache: Tensor,
    value_cache: Tensor,
    *,
    num_heads: int,
    kv_num_heads: int,
) -> list[Shape | None]:
    """Attend from packed tokens to selected positions of a cache, which is written in place."""
    head, axes = grouped(ctx, query, "tokens width", key is None, num_heads, kv_num_heads)
    return [(axes["tokens"], mul(head, num_heads)), key_cache.shape, value_cache.shape]


contrib(
    "LongformerAttention(input: T, weight: T, bias: T, mask: T, global_weight: T, global_bias: T, global: int32; "
    "num_heads: int, window: int) -> output: T",
    T=HALF_OR_SINGLE,
)


@rule("LongformerAttention", domain=DOMAIN, unranked=3)
def longformer_attention(ctx: Context, input: Tensor, weight: Tensor, bias: Tensor, mask: Tensor) -> Shape:
    """Attend to a window around each token; the shape stays."""
    axes = NamedAxes(ctx)
    axes.read(input, "input", "batch steps hidden")
    axes.read(weight, "weight", "hidden _")
    axes.read(mask, "mask", "batch steps")
    return axes.shape("batch steps hidden")


contrib(
    "QOrderedLongformerAttention(input: int8, scale_input: float, weight: int8, scale_weight: float, bias: float, "
    "scale_bias: float, scale_qkv_gemm: float, mask: float16, global_weight: int8, scale_global_weight: float, "
    "global_bias: float, scale_global_gemm: float, global: int32, scale_output: float; num_heads: int, "
    "order_global_weight: int, order_input: int, order_output: int, order_weight: int, window: int) -> output: int8",
)


@rule("QOrderedLongformerAttention", domain=DOMAIN, unranked=3)
def qordered_longformer_attention(ctx: Context, input: Tensor) -> Shape:
    """Attend to a window around each token; the shape stays."""
    return input.dims


contrib(
    "RemovePadding(input: T, sequence_token_count: int32) -> output: T, token_offset: int32, cumulated_seq_len: "
    "int32, max_seq_len: int32",
    T=HALF_OR_SINGLE,
)


@rule("RemovePadding", domain=DOMAIN, unranked=[2, 2, 1, 1])
def remove_padding(ctx: Context, input: Tensor, sequence_token_count: Tensor) -> list[Shape]:
    """Pack the tokens of a batch; also return where each was, and the sequences' bounds and longest."""
    axes = NamedAxes(ctx)
    axes.read(input, "input", "batch steps hidden")
    axes.read(sequence_token_count, "sequence_token_count", "batch")
    return [(ctx.fresh(), axes["hidden"]), axes.shape("batch steps"), (axes["batch"] + 1,), (1,)]


contrib("RestorePadding(input: T, token_offset: int32) -> output: T", T=HALF_OR_SINGLE)


@rule("RestorePadding", domain=DOMAIN, unranked=3)
def restore_padding(ctx: Context, input: Tensor, token_offset: Tensor) -> Shape:
    """Put packed tokens back to where they were."""
    axes = NamedAxes(ctx)
    axes.read(input, "input", "_ hidden")
    axes.read(token_offset, "token_offset", "batch steps")
    return axes.shape("batch steps hidden")


contrib(
    "RelativePositionBias(bias_table: T, query_length: int64, key_length: int64; is_bidirectional: int = 0, "
    "max_distance: int) -> output: T",
    T=HALF_OR_SINGLE,
)


@rule("RelativePositionBias", domain=DOMAIN, unranked=4)
def relative_position_bias(ctx: Context, bias_table: Tensor, query_length: Tensor, key_length: Tensor) -> Shape:
    """Return a bias for each head and each pair of a query and a key."""
    axes = NamedAxes(ctx)
    axes.read(bias_table, "bias_table", "buckets heads")
    lengths = [ctx.dims(x, name) for x, name in ((query_length, "query_length"), (key_length, "key_length"))]
    if any(len(one) != 1 for one in lengths):
        ctx.fail(RANK_MISMATCH, "query_length and key_length must be scalars", "query_length key_length")
    return (1, axes["heads"], *lengths[0], *lengths[1])


contrib(
    "GatedRelativePositionBias(query_layer: T, query_bias: T, rel_pos: T, weight: T, bias: T, eco_a: T, "
    "token_offset?: int32; num_heads: int) -> output: T",
    T=HALF_OR_SINGLE,
)


@rule("GatedRelativePositionBias", domain=DOMAIN, unranked=4)
def gated_relative_position_bias(
    ctx: Context,
    query_layer: Tensor,
    query_bias: Tensor,
    rel_pos: Tensor,
    weight: Tensor,
    bias: Tensor,
    eco_a: Tensor,
    token_offset: Tensor | None = None,
    *,
    num_heads: int,
) -> Shape:
    """Gate a bias for each pair of tokens by the queries."""
    axes = heads(ctx, num_heads)
    axes.read(query_layer, "query_layer", "batch steps hidden" if token_offset is None else "_ hidden")
    axes.read(token_offset, "token_offset", "batch steps")
    axes.read(rel_pos, "rel_pos", "1 heads steps steps")
    return axes.shape("batch heads steps steps")
