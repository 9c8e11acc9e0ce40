"""Layers that carry a state from step to step: recurrences, causal convolutions, hashes of n-grams."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import RANK_MISMATCH, TOO_FEW_ELEMENTS
from shapeinfer.dims import Size, at_least, maximum, mul
from shapeinfer.facts import Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import divided, require_positive
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, contrib
from shapeinfer.ops.registry import Output, rule
from shapeinfer.shapes.named import NamedAxes

contrib(
    "AttnLSTM(X: T, W: T, R: T, B?: T, sequence_lens?: int32, initial_h?: T, initial_c?: T, P?: T, QW?: T, MW?: T, "
    "V?: T, M?: T, memory_seq_lens?: int32, AW?: T; activation_alpha?: floats, activation_beta?: floats, "
    'activations?: strings, clip?: float, direction: string = "forward", hidden_size?: int, input_forget: int = 0) '
    "-> Y?: T, Y_h?: T, Y_c?: T",
    T="float double",
)


@rule("AttnLSTM", domain=DOMAIN, unranked=[4, 3, 3])
def attn_lstm(
    ctx: Context, x: Tensor, w: Tensor, r: Tensor, *, direction: str = "forward", hidden_size: int | None = None
) -> list[Shape]:
    """Return every step's hidden state, the last one and the last cell."""
    axes = NamedAxes(ctx)
    axes.bind("directions", 2 if direction == "bidirectional" else 1, "num_directions")
    if hidden_size is not None:
        axes.bind("hidden", hidden_size, "hidden_size")
    axes.read(x, "x", "steps batch _")
    axes.read(r, "r", "directions _ hidden")
    state = axes.shape("directions batch hidden")
    return [axes.shape("steps directions batch hidden"), state, state]


contrib(
    'CausalConvWithState(input: T, weight: T, bias?: T, past_state?: T; activation: string = "none", channels_last: '
    "int = 0, dilation: int = 1, ndim: int = 1, state_window: int = 0) -> output: T, present_state: T",
    T=FLOATS,
)


@rule("CausalConvWithState", domain=DOMAIN)
def causal_conv_with_state(
    ctx: Context,
    input: Tensor,
    weight: Tensor,
    *,
    channels_last: int = 0,
    dilation: int = 1,
    ndim: int = 1,
    state_window: int = 0,
) -> list[Shape | None]:
    """Convolve along time with what came before; the state is what later steps still see."""
    if ndim != 1 or weight.shape is None:
        return [input.dims, None]
    for x, name in ((input, "input"), (weight, "weight")):
        if x.rank < 3:
            ctx.fail(RANK_MISMATCH, f"{name} must have rank 3 or more; it has rank {x.rank}", name)
    require_positive(ctx, dilation, "dilation")
    ctx.require(at_least(weight.dims[-1], 1), TOO_FEW_ELEMENTS, "the kernel must not be empty", "weight[-1]")
    seen = mul(weight.dims[-1] - 1, dilation)
    batch, *rest = input.dims
    state: tuple[Size, ...] = (batch, seen, *rest[1:]) if channels_last else (batch, *rest[:-1], seen)
    return [input.dims, (state_window, *state) if state_window else state]


contrib(
    "VarlenCausalConvWithState(input: T, weight: T, cumulative_sequence_length: int32, bias?: T, initial_state: T, "
    'capture_count?: int32; activation: string = "none", dilation: int = 1, state_update_capacity: int = 0) -> '
    "output: T, final_state: T, state_update?: T",
    T=FLOATS,
)


@rule("VarlenCausalConvWithState", domain=DOMAIN, unranked=[2, 3, 3])
def varlen_causal_conv_with_state(
    ctx: Context,
    input: Tensor,
    weight: Tensor,
    cumulative_sequence_length: Tensor,
    bias: Tensor | None,
    initial_state: Tensor,
    *,
    state_update_capacity: int = 0,
) -> list[Shape]:
    """Convolve packed sequences along time; the states keep their shape."""
    axes = NamedAxes(ctx)
    axes.read(input, "input", "tokens channels")
    axes.read(weight, "weight", "channels 1 _")
    axes.read(initial_state, "initial_state", "batch channels seen")
    update = (axes["batch"], state_update_capacity, axes["channels"])
    return [axes.shape("tokens channels"), axes.shape("batch channels seen"), update]


contrib(
    "LinearAttention(query: T, key: T, value: T, past_state?: S, decay?: T, beta?: T; chunk_size: int = 64, "
    "kv_num_heads: int, q_num_heads: int, scale: float = 0e+00, state_window: int = 0, update_rule: string = "
    '"gated_delta") -> output: T, present_state: S',
    T=FLOATS,
    S=FLOATS,
)


@rule("LinearAttention", domain=DOMAIN, unranked=[3, None])
def linear_attention(
    ctx: Context,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    past_state: Tensor | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    state_window: int = 0,
) -> list[Output]:
    """Attend through a matrix for each head, which is the state."""
    require_positive(ctx, q_num_heads, "q_num_heads")
    require_positive(ctx, kv_num_heads, "kv_num_heads")
    axes = NamedAxes(ctx)
    axes.read(query, "query", "batch steps q_width")
    axes.read(key, "key", "batch steps k_width")
    axes.read(value, "value", "batch steps v_width")
    rows = _of_heads(ctx, axes, "q_width", q_num_heads, "query")
    columns = _of_heads(ctx, axes, "v_width", kv_num_heads, "value")
    state: Shape = (axes["batch"], kv_num_heads, rows, columns)
    dtype = query.dtype if past_state is None else past_state.dtype
    out = (*axes.shape("batch steps"), mul(columns, max(q_num_heads, kv_num_heads)))
    return [out, tensor(dtype, (state_window, *state) if state_window else state)]


def _of_heads(ctx: Context, axes: NamedAxes, name: str, count: int, port: str) -> Size:
    """Return an axis divided by its number of heads, fresh if the axis is unknown."""
    width = axes.known(name)
    return ctx.fresh() if width is None else divided(ctx, width, count, f"the width of {port}", f"{port}[2]")


contrib(
    "GatedDeltaNet(query: T, key?: T, value?: T, cu_seqlens?: int32, decay?: float, beta?: float, initial_state?: "
    "float, a_log?: float, dt_bias?: float, capture_count?: int32, state_update_active?: int32; beta_activation: "
    'string = "none", chunk_size: int = 64, gate_activation: string = "none", qk_l2_norm: int = 0, scale: float = '
    '0e+00, state_update_capacity: int = 0, update_rule: string = "gated_delta") -> output: T, final_state?: float, '
    "state_update?: float",
    T=FLOATS,
)


@rule("GatedDeltaNet", domain=DOMAIN)
def gated_delta_net(
    ctx: Context, query: Tensor, key: Tensor | None = None, value: Tensor | None = None
) -> list[Shape | None]:
    """Attend through a matrix for each head; tokens are packed, or in batches."""
    if key is None or value is None:
        return [None, None, None]
    for x, name in ((query, "query"), (key, "key"), (value, "value")):
        if x.rank not in (3, 4):
            ctx.fail(RANK_MISMATCH, f"{name} must have rank 3 or 4; it has rank {x.rank}", name)
    heads, others = query.dims[-2], value.dims[-2]
    return [(*query.dims[:-2], maximum(heads, others), value.dims[-1]), None, None]


contrib(
    "NGramHashMapping(input_ids: M, multipliers: M, vocab_sizes: M, past_ids?: M, head_offsets?: M, eos_token_id?: "
    "M, segment_ids?: int32; max_ngram_size: int, n_head_per_ngram: int, pad_id: int, reset_on_eos: int = 0) -> "
    "hash_ids: M, present_ids?: M",
    M="int32 int64",
)


@rule("NGramHashMapping", domain=DOMAIN, unranked=[3, 2])
def ngram_hash_mapping(ctx: Context, input_ids: Tensor, *, max_ngram_size: int, n_head_per_ngram: int) -> list[Shape]:
    """Hash the n-grams that end at each token; the state is the last tokens."""
    require_positive(ctx, max_ngram_size - 1, "max_ngram_size - 1")
    require_positive(ctx, n_head_per_ngram, "n_head_per_ngram")
    axes = NamedAxes(ctx)
    axes.read(input_ids, "input_ids", "batch steps")
    sizes = max_ngram_size - 1
    return [(*axes.shape("batch steps"), sizes * n_head_per_ngram), (axes["batch"], sizes)]


contrib(
    "VarlenNGramHashMapping(input_ids: M, multipliers: M, vocab_sizes: M, cumulative_sequence_length: int32, "
    "past_ids?: M, head_offsets?: M, eos_token_id?: M, segment_ids?: int32, past_segment_ids?: int32, "
    "capture_count?: int32; max_ngram_size: int, n_head_per_ngram: int, pad_id: int, reset_on_eos: int = 0, "
    "state_update_capacity: int = 0) -> hash_ids: M, present_ids?: M, present_segment_ids?: int32, state_update?: M",
    M="int32 int64",
)


@rule("VarlenNGramHashMapping", domain=DOMAIN, unranked=[2, 2, 2, 3])
def varlen_ngram_hash_mapping(
    ctx: Context,
    input_ids: Tensor,
    multipliers: Tensor,
    vocab_sizes: Tensor,
    cumulative_sequence_length: Tensor,
    *,
    max_ngram_size: int,
    n_head_per_ngram: int,
    state_update_capacity: int = 0,
) -> list[Shape]:
    """Hash the n-grams that end at each packed token; the states are each sequence's last tokens."""
    require_positive(ctx, max_ngram_size - 1, "max_ngram_size - 1")
    require_positive(ctx, n_head_per_ngram, "n_head_per_ngram")
    axes = NamedAxes(ctx)
    axes.read(input_ids, "input_ids", "tokens")
    axes.read(cumulative_sequence_length, "cumulative_sequence_length", "bounds")
    batch, sizes = axes["bounds"] - 1, max_ngram_size - 1
    hashes = (axes["tokens"], sizes * n_head_per_ngram)
    return [hashes, (batch, sizes), (batch, sizes), (batch, state_update_capacity, sizes)]
