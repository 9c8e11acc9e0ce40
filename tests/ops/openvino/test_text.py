"""Strings are the bytes of all and where each begins and ends."""

from __future__ import annotations

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES = [{"N": 0}, {"N": 3}]


def test_strings_are_taken_apart() -> None:
    made = outline("StringTensorUnpack", "str[N, 3]", version=15, outputs=3)
    assert made == ["i32[N, 3]", "i32[N, 3]", "u8[?]"]
    agrees_with_openvino("StringTensorUnpack", "str[N, 3]", version=15, outputs=3, bindings=SIZES)
    made = outline("StringTensorUnpack", "str[...]", version=15, outputs=3)
    assert made == ["i32[...]", "i32[...]", "u8[?]"]
    assert fault("StringTensorUnpack", "f32[2]", version=15, outputs=3) == "element-type-not-allowed"


def test_strings_are_put_together() -> None:
    assert infer("StringTensorPack", "i64[N, 3]", "i64[...]", "u8[20]", version=15) == "str[N, 3]"
    agrees_with_openvino("StringTensorPack", "i64[N, 3]", "i64[N, 3]", "u8[20]", version=15, bindings=SIZES)
    assert fault("StringTensorPack", "i32[2, 3]", "i32[2, 4]", "u8[20]", version=15) == "dim-mismatch"
    assert fault("StringTensorPack", "i32[2]", "i64[2]", "u8[20]", version=15) == "element-type-mismatch"
    assert fault("StringTensorPack", "i32[2]", "i32[2]", "u8[2, 20]", version=15) == "rank-mismatch"
