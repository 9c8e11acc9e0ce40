"""Gates, mixtures and norms of recent decoders; most keep the first input's shape."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, NOT_DIVISIBLE, RANK_MISMATCH
from shapeinfer.dims import Divides, exact_div, product, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, HALF_OR_SINGLE, contrib
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

contrib(
    "MoE(input: T, router_probs: T, fc1_experts_weights: T, fc1_experts_bias?: T, fc2_experts_weights: T, "
    "fc2_experts_bias?: T, fc3_experts_weights?: T, fc3_experts_bias?: T; activation_alpha: float = 1.0, "
    'activation_beta: float = 0e+00, activation_type: string = "relu", k: int = 1, normalize_routing_weights: int = '
    "0, swiglu_fusion: int = 0, swiglu_limit?: float, use_sparse_mixer: int = 0) -> output: T",
    T=FLOATS,
)
contrib(
    "QMoE(input: T, router_probs: T, fc1_experts_weights: T1, fc1_scales?: T2, fc1_experts_bias?: T, "
    "fc2_experts_weights: T1, fc2_scales?: T2, fc2_experts_bias?: T, fc3_experts_weights?: T1, fc3_scales?: T2, "
    "fc3_experts_bias?: T, fc1_zero_points?: T1, fc2_zero_points?: T1, fc3_zero_points?: T1, router_weights?: T, "
    "fc1_global_scale?: float, fc2_global_scale?: float, fc1_act_scale?: float, fc2_act_scale?: float, "
    "fc1_act_block_scale?: T2, fc2_act_block_scale?: T2; accuracy_level: int = 0, activation_alpha: float = 1.0, "
    'activation_beta: float = 0e+00, activation_type: string = "relu", block_size?: int, expert_weight_bits: int = '
    "4, fc1_expert_weight_bits?: int, fc2_expert_weight_bits?: int, fc3_expert_weight_bits?: int, k: int = 1, "
    'normalize_routing_weights: int = 0, quant_type: string = "int", swiglu_fusion: int = 0, swiglu_limit?: float, '
    "use_sparse_mixer: int = 0, weights_prepacked: int = -1) -> output: T",
    T=FLOATS,
    T1="uint8 float8e4m3fn",
    T2="float float16 bfloat16 float8e8m0 float8e4m3fn",
)


@rule("MoE", "QMoE", domain=DOMAIN)
def mixture_of_experts(ctx: Context, input: Tensor, router_probs: Tensor) -> Shape:
    """Keep the shape, of tokens or of batches of them."""
    if input.rank not in (2, 3):
        ctx.fail(RANK_MISMATCH, f"input must have rank 2 or 3; it has rank {input.rank}", "input")
    return input.dims


contrib("GatedAdd(X: T, Y: T, gate: T) -> output: T", T=FLOATS)


@rule("GatedAdd", domain=DOMAIN)
def gated_add(ctx: Context, x: Tensor, y: Tensor) -> Shape:
    """Add a tensor of the same shape, times a gate for each row."""
    return agreeing(ctx, x, y, ("x", "y"))


contrib('GatedRMSNorm(X: T, scale: T, gate: T; activation: string = "silu", epsilon: float = 1e-05) -> Y: T', T=FLOATS)


@rule("GatedRMSNorm", domain=DOMAIN)
def gated_rms_norm(ctx: Context, x: Tensor, scale: Tensor, gate: Tensor) -> Shape:
    """Normalize groups of the last axis, as long as ``scale``, and gate them."""
    return agreeing(ctx, x, gate, ("x", "gate"))


def agreeing(ctx: Context, x: Tensor, y: Tensor, names: tuple[str, str]) -> Shape:
    """Return the shape that two operands share."""
    if x.shape is None or y.shape is None:
        return y.dims if x.shape is None else x.dims
    one, other = names
    if x.rank != y.rank:
        message = f"{ctx.port_name(one)} has rank {x.rank} and {ctx.port_name(other)} rank {y.rank}; they must be equal"
        ctx.fail(RANK_MISMATCH, message, f"{one} {other}")
    pairs = enumerate(zip(x.dims, y.dims))
    return tuple(ctx.equal(a, b, DIM_MISMATCH, f"{one}[{i}] {other}[{i}]") for i, (a, b) in pairs)


contrib(
    "GroupNorm(X: T, gamma: M, beta: M; activation: int, channels_last: int = 1, epsilon: float = 1e-05, groups: "
    "int) -> Y: T",
    T=HALF_OR_SINGLE,
    M=HALF_OR_SINGLE,
)


@rule("GroupNorm", domain=DOMAIN)
def group_norm(ctx: Context, x: Tensor, gamma: Tensor, beta: Tensor, *, channels_last: int = 1, groups: int) -> Shape:
    """Keep the shape, whose channels divide into groups."""
    _channels(ctx, x, channels_last, groups, gamma=gamma, beta=beta)
    return x.dims


contrib(
    "SkipGroupNorm(X: T, gamma: M, beta: M, skip: T, bias?: T; activation: int, channels_last: int = 1, epsilon: "
    "float = 1e-05, groups: int) -> Y: T, S?: T",
    T=HALF_OR_SINGLE,
    M=HALF_OR_SINGLE,
)


@rule("SkipGroupNorm", domain=DOMAIN)
def skip_group_norm(
    ctx: Context,
    x: Tensor,
    gamma: Tensor,
    beta: Tensor,
    skip: Tensor,
    bias: Tensor | None = None,
    *,
    channels_last: int = 1,
    groups: int,
) -> list[Shape]:
    """Keep the shape of the sum, which is the second output."""
    _channels(ctx, x, channels_last, groups, gamma=gamma, beta=beta, bias=bias)
    return [x.dims, x.dims]


def _channels(ctx: Context, x: Tensor, last: int, groups: int, **vectors: Tensor | None) -> None:
    """Check an image's channels: whole groups, and an entry for each in every vector."""
    axes = NamedAxes(ctx)
    axes.read(x, "x", "batch height width channels" if last else "batch channels height width")
    for name, vector in vectors.items():
        axes.read(vector, name, "channels")
    if groups > 0:
        message = f"{text_of(axes['channels'])} channels are not divisible by groups={groups}"
        ctx.require(Divides(groups, axes["channels"]), NOT_DIVISIBLE, message, "x")


contrib(
    "HyperConnectionPreMix(streams: T, pre_mix: M; num_branches: int = 0, reduction_scale: float = 1.0) -> output: T",
    T=FLOATS,
    M=FLOATS,
)


@rule("HyperConnectionPreMix", domain=DOMAIN)
def hyper_connection_pre_mix(ctx: Context, streams: Tensor, *, num_branches: int = 0) -> Shape:
    """Fold the streams into one: an axis of their own, or parts of the last axis."""
    if streams.rank < 2:
        ctx.fail(RANK_MISMATCH, f"streams must have rank 2 or more; it has rank {streams.rank}", "streams")
    if num_branches < 1:
        return (*streams.dims[:-2], streams.dims[-1])
    width = streams.dims[-1]
    message = f"the last axis of streams is {text_of(width)}, which is not divisible by num_branches={num_branches}"
    ctx.require(Divides(num_branches, width), NOT_DIVISIBLE, message, "streams[-1]")
    return (*streams.dims[:-1], exact_div(width, num_branches))


contrib(
    "EngramGate(key: T, query: T, value: T, key_norm_scale: T, query_norm_scale: T, conv_norm_scale?: T; epsilon: "
    "float = 1e-05) -> output: T, gated_value_normed?: T",
    T=FLOATS,
)


@rule("EngramGate", domain=DOMAIN, unranked=[4, 4])
def engram_gate(ctx: Context, key: Tensor, query: Tensor, value: Tensor) -> list[Shape]:
    """Gate a value that all connections share; the second output is normalized."""
    axes = NamedAxes(ctx)
    axes.read(key, "key", "batch steps connections hidden")
    axes.read(query, "query", "batch steps connections hidden")
    axes.read(value, "value", "batch steps hidden")
    out = axes.shape("batch steps connections hidden")
    return [out, out]


contrib("LinearAttentionGate(a: T, dt_bias: float, decay_scale: float, b?: T) -> decay: T, beta?: T", T=FLOATS)


@rule("LinearAttentionGate", domain=DOMAIN, unranked=[3, 3])
def linear_attention_gate(
    ctx: Context, a: Tensor, dt_bias: Tensor, decay_scale: Tensor, b: Tensor | None = None
) -> list[Shape]:
    """Return the decay and the learning rate of each head."""
    axes = NamedAxes(ctx)
    axes.read(a, "a", "batch steps heads")
    axes.read(b, "b", "batch steps heads")
    for vector, name in ((dt_bias, "dt_bias"), (decay_scale, "decay_scale")):
        if vector.shape is not None:
            ctx.equal(axes["heads"], product(vector.shape), DIM_MISMATCH, f"a[2] {name}")
    out = axes.shape("batch steps heads")
    return [out, out]
