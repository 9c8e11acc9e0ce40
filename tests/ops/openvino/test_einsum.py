"""An equation describes products and sums."""

from __future__ import annotations

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer

SIZES = [{"I": 0, "J": 1, "K": 2}, {"I": 3, "J": 4, "K": 1}]


@pytest.mark.parametrize(
    ("inputs", "equation", "output"),
    [
        (("f32[I, J]", "f32[J, K]"), "ij,jk->ik", "f32[I, K]"),
        (("f32[I, J]", "f32[J, K]"), "ij,jk", "f32[I, K]"),
        (("f32[I, J]", "f32[I, J]"), "ij,ij", "f32[]"),
        (("f32[I, J]",), "ba", "f32[J, I]"),
        (("f32[I, J]",), "Ba", "f32[I, J]"),
        (("f32[2, I, 1]", "f32[2, 1, K]"), "a...b,a...c->...abc", "f32[I, 2, 1, K]"),
        (("f32[J, J, K]",), "iik->ki", "f32[K, J]"),
    ],
)
def test_the_output_has_the_labels_it_names(inputs: tuple[str, ...], equation: str, output: str) -> None:
    assert infer("Einsum", *inputs, version=7, equation=equation) == output
    agrees_with_openvino("Einsum", *inputs, version=7, bindings=SIZES, equation=equation)


def test_equations_that_do_not_fit() -> None:
    assert fault("Einsum", "f32[2, 3]", "f32[4, 5]", version=7, equation="ij,jk->ik") == "dim-mismatch"
    assert fault("Einsum", "f32[2, 3]", version=7, equation="ij,jk->ik") == "invalid-equation"
    assert fault("Einsum", "f32[2, 3]", version=7, equation="i1->i") == "invalid-equation"
    assert fault("Einsum", "f32[2, 3]", "i32[3, 4]", version=7, equation="ij,jk->ik") == "element-type-mismatch"
