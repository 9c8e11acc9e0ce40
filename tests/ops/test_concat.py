"""Concat adds lengths up along an axis; Split takes one apart."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.spec import agrees_with_a_run, fault, infer, outline


@pytest.mark.parametrize(
    ("inputs", "axis", "output"),
    [
        (["f32[2, 3]", "f32[4, 3]"], 0, "f32[6, 3]"),
        (["f32[2, 3]", "f32[2, 5]"], -1, "f32[2, 8]"),
        (["f32[2, 3]"], 1, "f32[2, 3]"),
        (["f32[P, 8]", "f32[S, 8]"], 0, "f32[P + S, 8]"),
        (["f32[N, 3]", "f32[2, M]"], 0, "f32[N + 2, 3]"),
        (["f32[0, 3]", "f32[N, 3]"], 0, "f32[N, 3]"),
        (["f32[2, 3]", "f32[N, 3]"], 1, "f32[2, 6]"),
        (["f32[N, 3]", "f32[...]"], 0, "f32[? + N, 3]"),
        (["f32[N, 3]", "f32[...]"], 1, "f32[N, ? + 3]"),
        (["f32[...]", "f32[...]"], 0, "f32[...]"),
        (["?[2]", "i64[3]"], 0, "i64[5]"),
    ],
)
def test_lengths_add_up_along_the_axis(inputs: list[str], axis: int, output: str) -> None:
    assert outline("Concat", *inputs, axis=axis) == output


@pytest.mark.parametrize(
    ("inputs", "axis", "code"),
    [
        (["f32[2, 3]", "f32[4, 5]"], 0, "dim-mismatch"),
        (["f32[2, 3]", "f32[2]"], 0, "rank-mismatch"),
        (["f32[2, 3]", "f32[2, 3]"], 2, "axis-out-of-range"),
        (["f32[]", "f32[]"], 0, "axis-out-of-range"),
        (["f32[2]", "i64[2]"], 0, "element-type-mismatch"),
    ],
)
def test_what_cannot_be_put_together(inputs: list[str], axis: int, code: str) -> None:
    assert fault("Concat", *inputs, axis=axis) == code


def test_the_axis_was_optional_in_version_1() -> None:
    assert infer("Concat", "f32[2, 3]", "f32[2, 4]", version=1) == "f32[2, 7]"
    assert fault("Concat", "f32[2, 3]", "f32[2, 4]", version=4) == "missing-attribute"


@pytest.mark.parametrize("version", [4, 11, 13])
def test_negative_axes_are_taken_in_all_versions_as_runtimes_do(version: int) -> None:
    agrees_with_a_run("Concat", "f32[2, N]", "f32[2, 4]", axis=-1, version=version, bindings=[{"N": 0}, {"N": 3}])
    agrees_with_a_run("Split", "f32[N, 6]", axis=-1, outputs=2, version=version, bindings=[{"N": 0}, {"N": 3}])


def test_entries_are_put_together() -> None:
    assert infer("Concat", "i64[2]{N, 3}", "i64[1]{-1}", axis=0) == "i64[3]{N, 3, -1}"
    assert infer("Concat", "i64[2]{N, 3}", "i64[1]", axis=0) == "i64[3]{N, 3, ?}"
    assert infer("Concat", "i64[2, 1]{1, 2}", "i64[2, 1]{3, 4}", axis=1) == "i64[2, 2]{1, 3, 2, 4}"


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat_agrees_with_a_run(axis: int) -> None:
    bindings = [{"N": 0, "M": 0}, {"N": 1, "M": 3}, {"N": 4, "M": 2}]
    agrees_with_a_run("Concat", "f32[N, M]", "f32[N, M]", axis=axis, bindings=bindings)


@pytest.mark.parametrize(
    ("data", "given", "outputs", "output"),
    [
        ("f32[6, 2]", {}, 3, ["f32[2, 2]"] * 3),
        ("f32[6, 2]", {"split": [1, 5]}, 2, ["f32[1, 2]", "f32[5, 2]"]),
        ("f32[6, 2]", {"split": [6, 0]}, 2, ["f32[6, 2]", "f32[0, 2]"]),
        ("f32[N, 6]", {"axis": -1}, 2, ["f32[N, 3]"] * 2),
        ("f32[2*N, 6]", {}, 2, ["f32[N, 6]"] * 2),
        ("f32[N, 6]", {}, 2, ["f32[N//2, 6]"] * 2),
        ("f32[N, 6]", {"split": [2, 3]}, 2, ["f32[2, 6]", "f32[3, 6]"]),
        ("f32[...]", {"split": [2, 3]}, 2, ["f32[...]"] * 2),
    ],
)
def test_split_by_lengths_or_into_equal_parts(
    data: str, given: dict[str, Any], outputs: int, output: list[str]
) -> None:
    assert infer("Split", data, outputs=outputs, version=11, **given) == output
    split = given.pop("split", None)
    more = [] if split is None else [f"i64[{len(split)}]{{{', '.join(map(str, split))}}}"]
    assert infer("Split", data, *more, outputs=outputs, version=13, **given) == output


@pytest.mark.parametrize(
    ("split", "output"),
    [
        ("i64[2]{N, 2}", ["f32[N]", "f32[2]"]),
        ("i64[2]{?, 2}", ["f32[L - 2]", "f32[2]"]),
        ("i64[2]", ["f32[?]", "f32[?]"]),
        ("i64[K]", ["f32[?]", "f32[?]"]),
        ("i64[...]", ["f32[?]", "f32[?]"]),
    ],
)
def test_split_by_lengths_that_are_partly_known(split: str, output: list[str]) -> None:
    assert outline("Split", "f32[L]", split, outputs=2) == output


@pytest.mark.parametrize(
    ("data", "count", "output"),
    [
        ("f32[7]", 3, ["f32[3]", "f32[3]", "f32[1]"]),
        ("f32[6]", 3, ["f32[2]", "f32[2]", "f32[2]"]),
        ("f32[6]", 4, ["f32[2]", "f32[2]", "f32[2]", "f32[0]"]),
        ("f32[N]", 2, ["f32[(N + 1)//2]", "f32[N//2]"]),
        ("f32[4*N]", 2, ["f32[2*N]", "f32[2*N]"]),
    ],
)
def test_from_opset_18_the_last_chunk_may_be_smaller(data: str, count: int, output: list[str]) -> None:
    assert infer("Split", data, outputs=count, num_outputs=count) == output


def test_a_chunk_that_is_absent_states_nothing_of_the_others() -> None:
    assert outline("Split", "f32[6, 2]", outputs=2, num_outputs=3) == ["f32[?, 2]", "f32[?, 2]"]


@pytest.mark.parametrize(
    ("data", "more", "outputs", "given", "code"),
    [
        ("f32[7]", ["i64[2]{3, 5}"], 2, {}, "split-sum"),
        ("f32[7]", ["i64[2]{?, 8}"], 2, {}, "split-sum"),
        ("f32[7]", ["i64[2]{9, -2}"], 2, {}, "negative-length"),
        ("f32[7]", ["i64[2]{3, 4}"], 3, {}, "length-mismatch"),
        ("f32[6]", ["i64[0]"], 2, {}, "length-mismatch"),
        ("f32[7]", [], 2, {}, "missing-attribute"),
        ("f32[7]", [], 2, {"axis": 1, "num_outputs": 2}, "axis-out-of-range"),
        ("f32[7]", ["i64[]{7}"], 1, {}, "rank-mismatch"),
        ("f32[5]", [], 4, {"num_outputs": 4}, "split-sum"),
        ("f32[6]", [], 3, {"num_outputs": 2}, "length-mismatch"),
        ("f32[6]", ["i64[2]{3, 3}"], 2, {"num_outputs": 2}, "conflicting-arguments"),
    ],
)
def test_what_cannot_be_split(data: str, more: list[str], outputs: int, given: dict[str, Any], code: str) -> None:
    assert fault("Split", data, *more, outputs=outputs, **given) == code


def test_in_version_1_the_lengths_may_be_an_input_of_the_datas_type() -> None:
    assert outline("Split", "f32[7, 2]", "f32[2]{3, 4}", outputs=2, axis=0, version=1) == ["f32[?, 2]", "f32[?, 2]"]
    assert infer("Split", "f32[7, 2]", outputs=2, axis=0, split=[3, 4], version=1) == ["f32[3, 2]", "f32[4, 2]"]


def test_every_part_keeps_its_entries() -> None:
    assert infer("Split", "i64[3]{1, N, 3}", "i64[2]{1, 2}", outputs=2) == ["i64[1]{1}", "i64[2]{N, 3}"]
    assert infer("Split", "i64[2, 2]{1, 2, 3, 4}", outputs=2, axis=1, num_outputs=2) == [
        "i64[2, 1]{1, 3}",
        "i64[2, 1]{2, 4}",
    ]


def test_split_agrees_with_a_run() -> None:
    bindings = [{"N": 0}, {"N": 1}, {"N": 3}]
    agrees_with_a_run("Split", "f32[2*N, 3]", outputs=2, version=13, bindings=bindings)
    agrees_with_a_run("Split", "f32[N + 2, 3]", "i64[2]{N, 2}", outputs=2, bindings=bindings)
    agrees_with_a_run("Split", "f32[N, 3]", outputs=2, num_outputs=2, bindings=[{"N": 2}, {"N": 3}, {"N": 7}])
