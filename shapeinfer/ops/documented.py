"""Attribute values that the operators' documentation allows, where the schema allows any of the type.

Runtimes refuse a word that they do not know. A flag that is neither 0 nor 1 they take for one or the other, not all
for the same, so that is a warning. What depends on the inputs is left to the rules.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from shapeinfer.diagnostics.codes import Severity


@frozen(repr=False)
class Allowed:
    """The allowed values of an attribute: a predicate, its description, and the severity of a violation."""

    accepts: Callable[[object], bool]
    expected: str
    severity: Severity = Severity.ERROR
    listed: tuple[str, ...] = ()
    """All values that it may be, as text, where they can be listed."""


def _words(*words: str) -> Allowed:
    return Allowed(lambda value: value in words, f"one of {', '.join(words)}", listed=words)


def _numbers(*numbers: int, severity: Severity = Severity.ERROR) -> Allowed:
    listed = tuple(map(str, numbers))
    return Allowed(lambda value: value in numbers, " or ".join(listed), severity, listed)


def _all_of(*words: str) -> Allowed:
    expected = f"a list of {', '.join(words)}"
    return Allowed(lambda value: isinstance(value, tuple) and set(words).issuperset(value), expected, listed=words)


def _at_least(least: int) -> Allowed:
    return Allowed(lambda value: isinstance(value, int) and value >= least, f"at least {least}")


def _between(least: int, most: int) -> Allowed:
    return Allowed(lambda value: isinstance(value, int) and least <= value <= most, f"{least} to {most}")


def _multiple(of: int) -> Allowed:
    expected = f"a multiple of {of}, at least 0"
    return Allowed(lambda value: isinstance(value, int) and value >= 0 and value % of == 0, expected)


def _is_block(value: object) -> bool:
    return isinstance(value, int) and value >= 16 and value & (value - 1) == 0


def _of_length(*lengths: int) -> Allowed:
    expected = f"a list of {' or '.join(map(str, lengths))} entries"
    return Allowed(lambda value: isinstance(value, tuple) and len(value) in lengths, expected)


_FLAG = _numbers(0, 1, severity=Severity.WARNING)
_EITHER = _numbers(0, 1)
_PRECISION = _numbers(1, 10, 11, 16, severity=Severity.WARNING)
_RESIZED = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize")
_PIXELS = _words("half_pixel", "output_half_pixel")
_KERNEL = _words("LINEAR", "POLY", "RBF", "SIGMOID")
_TRANSFORM = _words("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
_AGGREGATE = _words("AVERAGE", "SUM", "MIN", "MAX")
_BRANCHES = _all_of("LEAF", *(f"BRANCH_{name}" for name in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ")))

_ROWS: tuple[tuple[str, str, int, Allowed], ...] = (
    ("ArgMax ArgMin", "keepdims select_last_index", 1, _FLAG),
    ("Attention", "is_causal", 23, _FLAG),
    ("Attention", "qk_matmul_output_mode", 23, _numbers(0, 1, 2, 3)),
    ("Attention", "softmax_precision", 23, _PRECISION),
    ("Attention", "left_window_size right_window_size", 25, _at_least(-1)),
    ("AveragePool", "ceil_mode count_include_pad", 7, _FLAG),
    ("BitShift", "direction", 11, _words("LEFT", "RIGHT")),
    ("Cast CastLike", "round_mode", 24, _words("up", "down", "nearest")),
    ("Cast CastLike QuantizeLinear", "saturate", 19, _FLAG),
    ("CausalConvWithState", "activation", 27, _words("silu", "swish", "none")),
    ("ConcatFromSequence", "new_axis", 11, _FLAG),
    ("CumSum CumProd", "exclusive reverse", 11, _EITHER),
    ("DFT", "inverse onesided", 17, _FLAG),
    ("DepthToSpace", "mode", 11, _words("DCR", "CRD")),
    ("GRU", "linear_before_reset", 3, _FLAG),
    ("Gelu", "approximate", 20, _words("none", "tanh")),
    ("Gemm", "transA transB", 7, _FLAG),
    ("GridSample", "align_corners", 16, _FLAG),
    ("GridSample", "mode", 16, _words("bilinear", "nearest", "bicubic")),
    ("GridSample", "mode", 20, _words("linear", "nearest", "cubic")),
    ("GridSample", "padding_mode", 16, _words("zeros", "border", "reflection")),
    ("HannWindow HammingWindow BlackmanWindow", "periodic", 17, _FLAG),
    ("IsInf", "detect_negative detect_positive", 10, _FLAG),
    ("LSTM", "input_forget", 7, _FLAG),
    ("LayerNormalization", "stash_type", 17, _PRECISION),
    ("GroupNormalization", "stash_type", 21, _PRECISION),
    ("LinearAttention", "update_rule", 27, _words("linear", "gated", "delta", "gated_delta")),
    ("LpNormalization", "p", 1, _numbers(1, 2)),
    ("LpPool MaxPool", "ceil_mode", 10, _FLAG),
    ("MaxPool", "storage_order", 8, _EITHER),
    ("Mod", "fmod", 10, _EITHER),
    ("NonMaxSuppression", "center_point_box", 10, _EITHER),
    ("Pad", "mode", 1, _words("constant", "reflect", "edge")),
    ("Pad", "mode", 19, _words("constant", "reflect", "edge", "wrap")),
    ("RMSNormalization", "stash_type", 23, _PRECISION),
    ("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax", "keepdims noop_with_empty_axes", 1, _FLAG),
    ("ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare", "keepdims noop_with_empty_axes", 1, _FLAG),
    ("Reshape", "allowzero", 14, _FLAG),
    ("Resize", "antialias", 18, _FLAG),
    ("Resize", "coordinate_transformation_mode", 11, _words(*_RESIZED, "tf_half_pixel_for_nn")),
    ("Resize", "coordinate_transformation_mode", 18, _words(*_RESIZED, "half_pixel_symmetric", "tf_half_pixel_for_nn")),
    ("Resize", "exclude_outside", 11, _FLAG),
    ("Resize", "mode", 10, _words("nearest", "linear", "bilinear", "trilinear")),
    ("Resize", "mode", 11, _words("nearest", "linear", "cubic")),
    ("Resize", "nearest_mode", 11, _words("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")),
    ("RoiAlign", "coordinate_transformation_mode", 16, _PIXELS),
    ("RoiAlign", "mode", 10, _words("avg", "max")),
    ("RoiAlign", "output_height output_width", 10, _at_least(1)),
    ("RoiAlign", "sampling_ratio", 10, _at_least(0)),
    ("RotaryEmbedding", "interleaved", 23, _FLAG),
    ("STFT", "onesided", 17, _FLAG),
    ("ScatterElements ScatterND", "reduction", 16, _words("none", "add", "mul")),
    ("ScatterElements ScatterND", "reduction", 18, _words("none", "add", "mul", "max", "min")),
    ("SplitToSequence", "keepdims", 11, _FLAG),
    ("StringNormalizer", "case_change_action", 10, _words("LOWER", "UPPER", "NONE")),
    ("StringNormalizer", "is_case_sensitive", 10, _FLAG),
    ("TensorScatter", "mode", 24, _words("linear", "circular")),
    ("TfIdfVectorizer", "mode", 9, _words("TF", "IDF", "TFIDF")),
    ("TopK", "largest sorted", 11, _FLAG),
    ("Trilu", "upper", 14, _FLAG),
    ("Unique", "sorted", 11, _EITHER),
)
_LEARNING: tuple[tuple[str, str, int, Allowed], ...] = (
    ("CastMap", "map_form", 1, _words("DENSE", "SPARSE")),
    ("LinearClassifier LinearRegressor", "post_transform", 1, _TRANSFORM),
    ("Normalizer", "norm", 1, _words("MAX", "L1", "L2")),
    ("OneHotEncoder", "zeros", 1, _FLAG),
    ("SVMClassifier SVMRegressor", "kernel_params", 1, _of_length(0, 3)),
    ("SVMClassifier SVMRegressor", "kernel_type", 1, _KERNEL),
    ("SVMClassifier SVMRegressor", "post_transform", 1, _TRANSFORM),
    ("TreeEnsemble", "aggregate_function", 5, _numbers(0, 1, 2, 3)),
    ("TreeEnsemble", "post_transform", 5, _numbers(0, 1, 2, 3, 4)),
    ("TreeEnsembleClassifier TreeEnsembleRegressor", "nodes_modes", 1, _BRANCHES),
    ("TreeEnsembleClassifier TreeEnsembleRegressor", "post_transform", 1, _TRANSFORM),
    ("TreeEnsembleRegressor", "aggregate_function", 1, _AGGREGATE),
)
_BITS = _numbers(2, 4, 8)
_BLOCK = Allowed(_is_block, "a power of two, at least 16")
_CAPTURED = _between(0, 8)
_COUNT = _at_least(1)
_FUSED_EXPERT = _words("relu", "gelu", "silu", "swiglu", "identity", "relu2", "geglu")
_PACKED_EXPERT = _words("swiglu", "relu2", "relu_squared")
_QUANTIZED = _words("NONE", "PER_TENSOR", "PER_CHANNEL")
_SELECTING = _words("selected_only", "local_plus_selected")
_STORED = _words("", "float16", "bfloat16", "int8", "float8e4m3fn", "int4", "float4e2m1")
_CONTRIB: tuple[tuple[str, str, int, Allowed], ...] = (
    ("CausalConvWithState VarlenCausalConvWithState", "activation", 1, _words("none", "silu", "swish")),
    ("CausalConvWithState VarlenCausalConvWithState", "dilation", 1, _COUNT),
    ("CausalConvWithState VarlenCausalConvWithState", "state_update_capacity", 1, _CAPTURED),
    ("CausalConvWithState", "channels_last", 1, _EITHER),
    ("CausalConvWithState", "input_channel_offset input_channels state_length", 1, _at_least(0)),
    ("CausalConvWithState", "ndim", 1, _numbers(1, 2, 3)),
    ("CausalConvWithState", "state_channels_last", 1, _numbers(-1, 0, 1)),
    ("CausalConvWithState LinearAttention", "state_window", 1, _CAPTURED),
    (
        "DynamicSparseAttention SparsePagedAttention",
        "attention_mode",
        1,
        _words("selected_only", "local_plus_selected"),
    ),
    ("DynamicSparseAttention SparsePagedAttention", "selected_kv_source", 1, _words("main", "auxiliary")),
    ("DynamicSparseAttention", "is_causal", 1, _numbers(1)),
    ("DynamicSparseAttention", "output_bf16", 1, _EITHER),
    ("DynamicSparseAttention PagedAttention", "rotary_offset", 1, _multiple(8)),
    ("GatedDeltaNet", "beta_activation", 1, _words("none", "sigmoid")),
    ("GatedDeltaNet", "gate_activation", 1, _words("none", "softplus", "qwen", "sigmoid", "kda")),
    ("GatedDeltaNet", "qk_l2_norm", 1, _FLAG),
    ("GatedDeltaNet VarlenNGramHashMapping", "state_update_capacity", 1, _CAPTURED),
    ("GatedDeltaNet LinearAttention", "update_rule", 1, _words("linear", "gated", "delta", "gated_delta")),
    ("GatedRMSNorm", "activation", 1, _words("silu", "swish", "sigmoid")),
    ("GatherPacked MatMulPacked", "K", 1, _COUNT),
    ("GatherPacked", "output_dtype", 1, _numbers(1, 10, 16)),
    ("GroupQueryAttention", "causal sliding_window_cache", 1, _EITHER),
    ("GroupQueryAttention", "kv_cache_bit_width", 1, _numbers(0, 4, 8)),
    ("GroupQueryAttention", "qk_output", 1, _numbers(0, 1, 2)),
    ("GroupQueryAttention PagedAttention SparsePagedAttention", "k_quant_type v_quant_type", 1, _QUANTIZED),
    ("MatMulNBitsQLoRA", "K N", 1, _COUNT),
    ("MatMulNBitsQLoRA", "accuracy_level", 1, _between(0, 4)),
    ("MatMulNBitsQLoRA", "bits lora_bits", 1, _BITS),
    ("MatMulNBitsQLoRA", "block_size lora_block_size", 1, _BLOCK),
    ("MatMulPacked", "N", 1, _COUNT),
    ("MatMulPacked", "activation_type", 1, _words("none", "relu2", "relu_squared", "silu")),
    ("MoE QMoE", "activation_type", 1, _FUSED_EXPERT),
    ("MoE QMoE", "k", 1, _COUNT),
    ("MoEGroupRouter", "group_topk n_group top_k topk_group", 1, _COUNT),
    ("MoEPacked", "activation_type", 1, _PACKED_EXPERT),
    ("MoEPacked", "k", 1, _between(1, 32)),
    ("PackedSparseAttentionIndexer", "indexshare_state_policy", 1, _words("default", "hold", "advance")),
    ("PackedSparseAttentionIndexer", "max_output_entries", 1, _at_least(0)),
    ("PackedSparseAttentionIndexer", "state_capacity", 1, _COUNT),
    ("PackedSparseAttentionIndexer", "state_update_capacity", 1, _CAPTURED),
    ("PackedSparseAttentionIndexer SparseAttentionIndexer", "compress_ratio", 1, _COUNT),
    ("PackedSparseAttentionIndexer SparseAttentionIndexer", "policy_mode", 1, _words("qsa", "csa")),
    ("PackedSparseAttentionIndexerMerge", "max_output_entries", 1, _between(1, 2**30)),
    ("PackedSparseAttentionIndexerMerge", "policy_mode", 1, _words("append_range", "append_indices")),
    ("PagedAttention", "k_cache_dtype v_cache_dtype", 1, _STORED),
    ("PagedAttention", "kv_cache_layout", 1, _words("SEPARATE", "LATENT")),
    ("PagedAttention", "v_head_size", 1, _at_least(0)),
    ("RMSNormRotary", "flatten_batch output_fp16 use_fp32_arithmetic", 1, _EITHER),
    ("RMSNormRotary", "input_start input_width", 1, _at_least(0)),
    ("RouterGateUpProj", "activation", 1, _words("swiglu")),
    ("RouterGateUpProj", "router_size", 1, _COUNT),
    ("SparsePagedAttention", "auxiliary_cache_layout", 1, _words("contiguous")),
    ("SpeculativePrefixCommit", "head_rows", 1, _between(3, 8)),
    ("Mamba2Verify", "d_state", 1, _numbers(128)),
    ("Mamba2Verify", "head_dim", 1, _numbers(64)),
    ("Mamba2Verify", "heads n_groups", 1, _COUNT),
)

_NEEDED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("", "RegexFullMatch"): ("pattern",),
    ("ai.onnx.ml", "FeatureVectorizer"): ("inputdimensions",),
    ("ai.onnx.ml", "LinearRegressor"): ("coefficients",),
    ("ai.onnx.ml", "Scaler"): ("scale", "offset"),
    ("ai.onnx.ml", "TreeEnsembleRegressor"): ("n_targets",),
}
"""Attributes that the schema calls optional and without which nothing can be computed; runtimes require them."""


def needed(domain: str, operator: str) -> tuple[str, ...]:
    """Return the attributes that an operator needs, although its schema calls them optional."""
    return _NEEDED.get((domain, operator), ())


_NODES = "nodes_falsenodeids nodes_truenodeids nodes_treeids nodes_nodeids nodes_featureids nodes_modes"
_BRANCHING = "nodes_truenodeids nodes_falsenodeids nodes_trueleafs nodes_falseleafs"
_PARALLEL: Mapping[str, tuple[str, ...]] = {
    "TreeEnsembleClassifier": (
        f"{_NODES} nodes_values/nodes_values_as_tensor",
        "class_ids class_nodeids class_treeids class_weights/class_weights_as_tensor",
    ),
    "TreeEnsembleRegressor": (
        f"{_NODES} nodes_values/nodes_values_as_tensor",
        "target_ids target_nodeids target_treeids target_weights/target_weights_as_tensor",
    ),
    "TreeEnsemble": (
        f"nodes_splits nodes_modes nodes_featureids {_BRANCHING} ?nodes_hitrates ?nodes_missing_value_tracks_true",
        "leaf_weights leaf_targetids",
    ),
}
"""Attributes of ai.onnx.ml that list the same things in the same order.

Of two with a slash between, one is set; one behind a question mark may be omitted.
"""


@functools.cache
def parallel(domain: str, operator: str) -> Sequence[Sequence[Sequence[str]]]:
    """Return the attributes of an operator that list the same things, one tuple of alternatives for each."""
    groups = _PARALLEL.get(operator, ()) if domain == "ai.onnx.ml" else ()
    return tuple(tuple(tuple(way.split("/")) for way in group.split()) for group in groups)


@functools.lru_cache(maxsize=1)
def _table() -> Mapping[tuple[str, str], list[tuple[int, str, Allowed]]]:
    found: dict[tuple[str, str], list[tuple[int, str, Allowed]]] = {}
    for domain, rows in (("", _ROWS), ("ai.onnx.ml", _LEARNING), ("com.microsoft", _CONTRIB)):
        for operators, attributes, since, allowed in sorted(rows, key=lambda row: row[2]):
            for operator in operators.split():
                found.setdefault((domain, operator), []).extend((since, a, allowed) for a in attributes.split())
    return found


@functools.cache
def allowed(domain: str, operator: str, since: int) -> Mapping[str, Allowed]:
    """Return the values that the documentation allows, by attribute of an operator version."""
    rows = _table().get((domain, operator), ())
    return {attribute: what for version, attribute, what in rows if version <= since}
