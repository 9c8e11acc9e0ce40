"""Gates and norms of recent decoders; most keep the first input's shape."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INVALID_ATTRIBUTE, NOT_DIVISIBLE, RANK_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Divides, exact_div, product, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import divided, require_positive
from shapeinfer.ops.microsoft.fused import halved
from shapeinfer.ops.microsoft.operands import required, together
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, HALF_OR_SINGLE, contrib
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

contrib("GatedAdd(X: T, Y: T, gate: T, gate_weight?: T) -> output: T", T=FLOATS)


@rule("GatedAdd", domain=DOMAIN)
def gated_add(ctx: Context, x: Tensor, y: Tensor, gate: Tensor, gate_weight: Tensor | None = None) -> Shape:
    """Add a tensor of the same shape, times a gate for each row, which may be a product with a column."""
    shape = agreeing(ctx, x, y, ("x", "y"))
    if not shape:
        ctx.fail(RANK_MISMATCH, "X must have at least one axis; it is a scalar", "x")
    axes = NamedAxes(ctx)
    for i, size in enumerate(shape[:-1]):
        axes.bind(f"row{i}", size, f"axis {i} of X")
    rows = " ".join(f"row{i}" for i in range(len(shape) - 1))
    axes.read(gate, "gate", f"{rows} {'1' if gate_weight is None else 'inner'}")
    axes.read(gate_weight, "gate_weight", "inner 1")
    return shape


contrib('GatedRMSNorm(X: T, scale: T, gate: T; activation: string = "silu", epsilon: float = 1e-05) -> Y: T', T=FLOATS)


@rule("GatedRMSNorm", domain=DOMAIN)
def gated_rms_norm(ctx: Context, x: Tensor, scale: Tensor, gate: Tensor) -> Shape:
    """Normalize groups of the last axis, as long as ``scale``, and gate them."""
    shape = agreeing(ctx, x, gate, ("x", "gate"))
    if scale.shape is not None and shape:
        group, at = product(scale.shape), f"x[{len(shape) - 1}] scale"
        message = f"the last axis of X is {text_of(shape[-1])}, not a multiple of the {text_of(group)} entries of scale"
        ctx.require(Divides(group, shape[-1]), NOT_DIVISIBLE, message, at)
    return shape


contrib(
    "SwiGLU(gate: T, up?: T; activation_alpha: float = 1.0, activation_beta: float = 0e+00, limit: float = 0e+00, "
    "round_activation: int = 0) -> output: T",
    T=FLOATS,
)


@rule("SwiGLU", domain=DOMAIN)
def swiglu(ctx: Context, gate: Tensor, up: Tensor | None = None) -> Shape:
    """Gate one tensor by another of the same shape, or one half of the last axis by the other."""
    if up is not None:
        return agreeing(ctx, gate, up, ("gate", "up"))
    if gate.rank == 0:
        ctx.fail(RANK_MISMATCH, "gate must have at least one axis; it is a scalar", "gate")
    return (*gate.dims[:-1], halved(ctx, gate.dims[-1], f"gate[{gate.rank - 1}]"))


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
def engram_gate(
    ctx: Context,
    key: Tensor,
    query: Tensor,
    value: Tensor,
    key_norm_scale: Tensor,
    query_norm_scale: Tensor,
    conv_norm_scale: Tensor | None = None,
) -> list[Shape]:
    """Gate a value that all connections share; the second output is normalized."""
    if ctx.outputs > 1:
        required(ctx, conv_norm_scale, "conv_norm_scale", "the output gated_value_normed is named")
    axes = NamedAxes(ctx)
    axes.read(key, "key", "batch steps connections hidden")
    axes.read(query, "query", "batch steps connections hidden")
    axes.read(value, "value", "batch steps hidden")
    for x, name in (
        (key_norm_scale, "key_norm_scale"),
        (query_norm_scale, "query_norm_scale"),
        (conv_norm_scale, "conv_norm_scale"),
    ):
        axes.read(x, name, "connections hidden")
    out = axes.shape("batch steps connections hidden")
    return [out, out]


contrib(
    "HyperConnectionLowRankMix(streams: T, norm_scale: T, down_weight: T, up_weight: T, inject_weight: T, "
    "prev_block_output?: T, prev_post_gate?: T; epsilon: float = 1e-05, gate_div: float = 1.0, gate_mul: float = 1.0, "
    "num_branches: int, reduction_scale: float = 1.0, silu_alpha: float = 1.0) -> pre_output: T, post_gate: T, "
    "streams_out?: T",
    T=FLOATS,
)


@rule("HyperConnectionLowRankMix", domain=DOMAIN)
def hyper_connection_low_rank_mix(
    ctx: Context,
    streams: Tensor,
    norm_scale: Tensor,
    down_weight: Tensor,
    up_weight: Tensor,
    inject_weight: Tensor,
    prev_block_output: Tensor | None = None,
    prev_post_gate: Tensor | None = None,
    *,
    gate_div: float = 1.0,
    num_branches: int,
) -> list[Shape]:
    """Fold the streams, parts of the last axis, into one; also return a gate for each and the streams."""
    require_positive(ctx, num_branches, "num_branches")
    if gate_div == 0:
        ctx.report(INVALID_ATTRIBUTE, "gate_div is 0; it must not be", detail=Detail("gate_div"))
    together(ctx, prev_block_output=prev_block_output, prev_post_gate=prev_post_gate)
    if streams.rank < 1:
        ctx.fail(RANK_MISMATCH, "streams must have at least one axis; it is a scalar", "streams")
    axes = NamedAxes(ctx)
    rows = " ".join(f"row{i}" for i in range(streams.rank - 1))
    axes.bind("branches", num_branches, "num_branches")
    axes.read(streams, "streams", f"{rows} width")
    hidden = divided(ctx, axes["width"], num_branches, "the last axis of streams", f"streams[{streams.rank - 1}]")
    axes.bind("hidden", hidden, "the width of a stream", "width")
    axes.read(norm_scale, "norm_scale", "width")
    axes.read(down_weight, "down_weight", "width low")
    axes.read(up_weight, "up_weight", "low width")
    axes.read(inject_weight, "inject_weight", "width branches")
    axes.read(prev_block_output, "prev_block_output", f"{rows} hidden")
    axes.read(prev_post_gate, "prev_post_gate", f"{rows} branches")
    return [axes.shape(f"{rows} {last}") for last in ("hidden", "branches", "width")]
