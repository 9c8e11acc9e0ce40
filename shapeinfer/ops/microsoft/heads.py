"""Attention with the projections done by other nodes, and in a decoder's single steps."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import CONFLICTING_ARGUMENTS, MISSING_INPUT
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Size, exact_div, mul, total
from shapeinfer.facts import DType, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import divided, grouped, heads, merged, require_positive, stacked
from shapeinfer.ops.microsoft.operands import one_entry, one_of, required, together
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, HALF_OR_SINGLE, contrib
from shapeinfer.ops.registry import Output, rule
from shapeinfer.shapes.named import NamedAxes

contrib(
    "MultiHeadAttention(query: T, key?: T, value?: T, bias?: T, key_padding_mask?: int32, attention_bias?: T, "
    "past_key?: T, past_value?: T, past_sequence_length?: int32, cache_indirection?: int32; mask_filter_value?: "
    "float, num_heads: int, scale?: float, unidirectional: int = 0) -> output: T, present_key?: T, present_value?: "
    "T, qk?: QK",
    T=FLOATS,
    QK=FLOATS,
)


@rule("MultiHeadAttention", domain=DOMAIN, unranked=[3, 4, 4, 4])
def multi_head_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    bias: Tensor | None = None,
    key_padding_mask: Tensor | None = None,
    attention_bias: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    past_sequence_length: Tensor | None = None,
    *,
    num_heads: int,
) -> list[Shape]:
    """Attend; present is the past with the new, or a buffer if an input holds the past's length."""
    axes = heads(ctx, num_heads)
    if query.rank == 3 and key is None:
        ctx.fail(MISSING_INPUT, "key is required where query has rank 3", "key query")
    _read_query(ctx, axes, query, num_heads)
    _read_keys(ctx, axes, key, value, num_heads)
    width = total((axes["hidden"], axes["hidden"], axes["v_hidden"]))
    axes.bind("columns", width, "the width of all projections", "hidden v_hidden")
    axes.read(bias, "bias", "columns")
    axes.read(past_key, "past_key", "batch heads past head")
    axes.read(past_value, "past_value", "batch heads past v_head")
    present: Size
    seen: Size
    if past_sequence_length is not None and past_key is not None:
        present, seen = axes["past"], ctx.fresh()
    else:
        present = seen = axes["past"] + axes["tokens"] if past_key is not None else axes["tokens"]
        axes.bind("total", present, "the number of all tokens", "past tokens")
        axes.read(attention_bias, "attention_bias", "_ _ steps total")
        if past_key is None and key_padding_mask is not None and key_padding_mask.shape is not None:
            kinds = {2: "batch total", 3: "batch steps total"}
            axes.read(key_padding_mask, "key_padding_mask", kinds.get(key_padding_mask.rank, "_"))
    batch, steps = axes.shape("batch steps")
    cache = [(batch, num_heads, present, axes[head]) for head in ("head", "v_head")]
    return [(batch, steps, axes["v_hidden"]), *cache, (batch, num_heads, steps, seen)]


def _read_query(ctx: Context, axes: NamedAxes, query: Tensor, num_heads: int) -> None:
    """Read queries, or queries packed with keys and values."""
    if query.rank == 5:
        axes.bind("three", 3, "the number of query, key and value")
        axes.read(query, "query", "batch steps heads three head")
        axes.bind("tokens", axes["steps"], "the number of steps", "steps")
        axes.bind("v_head", axes["head"], "the size of a head", "head")
        axes.bind("hidden", mul(axes["head"], num_heads), "the width of all heads", "head")
        axes.bind("v_hidden", axes["hidden"], "the width of all heads", "hidden")
        return
    axes.read(query, "query", "batch steps hidden")
    head = divided(ctx, axes["hidden"], num_heads, "the width of query", "query[2]")
    axes.bind("head", head, "the size of a head", "hidden")


def _read_keys(ctx: Context, axes: NamedAxes, key: Tensor | None, value: Tensor | None, num_heads: int) -> None:
    """Read keys and values: each apart, both packed, or as another node's cache."""
    if key is None:
        return
    if key.shape is not None and key.rank == 5:
        axes.bind("two", 2, "the number of key and value")
        axes.read(key, "key", "batch tokens heads two head")
        axes.bind("v_hidden", axes["hidden"], "the width of query", "hidden")
    elif key.shape is not None and key.rank == 4:
        axes.read(key, "key", "batch heads tokens head")
        axes.read(value, "value", "batch heads tokens head")
        axes.bind("v_hidden", axes["hidden"], "the width of query", "hidden")
    else:
        axes.read(key, "key", "batch tokens hidden")
        axes.read(value, "value", "batch tokens v_hidden")
    known = axes.known("v_hidden")
    if known is None:
        axes.bind("v_hidden", mul(axes["v_head"], num_heads), "the width of all heads", "v_head")
    else:
        head = divided(ctx, known, num_heads, "the width of value", "value[2]")
        axes.bind("v_head", head, "the size of a head", "v_hidden")


contrib(
    "DecoderMaskedMultiHeadAttention(query: T, key?: T, value?: T, mask_index?: int32, attention_bias?: T, "
    "past_key?: T, past_value?: T, past_sequence_length?: int32, beam_width?: int32, cache_indirection?: int32, "
    "bias?: T; mask_filter_value?: float, num_heads: int, output_qk?: int, past_present_share_buffer?: int, scale?: "
    "float) -> output: T, present_key?: T, present_value?: T, qk?: QK",
    T=HALF_OR_SINGLE,
    QK=HALF_OR_SINGLE,
)


@rule("DecoderMaskedMultiHeadAttention", domain=DOMAIN, unranked=[3, 4, 4, 4])
def decoder_masked_multi_head_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    mask_index: Tensor | None = None,
    attention_bias: Tensor | None = None,
    past_key: Tensor | None = None,
    past_value: Tensor | None = None,
    *,
    num_heads: int,
) -> list[Shape | None]:
    """Attend from one step; present is the buffer that past is."""
    axes = heads(ctx, num_heads)
    axes.read(past_key, "past_key", "batch heads past head")
    axes.read(past_value, "past_value", "batch heads past v_head")
    if key is None:
        axes.read(query, "query", "batch 1 _")
        axes.bind("v_hidden", mul(axes["v_head"], num_heads), "the width of all heads", "v_head")
    else:
        axes.read(query, "query", "batch 1 hidden")
        if key.shape is not None:
            _read_keys(ctx, axes, key, value, num_heads)
    cache = [None if past_key is None else axes.shape(f"batch heads past {head}") for head in ("head", "v_head")]
    return [axes.shape("batch 1 v_hidden"), *cache, (axes["batch"], num_heads, 1, ctx.fresh())]


contrib(
    "DecoderMaskedSelfAttention(input: T, weights: T, bias: T, mask_index?: int32, past: T, attention_bias?: T, "
    "past_sequence_length: int32, beam_width?: int32, cache_indirection?: int32; do_rotary?: int, "
    "mask_filter_value?: float, num_heads: int, past_present_share_buffer?: int, scale?: float) -> output: T, "
    "present: T",
    T=HALF_OR_SINGLE,
)


@rule("DecoderMaskedSelfAttention", domain=DOMAIN, unranked=[3, 5])
def decoder_masked_self_attention(
    ctx: Context,
    input: Tensor,
    weights: Tensor,
    bias: Tensor,
    mask_index: Tensor | None,
    past: Tensor,
    *,
    num_heads: int,
) -> list[Shape | None]:
    """Attend from one step; present is the buffer that past is."""
    axes = heads(ctx, num_heads)
    axes.read(input, "input", "batch 1 features")
    hidden = merged(ctx, axes, weights, bias, num_heads, ())
    stacked(ctx, axes, past, num_heads, exact_div(hidden, num_heads))
    return [(axes["batch"], 1, hidden), axes.shape("two batch heads past head")]


contrib(
    "DecoderAttention(query: T, key: T, q_weight: T, kv_weight: T, bias: T, key_padding_mask?: bool, key_cache?: T, "
    "value_cache?: T, static_kv: bool, use_past: bool, has_layer_state: bool, has_key_padding_mask: bool; "
    "mask_filter_value?: float, num_heads: int) -> output: T, new_key_cache?: T, new_value_cache?: T",
    T=HALF_OR_SINGLE,
)


@rule("DecoderAttention", domain=DOMAIN, unranked=[3, 4, 4])
def decoder_attention(ctx: Context, query: Tensor, *, num_heads: int) -> list[Shape]:
    """Attend with the batch as second axis; whether the caches grow is known at run time only."""
    axes = heads(ctx, num_heads)
    axes.read(query, "query", "steps batch hidden")
    head = divided(ctx, axes["hidden"], num_heads, "the width of query", "query[2]")
    caches: list[Shape] = [(axes["batch"], num_heads, ctx.fresh(), head) for _ in range(2)]
    return [axes.shape("steps batch hidden"), *caches]


contrib(
    "SparseAttention(query: T, key?: T, value?: T, past_key: T, past_value: T, block_row_indices: int32, "
    "block_col_indices: int32, total_sequence_length: int32, key_total_sequence_lengths: int32, cos_cache?: T, "
    "sin_cache?: T; do_rotary?: int, kv_num_heads: int, num_heads: int, rotary_interleaved?: int, scale?: float, "
    "sparse_block_size: int) -> output: T, present_key: T, present_value: T",
    T=FLOATS,
)


@rule("SparseAttention", domain=DOMAIN, unranked=[3, 4, 4])
def sparse_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    past_key: Tensor,
    past_value: Tensor,
    *,
    num_heads: int,
    kv_num_heads: int,
) -> list[Shape]:
    """Attend to blocks of a buffer, which present is too."""
    head, axes = grouped(ctx, query, "batch steps width", key is None, num_heads, kv_num_heads)
    axes.read(past_key, "past_key", "batch kv_heads past head")
    axes.read(past_value, "past_value", "batch kv_heads past head")
    cache = axes.shape("batch kv_heads past head")
    return [(*axes.shape("batch steps"), mul(head, num_heads)), cache, cache]


contrib(
    "DynamicSparseAttention(query: TQuery, key?: TQuery, value?: TValue, past_key?: TCache, past_value?: TCache, "
    "auxiliary_key?: T, auxiliary_value?: T, selected_indices: int32, selected_counts: int32, seqlens_k: int32, "
    "total_sequence_length: int32, cos_cache?: T, sin_cache?: T, position_ids?: int64, q_norm_weight?: T, "
    "k_norm_weight?: T, head_sink?: T, committed_length?: int32, key_scale?: float, value_scale?: float; "
    'attention_mode: string = "selected_only", auxiliary_kv_shared: int = 0, do_rotary: int = 0, is_causal: int = 1, '
    "kv_num_heads: int, local_window_size: int = -1, num_heads: int, output_bf16: int = 0, qk_norm_epsilon: float = "
    '1e-06, rotary_interleaved: int = 0, rotary_offset: int = 0, scale?: float, selected_kv_source: string = "main", '
    "smooth_softmax: int = 0) -> output: T, present_key?: TCache, present_value?: TCache, validation_status?: int32",
    T=FLOATS,
    TQuery=FLOATS,
    TValue=FLOATS,
    TCache="float float16 bfloat16 int8",
)


@rule("DynamicSparseAttention", domain=DOMAIN, unranked=[3, 4, 4, None])
def dynamic_sparse_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    past_key: Tensor | None,
    past_value: Tensor | None,
    auxiliary_key: Tensor | None,
    auxiliary_value: Tensor | None,
    selected_indices: Tensor,
    selected_counts: Tensor,
    seqlens_k: Tensor,
    total_sequence_length: Tensor,
    cos_cache: Tensor | None = None,
    sin_cache: Tensor | None = None,
    position_ids: Tensor | None = None,
    q_norm_weight: Tensor | None = None,
    k_norm_weight: Tensor | None = None,
    head_sink: Tensor | None = None,
    committed_length: Tensor | None = None,
    key_scale: Tensor | None = None,
    value_scale: Tensor | None = None,
    *,
    attention_mode: str = "selected_only",
    auxiliary_kv_shared: int = 0,
    do_rotary: int = 0,
    kv_num_heads: int,
    local_window_size: int = -1,
    num_heads: int,
    output_bf16: int = 0,
    selected_kv_source: str = "main",
) -> list[Output]:
    """Attend to selected positions; present holds all keys, or fills a buffer."""
    is_local = attention_mode == "local_plus_selected"
    if is_local is not (selected_kv_source == "auxiliary"):
        message = f"attention_mode {attention_mode} cannot read selected_kv_source {selected_kv_source}"
        ctx.report(CONFLICTING_ARGUMENTS, message, detail=Detail("selected_kv_source"))
    if is_local:
        require_positive(ctx, local_window_size, "local_window_size")
        required(ctx, auxiliary_key, "auxiliary_key", "selected_kv_source is auxiliary")
        if not auxiliary_kv_shared:
            required(ctx, auxiliary_value, "auxiliary_value", "auxiliary_kv_shared is 0")
    if do_rotary:
        required(ctx, cos_cache, "cos_cache", "do_rotary is 1")
    if past_key is not None and past_key.dtype is DType.INT8:
        for x, name in ((key_scale, "key_scale"), (value_scale, "value_scale")):
            required(ctx, x, name, "past_key is int8")
    together(ctx, key=key, value=value)
    together(ctx, past_key=past_key, past_value=past_value)
    together(ctx, cos_cache=cos_cache, sin_cache=sin_cache)
    together(ctx, q_norm_weight=q_norm_weight, k_norm_weight=k_norm_weight)

    head, axes = grouped(ctx, query, "batch steps width", key is None, num_heads, kv_num_heads)
    axes.bind("kv_width", mul(head, kv_num_heads), "kv_num_heads times the size of a head", "width")
    axes.bind("rows", mul(*axes.shape("batch steps")), "the number of all steps", "batch steps")
    for x, name, names in (
        (key, "key", "batch steps kv_width"),
        (value, "value", "batch steps kv_width"),
        (past_key, "past_key", "batch kv_heads past head"),
        (past_value, "past_value", "batch kv_heads past head"),
        (auxiliary_key, "auxiliary_key", "batch kv_heads auxiliary head"),
        (auxiliary_value, "auxiliary_value", "batch kv_heads auxiliary head"),
        (selected_indices, "selected_indices", "rows _"),
        (selected_counts, "selected_counts", "rows"),
        (seqlens_k, "seqlens_k", "batch"),
        (cos_cache, "cos_cache", "positions half"),
        (sin_cache, "sin_cache", "positions half"),
        (position_ids, "position_ids", "batch steps"),
        (q_norm_weight, "q_norm_weight", "head"),
        (k_norm_weight, "k_norm_weight", "head"),
        (head_sink, "head_sink", "heads"),
        (key_scale, "key_scale", "kv_width"),
        (value_scale, "value_scale", "kv_width"),
    ):
        axes.read(x, name, names)
    one_entry(ctx, total_sequence_length, "total_sequence_length")
    if committed_length is not None and committed_length.shape is not None:
        axes.read(committed_length, "committed_length", "_")
        one_of(ctx, committed_length.dims[0], (axes["batch"], 1), "committed_length[0]")
    stored = past_key if past_key is not None else query
    cache = tensor(stored.dtype, (axes["batch"], kv_num_heads, ctx.fresh(), head))
    dtype = DType.BFLOAT16 if output_bf16 else query.dtype
    return [tensor(dtype, (*axes.shape("batch steps"), mul(head, num_heads))), cache, cache, None]
