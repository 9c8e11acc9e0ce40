"""Boxes of objects: where they may be, and what is found in them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES = [{"N": 1, "H": 1, "W": 3}, {"N": 2, "H": 10, "W": 0}]
FOUND = ("f32[N, 40]", "f32[N, 30]", "f32[1, 2, 40]")
DETECTED: dict[str, Any] = {"keep_top_k": "5", "nms_threshold": 0.4, "normalized": True}


@pytest.mark.parametrize(
    ("attributes", "rows"),
    [({}, "5*N"), ({"keep_top_k": "-1", "top_k": 4}, "12*N"), ({"keep_top_k": "-1"}, "30*N")],
)
def test_as_many_objects_as_may_be_found(attributes: dict[str, Any], rows: str) -> None:
    given = {**DETECTED, **attributes}
    versions: list[tuple[int, dict[str, Any]]] = [(1, {"num_classes": 3}), (8, {})]
    for version, classes in versions:
        assert infer("DetectionOutput", *FOUND, version=version, **given, **classes) == f"f32[1, 1, {rows}, 7]"
        agrees_with_openvino("DetectionOutput", *FOUND, version=version, bindings=SIZES, **given, **classes)


def test_further_predictions_are_like_the_first() -> None:
    inputs = ("f32[N, 120]", "f32[N, 30]", "f32[N, 1, 50]", "f32[N, 20]", "f32[N, 120]")
    given = {**DETECTED, "normalized": False, "share_location": False, "variance_encoded_in_target": True}
    assert infer("DetectionOutput", *inputs, version=8, **given) == "f32[1, 1, 5*N, 7]"
    agrees_with_openvino("DetectionOutput", *inputs, version=8, bindings=SIZES, **given)


def test_without_the_number_of_prior_boxes_the_number_found_is_unknown() -> None:
    given = {**DETECTED, "keep_top_k": "-1"}
    assert outline("DetectionOutput", "f32[N, B]", "f32[N, C]", "f32[...]", version=8, **given) == "f32[1, 1, ?, 7]"


@pytest.mark.parametrize(
    ("inputs", "attributes", "code"),
    [
        (("f32[2, 41]", "f32[2, 30]", "f32[1, 2, 40]"), {}, "dim-mismatch"),
        (("f32[2, 40]", "f32[3, 30]", "f32[1, 2, 40]"), {}, "dim-mismatch"),
        (("f32[2, 40]", "f32[2, 31]", "f32[1, 2, 40]"), {}, "not-divisible"),
        (("f32[2, 40]", "f32[2, 30]", "f32[1, 1, 40]"), {}, "dim-mismatch"),
        (("f32[2, 40]", "f32[2, 30]", "f32[3, 2, 40]"), {}, "dim-mismatch"),
        (("f32[2, 40]", "f32[2, 30]", "f32[1, 2, 40]"), {"keep_top_k": ""}, "invalid-attribute"),
        (("f32[2, 40]", "f32[2, 30]", "f32[1, 2, 41]"), {}, "not-divisible"),
        (("f32[2, 40]", "f32[2, 30]", "f32[1, 2, 40]", "f32[2, 21]", "f32[2, 40]"), {}, "dim-mismatch"),
        (("f32[2]", "f32[2, 30]", "f32[1, 2, 40]"), {}, "rank-mismatch"),
    ],
)
def test_predictions_that_do_not_fit(inputs: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert fault("DetectionOutput", *inputs, version=8, **{**DETECTED, **attributes}) == code


@pytest.mark.parametrize(
    ("attributes", "each"),
    [
        ({"min_size": "30", "max_size": "60", "aspect_ratio": "2", "flip": True}, 4),
        ({"min_size": "30,40", "max_size": "60", "aspect_ratio": "2,3,0.333333", "flip": True}, 13),
        ({"fixed_size": "30,40", "fixed_ratio": "1,2", "density": "2,3", "min_size": "3"}, 24),
        ({"fixed_size": "30,40", "density": "2,3"}, 13),
        ({"density": "2,3", "aspect_ratio": "1,2,2", "min_size": "1,2", "scale_all_sizes": False}, 25),
    ],
)
def test_prior_boxes_at_each_point_of_a_grid(attributes: dict[str, Any], each: int) -> None:
    inputs, given = ("i64[2]{H, W}", "i64[2]{180, 320}"), {**attributes, "offset": 0.5}
    for version in (1, 8):
        assert infer("PriorBox", *inputs, version=version, **given) == f"f32[2, {4 * each}*H*W]"
        agrees_with_openvino("PriorBox", *inputs, version=version, bindings=SIZES, **given)


def test_prior_boxes_of_given_widths_and_heights() -> None:
    given: dict[str, Any] = {"width": "86,13,57", "height": "44,10,30", "offset": 0.5}
    inputs = ("i32[2]{H, W}", "i32[2]")
    assert infer("PriorBoxClustered", *inputs, version=1, **given) == "f32[2, 12*H*W]"
    assert outline("PriorBoxClustered", "i64[2]", "i64[2]", version=1, **given) == "f32[2, 12*?*?]"
    assert outline("PriorBoxClustered", "i64[...]", "i64[2]", version=1, **given) == "f32[2, 12*?]"
    agrees_with_openvino("PriorBoxClustered", *inputs, version=1, bindings=SIZES, **given)
    assert fault("PriorBoxClustered", "i64[3]", "i64[2]", version=1, **given) == "length-mismatch"
    assert fault("PriorBoxClustered", "i64[]", "i64[2]", version=1, **given) == "rank-mismatch"
    assert fault("PriorBoxClustered", *inputs, version=1, **{**given, "width": "1"}) == "length-mismatch"
    assert fault("PriorBoxClustered", "f32[2]", "i64[2]", version=1, **given) == "element-type-not-allowed"


@pytest.mark.parametrize(
    ("attributes", "output"),
    [
        ({"axis": 1, "end_axis": 3, "do_softmax": True}, "f32[N, 255*H*26]"),
        ({"axis": 1, "end_axis": 2, "do_softmax": True}, "f32[N, 255*H, 26]"),
        ({"axis": 2, "end_axis": -1, "do_softmax": True}, "f32[N, 255, 26*H]"),
        ({"axis": 1, "end_axis": 3, "mask": "0,1"}, "f32[N, 170, H, 26]"),
    ],
)
def test_a_region_layer_folds_axes(attributes: dict[str, Any], output: str) -> None:
    given = {"coords": 4, "classes": 80, "num": 3, **attributes}
    assert infer("RegionYolo", "f32[N, 255, H, 26]", version=1, **given) == infer("Abs", output)
    agrees_with_openvino("RegionYolo", "f32[N, 255, H, 26]", version=1, bindings=SIZES, **given)
    assert fault("RegionYolo", "f32[1, 255, 26]", version=1, **given) == "rank-mismatch"


def test_axes_to_fold_are_in_order() -> None:
    given: dict[str, Any] = {"coords": 4, "classes": 80, "num": 3, "do_softmax": True}
    assert fault("RegionYolo", "f32[1, 2, 3, 4]", version=1, axis=3, end_axis=1, **given) == "invalid-attribute"
    assert fault("RegionYolo", "f32[1, 2, 3, 4]", version=1, axis=4, end_axis=1, **given) == "axis-out-of-range"
