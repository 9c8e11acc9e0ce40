"""Regions and samples of images, and images of another color space."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES = [{"N": 1, "R": 0, "C": 1, "H": 2}, {"N": 2, "R": 7, "C": 3, "H": 6}]
POOLED = {"pooled_h": 3, "pooled_w": 2, "sampling_ratio": 2, "spatial_scale": 0.5}


def test_images_are_sampled_at_the_points_of_a_grid() -> None:
    assert infer("GridSample", "f32[N, C, 4, H]", "f32[N, H, 7, 2]", version=9) == "f32[N, C, H, 7]"
    assert outline("GridSample", "f32[...]", "f32[N, H, 7, 2]", version=9) == "f32[N, ?, H, 7]"
    assert fault("GridSample", "f32[1, 3, 4, 5]", "f32[1, 6, 7, 3]", version=9) == "dim-mismatch"
    assert fault("GridSample", "f32[1, 3, 4, 5]", "f32[2, 6, 7, 2]", version=9) == "dim-mismatch"
    assert fault("GridSample", "f32[1, 3, 4, 5, 6]", "f32[1, 6, 7, 8, 3]", version=9) == "rank-mismatch"
    agrees_with_openvino("GridSample", "f32[N, C, 4, H]", "f32[N, H, 7, 2]", version=9, bindings=SIZES)


@pytest.mark.parametrize(
    ("op", "version", "inputs", "attributes", "output"),
    [
        ("ROIAlign", 3, ("f32[R, 4]", "i32[R]"), {**POOLED, "mode": "avg"}, "f32[R, C, 3, 2]"),
        ("ROIAlign", 9, ("f32[R, 4]", "i64[R]"), {**POOLED, "mode": "max"}, "f32[R, C, 3, 2]"),
        ("ROIAlignRotated", 15, ("f32[R, 5]", "i64[R]"), {**POOLED, "clockwise_mode": True}, "f32[R, C, 3, 2]"),
        ("ROIPooling", 2, ("f32[R, 5]",), {"pooled_h": 3, "pooled_w": 2, "spatial_scale": 0.5}, "f32[R, C, 3, 2]"),
        ("ROIPooling", 2, ("f32[R, 5]",), {"output_size": "3,2", "spatial_scale": 0.5}, "f32[R, C, 3, 2]"),
        (
            "DeformablePSROIPooling",
            1,
            ("f32[R, 5]",),
            {"output_dim": 8, "group_size": 3, "spatial_scale": 0.5},
            "f32[R, 8, 3, 3]",
        ),
        (
            "DeformablePSROIPooling",
            1,
            ("f32[R, 5]", "f32[R, 2, 3, 3]"),
            {"output_dim": 8, "group_size": 3, "spatial_scale": 0.5, "part_size": 3, "trans_std": 0.1},
            "f32[R, 8, 3, 3]",
        ),
    ],
)
def test_regions_are_brought_to_one_size(
    op: str, version: int, inputs: tuple[str, ...], attributes: dict[str, Any], output: str
) -> None:
    assert infer(op, "f32[N, C, 8, 8]", *inputs, version=version, **attributes) == output
    agrees_with_openvino(op, "f32[N, C, 8, 8]", *inputs, version=version, bindings=SIZES, **attributes)


@pytest.mark.parametrize("mode", ["average", "bilinear"])
def test_each_part_of_a_region_has_channels_of_its_own(mode: str) -> None:
    given: dict[str, Any] = {"output_dim": 8, "group_size": 3, "spatial_scale": 0.5, "mode": mode}
    given |= {"spatial_bins_x": 3, "spatial_bins_y": 3} if mode == "bilinear" else {}
    assert infer("PSROIPooling", "f32[N, 72, 8, 8]", "f32[R, 5]", version=1, **given) == "f32[R, 8, 3, 3]"
    assert fault("PSROIPooling", "f32[1, 71, 8, 8]", "f32[7, 5]", version=1, **given) == "dim-mismatch"
    agrees_with_openvino("PSROIPooling", "f32[N, 72, 8, 8]", "f32[R, 5]", version=1, bindings=SIZES, **given)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "code"),
    [
        ("ROIAlign", ("f32[6, 4]", "i32[7]"), {**POOLED, "mode": "avg"}, "dim-mismatch"),
        ("ROIAlign", ("f32[7, 5]", "i32[7]"), {**POOLED, "mode": "avg"}, "dim-mismatch"),
        ("ROIAlign", ("f32[7, 4]", "i32[7]"), {**POOLED, "mode": "avg", "pooled_h": 0}, "invalid-attribute"),
        ("ROIPooling", ("f32[7, 4]",), {"output_size": "3,2", "spatial_scale": 0.5}, "dim-mismatch"),
        ("ROIPooling", ("f32[7, 5]",), {"spatial_scale": 0.5}, "invalid-attribute"),
        ("DeformablePSROIPooling", ("f32[7, 5]",), {"output_dim": 0, "spatial_scale": 0.5}, "invalid-attribute"),
    ],
)
def test_what_is_no_region(op: str, inputs: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert fault(op, "f32[1, 4, 8, 8]", *inputs, version=9, **attributes) == code


@pytest.mark.parametrize(
    ("op", "inputs", "output"),
    [
        ("NV12toBGR", ("u8[N, 3*H, 4, 1]",), "u8[N, 2*H, 4, 3]"),
        ("NV12toRGB", ("f32[N, H, 4, 1]", "f32[N, H//2, 2, 2]"), "f32[N, H, 4, 3]"),
        ("I420toRGB", ("u8[N, 3*H, 4, 1]",), "u8[N, 2*H, 4, 3]"),
        ("I420toBGR", ("u8[N, H, 4, 1]", "u8[N, H//2, 2, 1]", "u8[N, H//2, 2, 1]"), "u8[N, H, 4, 3]"),
    ],
)
def test_each_pixel_gets_three_colors(op: str, inputs: tuple[str, ...], output: str) -> None:
    assert infer(op, *inputs, version=8) == output
    agrees_with_openvino(op, *inputs, version=8, bindings=SIZES)


def test_the_planes_tell_of_each_other() -> None:
    assert infer("NV12toRGB", "u8[...]", "u8[N, H, 2, 2]", version=8) == "u8[N, 2*H, 4, 3]"


@pytest.mark.parametrize(
    ("op", "inputs", "code"),
    [
        ("NV12toRGB", ("u8[1, 11, 4, 1]",), "not-divisible"),
        ("NV12toRGB", ("u8[1, 12, 5, 1]",), "not-divisible"),
        ("NV12toRGB", ("u8[1, 12, 4, 2]",), "dim-mismatch"),
        ("NV12toRGB", ("u8[1, 8, 4, 1]", "u8[1, 4, 2, 1]"), "dim-mismatch"),
        ("NV12toRGB", ("i8[1, 12, 4, 1]",), "element-type-not-allowed"),
        ("I420toRGB", ("u8[1, 8, 4, 1]", "u8[1, 4, 3, 1]", "u8[1, 4, 2, 1]"), "dim-mismatch"),
        ("I420toRGB", ("u8[1, 8, 4, 1]", "u8[1, 4, 2, 1]"), "missing-input"),
    ],
)
def test_what_is_no_image(op: str, inputs: tuple[str, ...], code: str) -> None:
    assert fault(op, *inputs, version=8) == code
