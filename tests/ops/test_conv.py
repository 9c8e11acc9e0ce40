"""Convolutions: a window of weights slides over the spatial axes, one output channel for each filter."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer

SIZES = [{"N": 0, "H": 5, "W": 7}, {"N": 1, "H": 8, "W": 6}, {"N": 2, "H": 11, "W": 9}]


@pytest.mark.parametrize("version", [1, 11, 22])
@pytest.mark.parametrize(
    ("attributes", "space"),
    [
        ({}, "H - 2, W - 2"),
        ({"pads": [1, 1, 1, 1]}, "H, W"),
        ({"pads": [0, 1, 2, 1]}, "H, W"),
        ({"strides": [2, 3]}, "(H - 1)//2, W//3"),
        ({"strides": [2, 2], "pads": [1, 1, 1, 1]}, "(H + 1)//2, (W + 1)//2"),
        ({"dilations": [2, 1]}, "H - 4, W - 2"),
        ({"auto_pad": "VALID"}, "H - 2, W - 2"),
        ({"auto_pad": "SAME_UPPER", "strides": [2, 3]}, "(H + 1)//2, (W + 2)//3"),
        ({"auto_pad": "SAME_LOWER"}, "H, W"),
        ({"kernel_shape": [3, 3]}, "H - 2, W - 2"),
    ],
)
def test_the_window_of_conv(attributes: dict[str, Any], space: str, version: int) -> None:
    assert infer("Conv", "f32[N, 3, H, W]", "f32[8, 3, 3, 3]", version=version, **attributes) == _same(f"N, 8, {space}")
    agrees_with_a_run("Conv", "f32[N, 3, H, W]", "f32[8, 3, 3, 3]", version=version, bindings=SIZES, **attributes)


def _same(dims: str) -> str:
    """Spell dims as the engine spells them."""
    return infer("Identity", f"f32[{dims}]")  # type: ignore[return-value]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_any_number_of_spatial_axes(rank: int) -> None:
    x, w = ", ".join(["9"] * rank), ", ".join(["2"] * rank)
    assert infer("Conv", f"f32[1, 3, {x}]", f"f32[4, 3, {w}]") == f"f32[1, 4, {', '.join(['8'] * rank)}]"


def test_groups_take_their_part_of_the_channels() -> None:
    assert infer("Conv", "f32[1, 8, 5, 5]", "f32[6, 4, 1, 1]", group=2) == "f32[1, 6, 5, 5]"
    assert infer("Conv", "f32[1, 8, 5, 5]", "f32[8, 1, 3, 3]", group=8) == "f32[1, 8, 3, 3]"
    assert fault("Conv", "f32[1, 8, 5, 5]", "f32[6, 8, 1, 1]", group=2) == "channel-mismatch"
    assert fault("Conv", "f32[1, 8, 5, 5]", "f32[5, 4, 1, 1]", group=2) == "not-divisible"


@pytest.mark.parametrize(
    ("x", "w", "attributes", "output"),
    [
        ("f32[N, C, H, 8]", "f32[M, C, 3, 3]", {}, "f32[N, M, H - 2, 6]"),
        ("?[N, 3, 8, 8]", "f32[4, 3, 1, 1]", {}, "f32[N, 4, 8, 8]"),
        ("f32[...]", "f32[4, 3, 1, 1]", {}, "f32[Conv_0, 4, Conv_2, Conv_3]"),
        ("f32[N, 3, 8, 8]", "f32[...]", {"kernel_shape": [3, 3]}, "f32[N, Conv_0, 6, 6]"),
        ("f32[...]", "f32[...]", {}, "f32[...]"),
    ],
)
def test_what_is_known_of_the_output_as_less_is_known_of_the_inputs(
    x: str, w: str, attributes: dict[str, Any], output: str
) -> None:
    assert infer("Conv", x, w, **attributes) == output


@pytest.mark.parametrize(
    ("x", "w", "attributes", "code"),
    [
        ("f32[1, 3, 8, 8]", "f32[4, 3, 3]", {}, "rank-mismatch"),
        ("f32[1, 3]", "f32[4, 3]", {}, "rank-mismatch"),
        ("f32[1, 4, 8, 8]", "f32[6, 3, 3, 3]", {}, "channel-mismatch"),
        ("f32[1, 3, 2, 8]", "f32[6, 3, 3, 3]", {}, "window-too-large"),
        ("f32[1, 3, 4, 8]", "f32[6, 3, 3, 3]", {"dilations": [2, 1]}, "window-too-large"),
        ("f32[1, 3, 0, 8]", "f32[6, 3, 1, 1]", {"auto_pad": "SAME_UPPER"}, "too-few-elements"),
        ("f32[1, 3, 8, 8]", "f32[6, 3, 3, 3]", {"kernel_shape": [3, 2]}, "dim-mismatch"),
        ("f32[1, 3, 8, 8]", "f32[6, 3, 3, 3]", {"kernel_shape": [3]}, "length-mismatch"),
        ("f32[1, 3, 8, 8]", "f32[6, 3, 3, 3]", {"strides": [2]}, "length-mismatch"),
        ("f32[1, 3, 8, 8]", "f32[6, 3, 3, 3]", {"pads": [1, 1]}, "length-mismatch"),
        ("f32[1, 3, 8, 8]", "f32[6, 3, 3, 3]", {"dilations": [1, 1, 1]}, "length-mismatch"),
        ("f32[1, 3, 8, 8]", "f32[6, 3, 3, 3]", {"strides": [0, 1]}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", "f32[6, 3, 3, 3]", {"auto_pad": "SAME"}, "invalid-attribute"),
        ("f32[1, 3, 8, 8]", "f32[6, 3, 3, 3]", {"auto_pad": "VALID", "pads": [1, 1, 1, 1]}, "conflicting-arguments"),
        ("f32[1, 3, 8, 8]", "f32[6, 3, 3, 3]", {"group": 0}, "invalid-attribute"),
    ],
)
def test_what_conv_refuses(x: str, w: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("Conv", x, w, **attributes) == code


@pytest.mark.parametrize(("bias", "code"), [("f32[5]", "dim-mismatch"), ("f32[4, 1]", "rank-mismatch")])
def test_a_bias_has_an_entry_for_each_filter(bias: str, code: str) -> None:
    assert infer("Conv", "f32[1, 3, 8, 8]", "f32[4, 3, 1, 1]", "f32[4]") == "f32[1, 4, 8, 8]"
    assert fault("Conv", "f32[1, 3, 8, 8]", "f32[4, 3, 1, 1]", bias) == code


def test_conditions_on_symbols_are_claims() -> None:
    assert asks("Conv", "f32[1, 3, H, 8]", "f32[4, 3, 5, 5]") == ["window-too-large: H >= 5"]
    assert asks("Conv", "f32[1, 3, H, 8]", "f32[4, 3, 5, 5]", pads=[1, 0, 1, 0]) == ["window-too-large: H >= 3"]
    assert asks("Conv", "f32[1, C, 8, 8]", "f32[4, 3, 5, 5]") == ["channel-mismatch: C == 3"]
    assert asks("Conv", "f32[1, 8, 8, 8]", "f32[M, 4, 5, 5]", group=2) == ["not-divisible: M % 2 == 0"]
    assert asks("Conv", "f32[1, 3, H, 8]", "f32[4, 3, 5, 5]", auto_pad="SAME_UPPER") == ["too-few-elements: H >= 1"]


TRANSPOSED: list[tuple[dict[str, Any], str]] = [
    ({}, "H + 2, W + 2"),
    ({"strides": [2, 2]}, "2*H + 1, 2*W + 1"),
    ({"strides": [2, 2], "output_padding": [1, 1]}, "2*H + 2, 2*W + 2"),
    ({"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]}, "2*H, 2*W"),
    ({"strides": [3, 2], "dilations": [2, 2]}, "3*H + 2, 2*W + 3"),
    ({"strides": [2, 3], "auto_pad": "SAME_UPPER"}, "2*H, 3*W"),
    ({"strides": [2, 4], "auto_pad": "SAME_LOWER"}, "2*H, 4*W - 1"),
    ({"strides": [2, 2], "auto_pad": "VALID"}, "2*H + 1, 2*W + 1"),
]


@pytest.mark.parametrize("version", [1, 11, 22])
@pytest.mark.parametrize(("attributes", "space"), TRANSPOSED)
def test_the_window_of_conv_transpose(attributes: dict[str, Any], space: str, version: int) -> None:
    inputs = "f32[N, 4, H, W]", "f32[4, 2, 3, 3]"
    assert infer("ConvTranspose", *inputs, version=version, **attributes) == _same(f"N, 2, {space}")
    agrees_with_a_run("ConvTranspose", *inputs, version=version, bindings=SIZES, **attributes)


def test_conv_transpose_gives_the_length_that_is_asked_for() -> None:
    inputs = "f32[N, 4, 3, 3]", "f32[4, 2, 3, 3]"
    for asked in ([7, 8], [1, 2, 7, 8]):
        assert infer("ConvTranspose", *inputs, strides=[2, 2], output_shape=asked) == "f32[N, 2, 7, 8]"
    agrees_with_a_run("ConvTranspose", *inputs, strides=[2, 2], output_shape=[7, 8], bindings=[{"N": 2}])
    assert fault("ConvTranspose", *inputs, strides=[2, 2], output_shape=[20, 20]) == "invalid-attribute"
    assert fault("ConvTranspose", *inputs, strides=[2, 2], output_shape=[7]) == "length-mismatch"


@pytest.mark.parametrize(("stride", "extra"), [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)])
def test_conv_transpose_gives_no_length_that_a_window_more_would_cover(stride: int, extra: int) -> None:
    inputs = "f32[1, 1, 3]", "f32[1, 1, 3]"
    most = 3 * stride + 2
    call: Any = {"strides": [stride], "output_padding": [extra], "version": 11}
    for length in range(most - stride - 1, most + 1):
        agrees_with_a_run("ConvTranspose", *inputs, output_shape=[length], bindings=[{}], **call)
    assert fault("ConvTranspose", *inputs, output_shape=[most + 1], **call) == "invalid-attribute"


def test_groups_of_conv_transpose_multiply_the_channels() -> None:
    assert infer("ConvTranspose", "f32[1, 4, 3, 3]", "f32[4, 2, 3, 3]", "f32[4]", group=2) == "f32[1, 4, 5, 5]"


@pytest.mark.parametrize(
    ("x", "w", "attributes", "code"),
    [
        ("f32[1, 4, 3, 3]", "f32[5, 2, 3, 3]", {}, "channel-mismatch"),
        ("f32[1, 4, 3, 3]", "f32[4, 2, 3, 3]", {"group": 3}, "not-divisible"),
        ("f32[1, 4, 3, 3]", "f32[4, 2, 3, 3]", {"pads": [3, 3, 3, 3]}, "negative-length"),
        ("f32[1, 4, 3, 3]", "f32[4, 2, 3, 3]", {"output_padding": [1, 1]}, "invalid-attribute"),
        ("f32[1, 4, 3, 3]", "f32[4, 2, 3, 3]", {"output_padding": [0]}, "length-mismatch"),
    ],
)
def test_what_conv_transpose_refuses(x: str, w: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("ConvTranspose", x, w, **attributes) == code


def test_conv_transpose_must_leave_something() -> None:
    asked = asks("ConvTranspose", "f32[1, 4, H, 3]", "f32[4, 2, 3, 3]", pads=[2, 0, 2, 0])
    assert asked == ["negative-length: H >= 3"]


def test_integers_are_convolved_alike() -> None:
    x, w = "u8[N, 3, H, 8]", "u8[4, 3, 3, 3]"
    assert infer("ConvInteger", x, w, pads=[1, 1, 1, 1]) == "i32[N, 4, H, 8]"
    assert infer("ConvInteger", x, w, "u8[]", "u8[4]") == "i32[N, 4, H - 2, 6]"
    agrees_with_a_run("ConvInteger", x, w, strides=[2, 2], bindings=[{"N": 1, "H": 4}, {"N": 2, "H": 9}])
    assert fault("ConvInteger", x, w, "u8[2]") == "dim-mismatch"
    assert fault("ConvInteger", x, w, "", "u8[3]") == "dim-mismatch"
    assert fault("ConvInteger", "u8[1, 2, 8, 8]", w) == "channel-mismatch"


def test_quantized_numbers_are_convolved_alike() -> None:
    x, scale, zero, w = "u8[N, 3, H, 8]", "f32[]", "u8[]", "u8[4, 3, 3, 3]"
    assert infer("QLinearConv", x, scale, zero, w, "f32[4]", "u8[4]", scale, zero) == "u8[N, 4, H - 2, 6]"
    assert infer("QLinearConv", x, scale, zero, w, scale, zero, scale, "i8[]", "i32[4]") == "i8[N, 4, H - 2, 6]"
    sizes = [{"N": 1, "H": 4}, {"N": 2, "H": 9}]
    agrees_with_a_run("QLinearConv", x, scale, zero, w, scale, zero, scale, zero, bindings=sizes)
    assert fault("QLinearConv", x, scale, zero, w, "f32[3]", zero, scale, zero) == "dim-mismatch"
    assert fault("QLinearConv", x, "f32[1, 1]", zero, w, scale, zero, scale, zero) == "rank-mismatch"
    assert fault("QLinearConv", x, scale, zero, w, scale, zero, scale, zero, "i32[3]") == "dim-mismatch"


@pytest.mark.parametrize("version", [19, 22])
def test_deformable_windows_have_an_offset_for_each_point(version: int) -> None:
    x, w = "f32[N, 2, 5, 5]", "f32[4, 2, 3, 3]"
    assert infer("DeformConv", x, w, "f32[N, 18, 3, 3]", version=version) == "f32[N, 4, 3, 3]"
    assert infer("DeformConv", x, w, "f32[N, 36, 3, 3]", "", "f32[N, 18, 3, 3]", offset_group=2) == "f32[N, 4, 3, 3]"
    agrees_with_a_run("DeformConv", x, w, "f32[N, 18, 3, 3]", bindings=[{"N": 1}, {"N": 2}])
    assert fault("DeformConv", x, w, "f32[N, 16, 3, 3]", version=version) == "dim-mismatch"
    assert fault("DeformConv", x, w, "f32[N, 18, 3, 3]", "", "f32[N, 9, 3, 2]", version=version) == "dim-mismatch"
    assert fault("DeformConv", x, w, "f32[N, 18, 3]", version=version) == "rank-mismatch"
    assert fault("DeformConv", x, w, "f32[N, 54, 3, 3]", offset_group=3, version=version) == "not-divisible"
