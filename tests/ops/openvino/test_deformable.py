"""Windows whose every point is displaced by an offset."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer

PLAIN: dict[str, Any] = {"strides": "1,1", "dilations": "1,1", "pads_begin": "0,0", "pads_end": "0,0"}
ONE: dict[str, Any] = {**PLAIN, "group": 1, "deformable_group": 1}
SIZES = [{"N": 1, "H": 5}, {"N": 2, "H": 8}]


@pytest.mark.parametrize("version", [1, 8])
def test_each_place_of_the_output_has_two_offsets_for_each_point(version: int) -> None:
    inputs = ("f32[N, 4, H, 8]", "f32[N, 36, H - 2, 6]", "f32[6, 2, 3, 3]")
    given = {**PLAIN, "group": 2, "deformable_group": 2}
    assert infer("DeformableConvolution", *inputs, version=version, **given) == "f32[N, 6, H - 2, 6]"
    agrees_with_openvino("DeformableConvolution", *inputs, version=version, bindings=SIZES, **given)


def test_a_mask_weighs_each_point() -> None:
    inputs = ("f32[N, 4, H, 8]", "f32[N, 18, H, 8]", "f32[6, 4, 3, 3]", "f32[N, 9, H, 8]")
    given = {**ONE, "auto_pad": "same_upper", "bilinear_interpolation_pad": True}
    assert infer("DeformableConvolution", *inputs, version=8, **given) == "f32[N, 6, H, 8]"
    agrees_with_openvino("DeformableConvolution", *inputs, version=8, bindings=SIZES, **given)


@pytest.mark.parametrize(
    ("index", "instead", "attributes", "code"),
    [
        (0, "f32[1, 5, 8, 8]", {}, "channel-mismatch"),
        (0, "f32[1, 4, 8]", {}, "rank-mismatch"),
        (1, "f32[1, 18, 5, 6]", {}, "dim-mismatch"),
        (1, "f32[1, 17, 6, 6]", {}, "dim-mismatch"),
        (1, "f32[2, 18, 6, 6]", {}, "dim-mismatch"),
        (2, "f32[5, 2, 3, 3]", {"group": 2}, "not-divisible"),
        (3, "f32[1, 8, 6, 6]", {}, "dim-mismatch"),
        (0, "f32[1, 4, 8, 8]", {"deformable_group": 0}, "invalid-attribute"),
    ],
)
def test_what_does_not_fit(index: int, instead: str, attributes: dict[str, Any], code: str) -> None:
    inputs = ["f32[1, 4, 8, 8]", "f32[1, 18, 6, 6]", "f32[6, 4, 3, 3]", "f32[1, 9, 6, 6]"]
    inputs[index] = instead
    assert fault("DeformableConvolution", *inputs, version=8, **{**ONE, **attributes}) == code
