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
    for domain, rows in (("", _ROWS), ("ai.onnx.ml", _LEARNING)):
        for operators, attributes, since, allowed in sorted(rows, key=lambda row: row[2]):
            for operator in operators.split():
                found.setdefault((domain, operator), []).extend((since, a, allowed) for a in attributes.split())
    return found


@functools.cache
def allowed(domain: str, operator: str, since: int) -> Mapping[str, Allowed]:
    """Return the values that the documentation allows, by attribute of an operator version."""
    rows = _table().get((domain, operator), ())
    return {attribute: what for version, attribute, what in rows if version <= since}
