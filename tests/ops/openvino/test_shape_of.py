"""ShapeOf gives the lengths of the axes."""

from __future__ import annotations

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline


def test_the_lengths_are_the_entries() -> None:
    assert infer("ShapeOf", "f32[2, N]", version=1) == "i64[2]{2, N}"
    assert infer("ShapeOf", "f32[2, N]", version=3, output_type="i32") == "i32[2]{2, N}"
    assert infer("ShapeOf", "f32[]", version=3) == "i64[0]"
    assert outline("ShapeOf", "f32[...]", version=3) == "i64[?]"


def test_lengths_are_integers_of_32_or_64_bits() -> None:
    assert fault("ShapeOf", "f32[2]", version=3, output_type="f32") == "invalid-attribute"
    assert fault("ShapeOf", "f32[2]", version=3, output_type="long") == "attribute-type"


def test_shape_of_agrees_with_openvino() -> None:
    agrees_with_openvino("ShapeOf", "f32[2, N]", version=3, output_type="i32", bindings=[{"N": 0}, {"N": 4}])
