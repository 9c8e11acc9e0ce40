"""Ensembles of trees: a label and scores, or a value for each target."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer

ML = "ai.onnx.ml"
BINDINGS = [{"N": 0}, {"N": 1}, {"N": 4}]
STUMP: Any = {
    "nodes_falsenodeids": [2, 0, 0],
    "nodes_featureids": [0, 0, 0],
    "nodes_hitrates": [1.0, 1.0, 1.0],
    "nodes_missing_value_tracks_true": [0, 0, 0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_nodeids": [0, 1, 2],
    "nodes_treeids": [0, 0, 0],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_values": [0.5, 0.0, 0.0],
}
VOTES: Any = {
    **STUMP,
    "class_ids": [0, 0],
    "class_nodeids": [1, 2],
    "class_treeids": [0, 0],
    "class_weights": [1.0, 2.0],
}
VALUES: Any = {
    **STUMP,
    "target_ids": [0, 0],
    "target_nodeids": [1, 2],
    "target_treeids": [0, 0],
    "target_weights": [1.0, 2.0],
}


def tensor(*values: float, dtype: Any = np.float32) -> onnx.TensorProto:
    return onnx.numpy_helper.from_array(np.array(values, dtype))


ENSEMBLE: Any = {
    "leaf_targetids": [0, 0],
    "leaf_weights": tensor(1.0, 2.0),
    "nodes_falseleafs": [1],
    "nodes_falsenodeids": [1],
    "nodes_featureids": [0],
    "nodes_modes": tensor(0, dtype=np.uint8),
    "nodes_splits": tensor(0.5),
    "nodes_trueleafs": [1],
    "nodes_truenodeids": [0],
    "tree_roots": [0],
}


@pytest.mark.parametrize("version", [1, 3])
@pytest.mark.parametrize(
    ("labels", "outputs"),
    [
        ({"classlabels_int64s": [0, 1, 2]}, ["i64[N]", "f32[N, 3]"]),
        ({"classlabels_int64s": [0, 1]}, ["i64[N]", "f32[N, 2]"]),
        ({"classlabels_int64s": [0]}, ["i64[N]", "f32[N, 1]"]),
        ({"classlabels_strings": ["a", "b"]}, ["str[N]", "f32[N, 2]"]),
    ],
)
def test_a_classifier_gives_labels_and_scores(version: int, labels: dict[str, Any], outputs: list[str]) -> None:
    assert infer("TreeEnsembleClassifier", "f32[N, 3]", domain=ML, version=version, **VOTES, **labels) == outputs
    call: Any = {"domain": ML, "version": version, "outputs": 2, **VOTES, **labels}
    agrees_with_a_run("TreeEnsembleClassifier", "f32[N, 3]", bindings=BINDINGS, **call)
    if version == 1:
        agrees_with_a_run("TreeEnsembleClassifier", "f32[3]", bindings=[{}], **call)


@pytest.mark.parametrize("version", [1, 3])
@pytest.mark.parametrize("targets", [1, 2])
def test_a_regressor_gives_a_value_for_each_target(version: int, targets: int) -> None:
    call: Any = {"domain": ML, "version": version, "n_targets": targets, **VALUES}
    assert infer("TreeEnsembleRegressor", "f32[N, 3]", **call) == f"f32[N, {targets}]"
    agrees_with_a_run("TreeEnsembleRegressor", "f32[N, 3]", bindings=BINDINGS, **call)
    agrees_with_a_run("TreeEnsembleRegressor", "f32[3]", bindings=[{}], **call)


@pytest.mark.parametrize("version", [1, 3])
def test_rows_have_every_feature_that_a_node_compares(version: int) -> None:
    call: Any = {"domain": ML, "version": version, "n_targets": 1, **VALUES}
    call["nodes_featureids"] = [2, 7, 7]  # leaves compare none
    assert asks("TreeEnsembleRegressor", "f32[N, F]", **call) == ["index-out-of-range: F >= 3"]
    assert fault("TreeEnsembleRegressor", "f32[N, 2]", **call) == "index-out-of-range"


def test_an_ensemble_keeps_the_element_type() -> None:
    assert infer("TreeEnsemble", "f32[N, 3]", domain=ML, n_targets=2, **ENSEMBLE) == "f32[N, 2]"
    double = {name: tensor(0.0, 0.0, dtype=np.float64) for name in ("leaf_weights", "nodes_splits")}
    double["nodes_splits"] = tensor(0.5, dtype=np.float64)
    assert infer("TreeEnsemble", "f64[N, 3]", domain=ML, n_targets=2, **(ENSEMBLE | double)) == "f64[N, 2]"
    agrees_with_a_run("TreeEnsemble", "f32[N, 3]", domain=ML, bindings=BINDINGS, n_targets=2, **ENSEMBLE)
    assert fault("TreeEnsemble", "f32[3]", domain=ML, n_targets=2, **ENSEMBLE) == "rank-mismatch"


def test_what_is_known_without_the_samples() -> None:
    call: Any = {"domain": ML, "version": 3}
    assert infer("TreeEnsembleRegressor", "?[...]", n_targets=2, **call) == "f32[TreeEnsembleRegressor_0, 2]"
    assert fault("TreeEnsembleRegressor", "f32[N, 3]", **call) == "missing-attribute"
    assert (
        infer("TreeEnsemble", "f32[...]", domain=ML, n_targets=2, **ENSEMBLE) == "f32[TreeEnsemble_0, TreeEnsemble_1]"
    )
    assert infer("TreeEnsembleClassifier", "f32[...]", classlabels_strings=["a"], **call) == [
        "str[TreeEnsembleClassifier_0]",
        "f32[TreeEnsembleClassifier_0, 1]",
    ]


TABLE = np.zeros((1, 1), np.float32)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        *(
            ({name: [0, 0]}, "length-mismatch")
            for name in ("nodes_featureids", "nodes_truenodeids", "nodes_falseleafs")
        ),
        *(({name: [0, 0, 0]}, "length-mismatch") for name in ("leaf_targetids", "nodes_missing_value_tracks_true")),
        ({"nodes_modes": tensor(0, 0, dtype=np.uint8)}, "length-mismatch"),
        ({"nodes_hitrates": tensor(1.0, 1.0)}, "length-mismatch"),
        ({"leaf_weights": tensor(1.0)}, "length-mismatch"),
        ({"nodes_modes": tensor(0)}, "element-type-mismatch"),
        ({"nodes_modes": tensor(7, dtype=np.uint8)}, "invalid-attribute"),
        ({"nodes_splits": tensor(0.5, dtype=np.float64)}, "element-type-mismatch"),
        ({"leaf_weights": tensor(1.0, 2.0, dtype=np.float64)}, "element-type-mismatch"),
        ({"nodes_hitrates": tensor(1.0, dtype=np.float64)}, "element-type-mismatch"),
        ({"membership_values": tensor(1.0, dtype=np.float64)}, "element-type-mismatch"),
        ({"nodes_splits": onnx.numpy_helper.from_array(TABLE)}, "rank-mismatch"),
        ({"nodes_hitrates": onnx.numpy_helper.from_array(TABLE)}, "rank-mismatch"),
    ],
)
def test_what_an_ensemble_lists_goes_together(changed: dict[str, Any], code: str) -> None:
    assert fault("TreeEnsemble", "f32[N, 3]", domain=ML, n_targets=2, **(ENSEMBLE | changed)) == code


@pytest.mark.parametrize("version", [1, 3])
@pytest.mark.parametrize(("op", "of"), [("TreeEnsembleRegressor", VALUES), ("TreeEnsembleClassifier", VOTES)])
def test_what_earlier_ensembles_list_goes_together(version: int, op: str, of: dict[str, Any]) -> None:
    labels: Any = {"classlabels_int64s": [0, 1]} if of is VOTES else {"n_targets": 2}
    call: Any = {"domain": ML, "version": version, **labels}
    for name in of.keys() - {"nodes_hitrates", "nodes_missing_value_tracks_true"}:
        assert fault(op, "f32[N, 3]", **(of | {name: of[name][:-1]}), **call) == "length-mismatch"
        assert fault(op, "f32[N, 3]", **(of | {name: []}), **call) == "length-mismatch"
    modes = {"nodes_modes": ["BRANCH_LESS", "LEAF", "LEAF"]}
    assert fault(op, "f32[N, 3]", **(of | modes), **call) == "invalid-attribute"
    if version == 3:
        doubled = {"nodes_values_as_tensor": tensor(0.5, 0.0, 0.0, dtype=np.float64)}
        assert fault(op, "f64[N, 3]", **(of | doubled), **call) == "conflicting-arguments"
        assert infer(op, "f64[N, 3]", **(of | doubled | {"nodes_values": []}), **call)
        assert fault(op, "f32[N, 3]", **(of | doubled | {"nodes_values": []}), **call) == "element-type-mismatch"
        single = {"nodes_values_as_tensor": tensor(0.5, 0.0, 0.0), "nodes_values": []}
        assert infer(op, "i64[N, 3]", **(of | single), **call)
        assert fault(op, "f64[N, 3]", **(of | single), **call) == "element-type-mismatch"


@pytest.mark.parametrize("version", [1, 3])
def test_targets_and_their_base_values_are_counted(version: int) -> None:
    call: Any = {"domain": ML, "version": version, **VALUES}
    assert infer("TreeEnsembleRegressor", "f32[N, 3]", n_targets=2, base_values=[0.5, 0.5], **call) == "f32[N, 2]"
    assert fault("TreeEnsembleRegressor", "f32[N, 3]", n_targets=2, base_values=[0.5], **call) == "length-mismatch"
    beyond = call | {"target_ids": [0, 2]}
    assert fault("TreeEnsembleRegressor", "f32[N, 3]", n_targets=2, **beyond) == "index-out-of-range"


def test_a_classifier_needs_labels() -> None:
    assert fault("TreeEnsembleClassifier", "f32[N, 3]", domain=ML, version=3, **VOTES) == "missing-attribute"


def test_samples_are_rows() -> None:
    assert fault("TreeEnsembleRegressor", "f32[2, 3, 4]", domain=ML, version=3, n_targets=1) == "rank-mismatch"
    assert fault("TreeEnsembleClassifier", "f32[2, 3, 4]", domain=ML, version=3) == "rank-mismatch"
    assert fault("TreeEnsembleRegressor", "f32[2, 3]", domain=ML, version=3, n_targets=0) == "invalid-attribute"


def test_earlier_ensembles_were_withdrawn() -> None:
    for op in ("TreeEnsembleRegressor", "TreeEnsembleClassifier"):
        assert fault(op, "f32[2, 3]", domain=ML, version=5) == "deprecated-operator"
