"""Quantization: shapes stay, scales and zero points fit them, types come from zero points or attributes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer

VERSIONS = [10, 13, 19, 21, 23, 24, 25, 28]


@pytest.mark.parametrize("version", VERSIONS)
def test_quantizing_keeps_the_shape_and_takes_the_type_of_the_zero_point(version: int) -> None:
    assert infer("QuantizeLinear", "f32[N, 3]", "f32[]", version=version) == "u8[N, 3]"
    assert infer("QuantizeLinear", "f32[N, 3]", "f32[]", "i8[]", version=version) == "i8[N, 3]"
    assert infer("QuantizeLinear", "f32[...]", "f32[]", "i8[]", version=version) == "i8[...]"
    assert infer("QuantizeLinear", "f32[N, 3]", "f32[...]", "?[]", version=version) == "?[N, 3]"


@pytest.mark.parametrize("version", VERSIONS)
def test_dequantizing_keeps_the_shape_and_takes_the_type_of_the_scale(version: int) -> None:
    assert infer("DequantizeLinear", "u8[N, 3]", "f32[]", version=version) == "f32[N, 3]"
    assert infer("DequantizeLinear", "i32[N, 3]", "f32[]", version=version) == "f32[N, 3]"
    half = ("DequantizeLinear", "u8[N, 3]", "f16[]", "u8[]")
    if version < 19:
        assert fault(*half, version=version) == "element-type-not-allowed"
    else:
        assert infer(*half, version=version) == "f16[N, 3]"


def test_the_type_may_be_an_attribute() -> None:
    assert infer("QuantizeLinear", "f32[N]", "f32[]", output_dtype=3, version=21) == "i8[N]"
    assert infer("QuantizeLinear", "f32[N]", "f32[]", output_dtype=17) == "f8_e4m3fn[N]"
    assert infer("QuantizeLinear", "f32[N]", "f32[]", "u8[]", output_dtype=2) == "u8[N]"
    assert fault("QuantizeLinear", "f32[N]", "f32[]", "u8[]", output_dtype=3) == "element-type-mismatch"
    for number in (1, 6, 10):
        assert fault("QuantizeLinear", "f32[N]", "f32[]", output_dtype=number) == "invalid-attribute"
        assert fault("QuantizeLinear", "f32[N]", "f32[]", output_dtype=number, version=21) == "invalid-attribute"
    assert fault("DequantizeLinear", "u8[N]", "f32[]", output_dtype=2) == "invalid-attribute"
    assert infer("DequantizeLinear", "u8[N]", "f32[]", output_dtype=10) == "f16[N]"
    assert infer("DequantizeLinear", "u8[N]", "f16[]") == "f16[N]"
    assert fault("QuantizeLinear", "f32[N]", "f32[]", output_dtype=99) == "invalid-attribute"


GRANULARITIES = [
    ("[2, 3, 4]", "[]", {}, ""),
    ("[2, 3, 4]", "[1]", {}, ""),
    ("[2, 3, 4]", "[1]", {"axis": 7}, ""),
    ("[2, 3, 4]", "[3]", {}, ""),
    ("[2, 3, 4]", "[4]", {"axis": 2}, ""),
    ("[2, 3, 4]", "[4]", {"axis": -1}, ""),
    ("[N, C, 4]", "[C]", {"axis": 1}, ""),
    ("[N, C, 4]", "[3]", {"axis": 1}, ""),
    ("[N, C, 4]", "[K]", {"axis": 7}, ""),
    ("[4]", "[4]", {}, ""),
    ("[]", "[N]", {}, ""),
    ("[2, 3, 4]", "[4]", {}, "length-mismatch"),
    ("[2, 3, 4]", "[4]", {"axis": 3}, "axis-out-of-range"),
    ("[4]", "[3]", {}, "length-mismatch"),
    ("[]", "[2]", {}, "axis-out-of-range"),
    ("[2, 3]", "[1, 3]", {}, "rank-mismatch"),
]


@pytest.mark.parametrize(("x", "scale", "attributes", "code"), GRANULARITIES)
@pytest.mark.parametrize("version", [13, 19, 23])
def test_scales_are_for_all_or_for_each_index_of_an_axis(
    version: int, x: str, scale: str, attributes: dict[str, Any], code: str
) -> None:
    quantize = ("QuantizeLinear", f"f32{x}", f"f32{scale}", f"i8{scale}")
    dequantize = ("DequantizeLinear", f"i8{x}", f"f32{scale}", f"i8{scale}")
    for call, out in ((quantize, "i8"), (dequantize, "f32")):
        if code:
            assert fault(*call, version=version, **attributes) == code
        else:
            assert infer(*call, version=version, **attributes) == f"{out}{x}"


@pytest.mark.parametrize(
    ("x", "scale", "attributes", "code"),
    [
        ("[4, 6]", "[2, 6]", {"axis": 0, "block_size": 2}, ""),
        ("[5, 6]", "[3, 6]", {"axis": 0, "block_size": 2}, ""),
        ("[5, 6]", "[5, 2]", {"axis": -1, "block_size": 3}, ""),
        ("[N, 6]", "[(N + 1)//2, 6]", {"axis": 0, "block_size": 2}, ""),
        ("[N, 6]", "[K, 6]", {"axis": 0, "block_size": 2}, ""),
        ("[6]", "[3]", {"axis": 0, "block_size": 2}, ""),
        ("[5, 6]", "[2, 6]", {"axis": 0, "block_size": 2}, "dim-mismatch"),
        ("[5, 6]", "[3, 5]", {"axis": 0, "block_size": 2}, "dim-mismatch"),
        ("[6, 6]", "[3]", {"axis": 0, "block_size": 2}, "rank-mismatch"),
        ("[6, 6]", "[3, 6]", {"axis": 2, "block_size": 2}, "axis-out-of-range"),
        ("[6, 6]", "[3, 6]", {"axis": 0, "block_size": -2}, "invalid-attribute"),
    ],
)
def test_blocks_along_an_axis_share_a_scale(x: str, scale: str, attributes: dict[str, Any], code: str) -> None:
    call = ("DequantizeLinear", f"i8{x}", f"f32{scale}")
    if code:
        assert fault(*call, **attributes) == code
    else:
        assert infer(*call, **attributes) == f"f32{x}"


@pytest.mark.parametrize(
    ("scale", "zero_point", "code"),
    [
        ("[3]", "[3]", ""),
        ("[1]", "[]", ""),
        ("[]", "[1]", ""),
        ("[]", "[...]", ""),
        ("[3]", "[2]", "dim-mismatch"),
        ("[3]", "[]", "rank-mismatch"),
        ("[]", "[3]", "rank-mismatch"),
    ],
)
def test_zero_points_have_the_shape_of_the_scales(scale: str, zero_point: str, code: str) -> None:
    call = ("QuantizeLinear", "f32[2, 3]", f"f32{scale}", f"u8{zero_point}")
    if code:
        assert fault(*call) == code
    else:
        assert infer(*call) == "u8[2, 3]"


def test_what_symbols_need() -> None:
    assert asks("QuantizeLinear", "f32[N, C]", "f32[3]") == ["length-mismatch: C == 3"]
    assert asks("QuantizeLinear", "f32[N, C]", "f32[K]", axis=7) == ["axis-out-of-range: K == 1"]
    assert asks("QuantizeLinear", "f32[N, C]", "f32[K]") == ["length-mismatch: K == C or K == 1"]


def test_dynamic_quantization_makes_its_scale_and_zero_point() -> None:
    assert infer("DynamicQuantizeLinear", "f32[N, 3]") == ["u8[N, 3]", "f32[]", "u8[]"]
    assert infer("DynamicQuantizeLinear", "f32[...]") == ["u8[...]", "f32[]", "u8[]"]
    assert fault("DynamicQuantizeLinear", "f16[N]") == "element-type-not-allowed"


SIZES = [{"N": 0}, {"N": 1}, {"N": 5}]


@pytest.mark.parametrize(
    ("scale", "zero_point", "attributes"),
    [
        ("f32[]", "i8[]", {}),
        ("f32[3]", "i8[3]", {"axis": -1}),
        ("f32[N]", "i8[N]", {"axis": 0}),
        ("f32[1]", "", {}),
        ("f32[(N + 1)//2, 3]", "i8[(N + 1)//2, 3]", {"axis": 0, "block_size": 2}),
    ],
)
def test_it_agrees_with_a_run(scale: str, zero_point: str, attributes: dict[str, Any]) -> None:
    bindings = SIZES[1:] if attributes else SIZES
    agrees_with_a_run("QuantizeLinear", "f32[N, 3]", scale, zero_point, bindings=bindings, **attributes)
    agrees_with_a_run("DequantizeLinear", "i8[N, 3]", scale, zero_point, bindings=bindings, **attributes)


def test_dynamic_quantization_agrees_with_a_run() -> None:
    agrees_with_a_run("DynamicQuantizeLinear", "f32[N, 3]", bindings=SIZES[1:], outputs=3)
