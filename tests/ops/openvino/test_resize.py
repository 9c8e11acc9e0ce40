"""Interpolate makes axes longer or shorter."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES: dict[str, Any] = {"mode": "nearest", "shape_calculation_mode": "sizes"}
SCALES: dict[str, Any] = {"mode": "nearest", "shape_calculation_mode": "scales"}


@pytest.mark.parametrize(
    ("listed", "axes", "attributes", "output"),
    [
        ("i64[2]{24, W}", "i64[2]{2, 3}", SIZES, "f32[1, C, 24, W]"),
        ("i64[2]{24, 160}", "i64[2]{3, 2}", SIZES, "f32[1, C, 160, 24]"),
        ("i64[3]{24, 160, 7}", "i64[2]{2, 3}", SIZES, "f32[1, C, 24, 160]"),
        ("f32[2]{0.5, 2.0}", "i64[2]{2, 3}", SCALES, "f32[1, C, 24, 160]"),
        ("f32[2]{2.0, 0.5}", "i64[2]{1, 2}", SCALES, "f32[1, 2*C, 24, 80]"),
        ("f32[2]", "i64[2]{2, 3}", SCALES, "f32[1, C, ?, ?]"),
        ("f32[2]{2.0, 2.0}", "i64[2]", SCALES, "f32[?, ?, ?, ?]"),
        ("f32[1]{2.0}", "i64[1]{2}", {**SCALES, "pads_begin": (0, 0, 1), "pads_end": (1,)}, "f32[2, C, 98, 80]"),
        ("i64[1]{7}", "i64[1]{2}", {**SIZES, "pads_begin": (0, 0, 1, 2)}, "f32[1, C, 7, 82]"),
    ],
)
def test_axes_are_scaled(listed: str, axes: str, attributes: dict[str, Any], output: str) -> None:
    assert outline("Interpolate", "f32[1, C, 48, 80]", listed, axes, version=11, **attributes) == output


def test_without_axes_all_are_scaled() -> None:
    assert infer("Interpolate", "f32[N, 4]", "f32[2]{1.0, 2.0}", version=11, **SCALES) == "f32[N, 8]"


def test_version_4_has_a_list_for_each_way() -> None:
    inputs = ("f32[1, C, 48, 80]", "i64[2]{5, 6}", "f32[2]{0.5, 2.0}", "i64[2]{2, 3}")
    assert infer("Interpolate", *inputs, version=4, **SIZES) == "f32[1, C, 5, 6]"
    assert infer("Interpolate", *inputs, version=4, **SCALES) == "f32[1, C, 24, 160]"


def test_version_1_names_its_axes() -> None:
    image = ("f32[1, C, 48, 80]", "i64[2]{5, 6}")
    assert infer("Interpolate", *image, version=1, axes="2,3", mode="nearest") == "f32[1, C, 5, 6]"
    assert fault("Interpolate", *image, version=1, axes="2,4", mode="nearest") == "axis-out-of-range"
    assert fault("Interpolate", *image, version=1, mode="nearest") == "missing-attribute"


@pytest.mark.parametrize(
    ("listed", "axes", "attributes", "code"),
    [
        ("i64[1]{24}", "i64[2]{2, 3}", SIZES, "length-mismatch"),
        ("i64[2]{24, 24}", "i64[2]{2, 4}", SIZES, "axis-out-of-range"),
        ("i64[2]{24, 24}", "i64[2]{2, -1}", SIZES, "axis-out-of-range"),
        ("i64[2]{24, 24}", "i64[2]{2, 3}", {**SIZES, "mode": "best"}, "invalid-attribute"),
        ("i64[2]{24, 24}", "i64[2]{2, 3}", {"mode": "cubic", "shape_calculation_mode": "both"}, "invalid-attribute"),
        ("i64[2]{24, 24}", "i64[2]{2, 3}", {**SIZES, "pads_begin": (-1,)}, "invalid-attribute"),
        ("i64[]{24}", "i64[1]{2}", SIZES, "rank-mismatch"),
    ],
)
def test_what_cannot_be_scaled(listed: str, axes: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("Interpolate", "f32[1, 3, 48, 80]", listed, axes, version=11, **attributes) == code


def test_interpolate_agrees_with_openvino() -> None:
    bindings = [{"H": 0}, {"H": 1}, {"H": 7}, {"H": 48}]
    for scale in (0.5, 2.0, 1.75):
        image = ("f32[1, 3, H, 4]", f"f32[2]{{{scale}, 2.0}}", "i64[2]{2, 3}")
        agrees_with_openvino("Interpolate", *image, version=11, bindings=bindings, **SCALES)
    for scale in (0.3, 0.7, 1.1, 0.33333334, 2.3):
        for height in (1, 2, 3, 5, 7, 10, 20, 30, 63, 224):
            image = (f"f32[1, 3, {height}, 4]", f"f32[1]{{{scale}}}", "i64[1]{2}")
            agrees_with_openvino("Interpolate", *image, version=11, bindings=[{}], **SCALES)
    image = ("f32[1, 3, H, 4]", "i64[2]{5, 0}", "i64[2]{2, 3}")
    padded: dict[str, Any] = {**SIZES, "pads_begin": (1, 0), "pads_end": (0, 0, 0, 2)}
    agrees_with_openvino("Interpolate", *image, version=11, bindings=bindings, **padded)
    four = ("f32[1, 3, H, 4]", "i64[2]{5, 6}", "f32[2]{0.5, 2.0}", "i64[2]{2, 3}")
    agrees_with_openvino("Interpolate", *four, version=4, bindings=bindings, **SCALES)
    agrees_with_openvino("Interpolate", *image[:2], version=1, axes=(2, 3), mode="nearest", bindings=bindings)
