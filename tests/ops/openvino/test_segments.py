"""Segments of tensors, and rows of sparse ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, outline

SIZES = [{"N": 1, "D": 0}, {"N": 5, "D": 2}]
FILL: dict[str, Any] = {"fill_mode": "ZERO"}


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[N, D]", "i64[N]"), "f32[?, D]"),
        (("f32[5, D]", "i64[5]{0, 0, 1, 3, 3}"), "f32[4, D]"),
        (("f32[5, D]", "i32[5]{0, 0, 1, 3, 3}", "i64[]{6}"), "f32[6, D]"),
        (("f32[N, D]", "i64[N]", "i64[]{N}"), "f32[N, D]"),
        (("f32[5, D]", "i64[5]{0, 0, 1, 3, 3}", "i64[]"), "f32[?, D]"),
    ],
)
def test_each_segment_is_a_row(inputs: tuple[str, ...], output: str) -> None:
    assert outline("SegmentMax", *inputs, version=16, **FILL) == output
    agrees_with_openvino("SegmentMax", *inputs, version=16, bindings=SIZES, **FILL)


@pytest.mark.parametrize(
    ("inputs", "attributes", "code"),
    [
        (("f32[5]", "i64[4]"), FILL, "dim-mismatch"),
        (("f32[]", "i64[4]"), FILL, "rank-mismatch"),
        (("f32[5]", "i64[5]", "i64[1]"), FILL, "rank-mismatch"),
        (("f32[5]", "i64[5]"), {"fill_mode": "one"}, "invalid-attribute"),
        (("f32[5]", "i64[5]"), {}, "missing-attribute"),
    ],
)
def test_what_are_no_segments(inputs: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert fault("SegmentMax", *inputs, version=16, **attributes) == code


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[N]", "i64[2]{4, 7}", "i64[N, 2]", "f32[]"), ["i64[?, 2]", "f32[?]", "bool[4]"]),
        (("str[3]", "i64[2]{4, 7}", "i64[3, 2]{0, 1, 2, 3, 2, 4}", "str[]"), ["i64[5, 2]", "str[5]", "bool[4]"]),
        (("f32[N]", "i32[2]", "i32[N, 2]", "f32[]"), ["i32[?, 2]", "f32[?]", "bool[?]"]),
    ],
)
def test_each_empty_row_gets_an_entry(inputs: tuple[str, ...], output: list[str]) -> None:
    assert outline("SparseFillEmptyRows", *inputs, version=16, outputs=3) == output
    agrees_with_openvino("SparseFillEmptyRows", *inputs, version=16, outputs=3, bindings=SIZES)


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (("f32[3]", "i64[3]", "i64[3, 2]", "f32[]"), "dim-mismatch"),
        (("f32[3]", "i64[2]", "i64[2, 2]", "f32[]"), "dim-mismatch"),
        (("f32[3]", "i64[2]", "i64[3, 2]", "f32[1]"), "rank-mismatch"),
        (("f32[3]", "i64[2]", "i32[3, 2]", "f32[]"), "element-type-mismatch"),
        (("f32[1]", "i64[2]{4, 7}", "i64[1, 2]{4, 0}", "f32[]"), "index-out-of-range"),
    ],
)
def test_what_is_no_sparse_matrix(inputs: tuple[str, ...], code: str) -> None:
    assert fault("SparseFillEmptyRows", *inputs, version=16, outputs=3) == code
