"""Mixtures of experts: which expert a token goes to, and what the experts compute."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    DIM_MISMATCH,
    INNER_DIM_MISMATCH,
    MISSING_ATTRIBUTE,
    MISSING_NODE_OUTPUT,
    NOT_DIVISIBLE,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import (
    AllOf,
    AnyOf,
    Condition,
    Divides,
    Equal,
    Size,
    at_least,
    exact_div,
    mul,
    product,
    sub,
    text_of,
)
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import require_positive
from shapeinfer.ops.microsoft.operands import absent, one_of, present_exactly
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, contrib
from shapeinfer.ops.microsoft.weights import require_packed
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

contrib(
    "MoE(input: T, router_probs: T, fc1_experts_weights: T, fc1_experts_bias?: T, fc2_experts_weights: T, "
    "fc2_experts_bias?: T, fc3_experts_weights?: T, fc3_experts_bias?: T; activation_alpha: float = 1.0, "
    'activation_beta: float = 0e+00, activation_type: string = "relu", k: int = 1, normalize_routing_weights: int = 0, '
    "swiglu_fusion: int = 0, swiglu_limit?: float, swiglu_limit_after_activation: int = 0, use_sparse_mixer: int = 0) "
    "-> output: T",
    T=FLOATS,
)
contrib(
    "QMoE(input: T, router_probs: T, fc1_experts_weights: T1, fc1_scales?: T2, fc1_experts_bias?: T, "
    "fc2_experts_weights: T1, fc2_scales?: T2, fc2_experts_bias?: T, fc3_experts_weights?: T1, fc3_scales?: T2, "
    "fc3_experts_bias?: T, fc1_zero_points?: T1, fc2_zero_points?: T1, fc3_zero_points?: T1, router_weights?: T, "
    "fc1_global_scale?: float, fc2_global_scale?: float, fc1_act_scale?: float, fc2_act_scale?: float, "
    "fc1_act_block_scale?: T2, fc2_act_block_scale?: T2; accuracy_level: int = 0, activation_alpha: float = 1.0, "
    'activation_beta: float = 0e+00, activation_type: string = "relu", block_size?: int, expert_weight_bits: int = 4, '
    "fc1_expert_weight_bits?: int, fc2_expert_weight_bits?: int, fc3_expert_weight_bits?: int, k: int = 1, "
    'normalize_routing_weights: int = 0, quant_type: string = "int", swiglu_fusion: int = 0, swiglu_limit?: float, '
    "swiglu_limit_after_activation: int = 0, use_sparse_mixer: int = 0, weights_prepacked: int = -1) -> output: T",
    T=FLOATS,
    T1="uint8 float8e4m3fn",
    T2="float float16 bfloat16 float8e8m0 float8e4m3fn",
)


@rule("MoE", domain=DOMAIN)
def mixture_of_experts(
    ctx: Context,
    input: Tensor,
    router_probs: Tensor,
    fc1_experts_weights: Tensor,
    fc1_experts_bias: Tensor | None,
    fc2_experts_weights: Tensor,
    fc2_experts_bias: Tensor | None = None,
    fc3_experts_weights: Tensor | None = None,
    fc3_experts_bias: Tensor | None = None,
    *,
    activation_type: str = "relu",
    k: int = 1,
    swiglu_fusion: int = 0,
) -> Shape:
    """Keep the shape, of tokens or of batches of them."""
    axes = _read_routed(ctx, input, router_probs, k)
    weights = {
        "fc1_experts_weights": fc1_experts_weights,
        "fc2_experts_weights": fc2_experts_weights,
        "fc3_experts_weights": fc3_experts_weights,
    }
    for name, x in weights.items():
        axes.read(x, name, "experts _ _")
    axes.read(fc1_experts_bias, "fc1_experts_bias", "experts _")
    axes.read(fc2_experts_bias, "fc2_experts_bias", "experts hidden")
    axes.read(fc3_experts_bias, "fc3_experts_bias", "experts _")
    hidden = axes.known("hidden")
    if hidden is not None and fc1_experts_weights.shape is not None and fc2_experts_weights.shape is not None:
        is_gated = activation_type == "geglu" or (activation_type == "swiglu" and swiglu_fusion != 0)
        # Before the attribute there was, an expert of swiglu without third weights had both halves in the first.
        maybe = activation_type == "swiglu" and fc3_experts_weights is None
        halves = (2,) if is_gated else (1, 2) if maybe else (1,)
        _check_expert(ctx, hidden, fc1_experts_weights.dims, fc2_experts_weights.dims, halves)
        if fc1_experts_bias is not None and fc1_experts_bias.shape is not None:
            one_of(ctx, fc1_experts_bias.dims[1], fc1_experts_weights.dims[1:], "fc1_experts_bias[1]")
    return input.dims


def _check_expert(ctx: Context, hidden: Size, first: Shape, second: Shape, halves: tuple[int, ...]) -> None:
    """Require that one product follows the other; older runtimes have both matrices transposed."""
    _, rows, columns = first
    _, outer, inner = second
    fits: list[Condition] = []
    for count in halves:
        fits.append(AllOf((Equal(columns, hidden), Equal(outer, hidden), Equal(rows, mul(inner, count)))))
        fits.append(AllOf((Equal(rows, hidden), Equal(inner, hidden), Equal(columns, mul(outer, count)))))
    shapes = [f"[{', '.join(map(text_of, s))}]" for s in (first, second)]
    message = (
        f"fc1_experts_weights is {shapes[0]} and fc2_experts_weights {shapes[1]}; for {text_of(hidden)} features they "
        f"must be [experts, {'inter' if halves[0] == 1 else '2 * inter'}, {text_of(hidden)}] and "
        f"[experts, {text_of(hidden)}, inter]"
    )
    ctx.require(AnyOf(tuple(fits)), DIM_MISMATCH, message, "fc1_experts_weights fc2_experts_weights")


@rule("QMoE", domain=DOMAIN)
def quantized_mixture_of_experts(ctx: Context, input: Tensor, router_probs: Tensor, *, k: int = 1) -> Shape:
    """Keep the shape, of tokens or of batches of them."""
    _read_routed(ctx, input, router_probs, k)
    return input.dims


def _read_routed(ctx: Context, input: Tensor, router_probs: Tensor, k: int) -> NamedAxes:
    """Read tokens and what routes each of them to ``k`` of the experts."""
    require_positive(ctx, k, "k")
    axes = NamedAxes(ctx)
    if input.shape is not None:
        if input.rank not in (2, 3):
            ctx.fail(RANK_MISMATCH, f"input must have rank 2 or 3; it has rank {input.rank}", "input")
        axes.read(input, "input", "tokens hidden" if input.rank == 2 else "batch steps hidden")
        if input.rank == 3:
            axes.bind("tokens", product(input.dims[:2]), "the number of tokens", "batch steps")
    axes.read(router_probs, "router_probs", "tokens experts")
    _choose(ctx, axes, k, "router_probs[1]", "k")
    return axes


def _choose(ctx: Context, axes: NamedAxes, k: int, at: str, name: str) -> None:
    """Require at least as many experts as are chosen."""
    experts = axes.known("experts")
    if experts is not None:
        message = f"{name} is {k}, but there are {text_of(experts)} experts"
        ctx.require(at_least(experts, k), TOO_FEW_ELEMENTS, message, at)


contrib(
    "MoEPacked(input: T, router_probs: TR, gate_experts_weights: uint8, up_experts_weights?: uint8, "
    'down_experts_weights: uint8, router_weights?: TR; activation_type: string = "swiglu", down_type: int, gate_type: '
    "int, k: int = 1, normalize_routing_weights: int = 1, routed_scaling_factor: float = 1.0, routing_epsilon: float = "
    "0e+00, up_type: int = -1) -> output: T",
    T="bfloat16 float16",
    TR=FLOATS,
)


@rule("MoEPacked", domain=DOMAIN)
def packed_mixture_of_experts(
    ctx: Context,
    input: Tensor,
    router_probs: Tensor,
    gate_experts_weights: Tensor,
    up_experts_weights: Tensor | None,
    down_experts_weights: Tensor,
    router_weights: Tensor | None = None,
    *,
    activation_type: str = "swiglu",
    down_type: int,
    gate_type: int,
    k: int = 1,
    routed_scaling_factor: float = 1.0,
    routing_epsilon: float = 0.0,
    up_type: int = -1,
) -> Shape:
    """Keep the shape; the weights of an expert are rows of blocks."""
    is_gated = activation_type == "swiglu"
    present_exactly(ctx, up_experts_weights, "up_experts_weights", is_gated, "activation_type is swiglu")
    if is_gated and up_type == -1:
        ctx.report(MISSING_ATTRIBUTE, "activation_type swiglu requires the attribute up_type", detail=Detail("up_type"))
    if router_weights is None:
        for name, value, default in (
            ("routed_scaling_factor", routed_scaling_factor, 1.0),
            ("routing_epsilon", routing_epsilon, 0.0),
        ):
            if value != default:
                message = f"{name} is {value:g}; without router_weights it must be {default:g}"
                ctx.report(CONFLICTING_ARGUMENTS, message, detail=Detail(name))
    if input.rank < 1:
        ctx.fail(RANK_MISMATCH, "input must have an axis of features; it is a scalar", "input")
    axes = NamedAxes(ctx)
    axes.bind("hidden", input.dims[-1], "the last axis of input")
    axes.bind("tokens", product(input.dims[:-1]), "the number of tokens")
    axes.read(router_probs, "router_probs", "tokens experts")
    axes.read(router_weights, "router_weights", "tokens experts")
    axes.read(gate_experts_weights, "gate_experts_weights", "experts inter gate_row")
    axes.read(up_experts_weights, "up_experts_weights", "experts inter up_row")
    axes.read(down_experts_weights, "down_experts_weights", "experts hidden down_row")
    _choose(ctx, axes, k, "router_probs[1]", "k")
    rows = (("gate", gate_type, "hidden"), ("up", up_type, "hidden"), ("down", down_type, "inter"))
    for name, packed_type, inner in rows:
        row, elements = axes.known(f"{name}_row"), axes.known(inner)
        if row is not None and elements is not None:
            require_packed(ctx, packed_type, elements, row, f"{name}_experts_weights[2]")
    return input.dims


contrib(
    "MoEGroupRouter(logits: T, expert_bias: float, projection_weight?: T; group_topk: int = 2, n_group: int = 1, "
    "router_sentinel: float = -10000.0, top_k: int, topk_group: int = 1) -> router_probs?: T, selection_scores?: "
    "float, router_weights?: float",
    T=FLOATS,
)


@rule("MoEGroupRouter", domain=DOMAIN, unranked=[2, 2, 2])
def moe_group_router(
    ctx: Context,
    logits: Tensor,
    expert_bias: Tensor,
    projection_weight: Tensor | None = None,
    *,
    n_group: int = 1,
    top_k: int,
    topk_group: int = 1,
) -> list[Shape]:
    """Score every expert for every token; the second and third output are all the scores, not the chosen ones."""
    axes = NamedAxes(ctx)
    for value, name in ((n_group, "n_group"), (top_k, "top_k"), (topk_group, "topk_group")):
        require_positive(ctx, value, name)
    if topk_group > n_group:
        message = f"topk_group is {topk_group}; it must be at most n_group, {n_group}"
        ctx.report(CONFLICTING_ARGUMENTS, message, detail=Detail("topk_group"))
    if ctx.outputs > 1 and n_group != 1:
        message = f"the outputs selection_scores and router_weights require n_group 1; it is {n_group}"
        ctx.report(CONFLICTING_ARGUMENTS, message, detail=Detail("n_group"))
    if ctx.outputs == 2:
        message = "the outputs selection_scores and router_weights require each other"
        ctx.report(MISSING_NODE_OUTPUT, message)
    if ctx.outputs == 1:
        absent(ctx, projection_weight, "projection_weight", "only with the outputs selection_scores and router_weights")
    if projection_weight is not None:
        axes.read(logits, "logits", "tokens width")
        axes.read(projection_weight, "projection_weight", "experts width")
        width = axes.known("width")
        if width is not None:
            message = f"logits has width {text_of(width)}; it must be a multiple of 256"
            ctx.require(Divides(256, width), NOT_DIVISIBLE, message, axes.places("width"))
    elif logits.shape is not None:
        if logits.rank < 2:
            ctx.fail(RANK_MISMATCH, f"logits must have rank 2 or more; it has rank {logits.rank}", "logits")
        axes.read(logits, "logits", f"{'_ ' * (logits.rank - 1)}experts")
        axes.bind("tokens", product(logits.dims[:-1]), "the number of tokens")
    axes.read(expert_bias, "expert_bias", "experts")
    _choose(ctx, axes, top_k, axes.places("experts") or "logits", "top_k")
    experts = axes.known("experts")
    if experts is not None:
        message = f"{text_of(experts)} experts are not divisible by n_group {n_group}"
        ctx.require(Divides(n_group, experts), NOT_DIVISIBLE, message, axes.places("experts"))
    return [axes.shape("tokens experts")] * 3


contrib(
    'RouterGateUpProj(X: T, W: T; activation: string = "swiglu", activation_alpha: float = 1.0, activation_beta: float '
    "= 0e+00, limit: float = 0e+00, router_size: int) -> router: T, activated: T",
    T="bfloat16 float16",
)


@rule("RouterGateUpProj", domain=DOMAIN)
def router_gate_up_proj(ctx: Context, x: Tensor, w: Tensor, *, router_size: int) -> list[Shape]:
    """Multiply with the columns of a router and of both halves of a gated expert."""
    require_positive(ctx, router_size, "router_size")
    if x.rank < 1:
        ctx.fail(RANK_MISMATCH, "X must have an axis of features; it is a scalar", "x")
    axes = NamedAxes(ctx)
    axes.read(w, "w", "inner columns")
    inner = axes.known("inner")
    if inner is not None:
        ctx.equal(x.dims[-1], inner, INNER_DIM_MISMATCH, f"x[{x.rank - 1}] w[0]")
    columns = axes.known("columns")
    if columns is None:
        return [(*x.dims[:-1], router_size), (*x.dims[:-1], ctx.fresh())]
    rest = sub(columns, router_size)
    message = (
        f"W has {text_of(columns)} columns; it must have router_size, {router_size}, and twice those of the expert"
    )
    ctx.require(at_least(rest, 1), TOO_FEW_ELEMENTS, message, "w[1]")
    ctx.require(Divides(2, rest), NOT_DIVISIBLE, message, "w[1]")
    return [(*x.dims[:-1], router_size), (*x.dims[:-1], exact_div(rest, 2))]
