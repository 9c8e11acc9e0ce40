"""ScatterElements, Scatter, ScatterND, TensorScatter: the data's shape, whatever is put into it."""

from __future__ import annotations

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer, outline


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[3, 3]", "i64[2, 3]", "f32[2, 3]"), "f32[3, 3]"),
        (("f32[N, H]", "i64[K, H]", "f32[K, H]"), "f32[N, H]"),
        (("f32[N, H]", "i64[...]", "f32[...]"), "f32[N, H]"),
        (("f32[...]", "i64[2, 3]", "f32[...]"), "f32[ScatterElements_0, ScatterElements_1]"),
        (("f32[...]", "i64[...]", "f32[...]"), "f32[...]"),
        (("i64[3]{N, 2, 3}", "i64[1]{-1}", "i64[1]{H}"), "i64[3]{N, 2, H}"),
        (("i64[3]{N, 2, 3}", "i64[2]{1, 1}", "i64[2]{7, 8}"), "i64[3]"),
    ],
)
def test_scatter_elements(inputs: tuple[str, ...], output: str) -> None:
    assert infer("ScatterElements", *inputs) == output


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (("f32[5, 2]", "i64[3, 2]", "f32[3, 1]"), "dim-mismatch"),
        (("f32[5, 2]", "i64[3, 3]", "f32[3, 3]"), "index-out-of-range"),
        (("f32[5, 2]", "i64[1]", "f32[1]"), "rank-mismatch"),
        (("f32[5, 2]", "i64[1, 2]", "f32[2]"), "rank-mismatch"),
        (("f32[5, 1]", "i64[1, 1]{5}", "f32[1, 1]"), "index-out-of-range"),
        (("f32[5, 2]", "i64[1, 2]", "i64[1, 2]"), "element-type-mismatch"),
    ],
)
def test_faults_of_scatter_elements(inputs: tuple[str, ...], code: str) -> None:
    assert fault("ScatterElements", *inputs) == code


def test_scatter_elements_asks_that_updates_fit() -> None:
    some = "index-out-of-range: N >= 1 or K == 0 or W == 0"
    claims = ["dim-mismatch: U == K", some, "index-out-of-range: W <= H"]
    assert asks("ScatterElements", "f32[N, H]", "i64[K, W]", "f32[U, W]") == claims


def test_scatter_was_withdrawn_in_opset_11() -> None:
    assert infer("Scatter", "f32[3, 3]", "i64[2, 3]", "f32[2, 3]", version=9) == "f32[3, 3]"
    assert fault("Scatter", "f32[3, 3]", "i64[2, 3]", "f32[2, 3]", version=11) == "deprecated-operator"


@pytest.mark.parametrize("version", [11, 13, 16, 18])
def test_scatter_elements_agrees_with_a_run(version: int) -> None:
    bindings = [{"N": 2, "H": 0}, {"N": 5, "H": 3}]
    agrees_with_a_run("ScatterElements", "f32[N, H]", "i64[1, H]", "f32[1, H]", version=version, bindings=bindings)


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[8]", "i64[4, 1]", "f32[4]"), "f32[8]"),
        (("f32[4, 4, 4]", "i64[2, 1]", "f32[2, 4, 4]"), "f32[4, 4, 4]"),
        (("f32[N, H]", "i64[...]", "f32[...]"), "f32[N, H]"),
        (("f32[N, H]", "i64[2, k]", "f32[...]"), "f32[N, H]"),
        (("f32[...]", "i64[2, 1]", "f32[2, 4]"), "f32[...]"),
        (("i64[2, 2]{1, 2, 3, 4}", "i64[1, 1]{1}", "i64[1, 2]{N, H}"), "i64[2, 2]{1, 2, N, H}"),
    ],
)
def test_scatter_nd(inputs: tuple[str, ...], output: str) -> None:
    assert infer("ScatterND", *inputs) == output


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (("f32[5, 3]", "i64[2, 1]", "f32[2, 4]"), "dim-mismatch"),
        (("f32[5, 3]", "i64[2, 1]", "f32[1, 3]"), "dim-mismatch"),
        (("f32[5, 3]", "i64[2, 1]", "f32[2]"), "rank-mismatch"),
        (("f32[5, 3]", "i64[2, 3]", "f32[2]"), "rank-mismatch"),
        (("f32[5, 3]", "i64[1, 1]{9}", "f32[1, 3]"), "index-out-of-range"),
        (("f32[]", "i64[1, 1]", "f32[1]"), "rank-mismatch"),
    ],
)
def test_faults_of_scatter_nd(inputs: tuple[str, ...], code: str) -> None:
    assert fault("ScatterND", *inputs) == code


def test_scatter_nd_asks_that_updates_fit() -> None:
    assert asks("ScatterND", "f32[N, H]", "i64[K, 1]", "f32[K, W]") == ["dim-mismatch: W == H"]


@pytest.mark.parametrize(
    ("indices", "updates"), [("i64[K, 1]", "f32[K, H]"), ("i64[K, 2]", "f32[K]"), ("i64[1]", "f32[H]")]
)
def test_scatter_nd_agrees_with_a_run(indices: str, updates: str) -> None:
    bindings = [{"N": 2, "H": 2, "K": 0}, {"N": 5, "H": 3, "K": 4}]
    agrees_with_a_run("ScatterND", "f32[N, H]", indices, updates, bindings=bindings)


def test_tensor_scatter_keeps_the_cache() -> None:
    assert infer("TensorScatter", "f32[B, 2, M, 64]", "f32[B, 2, S, 64]", "i64[B]") == "f32[B, 2, M, 64]"
    assert infer("TensorScatter", "f32[B, M, 64]", "f32[4, S, 64]", axis=1) == "f32[4, M, 64]"
    assert infer("TensorScatter", "f32[B, M, 64]", "f32[...]", axis=1) == "f32[B, M, 64]"
    assert infer("TensorScatter", "f32[...]", "f32[B, S, 64]", axis=1) == "f32[...]"
    assert asks("TensorScatter", "f32[B, M, 64]", "f32[B, S, 64]") == ["too-few-elements: S <= M"]


@pytest.mark.parametrize(
    ("inputs", "axis", "code"),
    [
        (("f32[5, 2, 4, 3]", "f32[5, 2, 5, 3]"), -2, "too-few-elements"),
        (("f32[5, 2, 4, 3]", "f32[5, 1, 1, 3]"), -2, "dim-mismatch"),
        (("f32[5, 2, 4, 3]", "f32[5, 1, 3]"), -2, "rank-mismatch"),
        (("f32[5, 2, 4, 3]", "f32[5, 2, 1, 3]", "i64[2]"), -2, "dim-mismatch"),
        (("f32[5, 2, 4, 3]", "f32[5, 2, 1, 3]", "i64[5, 1]"), -2, "rank-mismatch"),
        (("f32[5, 2, 4, 3]", "f32[5, 2, 4, 3]"), 0, "invalid-attribute"),
        (("f32[5, 2, 4, 3]", "f32[5, 2, 4, 3]"), 4, "axis-out-of-range"),
    ],
)
def test_faults_of_tensor_scatter(inputs: tuple[str, ...], axis: int, code: str) -> None:
    assert fault("TensorScatter", *inputs, axis=axis) == code


@pytest.mark.parametrize(
    ("reduction", "output"),
    [
        ("add", "i64[3]{5, N + 14, 3}"),
        ("mul", "i64[3]{5, 40*N, 3}"),
        ("max", "i64[3]{5, max(10, N), 3}"),
        ("none", "i64[3]"),
    ],
)
def test_updates_are_combined_with_entries(reduction: str, output: str) -> None:
    elements = ("i64[3]{5, N, 3}", "i64[2]{1, -2}", "i64[2]{4, 10}")
    tuples = ("i64[3]{5, N, 3}", "i64[2, 1]{1, -2}", "i64[2]{4, 10}")
    for op, call in (("ScatterElements", elements), ("ScatterND", tuples)):
        assert outline(op, *call, reduction=reduction) == output
        if reduction != "none":
            agrees_with_a_run(op, *call, reduction=reduction, version=18, bindings=[{"N": 0}, {"N": 7}, {"N": 12}])
