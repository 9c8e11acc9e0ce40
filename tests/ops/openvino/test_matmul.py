"""Products of matrices broadcast the axes before the last two."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer

SIZES = [{"N": 0, "K": 1}, {"N": 1, "K": 4}, {"N": 3, "K": 0}]


@pytest.mark.parametrize(
    ("a", "b", "transposed", "output"),
    [
        ("f32[N, 5, K]", "f32[K, 7]", (False, False), "f32[N, 5, 7]"),
        ("f32[N, K, 5]", "f32[1, 7, K]", (True, True), "f32[N, 5, 7]"),
        ("f32[K, 5]", "f32[N, 1, K, 7]", (True, False), "f32[N, 1, 5, 7]"),
        ("f32[K]", "f32[N, 7, K]", (True, True), "f32[N, 7]"),
        ("f32[N, K, 5]", "f32[K]", (True, True), "f32[N, 5]"),
        ("f32[K]", "f32[K]", (True, True), "f32[]"),
        ("i32[N, K]", "i32[K, 7]", (False, False), "i32[N, 7]"),
    ],
)
def test_a_product_of_matrices(a: str, b: str, transposed: tuple[bool, bool], output: str) -> None:
    left, right = transposed
    assert infer("MatMul", a, b, transpose_a=left, transpose_b=right) == output
    agrees_with_openvino("MatMul", a, b, version=1, bindings=SIZES, transpose_a=left, transpose_b=right)


def test_an_unknown_operand_leaves_the_product_unknown() -> None:
    assert infer("MatMul", "f32[...]", "f32[2, 3]") == "f32[...]"


@pytest.mark.parametrize(
    ("a", "b", "attributes", "code"),
    [
        ("f32[2, 3]", "f32[4, 5]", {}, "inner-dim-mismatch"),
        ("f32[2, 3]", "f32[3, 5]", {"transpose_b": "true"}, "inner-dim-mismatch"),
        ("f32[]", "f32[3, 5]", {}, "rank-mismatch"),
        ("f32[2, 4, 3]", "f32[3, 3, 5]", {}, "not-broadcastable"),
        ("f32[2, 3]", "i32[3, 5]", {}, "element-type-mismatch"),
        ("f32[2, 3]", "f32[3, 5]", {"transpose_a": "maybe"}, "attribute-type"),
    ],
)
def test_what_cannot_be_multiplied(a: str, b: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("MatMul", a, b, **attributes) == code


def test_an_inverse_has_the_shape_of_its_matrices() -> None:
    assert infer("Inverse", "f32[N, 3, 3]", version=14, adjoint=True) == "f32[N, 3, 3]"
    assert infer("Inverse", "f32[N, 3, M]", version=14) == "f32[N, 3, 3]"
    assert fault("Inverse", "f32[3, 2]", version=14) == "dim-mismatch"
    assert fault("Inverse", "f32[3]", version=14) == "rank-mismatch"
    agrees_with_openvino("Inverse", "f32[N, K, K]", version=14, bindings=SIZES)


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        (("f32[N, 4, K]", "f32[N, 6, K]"), "f32[N, 4, 6]"),
        (("f32[N, K]", "f32[3, 6, K]", "i32[3]"), "f32[N, 6]"),
    ],
)
def test_each_group_has_a_matrix_of_its_own(inputs: tuple[str, ...], output: str) -> None:
    assert infer("GroupedMatMul", *inputs, version=17) == output
    agrees_with_openvino("GroupedMatMul", *inputs, version=17, bindings=SIZES)


def test_groups_of_columns() -> None:
    assert infer("GroupedMatMul", "f32[K, N]", "f32[6, N]", "i32[3]", version=17) == "f32[3, K, 6]"
    assert fault("GroupedMatMul", "f32[5, 4]", "f32[6, 4]", version=17) == "missing-input"
    assert fault("GroupedMatMul", "f32[5, 4]", "f32[3, 6, 5]", "i32[3]", version=17) == "dim-mismatch"
    assert fault("GroupedMatMul", "f32[3, 5, 4]", "f32[6, 4]", version=17) == "rank-mismatch"
