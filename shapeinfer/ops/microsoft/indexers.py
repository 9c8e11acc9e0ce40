"""Which positions sparse attention reads: the best blocks, or compressed entries, of each query."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    INVALID_ATTRIBUTE,
    MISSING_ATTRIBUTE,
    MISSING_NODE_OUTPUT,
    NOT_DIVISIBLE,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Size, add, at_least, below, floordiv, minimum, mod, mul, sub, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.attention import divided, require_positive
from shapeinfer.ops.microsoft.operands import absent, one_of, present_exactly, required, together
from shapeinfer.ops.microsoft.schema import DOMAIN, FLOATS, contrib
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes

QSA, CSA = "policy_mode is qsa", "policy_mode is csa"
MOST_SELECTED = 2**31 - 1
"""What is counted has 32 bits."""


def _selected(
    ctx: Context, policy: str, ratio: int, budget: int | None, topk: int | None, head_weight_scale: float | None
) -> int:
    """Check the attributes of a policy, and return how many positions it selects for a query."""
    _count(ctx, ratio, "compress_ratio")
    needed, name = (topk, "index_topk") if policy == "csa" else (budget, "token_budget")
    others: dict[str, float | None] = {"token_budget": budget}
    if policy != "csa":
        others = {"index_topk": topk, "head_weight_scale": head_weight_scale}
    for other, value in others.items():
        if value is not None:
            message = f"policy_mode {policy} does not use {other}; remove it"
            ctx.report(CONFLICTING_ARGUMENTS, message, detail=Detail(other))
    if needed is None:
        ctx.fail(MISSING_ATTRIBUTE, f"policy_mode {policy} requires the attribute {name}", detail=Detail(name))
    _count(ctx, needed, name)
    if policy == "csa":
        return needed
    if needed % ratio:
        message = f"token_budget is {needed}; it must be divisible by compress_ratio, {ratio}"
        ctx.fail(NOT_DIVISIBLE, message, detail=Detail("token_budget"))
    selected = needed + ratio - 1
    if selected > MOST_SELECTED:
        message = f"token_budget + compress_ratio - 1 is {selected}; it must be at most {MOST_SELECTED}"
        ctx.fail(INVALID_ATTRIBUTE, message, detail=Detail("token_budget"))
    return selected


def _count(ctx: Context, number: int, name: str) -> None:
    require_positive(ctx, number, name)
    if number > MOST_SELECTED:
        message = f"{name} is {number}; it must be at most {MOST_SELECTED}"
        ctx.fail(INVALID_ATTRIBUTE, message, detail=Detail(name))


def _for_blocks(ctx: Context, policy: str, **inputs: Tensor | None) -> None:
    """Report inputs of compressed blocks that are absent for that policy, or present for the other."""
    for name, x in inputs.items():
        present_exactly(ctx, x, name, policy == "csa", CSA)


def _read_heads(
    ctx: Context, axes: NamedAxes, policy: str, key: Tensor | None, norms: tuple[Tensor, Tensor], width: str
) -> None:
    """Read the size of a head, and bind the number of heads and the widths that follow from it."""
    axes.read(norms[0], "query_norm_weight", "head")
    axes.read(norms[1], "key_norm_weight", "head")
    head, whole = axes.known("head"), axes.known(width)
    if head is None:
        return
    axes.bind("double", mul(head, 2), "twice the size of a head", "head")
    axes.bind("k_width", axes["double"] if policy == "csa" else head, "the width of a key", "head")
    axes.bind("buffered", axes["k_width"], "the width of a buffered key", "head")
    if whole is None or not isinstance(head, int) or head < 1:
        return
    places = axes.places(f"{width} head")
    count = divided(ctx, whole, head, "the width of query", places)
    if key is None:
        message = f"query has width {text_of(whole)}; it must pack at least one head of {head} and the key"
        ctx.require(at_least(count, 2), TOO_FEW_ELEMENTS, message, places)
        count = sub(count, 1)
    axes.bind("heads", count, "the number of heads", width)


def _read_rotary(ctx: Context, axes: NamedAxes, cos_cache: Tensor, sin_cache: Tensor) -> None:
    """Read the tables of a rotation, which the batch shares or each sequence has of its own."""
    for x, name in ((cos_cache, "cos_cache"), (sin_cache, "sin_cache")):
        if x.shape is None:
            continue
        if x.rank not in (2, 3):
            ctx.fail(RANK_MISMATCH, f"{name} must have rank 2 or 3; it has rank {x.rank}", name)
        axes.read(x, name, f"{'batch ' if x.rank == 3 else ''}positions half")
    if cos_cache.shape is not None and sin_cache.shape is not None and cos_cache.rank != sin_cache.rank:
        message = f"cos_cache has rank {cos_cache.rank} and sin_cache rank {sin_cache.rank}; they must be equal"
        ctx.fail(RANK_MISMATCH, message, "sin_cache cos_cache")


contrib(
    "SparseAttentionIndexer(query: T, key?: T, query_norm_weight: T, key_norm_weight: T, cos_cache: T, sin_cache: "
    "T, mask?: int64, past_key: T, gate?: T, position_bias?: T, head_weights?: T, position_ids?: int64, "
    "past_sequence_length?: int32, past_proj_buffer?: T; compress_ratio: int, epsilon: float = 1e-06, "
    "head_weight_scale?: float, index_topk?: int, policy_mode: string, scale?: float, token_budget?: int) -> "
    "selected_indices: int32, present_key: T, present_proj_buffer?: T",
    T=FLOATS,
)


@rule("SparseAttentionIndexer", domain=DOMAIN, unranked=[3, 3, 4])
def sparse_attention_indexer(
    ctx: Context,
    query: Tensor,
    key: Tensor | None,
    query_norm_weight: Tensor,
    key_norm_weight: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    mask: Tensor | None,
    past_key: Tensor,
    gate: Tensor | None = None,
    position_bias: Tensor | None = None,
    head_weights: Tensor | None = None,
    position_ids: Tensor | None = None,
    past_sequence_length: Tensor | None = None,
    past_proj_buffer: Tensor | None = None,
    *,
    policy_mode: str,
    compress_ratio: int,
    head_weight_scale: float | None = None,
    index_topk: int | None = None,
    token_budget: int | None = None,
) -> list[Shape]:
    """Select as many positions for each token as the attributes allow; present holds new keys, or is a buffer."""
    selected = _selected(ctx, policy_mode, compress_ratio, token_budget, index_topk, head_weight_scale)
    blocks = {"gate": gate, "position_bias": position_bias, "head_weights": head_weights}
    _for_blocks(ctx, policy_mode, **blocks, position_ids=position_ids, past_proj_buffer=past_proj_buffer)
    if policy_mode == "csa":
        required(ctx, key, "key", CSA)
        absent(ctx, mask, "mask", f"only where {QSA}")
    axes = NamedAxes(ctx)
    axes.bind("ratio", compress_ratio, "compress_ratio")
    axes.read(query, "query", "batch steps width")
    _read_heads(ctx, axes, policy_mode, key, (query_norm_weight, key_norm_weight), "width")
    axes.read(key, "key", "batch steps k_width")
    _read_rotary(ctx, axes, cos_cache, sin_cache)
    axes.read(past_key, "past_key", "batch past head")
    axes.read(gate, "gate", "batch steps double")
    axes.read(position_bias, "position_bias", "ratio double")
    axes.read(head_weights, "head_weights", "batch steps heads")
    axes.read(position_ids, "position_ids", "batch steps")
    if past_sequence_length is None:
        axes.bind("total", add(axes["past"], axes["steps"]), "the number of all tokens", "past steps")
    axes.read(mask, "mask", "batch total")
    axes.bind("two", 2, "the number of key and gate")
    axes.read(past_proj_buffer, "past_proj_buffer", "two batch buffer double")
    if past_proj_buffer is not None:
        message = f"the buffer holds {text_of(axes['buffer'])} tokens; it must hold fewer than {2 * compress_ratio}"
        ctx.require(below(axes["buffer"], 2 * compress_ratio), TOO_FEW_ELEMENTS, message, "past_proj_buffer[2]")
    made: Size = axes["steps"]
    if policy_mode == "csa":
        made = floordiv(add(mod(axes["buffer"], compress_ratio), axes["steps"]), compress_ratio)
    present = axes["past"] if past_sequence_length is not None else add(axes["past"], made)
    waiting = add(axes["buffer"], axes["steps"])
    # A complete block stays for the one after it, once there is one.
    kept = minimum(waiting, add(mod(waiting, compress_ratio), compress_ratio))
    return [
        (*axes.shape("batch steps"), selected),
        (axes["batch"], present, axes["head"]),
        (2, axes["batch"], kept, axes["double"]),
    ]


contrib(
    "PackedSparseAttentionIndexer(query: T, key?: T, query_norm_weight: T, key_norm_weight: T, cos_cache: T, "
    "sin_cache: T, cumulative_sequence_lengths: int32, past_sequence_lengths: int32, gate?: T, position_bias?: T, "
    "head_weights?: T, position_ids?: int64, past_key_state: T_KEY, past_kv_buffer: T, past_gate_buffer?: T, "
    "past_state_lengths: int32, state_update_capture_count?: int32, state_update_active?: int32, indexshare_mode?: "
    "int32, merged_indices?: int32, merged_counts?: int32, merged_status?: int32; compress_ratio: int, epsilon: float "
    '= 1e-06, head_weight_scale?: float, index_topk?: int, indexshare_state_policy: string = "default", '
    "max_output_entries: int = 0, policy_mode: string, scale?: float, state_capacity: int, state_update_capacity: int "
    "= 0, token_budget?: int) -> selected_indices: int32, selected_counts: int32, present_key_state: T_KEY, "
    "present_kv_buffer: T, present_gate_buffer?: T, present_state_lengths: int32, state_update?: T, "
    "indexshare_status?: int32, state_status?: int32",
    T=FLOATS,
    T_KEY=FLOATS,
)


@rule("PackedSparseAttentionIndexer", domain=DOMAIN, unranked=[2, 1, 3, 3, 3, 2, 3, 1, 1])
def packed_sparse_attention_indexer(
    ctx: Context,
    query: Tensor,
    key: Tensor | None,
    query_norm_weight: Tensor,
    key_norm_weight: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    cumulative_sequence_lengths: Tensor,
    past_sequence_lengths: Tensor,
    gate: Tensor | None,
    position_bias: Tensor | None,
    head_weights: Tensor | None,
    position_ids: Tensor | None,
    past_key_state: Tensor,
    past_kv_buffer: Tensor,
    past_gate_buffer: Tensor | None,
    past_state_lengths: Tensor,
    state_update_capture_count: Tensor | None = None,
    state_update_active: Tensor | None = None,
    indexshare_mode: Tensor | None = None,
    merged_indices: Tensor | None = None,
    merged_counts: Tensor | None = None,
    merged_status: Tensor | None = None,
    *,
    policy_mode: str,
    compress_ratio: int,
    head_weight_scale: float | None = None,
    index_topk: int | None = None,
    max_output_entries: int = 0,
    state_capacity: int,
    state_update_capacity: int = 0,
    token_budget: int | None = None,
) -> list[Shape]:
    """Select as many positions for each packed token as the attributes allow; states keep their shape."""
    selected = _selected(ctx, policy_mode, compress_ratio, token_budget, index_topk, head_weight_scale)
    require_positive(ctx, state_capacity, "state_capacity")
    blocks = {"gate": gate, "position_bias": position_bias, "head_weights": head_weights}
    _for_blocks(ctx, policy_mode, **blocks, position_ids=position_ids, past_gate_buffer=past_gate_buffer)
    if policy_mode == "csa":
        required(ctx, key, "key", CSA)
        absent(ctx, state_update_capture_count, "state_update_capture_count", f"only where {QSA}")
        absent(ctx, state_update_active, "state_update_active", f"only where {QSA}")
    elif state_update_capacity > 0:
        captured = "state_update_capacity is positive"
        required(ctx, state_update_capture_count, "state_update_capture_count", captured)
    shared = {
        "indexshare_mode": indexshare_mode,
        "merged_indices": merged_indices,
        "merged_counts": merged_counts,
        "merged_status": merged_status,
    }
    together(ctx, **shared)
    if indexshare_mode is not None:
        if max_output_entries < selected:
            message = f"max_output_entries is {max_output_entries}; it must be at least the {selected} selected"
            ctx.fail(INVALID_ATTRIBUTE, message, detail=Detail("max_output_entries"))
        if ctx.outputs < 8:
            ctx.report(MISSING_NODE_OUTPUT, "indexshare_mode requires the output indexshare_status", "indexshare_mode")
        selected = max_output_entries
    axes = NamedAxes(ctx)
    for name, size, origin in (
        ("ratio", compress_ratio, "compress_ratio"),
        ("capacity", state_capacity, "state_capacity"),
        ("pending", 2 * compress_ratio - 1, "2 * compress_ratio - 1"),
        ("two", 2, "the number of entries of a state's length"),
        ("entries", max_output_entries, "max_output_entries"),
    ):
        axes.bind(name, size, origin)
    axes.read(query, "query", "tokens width")
    _read_heads(ctx, axes, policy_mode, key, (query_norm_weight, key_norm_weight), "width")
    axes.read(key, "key", "tokens k_width")
    axes.read(past_key_state, "past_key_state", "batch capacity head")
    axes.read(past_kv_buffer, "past_kv_buffer", "batch pending buffered")
    axes.read(past_gate_buffer, "past_gate_buffer", "batch pending buffered")
    axes.read(past_state_lengths, "past_state_lengths", "batch two")
    axes.read(past_sequence_lengths, "past_sequence_lengths", "batch")
    axes.bind("bounds", add(axes["batch"], 1), "the number of sequences and 1", "batch")
    axes.read(cumulative_sequence_lengths, "cumulative_sequence_lengths", "bounds")
    _read_rotary(ctx, axes, cos_cache, sin_cache)
    axes.read(gate, "gate", "tokens double")
    axes.read(position_bias, "position_bias", "ratio double")
    axes.read(head_weights, "head_weights", "tokens heads")
    axes.read(position_ids, "position_ids", "tokens")
    axes.read(state_update_capture_count, "state_update_capture_count", "batch")
    axes.read(state_update_active, "state_update_active", "1")
    axes.read(indexshare_mode, "indexshare_mode", "1")
    axes.read(merged_indices, "merged_indices", "merged entries")
    axes.read(merged_counts, "merged_counts", "merged")
    axes.read(merged_status, "merged_status", "merged")
    if merged_indices is not None and merged_indices.shape is not None:
        one_of(ctx, merged_indices.dims[0], (axes["batch"], 0), "merged_indices[0]")
    buffer = axes.shape("batch pending buffered")
    return [
        (axes["tokens"], selected),
        axes.shape("tokens"),
        axes.shape("batch capacity head"),
        buffer,
        buffer,
        axes.shape("batch two"),
        (axes["batch"], max(state_update_capacity, 0), axes["head"]),
        axes.shape("tokens"),
        axes.shape("batch"),
    ]


contrib(
    "PackedSparseAttentionIndexerMerge(base_indices: int32, base_counts: int32, base_row_indices: int32, "
    "range_starts?: int32, range_ends?: int32, additional_indices?: int32, additional_counts?: int32; "
    "max_output_entries: int, policy_mode: string) -> selected_indices: int32, selected_counts: int32, status: int32",
)


@rule("PackedSparseAttentionIndexerMerge", domain=DOMAIN, unranked=[2, 1, 1])
def packed_sparse_attention_indexer_merge(
    ctx: Context,
    base_indices: Tensor,
    base_counts: Tensor,
    base_row_indices: Tensor,
    range_starts: Tensor | None = None,
    range_ends: Tensor | None = None,
    additional_indices: Tensor | None = None,
    additional_counts: Tensor | None = None,
    *,
    max_output_entries: int,
    policy_mode: str,
) -> list[Shape]:
    """Add a range, or further positions, to those that were selected for each query."""
    require_positive(ctx, max_output_entries, "max_output_entries")
    is_range = policy_mode == "append_range"
    for x, name in ((range_starts, "range_starts"), (range_ends, "range_ends")):
        present_exactly(ctx, x, name, is_range, "policy_mode is append_range")
    for x, name in ((additional_indices, "additional_indices"), (additional_counts, "additional_counts")):
        present_exactly(ctx, x, name, not is_range, "policy_mode is append_indices")
    axes = NamedAxes(ctx)
    axes.read(base_indices, "base_indices", "rows _")
    axes.read(base_counts, "base_counts", "rows")
    axes.read(base_row_indices, "base_row_indices", "queries")
    for x, name in ((range_starts, "range_starts"), (range_ends, "range_ends")):
        axes.read(x, name, "queries")
    axes.read(additional_indices, "additional_indices", "queries _")
    axes.read(additional_counts, "additional_counts", "queries")
    return [(axes["queries"], max_output_entries), axes.shape("queries"), axes.shape("queries")]
