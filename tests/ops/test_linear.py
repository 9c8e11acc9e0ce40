"""Linear models and support vector machines: one row of answers for each row of features."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.spec import agrees_with_a_run, fault, infer

ML = "ai.onnx.ml"
BINDINGS = [{"N": 0}, {"N": 1}, {"N": 4}]
SVM: Any = {
    "kernel_type": "LINEAR",
    "kernel_params": [0.0, 0.0, 0.0],
    "rho": [0.1] * 6,
    "post_transform": "NONE",
}


def vectors(classes: int, features: int = 3) -> dict[str, Any]:
    return {
        **SVM,
        "coefficients": [1.0] * classes * (classes - 1),
        "support_vectors": [1.0] * classes * features,
        "vectors_per_class": [1] * classes,
        "classlabels_ints": list(range(classes)),
    }


def separators(classes: int, features: int = 3) -> dict[str, Any]:
    return {**SVM, "coefficients": [1.0] * classes * features, "classlabels_ints": list(range(classes))}


def planes(scores: int, labels: dict[str, Any]) -> dict[str, Any]:
    return {"coefficients": [1.0] * 3 * scores, "intercepts": [0.0] * scores, **labels}


CASES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("LinearRegressor", {"coefficients": [1.0] * 3}, ["f32[N, 1]"]),
    ("LinearRegressor", {"coefficients": [1.0] * 6, "targets": 2}, ["f32[N, 2]"]),
    ("LinearClassifier", planes(3, {"classlabels_ints": [0, 1, 2]}), ["i64[N]", "f32[N, 3]"]),
    ("LinearClassifier", planes(2, {"classlabels_strings": ["a", "b"]}), ["str[N]", "f32[N, 2]"]),
    ("LinearClassifier", planes(1, {"classlabels_ints": [0, 1]}), ["i64[N]", "f32[N, 2]"]),
    ("LinearClassifier", planes(1, {}), ["i64[N]", "f32[N, 1]"]),
    ("LinearClassifier", planes(2, {"classlabels_ints": [0, 1, 2]}), ["i64[N]", "f32[N, 2]"]),
    ("SVMRegressor", {**SVM, "coefficients": [1.0, 1.0], "n_supports": 2, "support_vectors": [1.0] * 6}, ["f32[N, 1]"]),
    ("SVMRegressor", {**SVM, "coefficients": [1.0] * 3}, ["f32[N, 1]"]),
    ("SVMClassifier", vectors(2), ["i64[N]", "f32[N, 2]"]),
    ("SVMClassifier", vectors(3), ["i64[N]", "f32[N, 3]"]),
    ("SVMClassifier", vectors(4), ["i64[N]", "f32[N, 6]"]),
    ("SVMClassifier", {**vectors(4), "prob_a": [1.0] * 6, "prob_b": [1.0] * 6}, ["i64[N]", "f32[N, 4]"]),
    ("SVMClassifier", separators(1), ["i64[N]", "f32[N, 1]"]),
    ("SVMClassifier", separators(2), ["i64[N]", "f32[N, 2]"]),
    ("SVMClassifier", separators(4), ["i64[N]", "f32[N, 4]"]),
]


@pytest.mark.parametrize(("op", "attributes", "outputs"), CASES)
def test_answers_have_a_row_for_each_sample(op: str, attributes: dict[str, Any], outputs: list[str]) -> None:
    made = infer(op, "f32[N, 3]", domain=ML, **attributes)
    assert ([made] if isinstance(made, str) else made) == outputs


@pytest.mark.parametrize(("op", "attributes", "outputs"), CASES)
def test_they_agree_with_a_run(op: str, attributes: dict[str, Any], outputs: list[str]) -> None:
    count = len(outputs)
    agrees_with_a_run(op, "f32[N, 3]", domain=ML, outputs=count, bindings=BINDINGS, **attributes)
    agrees_with_a_run(op, "f32[3]", domain=ML, outputs=count, bindings=[{}], **attributes)


def test_what_is_known_without_the_samples() -> None:
    labels = planes(2, {"classlabels_strings": ["a", "b"]})
    assert infer("LinearClassifier", "f32[...]", domain=ML, **labels) == [
        "str[LinearClassifier_0]",
        "f32[LinearClassifier_0, 2]",
    ]
    assert infer("LinearRegressor", "?[...]", domain=ML, targets=2, coefficients=[1.0]) == "f32[LinearRegressor_0, 2]"
    assert infer("LinearClassifier", "f32[N, 3]", domain=ML, coefficients=[1.0] * 3) == [
        "i64[N]",
        "f32[N, LinearClassifier_0]",
    ]


@pytest.mark.parametrize(
    ("op", "attributes", "outputs"), [c for c in CASES if len(c[1].get("classlabels_ints", "")) < 3]
)
def test_samples_have_the_features_of_training(op: str, attributes: dict[str, Any], outputs: list[str]) -> None:
    assert fault(op, "f32[N, 4]", domain=ML, **attributes) == "inner-dim-mismatch"
    assert fault(op, "f32[2, N, 3]", domain=ML, **attributes) == "rank-mismatch"


def test_there_is_a_target() -> None:
    assert fault("LinearRegressor", "f32[N, 3]", domain=ML, targets=0, coefficients=[1.0]) == "invalid-attribute"
    assert fault("LinearRegressor", "f32[N, 3]", domain=ML) == "missing-attribute"


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_kernel_has_three_parameters_or_none(count: int) -> None:
    for op in ("SVMRegressor", "SVMClassifier"):
        assert fault(op, "f32[N, 3]", domain=ML, kernel_params=[1.0] * count) == "invalid-attribute"
        assert infer(op, "f32[N, 3]", domain=ML, kernel_params=[1.0] * 3)
