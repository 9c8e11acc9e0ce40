"""Convert and ConvertLike change the element type alone."""

from __future__ import annotations

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer


def test_the_type_is_named() -> None:
    assert infer("Convert", "i64[N]", destination_type="f16") == "f16[N]"
    assert infer("Convert", "f32[...]", destination_type="boolean") == "bool[...]"
    assert infer("ConvertLike", "i64[N]", "f32[...]") == "f32[N]"


def test_entries_are_converted() -> None:
    assert infer("Convert", "i64[2]{N, 3}", destination_type="i32") == "i32[2]{N, 3}"
    assert infer("Convert", "f32[2]{2.9, -2.9}", destination_type="i64") == "i64[2]{2, -2}"
    assert infer("ConvertLike", "i64[1]{3}", "f32[2]") == "f32[1]{3.0}"


def test_a_type_must_be_named_that_there_is() -> None:
    assert fault("Convert", "f32[2]") == "missing-attribute"
    assert fault("Convert", "f32[2]", destination_type="float") == "attribute-type"


def test_what_is_converted_agrees_with_openvino() -> None:
    agrees_with_openvino("Convert", "f32[2, N]", version=1, destination_type="i8", bindings=[{"N": 0}, {"N": 1}])
    agrees_with_openvino("ConvertLike", "f32[2, N]", "u8[]", version=1, bindings=[{"N": 0}, {"N": 4}])
