"""Tensors of random numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

DRAWN: dict[str, Any] = {"with_replacement": True, "log_probs": False}
BOUNDS = ("f32[]{0}", "f32[1]{1}")


def test_a_uniform_tensor_has_the_given_shape() -> None:
    op, sizes = "RandomUniform", [{"N": 0}, {"N": 5}]
    assert infer(op, "i64[2]{3, N}", *BOUNDS, version=8, output_type="f32") == "f32[3, N]"
    assert outline(op, "i64[2]", *BOUNDS, version=8, output_type="f32") == "f32[?, ?]"
    assert infer(op, "i64[K]", *BOUNDS, version=8, output_type="f32") == "f32[...]"
    agrees_with_openvino(op, "i64[2]{3, N}", *BOUNDS, version=8, bindings=sizes, output_type="f32")
    agrees_with_openvino(op, "i32[1]{N}", "i64[]", "i64[]", version=8, bindings=sizes, output_type="i64")


@pytest.mark.parametrize(
    ("shape", "attributes", "code"),
    [
        ("i64[1]{3}", {"output_type": "i64"}, "element-type-mismatch"),
        ("i64[1]{3}", {}, "missing-attribute"),
        ("i64[1]{-3}", {"output_type": "f32"}, "negative-length"),
        ("i64[]{3}", {"output_type": "f32"}, "rank-mismatch"),
        ("f32[1]{3}", {"output_type": "f32"}, "element-type-not-allowed"),
        ("i64[1]{3}", {"output_type": "f32", "alignment": "numpy"}, "invalid-attribute"),
    ],
)
def test_what_cannot_be_filled(shape: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("RandomUniform", shape, *BOUNDS, version=8, **attributes) == code


def test_samples_are_drawn_for_each_row() -> None:
    given = {**DRAWN, "convert_type": "i32"}
    sizes = [{"N": 1, "K": 0}, {"N": 3, "K": 5}]
    assert infer("Multinomial", "f32[N, 4]", "i64[1]{K}", version=13, **given) == "i32[N, K]"
    assert outline("Multinomial", "f32[N, 4]", "i64[]", version=13, **given) == "i32[N, ?]"
    agrees_with_openvino("Multinomial", "f32[N, 4]", "i64[1]{K}", version=13, bindings=sizes, **given)
    assert fault("Multinomial", "f32[4]", "i64[]{1}", version=13, **given) == "rank-mismatch"
    assert fault("Multinomial", "f32[2, 4]", "i64[2]{1, 1}", version=13, **given) == "length-mismatch"
    assert fault("Multinomial", "f32[2, 4]", "i64[]{-1}", version=13, **given) == "negative-length"
