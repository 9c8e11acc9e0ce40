"""Transpose reorders axes."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


@pytest.mark.parametrize(
    ("data", "order", "output"),
    [
        ("f32[N, 3, 4]", "i64[3]{2, 0, 1}", "f32[4, N, 3]"),
        ("f32[N, 3, 4]", "i64[0]", "f32[4, 3, N]"),
        ("f32[]", "i64[0]", "f32[]"),
        ("f32[N, 3]", "i64[2]", "f32[?, ?]"),
        ("f32[...]", "i32[2]{1, 0}", "f32[?, ?]"),
        ("f32[...]", "i32[K]", "f32[...]"),
    ],
)
def test_the_axes_come_in_the_order_that_is_given(data: str, order: str, output: str) -> None:
    assert outline("Transpose", data, order) == output


@pytest.mark.parametrize(
    ("order", "code"),
    [
        ("i64[2]{1, 1}", "invalid-permutation"),
        ("i64[2]{-1, 0}", "invalid-permutation"),
        ("i64[1]{0}", "invalid-permutation"),
        ("i64[3]", "length-mismatch"),
        ("i64[]{0}", "rank-mismatch"),
    ],
)
def test_every_axis_is_named_once(order: str, code: str) -> None:
    assert fault("Transpose", "f32[2, 3]", order) == code


def test_entries_are_followed() -> None:
    assert infer("Transpose", "i64[2, 2]{1, 2, N, 4}", "i64[2]{1, 0}") == "i64[2, 2]{1, N, 2, 4}"
    assert infer("Transpose", "i64[2, 1]{1, N}", "i64[0]") == "i64[1, 2]{1, N}"


def test_transpose_agrees_with_openvino() -> None:
    for order in ("i64[3]{2, 0, 1}", "i32[0]{}"):
        agrees_with_openvino("Transpose", "f32[N, 1, 2]", order, version=1, bindings=[{"N": 0}, {"N": 1}, {"N": 3}])
