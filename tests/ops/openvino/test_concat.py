"""Concat adds up lengths along an axis; Split and VariadicSplit share one out."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


def test_lengths_are_added_up() -> None:
    assert infer("Concat", "f32[N, 2]", "f32[N, M]", axis=1) == "f32[N, M + 2]"
    assert infer("Concat", "f32[N, 2]", "f32[3, 2]", axis="-2") == "f32[N + 3, 2]"
    assert outline("Concat", "f32[...]", "f32[3, 2]", axis=0) == "f32[? + 3, 2]"
    assert infer("Concat", "i64[1]{N}", "i64[2]{2, -1}", axis=0) == "i64[3]{N, 2, -1}"


@pytest.mark.parametrize(
    ("inputs", "axis", "code"),
    [
        (("f32[2, 3]", "f32[2, 4]"), 0, "dim-mismatch"),
        (("f32[2]", "f32[2, 4]"), 0, "rank-mismatch"),
        (("f32[2]", "f32[2]"), 1, "axis-out-of-range"),
        (("f32[2]", "f16[2]"), 0, "element-type-mismatch"),
    ],
)
def test_what_cannot_be_put_together(inputs: tuple[str, ...], axis: int, code: str) -> None:
    assert fault("Concat", *inputs, axis=axis) == code


def test_concat_agrees_with_openvino() -> None:
    sizes = [{"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 2, "M": 3}]
    for axis in (1, -1):
        agrees_with_openvino("Concat", "f32[N, M]", "f32[N, 2]", "f32[N, 0]", version=1, axis=axis, bindings=sizes)


def test_equal_parts() -> None:
    assert infer("Split", "f32[6, N]", "i64[]{0}", num_splits=3, outputs=3) == ["f32[2, N]"] * 3
    assert infer("Split", "f32[6, 2*N]", "i64[]{-1}", num_splits=2, outputs=2) == ["f32[6, N]"] * 2
    assert outline("Split", "f32[6, N]", "i64[]", num_splits=2, outputs=2) == ["f32[?, ?]"] * 2
    assert infer("Split", "i64[2]{N, 3}", "i64[]{0}", num_splits=2, outputs=2) == ["i64[1]{N}", "i64[1]{3}"]


@pytest.mark.parametrize(
    ("data", "axis", "num_splits", "code"),
    [
        ("f32[5]", "i64[]{0}", 2, "not-divisible"),
        ("f32[4]", "i64[]{0}", 4, "length-mismatch"),
        ("f32[4]", "i64[]{0}", 0, "invalid-attribute"),
        ("f32[4]", "i64[1]{0}", 2, "rank-mismatch"),
        ("f32[4]", "i64[]{1}", 2, "axis-out-of-range"),
        ("f32[4]", "f32[]", 2, "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_split(data: str, axis: str, num_splits: int, code: str) -> None:
    assert fault("Split", data, axis, num_splits=num_splits, outputs=2) == code


@pytest.mark.parametrize(
    ("data", "axis", "lengths", "output"),
    [
        ("f32[6, N]", "i64[]{0}", "i64[2]{2, 4}", ["f32[2, N]", "f32[4, N]"]),
        ("f32[6, N]", "i64[1]{-1}", "i64[2]{2, -1}", ["f32[6, 2]", "f32[6, N - 2]"]),
        ("f32[6, N]", "i64[]{0}", "i64[2]{6, -1}", ["f32[6, N]", "f32[0, N]"]),
        ("f32[6, N]", "i64[]{0}", "i64[2]", ["f32[?, N]", "f32[?, N]"]),
        ("f32[6, N]", "i64[]{0}", "i64[K]", ["f32[?, N]", "f32[?, N]"]),
        ("f32[6, N]", "i64[]", "i64[2]{2, 4}", ["f32[?, ?]", "f32[?, ?]"]),
        ("i64[3]{1, N, 3}", "i64[]{0}", "i64[2]{1, 2}", ["i64[1]{1}", "i64[2]{N, 3}"]),
    ],
)
def test_parts_of_given_lengths(data: str, axis: str, lengths: str, output: list[str]) -> None:
    assert outline("VariadicSplit", data, axis, lengths, outputs=2) == output


@pytest.mark.parametrize(
    ("axis", "lengths", "code"),
    [
        ("i64[]{0}", "i64[2]{2, 3}", "split-sum"),
        ("i64[]{0}", "i64[2]{7, -1}", "split-sum"),
        ("i64[]{0}", "i64[2]{-1, -1}", "negative-length"),
        ("i64[]{0}", "i64[2]{8, -2}", "negative-length"),
        ("i64[]{0}", "i64[3]{2, 2, 2}", "length-mismatch"),
        ("i64[]{1}", "i64[2]{2, 4}", "axis-out-of-range"),
        ("i64[2]{0, 0}", "i64[2]{2, 4}", "length-mismatch"),
        ("i64[1, 1]{0}", "i64[2]{2, 4}", "rank-mismatch"),
        ("i64[]{0}", "i64[]{6}", "rank-mismatch"),
    ],
)
def test_lengths_that_do_not_fit(axis: str, lengths: str, code: str) -> None:
    assert fault("VariadicSplit", "f32[6]", axis, lengths, outputs=2) == code


def test_splitting_agrees_with_openvino() -> None:
    sizes = [{"N": 0}, {"N": 1}, {"N": 5}]
    agrees_with_openvino("Split", "f32[6, N]", "i64[]{0}", version=1, num_splits=3, outputs=3, bindings=sizes)
    agrees_with_openvino("Split", "f32[6, 2*N]", "i64[]{-1}", version=1, num_splits=2, outputs=2, bindings=sizes)
    parts = ("f32[2, N + 3]", "i64[1]{1}", "i64[3]{2, -1, 0}")
    agrees_with_openvino("VariadicSplit", *parts, version=1, outputs=3, bindings=sizes)
