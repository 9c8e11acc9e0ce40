"""Attention through a matrix for each head, which is the state: LinearAttention, GatedDeltaNet and their gates."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    MISSING_INPUT,
    NOT_DIVISIBLE,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Divides, Size, exact_div, mul, product, sub, text_of, total
from shapeinfer.facts import Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import divided, require_positive
from shapeinfer.ops.microsoft.operands import one_of, present_exactly, read_bounds, required, together
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, contrib
from shapeinfer.ops.registry import Output, rule
from shapeinfer.shapes.named import NamedAxes

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
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    state_window: int = 0,
    update_rule: str = "gated_delta",
) -> list[Output]:
    """Attend through a matrix for each head; keys may have fewer heads than values."""
    require_positive(ctx, q_num_heads, "q_num_heads")
    require_positive(ctx, kv_num_heads, "kv_num_heads")
    most, fewest = max(q_num_heads, kv_num_heads), min(q_num_heads, kv_num_heads)
    if most % fewest:
        message = f"q_num_heads is {q_num_heads} and kv_num_heads {kv_num_heads}; one must divide the other"
        ctx.fail(NOT_DIVISIBLE, message, detail=Detail("q_num_heads"))
    for x, name, part in ((decay, "decay", "gated"), (beta, "beta", "delta")):
        if part in update_rule.split("_"):
            required(ctx, x, name, f"update_rule is {update_rule}")
    axes = NamedAxes(ctx)
    axes.bind("kv_heads", kv_num_heads, "kv_num_heads")
    axes.read(query, "query", "batch steps q_width")
    axes.read(key, "key", "batch steps k_width")
    axes.read(value, "value", "batch steps v_width")
    axes.bind("rows", _of_heads(ctx, axes, "q_width", q_num_heads, "query"), "the size of a query head", "q_width")
    columns = _of_heads(ctx, axes, "v_width", kv_num_heads, "value")
    axes.bind("columns", columns, "the size of a value head", "v_width")
    if key.shape is not None and query.shape is not None:
        whole = mul(axes["rows"], kv_num_heads)
        message = (
            f"key has width {text_of(axes['k_width'])}; it must hold kv_num_heads heads of a query's size, or a part"
        )
        for divisor, size in ((axes["rows"], axes["k_width"]), (axes["k_width"], whole)):
            ctx.require(Divides(divisor, size), NOT_DIVISIBLE, message, "key[2] query[2]")
    for x, name in ((decay, "decay"), (beta, "beta")):
        axes.read(x, name, "batch steps _")
    if decay is not None and decay.shape is not None:
        one_of(ctx, decay.dims[-1], (kv_num_heads, mul(kv_num_heads, axes["rows"])), "decay[2]")
    if beta is not None and beta.shape is not None:
        one_of(ctx, beta.dims[-1], (kv_num_heads, 1), "beta[2]")
    state = "batch kv_heads rows columns"
    if state_window:
        axes.bind("window", state_window, "state_window")
        state = f"window {state}"
    axes.read(past_state, "past_state", state)
    dtype = query.dtype if past_state is None else past_state.dtype
    return [(*axes.shape("batch steps"), mul(axes["columns"], most)), tensor(dtype, axes.shape(state))]


def _of_heads(ctx: Context, axes: NamedAxes, name: str, count: int, port: str) -> Size:
    """Return an axis divided by its number of heads, fresh if the axis is unknown."""
    width = axes.known(name)
    return ctx.fresh() if width is None else divided(ctx, width, count, f"the width of {port}", f"{port}[2]")


contrib("LinearAttentionGate(a: T, dt_bias: float, decay_scale: float, b?: T) -> decay: T, beta?: T", T=FLOATS)


@rule("LinearAttentionGate", domain=DOMAIN)
def linear_attention_gate(
    ctx: Context, a: Tensor, dt_bias: Tensor, decay_scale: Tensor, b: Tensor | None = None
) -> list[Shape]:
    """Return the decay and the learning rate of each head, which the last axis counts."""
    if ctx.outputs > 1 and b is None:
        ctx.fail(MISSING_INPUT, "b is required where the output beta is named", "b")
    if a.rank == 0:
        ctx.fail(RANK_MISMATCH, "a must have an axis of heads; it is a scalar", "a")
    shape = a.dims
    if b is not None and b.shape is not None:
        if b.rank != a.rank:
            ctx.fail(RANK_MISMATCH, f"a has rank {a.rank} and b rank {b.rank}; they must be equal", "b a")
        pairs = enumerate(zip(shape, b.dims))
        shape = tuple(ctx.equal(x, y, DIM_MISMATCH, f"a[{i}] b[{i}]") for i, (x, y) in pairs)
    for vector, name in ((dt_bias, "dt_bias"), (decay_scale, "decay_scale")):
        if vector.shape is not None:
            ctx.equal(shape[-1], product(vector.shape), DIM_MISMATCH, f"a[{len(shape) - 1}] {name}")
    return [shape, shape]


contrib(
    "GatedDeltaNet(query: T, key?: T, value?: T, cu_seqlens?: int32, decay?: TG, beta?: TG, initial_state?: float, "
    "a_log?: float, dt_bias?: float, capture_count?: int32, state_update_active?: int32; beta_activation: string = "
    '"none", chunk_size: int = 64, gate_activation: string = "none", gate_lower_bound: float = -5.0, qk_l2_norm: int = '
    '0, scale: float = 0e+00, state_update_capacity: int = 0, update_rule: string = "gated_delta") -> output: T, '
    "final_state?: float, state_update?: float",
    T=FLOATS,
    TG=FLOATS,
)


@rule("GatedDeltaNet", domain=DOMAIN, unranked=[None, 4, 2])
def gated_delta_net(
    ctx: Context,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    cu_seqlens: Tensor | None = None,
    decay: Tensor | None = None,
    beta: Tensor | None = None,
    initial_state: Tensor | None = None,
    a_log: Tensor | None = None,
    dt_bias: Tensor | None = None,
    capture_count: Tensor | None = None,
    state_update_active: Tensor | None = None,
    *,
    gate_activation: str = "none",
    gate_lower_bound: float = -5.0,
    state_update_capacity: int = 0,
    update_rule: str = "gated_delta",
) -> list[Shape]:
    """Attend through a matrix for each head; tokens are packed, or in batches with an axis of their own."""
    terms = update_rule.split("_")
    present_exactly(ctx, decay, "decay", "gated" in terms, "update_rule is gated or gated_delta")
    present_exactly(ctx, beta, "beta", "delta" in terms, "update_rule is delta or gated_delta")
    for x, name in ((a_log, "a_log"), (dt_bias, "dt_bias")):
        present_exactly(ctx, x, name, gate_activation != "none", "gate_activation is softplus or sigmoid")
    captures = "state_update_capacity is positive"
    present_exactly(ctx, capture_count, "capture_count", state_update_capacity > 0, captures)
    if gate_activation in ("sigmoid", "kda") and not gate_lower_bound < 0:
        message = f"gate_lower_bound is {gate_lower_bound}; it must be negative"
        ctx.report(INVALID_ATTRIBUTE, message, detail=Detail("gate_lower_bound"))
    together(ctx, key=key, value=value)
    if initial_state is None and (key is None or value is None):
        ctx.fail(MISSING_INPUT, "initial_state is required where query packs key and value", "initial_state")

    axes = NamedAxes(ctx)
    lead = _read_tokens(ctx, axes, query, key, value, initial_state)
    if cu_seqlens is not None:
        if lead == "batch steps":
            message = "cu_seqlens packs sequences of any length, so query cannot have an axis for the batch"
            ctx.fail(CONFLICTING_ARGUMENTS, message, "query cu_seqlens")
        read_bounds(ctx, axes, cu_seqlens, "cu_seqlens")
    elif lead == "tokens" and initial_state is None:
        message = "cu_seqlens or initial_state is required where tokens are packed"
        ctx.fail(MISSING_INPUT, message, "initial_state")
    axes.read(initial_state, "initial_state", "batch heads v_head head")
    if cu_seqlens is None and lead == "tokens":
        message = f"{text_of(axes['tokens'])} tokens are not divisible by {text_of(axes['batch'])} sequences"
        ctx.require(Divides(axes["batch"], axes["tokens"]), NOT_DIVISIBLE, message, "query[0] initial_state[0]")
    by_key = _read_gates(ctx, axes, lead, decay, beta, a_log, dt_bias)
    axes.read(capture_count, "capture_count", "batch")
    axes.read(state_update_active, "state_update_active", "1")

    decays = ctx.fresh() if by_key is None else mul(axes["heads"], axes["head"] if by_key else 1)
    keys, values = mul(axes["q_heads"], axes["head"]), mul(axes["heads"], axes["v_head"])
    update = (axes["batch"], mul(total((decays, keys, values)), max(state_update_capacity, 0)))
    return [axes.shape(f"{lead} heads v_head"), axes.shape("batch heads v_head head"), update]


def _read_tokens(
    ctx: Context,
    axes: NamedAxes,
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    initial_state: Tensor | None,
) -> str:
    """Read queries, keys and values, and return the names of the axes before their heads."""
    if key is None or value is None:
        axes.read(initial_state, "initial_state", "batch heads v_head head")
        if query.rank not in (2, 3):
            message = f"query packs key and value, so it must have rank 2 or 3; it has rank {query.rank}"
            ctx.fail(RANK_MISMATCH, message, "query")
        lead = "tokens" if query.rank == 2 else "batch steps"
        axes.read(query, "query", f"{lead} width")
        _unpack(ctx, axes)
        return lead
    ranks = {name: x.rank for name, x in {"query": query, "key": key, "value": value}.items() if x.shape is not None}
    for name, rank in ranks.items():
        if rank not in (3, 4):
            ctx.fail(RANK_MISMATCH, f"{name} must have rank 3 or 4; it has rank {rank}", name)
    rank = next(iter(ranks.values())) if ranks else query.rank
    lead = "tokens" if rank == 3 else "batch steps"
    axes.read(query, "query", f"{lead} q_heads head")
    axes.read(key, "key", f"{lead} q_heads head")
    axes.read(value, "value", f"{lead} heads v_head")
    if axes.known("heads") is not None and axes.known("q_heads") is not None:
        message = f"{text_of(axes['heads'])} heads of value are not divisible by {text_of(axes['q_heads'])} of query"
        at = axes.places("heads q_heads")
        ctx.require(Divides(axes["q_heads"], axes["heads"]), NOT_DIVISIBLE, message, at)
    return lead


def _unpack(ctx: Context, axes: NamedAxes) -> None:
    """Bind the number of query heads, which is what the width leaves for them."""
    width, heads, v_head, head = (axes.known(name) for name in ("width", "heads", "v_head", "head"))
    if width is None or heads is None or v_head is None or not isinstance(head, int) or head < 1:
        return
    rest = sub(width, mul(heads, v_head))
    message = f"query has width {text_of(width)}; it must be 2 * num_heads_q * {head} + {text_of(mul(heads, v_head))}"
    at = axes.places("width heads")
    if ctx.require(Divides(2 * head, rest), NOT_DIVISIBLE, message, at).is_no:
        return
    count = exact_div(rest, 2 * head)
    if isinstance(count, int) and (count < 1 or (isinstance(heads, int) and heads % count)):
        ctx.report(DIM_MISMATCH, f"{message}, where num_heads_q divides {text_of(heads)}", at)
        return
    axes.bind("q_heads", count, "the number of query heads", "width")


def _read_gates(
    ctx: Context,
    axes: NamedAxes,
    lead: str,
    decay: Tensor | None,
    beta: Tensor | None,
    a_log: Tensor | None,
    dt_bias: Tensor | None,
) -> bool | None:
    """Read the inputs of the gates; return whether there is a decay for each channel of a key, None if unknown."""
    by_key: bool | None = False
    if decay is not None:
        by_key = None if decay.shape is None else len(decay.shape) == len(lead.split()) + 2
        axes.read(decay, "decay", f"{lead} heads head" if by_key else f"{lead} heads")
    axes.read(beta, "beta", f"{lead} heads")
    axes.read(a_log, "a_log", "heads")
    if dt_bias is None or dt_bias.shape is None:
        return by_key
    if len(dt_bias.shape) == 2 and by_key is not False:
        axes.read(dt_bias, "dt_bias", "heads head")
    elif by_key is not False:
        axes.read(dt_bias, "dt_bias", "_")
        one_of(ctx, dt_bias.dims[0], (axes["heads"], mul(axes["heads"], axes["head"])), "dt_bias[0]")
    else:
        axes.read(dt_bias, "dt_bias", "heads")
    return by_key
