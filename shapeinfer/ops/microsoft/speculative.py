"""Steps that are tried before they are taken: their states are kept until it is known how many tokens hold."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, NOT_DIVISIBLE, RANK_MISMATCH, TOO_FEW_ELEMENTS
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AtMost, at_least, mul, product, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import require_positive
from shapeinfer.ops.microsoft.schema import DOMAIN, HALF_OR_SINGLE, contrib
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

contrib(
    "ConvStateReplay(source_backing: T, capture_backing: T, destination_backing: T, metadata: int64) -> "
    "destination_out: T",
    T=HALF_OR_SINGLE,
)
contrib(
    "GatedDeltaNetStateReplay(source_backing: float, capsule_backing: float, destination_backing: float, metadata: "
    "int64) -> destination_out: float",
)


def _replayed(ctx: Context, fields: int, metadata: Tensor, **backing: Tensor) -> Shape:
    """Read whole allocations and the numbers that say where in them the states are; return the destination's shape."""
    axes = NamedAxes(ctx)
    axes.bind("fields", fields, "the number of its fields")
    for name, x in backing.items():
        axes.read(x, name, name)
    axes.read(metadata, "metadata", "fields")
    return axes.shape("destination_backing")


@rule("ConvStateReplay", domain=DOMAIN, unranked=1)
def conv_state_replay(
    ctx: Context, source_backing: Tensor, capture_backing: Tensor, destination_backing: Tensor, metadata: Tensor
) -> Shape:
    """Write the state after a part of the captured inputs into an allocation, whose shape stays."""
    backing = {"source_backing": source_backing, "capture_backing": capture_backing}
    return _replayed(ctx, 8, metadata, **backing, destination_backing=destination_backing)


@rule("GatedDeltaNetStateReplay", domain=DOMAIN, unranked=1)
def gated_delta_net_state_replay(
    ctx: Context, source_backing: Tensor, capsule_backing: Tensor, destination_backing: Tensor, metadata: Tensor
) -> Shape:
    """Write the state after a part of the captured steps into an allocation, whose shape stays."""
    backing = {"source_backing": source_backing, "capsule_backing": capsule_backing}
    return _replayed(ctx, 11, metadata, **backing, destination_backing=destination_backing)


contrib(
    "Mamba2Verify(projection: bfloat16, conv_state: bfloat16, ssm_state: float, conv_weight: bfloat16, conv_bias: "
    "bfloat16, dt_bias: float, A_negative: float, D: float, norm_weight: float, state_row: int32; d_state: int = 128, "
    "epsilon: float = 1e-05, head_dim: int = 64, heads: int, n_groups: int, time_step_min: float = 0.001) -> Y: "
    "bfloat16, conv_snapshots: bfloat16, ssm_snapshots: float, xbc?: bfloat16, readout?: float",
)


@rule("Mamba2Verify", domain=DOMAIN, unranked=[2, 3, 4, 2, 2])
def mamba2_verify(
    ctx: Context,
    projection: Tensor,
    conv_state: Tensor,
    ssm_state: Tensor,
    conv_weight: Tensor,
    conv_bias: Tensor,
    dt_bias: Tensor,
    a_negative: Tensor,
    d: Tensor,
    norm_weight: Tensor,
    state_row: Tensor,
    *,
    d_state: int = 128,
    head_dim: int = 64,
    heads: int,
    n_groups: int,
) -> list[Shape]:
    """Take the steps of a state-space model, and keep the states after each."""
    for value, name in ((d_state, "d_state"), (head_dim, "head_dim"), (heads, "heads"), (n_groups, "n_groups")):
        require_positive(ctx, value, name)
    if heads % n_groups:
        message = f"heads is {heads}; it must be divisible by n_groups, {n_groups}"
        ctx.fail(NOT_DIVISIBLE, message, detail=Detail("heads"))
    axes = NamedAxes(ctx)
    inner = heads * head_dim
    channels = inner + 2 * n_groups * d_state
    for name, size, origin in (
        ("heads", heads, "heads"),
        ("head", head_dim, "head_dim"),
        ("state", d_state, "d_state"),
        ("inner", inner, "heads * head_dim"),
        ("channels", channels, "heads * head_dim + 2 * n_groups * d_state"),
        ("width", inner + channels + heads, "2 * heads * head_dim + 2 * n_groups * d_state + heads"),
        ("taps", 4, "the number of taps"),
        ("earlier", 3, "the number of earlier steps that the kernel sees"),
    ):
        axes.bind(name, size, origin)
    axes.read(projection, "projection", "rows width")
    axes.read(conv_state, "conv_state", "slots channels earlier")
    axes.read(ssm_state, "ssm_state", "slots heads state head")
    if conv_weight.shape is not None:
        axes.read(conv_weight, "conv_weight", "channels taps" if conv_weight.rank == 2 else "channels 1 taps")
    axes.read(conv_bias, "conv_bias", "channels")
    for x, name in ((dt_bias, "dt_bias"), (a_negative, "a_negative"), (d, "d")):
        axes.read(x, name, "heads")
    axes.read(norm_weight, "norm_weight", "inner")
    axes.read(state_row, "state_row", "1")
    for name, what in (("rows", "a token"), ("slots", "a slot for a state")):
        if axes.known(name) is not None:
            message = f"there must be at least {what}"
            ctx.require(at_least(axes[name], 1), TOO_FEW_ELEMENTS, message, axes.places(name))
    return [
        axes.shape(names)
        for names in ("rows inner", "slots channels earlier", "slots heads state head", "rows channels", "rows inner")
    ]


contrib(
    "SpeculativePrefixCommit(next_tokens: int64, input_ids: int64, status: int32, ctl: int64, ctx_commit: int64, "
    "prefixes: int64, ptrs: int64; head_rows: int = 8) -> head_c: int32, updated_ctl: int64, updated_ctx_commit: int64",
)


@rule("SpeculativePrefixCommit", domain=DOMAIN, unranked=[1, None, None])
def speculative_prefix_commit(
    ctx: Context,
    next_tokens: Tensor,
    input_ids: Tensor,
    status: Tensor,
    ctl: Tensor,
    ctx_commit: Tensor,
    prefixes: Tensor,
    ptrs: Tensor,
    *,
    head_rows: int = 8,
) -> list[Shape | None]:
    """Commit the tokens that hold; the states keep their shape."""
    axes = NamedAxes(ctx)
    if next_tokens.shape is not None:
        if next_tokens.rank not in (1, 2):
            message = f"next_tokens must have rank 1 or 2; it has rank {next_tokens.rank}"
            ctx.fail(RANK_MISMATCH, message, "next_tokens")
        axes.read(next_tokens, "next_tokens", "rows" if next_tokens.rank == 1 else "batch rows")
        if next_tokens.rank == 1:
            axes.bind("batch", 1, "the batch of next_tokens, which has no axis for it")
    batch = axes["batch"]
    for x, name, words in ((ctl, "ctl", 16), (ctx_commit, "ctx_commit", 2)):
        if x.shape is not None:
            count, whole = product(x.shape), mul(batch, words)
            message = f"{name} has {text_of(count)} words; {text_of(batch)} sequences take {text_of(whole)}"
            ctx.equal(whole, count, DIM_MISMATCH, f"next_tokens {name}", message)
    if prefixes.shape is not None:
        count, whole = product(prefixes.shape), mul(batch, 2 * max(head_rows, 0))
        message = f"prefixes has {text_of(count)} words; {text_of(batch)} sequences take at least {text_of(whole)}"
        ctx.require(AtMost(whole, count), TOO_FEW_ELEMENTS, message, "prefixes")
    if input_ids.shape is not None and next_tokens.shape is not None:
        count, whole = product(input_ids.shape), product(next_tokens.shape)
        message = f"input_ids has {text_of(count)} entries; it must have at least the {text_of(whole)} of next_tokens"
        ctx.require(AtMost(whole, count), TOO_FEW_ELEMENTS, message, "input_ids next_tokens")
    return [(batch,), ctl.shape, ctx_commit.shape]
