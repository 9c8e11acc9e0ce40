"""Convolutions slide a window of weights, or spread each element over one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

PLAIN: dict[str, Any] = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}
SIZES = [{"N": 0, "H": 5}, {"N": 1, "H": 8}, {"N": 2, "H": 11}]


@pytest.mark.parametrize(
    ("attributes", "space"),
    [
        ({}, "H - 2, 5"),
        ({"auto_pad": "explicit", "pads_begin": "0,1", "pads_end": "1,0"}, "H - 1, 6"),
        ({"strides": "2,3"}, "(H - 1)//2, 2"),
        ({"dilations": "2,1"}, "H - 4, 5"),
        ({"auto_pad": "valid", "pads_begin": "1,1"}, "H - 2, 5"),
        ({"auto_pad": "same_upper", "strides": "2,3"}, "(H + 1)//2, 3"),
        ({"auto_pad": "SAME_LOWER"}, "H, 7"),
    ],
)
def test_the_window_of_a_convolution(attributes: dict[str, Any], space: str) -> None:
    given = {**PLAIN, **attributes}
    expected = infer("Abs", f"f32[N, 8, {space}]")
    assert infer("Convolution", "f32[N, 6, H, 7]", "f32[8, 6, 3, 3]", **given) == expected
    assert infer("GroupConvolution", "f32[N, 6, H, 7]", "f32[2, 4, 3, 3, 3]", **given) == expected
    for filters in ("f32[8, 6, 3, 3]", "f32[2, 4, 3, 3, 3]"):
        op = "Convolution" if filters.startswith("f32[8") else "GroupConvolution"
        agrees_with_openvino(op, "f32[N, 6, H, 7]", filters, version=1, bindings=SIZES, **given)


def test_padding_an_empty_axis_to_the_same_length_leaves_it_empty() -> None:
    same = {**PLAIN, "auto_pad": "same_upper"}
    assert infer("Convolution", "f32[1, 3, 0, 8]", "f32[4, 3, 3, 3]", **same) == "f32[1, 4, 0, 8]"
    agrees_with_openvino("Convolution", "f32[1, 3, 0, 8]", "f32[4, 3, 3, 3]", version=1, bindings=[{}], **same)


def test_groups_are_the_first_axis_of_the_weights() -> None:
    assert infer("GroupConvolution", "f32[1, C, 8]", "f32[C, 1, 1, 3]") == "f32[1, C, 6]"
    assert infer("GroupConvolution", "f32[1, 6, 8]", "f32[G, O, I, 3]") == "f32[1, G*O, 6]"
    assert fault("GroupConvolution", "f32[1, 6, 8, 8]", "f32[2, 4, 2, 3, 3]") == "channel-mismatch"
    assert fault("GroupConvolution", "f32[1, 6, 8, 8]", "f32[4, 6, 3, 3]") == "rank-mismatch"


@pytest.mark.parametrize(
    ("x", "w", "output"),
    [
        ("f32[...]", "f32[4, 3, 1, 1]", "f32[?, 4, ?, ?]"),
        ("f32[N, 3, 8, 8]", "f32[...]", "f32[N, ?, -? + 9, -? + 9]"),
        ("f32[...]", "f32[...]", "f32[...]"),
    ],
)
def test_what_is_known_as_less_is_known(x: str, w: str, output: str) -> None:
    assert outline("Convolution", x, w, **PLAIN) == output


@pytest.mark.parametrize(
    ("x", "w", "attributes", "code"),
    [
        ("f32[1, 3, 8, 8]", "f32[4, 3, 3]", {}, "rank-mismatch"),
        ("f32[1, 3]", "f32[4, 3]", {}, "rank-mismatch"),
        ("f32[1, 3, 8, 8]", "f32[4, 2, 3, 3]", {}, "channel-mismatch"),
        ("f32[1, 3, 2, 8]", "f32[4, 3, 3, 3]", {}, "window-too-large"),
        ("f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]", {"strides": "1"}, "length-mismatch"),
        ("f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]", {"pads_end": "1"}, "length-mismatch"),
        ("f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]", {"dilations": "0,1"}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]", {"auto_pad": "notset"}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", "f16[4, 3, 3, 3]", {}, "element-type-mismatch"),
        ("f32[1, 3, 8, 8]", "f32[4, 3, 3, 3]", {"strides": "a,b"}, "attribute-type"),
    ],
)
def test_what_cannot_be_convolved(x: str, w: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("Convolution", x, w, **attributes) == code


@pytest.mark.parametrize(
    ("attributes", "space"),
    [
        ({"pads_begin": "1,1", "pads_end": "1,1", "strides": "2,2"}, "2*H - 1, 13"),
        ({"strides": "3,3", "output_padding": "2,2"}, "3*H + 2, 23"),
        ({"dilations": "2,1"}, "H + 4, 9"),
        ({"auto_pad": "same_upper", "strides": "2,2", "pads_begin": "1,1"}, "2*H + 1, 15"),
        ({"auto_pad": "valid", "pads_begin": "1,1"}, "H + 2, 9"),
    ],
)
def test_a_convolution_backwards(attributes: dict[str, Any], space: str) -> None:
    given = {**PLAIN, **attributes}
    expected = infer("Abs", f"f32[N, 8, {space}]")
    for op, w in (
        ("ConvolutionBackpropData", "f32[6, 8, 3, 3]"),
        ("GroupConvolutionBackpropData", "f32[2, 3, 4, 3, 3]"),
    ):
        assert infer(op, "f32[N, 6, H, 7]", w, **given) == expected
        agrees_with_openvino(op, "f32[N, 6, H, 7]", w, version=1, bindings=SIZES, **given)


def test_a_given_shape_is_that_of_the_spatial_axes() -> None:
    op, x, w = "ConvolutionBackpropData", "f32[N, 6, H, 7]", "f32[6, 8, 3, 3]"
    assert infer(op, x, w, "i64[2]{450, M}", **PLAIN) == "f32[N, 8, 450, M]"
    assert outline(op, x, w, "i64[2]", **PLAIN) == "f32[N, 8, ?, ?]"
    assert outline(op, x, w, "i64[...]", **PLAIN) == "f32[N, 8, ?, ?]"
    assert fault(op, x, w, "i64[1]{450}", **PLAIN) == "length-mismatch"
    assert fault(op, x, w, "i64[2]{450, -1}", **PLAIN) == "negative-length"
    assert fault(op, x, "f32[5, 8, 3, 3]", **PLAIN) == "channel-mismatch"
    assert fault(op, x, w, output_padding="-1,0", **PLAIN) == "invalid-attribute"
    sizes = [{"N": 1, "H": 8}, {"N": 0, "H": 1}]
    agrees_with_openvino(op, x, w, "i64[2]{20, H}", version=1, bindings=sizes, **PLAIN, auto_pad="same_lower")


def test_binary_weights_are_of_any_type() -> None:
    binary: dict[str, Any] = {**PLAIN, "mode": "xnor-popcount", "pad_value": 0.0}
    assert infer("BinaryConvolution", "f32[N, 3, H, 8]", "?[4, 3, 3, 3]", **binary) == "f32[N, 4, H - 2, 6]"
    agrees_with_openvino("BinaryConvolution", "f32[N, 3, H, 8]", "u8[4, 3, 3, 3]", version=1, bindings=SIZES, **binary)
    assert fault("BinaryConvolution", "f32[1, 3, 8, 8]", "u8[4, 3, 3, 3]", mode="xnor-popcount") == "missing-attribute"
