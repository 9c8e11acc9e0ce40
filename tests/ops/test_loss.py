"""Losses: one for each sample, or one for all."""

from __future__ import annotations

import pytest

from tests.ops.spec import agrees_with_a_run, fault, infer

VERSIONS = [
    *(("NegativeLogLikelihoodLoss", v) for v in (12, 13, 22)),
    *(("SoftmaxCrossEntropyLoss", v) for v in (12, 13)),
]


@pytest.mark.parametrize(("operator", "version"), VERSIONS)
@pytest.mark.parametrize(
    ("scores", "labels", "samples"),
    [
        ("[N, C]", "[N]", "[N]"),
        ("[N, C, H, W]", "[N, H, W]", "[N, H, W]"),
        ("[N, 10, H]", "[2, H]", "[2, H]"),
        ("[...]", "[N, H]", "[N, H]"),
        ("[N, C, H]", "[...]", "[N, H]"),
        ("[...]", "[...]", "[...]"),
        ("[0, C]", "[0]", "[0]"),
    ],
)
def test_a_loss_for_each_sample_or_one_for_all(
    operator: str, version: int, scores: str, labels: str, samples: str
) -> None:
    call = (operator, f"f32{scores}", f"i64{labels}")
    assert infer(*call, version=version, reduction="none") == f"f32{samples}"
    assert infer(*call, version=version, reduction="sum") == "f32[]"
    assert infer(*call, version=version) == "f32[]"


def test_the_logarithms_of_the_probabilities_have_the_shape_of_the_scores() -> None:
    call = ("SoftmaxCrossEntropyLoss", "f32[N, C, 4]", "i64[N, 4]", "f32[C]")
    assert infer(*call, outputs=2) == ["f32[]", "f32[N, C, 4]"]
    unknown = ("SoftmaxCrossEntropyLoss", "f32[N, 2]", "i64[...]")
    assert infer(*unknown, outputs=2, reduction="none") == ["f32[N]", "f32[N, 2]"]


@pytest.mark.parametrize("operator", ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
@pytest.mark.parametrize(
    ("scores", "labels", "weights", "code"),
    [
        ("f32[2, 3]", "i64[3]", "", "dim-mismatch"),
        ("f32[2, 3, 4]", "i64[2, 5]", "", "dim-mismatch"),
        ("f32[2, 3, 4]", "i64[2]", "", "rank-mismatch"),
        ("f32[2]", "i64[2]", "", "rank-mismatch"),
        ("f32[2, 3]", "i64[2]", "f32[2]", "dim-mismatch"),
        ("f32[2, 3]", "i64[2]", "f32[1, 3]", "rank-mismatch"),
    ],
)
def test_what_does_not_fit_the_scores(operator: str, scores: str, labels: str, weights: str, code: str) -> None:
    assert fault(operator, scores, labels, weights) == code


def test_a_reduction_is_one_of_three() -> None:
    assert fault("NegativeLogLikelihoodLoss", "f32[2, 3]", "i64[2]", reduction="max") == "invalid-attribute"


@pytest.mark.parametrize("operator", ["NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_it_agrees_with_a_run(operator: str, reduction: str) -> None:
    call = (operator, "f32[N, 3, H]", "i64[N, H]", "f32[3]")
    agrees_with_a_run(*call, bindings=[{"N": 1, "H": 1}, {"N": 2, "H": 5}], reduction=reduction)
