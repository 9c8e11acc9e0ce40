"""Layers that carry a state from step to step: recurrences, causal convolutions, hashes of n-grams."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    DIM_MISMATCH,
    NOT_DIVISIBLE,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Divides, Size, at_least, exact_div, mul, product, sub, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import require_positive
from shapeinfer.ops.microsoft.operands import absent, present_exactly, read_bounds, together
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, contrib
from shapeinfer.ops.registry import rule
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
    "int = 0, dilation: int = 1, input_channel_offset: int = 0, input_channels: int = 0, ndim: int = 1, "
    "state_channels_last: int = -1, state_length: int = 0, state_update_capacity: int = 0, state_window: int = 0) -> "
    "output: T, present_state: T, state_update?: T",
    T=FLOATS,
)


@rule("CausalConvWithState", domain=DOMAIN)
def causal_conv_with_state(
    ctx: Context,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    past_state: Tensor | None = None,
    *,
    channels_last: int = 0,
    dilation: int = 1,
    input_channel_offset: int = 0,
    input_channels: int = 0,
    ndim: int = 1,
    state_channels_last: int = -1,
    state_length: int = 0,
    state_update_capacity: int = 0,
    state_window: int = 0,
) -> list[Shape | None]:
    """Convolve along time with what came before; the state is what later steps still see."""
    is_extended = state_channels_last != -1 or any(
        (input_channel_offset, input_channels, state_length, state_update_capacity)
    )
    if is_extended or ctx.outputs > 2:
        _require_plain(ctx, channels_last, ndim, state_window)
    if ctx.outputs > 2 and not state_update_capacity:
        message = "the output state_update requires a positive state_update_capacity"
        ctx.fail(CONFLICTING_ARGUMENTS, message, detail=Detail("state_update_capacity"))
    if channels_last and ndim != 1:
        ctx.fail(CONFLICTING_ARGUMENTS, f"channels_last requires ndim 1; it is {ndim}", detail=Detail("channels_last"))
    require_positive(ctx, dilation, "dilation")
    axes = NamedAxes(ctx)
    kernel = _read_kernel(ctx, axes, weight, ndim)
    axes.read(bias, "bias", "channels")
    inner = _read_input(ctx, axes, input, channels_last, ndim, is_extended)
    if is_extended and input.shape is not None:
        _slice(ctx, axes, input, input_channel_offset, input_channels)
    out: Shape = (*input.dims[:-1], axes["channels"]) if input_channels else input.dims
    update = (input.dims[0], max(state_update_capacity, 0), axes["channels"])
    if ndim != 1:
        return [out, None, update]
    seen: Size = ctx.fresh() if kernel is None else mul(sub(kernel, 1), dilation)
    if state_length:
        message = f"state_length is {state_length}; the kernel sees {text_of(seen)} steps before"
        ctx.require(at_least(sub(state_length, seen), 0), TOO_FEW_ELEMENTS, message, "weight")
        seen = state_length
    axes.bind("seen", seen, "the number of earlier steps that the kernel sees", "kernel")
    last = channels_last if state_channels_last == -1 else state_channels_last
    state = f"batch seen {inner}" if last else f"batch {inner} seen"
    if state_window:
        axes.bind("window", state_window, "state_window")
        state = f"window {state}"
    axes.read(past_state, "past_state", state)
    return [out, axes.shape(state), update]


def _require_plain(ctx: Context, channels_last: int, ndim: int, state_window: int) -> None:
    """Require the layout that slices of channels and a state of another layout or length are defined for."""
    for name, value, needed in (
        ("channels_last", channels_last, 1),
        ("ndim", ndim, 1),
        ("state_window", state_window, 0),
    ):
        if value != needed:
            message = (
                "input_channels, input_channel_offset, state_length, state_channels_last and state_update_capacity "
                f"require {name} {needed}; it is {value}"
            )
            ctx.fail(CONFLICTING_ARGUMENTS, message, detail=Detail(name))


def _read_kernel(ctx: Context, axes: NamedAxes, weight: Tensor, ndim: int) -> Size | None:
    """Read the weights of each channel, and return the kernel's size along time."""
    if weight.shape is None:
        return None
    axes.read(weight, "weight", f"channels 1 {'_ ' * (ndim - 1)}kernel")
    ctx.require(at_least(weight.dims[-1], 1), TOO_FEW_ELEMENTS, "the kernel must not be empty", "weight[-1]")
    return axes["kernel"]


def _read_input(ctx: Context, axes: NamedAxes, x: Tensor, last: int, ndim: int, is_extended: bool) -> str:
    """Read the input and return the names of its axes of channels; with channels last they may be several."""
    if not last:
        axes.read(x, "input", f"batch channels {'_ ' * ndim}")
        return "channels"
    if is_extended:
        axes.read(x, "input", "batch steps _")
        return "channels"
    if x.rank < 3:
        ctx.fail(RANK_MISMATCH, f"input must have rank 3 or more; it has rank {x.rank}", "input")
    if x.rank == 3:
        axes.read(x, "input", "batch steps channels")
        return "channels"
    inner = " ".join(f"inner{i}" for i in range(x.rank - 2))
    axes.read(x, "input", f"batch steps {inner}")
    known, count = axes.known("channels"), product(axes.shape(inner))
    if known is not None:
        message = f"input has {text_of(count)} channels but weight {text_of(known)}"
        ctx.equal(known, count, DIM_MISMATCH, "weight[0] input", message)
    return inner


def _slice(ctx: Context, axes: NamedAxes, x: Tensor, offset: int, count: int) -> None:
    """Bind the number of channels that are read of those that the input has."""
    width = x.dims[-1]
    size = count or width
    message = f"channels {offset} to {text_of(offset + size)} are read of {text_of(width)}"
    ctx.require(at_least(sub(width, offset + size), 0), TOO_FEW_ELEMENTS, message, "input[2]")
    axes.bind_size("channels", size, "the number of channels that are read", "input[2]")


contrib(
    "VarlenCausalConvWithState(input: T, weight: T, cumulative_sequence_length: int32, bias?: T, initial_state: T, "
    'capture_count?: int32, kernel_delta?: T, previous_mask?: T; activation: string = "none", delta_offset: int = 0, '
    "dilation: int = 1, group_size: int = 1, state_update_capacity: int = 0) -> output: T, final_state: T, "
    "state_update?: T",
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
    capture_count: Tensor | None = None,
    kernel_delta: Tensor | None = None,
    previous_mask: Tensor | None = None,
    *,
    activation: str = "none",
    delta_offset: int = 0,
    dilation: int = 1,
    group_size: int = 1,
    state_update_capacity: int = 0,
) -> list[Shape]:
    """Convolve packed sequences along time; the states keep their shape."""
    require_positive(ctx, dilation, "dilation")
    together(ctx, kernel_delta=kernel_delta, previous_mask=previous_mask)
    captures = "state_update_capacity is positive"
    present_exactly(ctx, capture_count, "capture_count", state_update_capacity > 0, captures)
    axes = NamedAxes(ctx)
    axes.read(input, "input", "tokens channels")
    kernel = _read_kernel(ctx, axes, weight, 1)
    axes.read(bias, "bias", "channels")
    read_bounds(ctx, axes, cumulative_sequence_length, "cumulative_sequence_length")
    if kernel is not None:
        seen = mul(sub(kernel, 1), dilation)
        axes.bind("seen", seen, "the number of earlier steps that the kernel sees", "kernel")
    axes.read(initial_state, "initial_state", "batch channels seen")
    axes.read(capture_count, "capture_count", "batch")
    if kernel_delta is not None:
        absent(ctx, bias, "bias", "only without kernel_delta")
        if activation != "none" or dilation != 1:
            message = f"kernel_delta requires activation none and dilation 1; they are {activation} and {dilation}"
            ctx.report(CONFLICTING_ARGUMENTS, message, "kernel_delta")
        if kernel is not None:
            message = f"kernel_delta requires a kernel of 2 steps; it has {text_of(kernel)}"
            ctx.equal(2, kernel, DIM_MISMATCH, "weight[2]", message)
        require_positive(ctx, group_size, "group_size")
        message = f"{text_of(axes['channels'])} channels are not divisible by group_size {group_size}"
        if not ctx.require(Divides(group_size, axes["channels"]), NOT_DIVISIBLE, message, "input[1]").is_no:
            groups = exact_div(axes["channels"], group_size)
            axes.bind("groups", groups, "the number of groups of channels", "channels")
        axes.read(kernel_delta, "kernel_delta", "tokens taps groups")
        message = f"delta_offset is {delta_offset}, but kernel_delta has {text_of(axes['taps'])} taps"
        ctx.require(at_least(axes["taps"], delta_offset + 2), TOO_FEW_ELEMENTS, message, "kernel_delta[1]")
        axes.read(previous_mask, "previous_mask", "tokens 1")
    message = f"{text_of(axes['tokens'])} tokens cannot give each of {text_of(axes['batch'])} sequences one"
    at = axes.places("tokens batch") or "input"
    ctx.require(at_least(sub(axes["tokens"], axes["batch"]), 0), TOO_FEW_ELEMENTS, message, at)
    update = (axes["batch"], max(state_update_capacity, 0), axes["channels"])
    return [axes.shape("tokens channels"), axes.shape("batch channels seen"), update]


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
