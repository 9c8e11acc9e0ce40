"""OneHot, NonZero, Compress, Unique, NonMaxSuppression: lengths that data decides."""

from __future__ import annotations

from typing import Any

import pytest

from shapeinfer import Tensor, infer_op
from tests.ops.claims import asks, foretells_a_run
from tests.ops.spec import agrees_with_a_run, fact, fault, infer


@pytest.mark.parametrize(
    ("inputs", "axis", "output"),
    [
        (("i64[N, 2]", "i64[]{10}", "f32[2]"), -1, "f32[N, 2, 10]"),
        (("i64[N, 2]", "i64[1]{D}", "f32[2]"), 1, "f32[N, D, 2]"),
        (("i64[N, 2]", "i64[]", "f32[2]"), 0, "f32[OneHot_0, N, 2]"),
        (("i64[N]", "f32[]{3.7}", "f32[2]"), -2, "f32[3, N]"),
        (("i64[...]", "i64[]{10}", "f32[2]"), -1, "f32[...]"),
        (("i64[N]", "i64[...]", "f32[...]"), -1, "f32[N, OneHot_0]"),
    ],
)
def test_one_hot_adds_an_axis(inputs: tuple[str, ...], axis: int, output: str) -> None:
    assert infer("OneHot", *inputs, axis=axis) == output


@pytest.mark.parametrize(
    ("inputs", "axis", "code"),
    [
        (("i64[N]", "i64[]{3}", "f32[3]"), -1, "length-mismatch"),
        (("i64[N]", "i64[]{3}", "f32[2, 1]"), -1, "rank-mismatch"),
        (("i64[N]", "i64[2]{3, 4}", "f32[2]"), -1, "length-mismatch"),
        (("i64[N]", "i64[]{-3}", "f32[2]"), -1, "invalid-value"),
        (("i64[N]", "i64[]{0}", "f32[2]"), -1, "invalid-value"),
        (("i64[N]", "i64[]{3}", "f32[2]"), 2, "axis-out-of-range"),
    ],
)
def test_faults_of_one_hot(inputs: tuple[str, ...], axis: int, code: str) -> None:
    assert fault("OneHot", *inputs, axis=axis) == code


def test_there_is_a_class_at_least() -> None:
    assert asks("OneHot", "i64[2]", "i64[]{N - 1}", "f32[2]") == ["invalid-value: N - 1 >= 1"]
    foretells_a_run("OneHot", "i64[2]", "i64[]{N - 1}", "f32[2]", bindings=[{"N": n} for n in range(4)])


@pytest.mark.parametrize(
    ("indices", "axis", "output"),
    [
        ("i64[1]{1}", -1, "i64[1, 3]{1, N, 1}"),
        ("i64[2]{-1, 7}", -1, "i64[2, 3]{1, 1, N, 1, 1, 1}"),
        ("i64[2]{0, 2}", 0, "i64[3, 2]{N, 1, 1, 1, 1, N}"),
        ("i64[1]", -1, "i64[1, 3]"),
    ],
)
def test_one_hot_marks_known_indices(indices: str, axis: int, output: str) -> None:
    assert infer("OneHot", indices, "i64[]{3}", "i64[2]{1, N}", axis=axis) == output


@pytest.mark.parametrize("version", [9, 11])
def test_one_hot_agrees_with_a_run(version: int) -> None:
    bindings = [{"N": 0, "D": 1}, {"N": 3, "D": 4}]
    agrees_with_a_run("OneHot", "i64[N, 2]", "i64[]{D}", "f32[2]", axis=1, version=version, bindings=bindings)


@pytest.mark.parametrize(
    ("x", "output"),
    [
        ("f32[N, 3]", "i64[2, NonZero_0]"),
        ("f32[...]", "i64[NonZero_0, NonZero_1]"),
        ("f32[]", "i64[NonZero_0, NonZero_1]"),
        ("f32[N, 0]", "i64[2, 0]"),
        ("i64[4]{0, 3, 0, 1}", "i64[1, 2]{1, 3}"),
        ("i64[2, 2]{1, 0, 1, 1}", "i64[2, 3]{0, 1, 1, 0, 0, 1}"),
        ("bool[3]{True, False, True}", "i64[1, 2]{0, 2}"),
        ("i64[2]{N + 1, 0}", "i64[1, 1]{0}"),
        ("i64[2]{N, 0}", "i64[1, NonZero_0]"),
    ],
)
def test_non_zero_gives_a_column_for_each_element(x: str, output: str) -> None:
    assert infer("NonZero", x) == output


@pytest.mark.parametrize(
    ("inputs", "attributes", "output"),
    [
        (("f32[3, 2]", "bool[2]{False, True}"), {"axis": 0}, "f32[1, 2]"),
        (("f32[N, 2]", "bool[2]{False, True}"), {"axis": 1}, "f32[N, 1]"),
        (("f32[N, 2]", "bool[3]{True, False, False}"), {"axis": -1}, "f32[N, 1]"),
        (("f32[3, 2]", "bool[5]{False, True, False, False, True}"), {}, "f32[2]"),
        (
            ("f32[N, 2]", "bool[3]{False, True, True}"),
            {"axis": 0},
            "f32[min(1, max(0, N - 1)) + min(1, max(0, N - 2)), 2]",
        ),
        (("f32[N + 3, 2]", "bool[3]{False, True, True}"), {"axis": 0}, "f32[2, 2]"),
        (("f32[N, 2]", "bool[K]"), {"axis": 0}, "f32[Compress_0, 2]"),
        (("f32[N, 2]", "bool[K]"), {}, "f32[Compress_0]"),
        (("f32[...]", "bool[K]"), {}, "f32[Compress_0]"),
        (("f32[...]", "bool[K]"), {"axis": 0}, "f32[...]"),
        (("i64[3]{N, 2, 3}", "bool[3]{True, False, True}"), {}, "i64[2]{N, 3}"),
        (("i64[2, 2]{1, 2, 3, 4}", "bool[2]{False, True}"), {"axis": 1}, "i64[2, 1]{2, 4}"),
    ],
)
def test_compress_keeps_what_the_condition_marks(
    inputs: tuple[str, ...], attributes: dict[str, Any], output: str
) -> None:
    assert infer("Compress", *inputs, **attributes) == output


def test_faults_of_compress() -> None:
    assert fault("Compress", "f32[3]", "bool[1, 3]") == "rank-mismatch"
    assert fault("Compress", "f32[3]", "bool[3]", axis=1) == "axis-out-of-range"
    assert fault("Compress", "f32[3]", "i64[3]") == "element-type-not-allowed"


@pytest.mark.parametrize("version", [9, 11])
def test_compress_agrees_with_a_run(version: int) -> None:
    condition = "bool[3]{True, False, True}"
    agrees_with_a_run("Compress", "f32[N + 3, 2]", condition, axis=0, version=version, bindings=[{"N": 0}, {"N": 2}])
    agrees_with_a_run("Compress", "f32[2, N]", condition, axis=0, version=version, bindings=[{"N": 0}, {"N": 2}])


@pytest.mark.parametrize(
    ("x", "attributes", "output"),
    [
        ("f32[N, 3]", {}, ["f32[Unique_0]", "i64[Unique_0]", "i64[3*N]", "i64[Unique_0]"]),
        ("f32[N, 3]", {"axis": 0}, ["f32[Unique_0, 3]", "i64[Unique_0]", "i64[N]", "i64[Unique_0]"]),
        ("f32[...]", {"axis": 0}, ["f32[...]", "i64[...]", "i64[...]", "i64[...]"]),
        ("f32[...]", {}, ["f32[Unique_1]", "i64[Unique_1]", "i64[Unique_0]", "i64[Unique_1]"]),
        ("f32[0]", {}, ["f32[0]", "i64[0]", "i64[0]", "i64[0]"]),
        ("f32[]", {}, ["f32[1]", "i64[1]", "i64[1]", "i64[1]"]),
        (
            "i64[4]{2, 1, 1, 3}",
            {},
            ["i64[3]{1, 2, 3}", "i64[3]{1, 0, 3}", "i64[4]{1, 0, 0, 2}", "i64[3]{2, 1, 1}"],
        ),
        (
            "i64[4]{2, 1, 1, 3}",
            {"axis": -1, "sorted": 0},
            ["i64[3]{2, 1, 3}", "i64[3]{0, 1, 3}", "i64[4]{0, 1, 1, 2}", "i64[3]{1, 2, 1}"],
        ),
        ("i64[2]{N, 1}", {}, ["i64[Unique_0]", "i64[Unique_0]", "i64[2]", "i64[Unique_0]"]),
        ("i64[3, 2]{1, 0, 1, 0, 2, 3}", {"axis": 0}, ["i64[2, 2]", "i64[2]", "i64[3]", "i64[2]"]),
    ],
)
def test_unique(x: str, attributes: dict[str, Any], output: list[str]) -> None:
    assert infer("Unique", x, outputs=4, **attributes) == output


def test_unique_takes_bfloat16() -> None:
    assert infer("Unique", "bf16[3]{2, 1, 2}", version=28) == "bf16[2]"


def test_a_unique_axis_must_exist() -> None:
    assert fault("Unique", "f32[3]", axis=1) == "axis-out-of-range"


def test_unique_agrees_with_a_run() -> None:
    agrees_with_a_run("Unique", "f32[2, 2]{1, 2, 1, 2}", axis=0, outputs=4, bindings=[{}])
    agrees_with_a_run("Unique", "f32[2, 2]{1, 2, 1, 2}", outputs=4, bindings=[{}])


BOXES, SCORES = "f32[N, B, 4]", "f32[N, C, B]"


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        ((BOXES, SCORES, "i64[1]{3}"), "i64[NonMaxSuppression_0, 3]"),
        ((BOXES, SCORES), "i64[0, 3]"),
        ((BOXES, SCORES, "i64[1]{0}"), "i64[0, 3]"),
        (("f32[...]", "f32[...]", "i64[1]"), "i64[NonMaxSuppression_0, 3]"),
    ],
)
def test_non_max_suppression_keeps_some_boxes(inputs: tuple[str, ...], output: str) -> None:
    assert infer("NonMaxSuppression", *inputs) == output


def test_boxes_and_scores_speak_of_the_same_boxes() -> None:
    claims = ["dim-mismatch: B == A", "dim-mismatch: N == M"]
    assert asks("NonMaxSuppression", BOXES, "f32[M, C, A]") == claims
    assert fault("NonMaxSuppression", "f32[1, 5, 4]", "f32[2, 2, 5]") == "dim-mismatch"
    assert fault("NonMaxSuppression", "f32[1, 5, 4]", "f32[1, 2, 6]") == "dim-mismatch"
    assert fault("NonMaxSuppression", "f32[1, 5, 3]", "f32[1, 2, 5]") == "dim-mismatch"
    assert fault("NonMaxSuppression", "f32[5, 4]", "f32[1, 2, 5]") == "rank-mismatch"


@pytest.mark.parametrize(("op", "inputs"), [("NonZero", ("f32[4]",)), ("Compress", ("f32[4]", "bool[2]"))])
def test_an_unknown_count_is_bounded(op: str, inputs: tuple[str, ...]) -> None:
    (made,) = infer_op(op, [fact(i) for i in inputs], {})
    assert isinstance(made, Tensor)
    assert made.shape is not None
    count = made.shape[-1]
    assert not isinstance(count, int)
    assert (count.low, count.high) == (0, 4 if op == "NonZero" else 2)
