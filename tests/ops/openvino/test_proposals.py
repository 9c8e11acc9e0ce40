"""Regions of an image that may hold an object."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES = [{"N": 1, "A": 3, "H": 1, "R": 0}, {"N": 2, "A": 1, "H": 8, "R": 16}]
PROPOSED: dict[str, Any] = {
    "base_size": 16,
    "pre_nms_topn": 6000,
    "post_nms_topn": 300,
    "nms_thresh": 0.7,
    "feat_stride": 16,
    "min_size": 16,
    "ratio": "0.5",
    "scale": "8,16,32",
}
GENERATED: dict[str, Any] = {"min_size": 0.0, "nms_threshold": 0.7, "pre_nms_count": 100, "post_nms_count": 10}
DETECTED: dict[str, Any] = {
    "score_threshold": 0.01,
    "nms_threshold": 0.5,
    "num_classes": 81,
    "post_nms_count": 2000,
    "max_detections_per_image": 100,
    "max_delta_log_wh": 2.0,
    "deltas_weights": "10.0,10.0,5.0,5.0",
}
FEATURES: dict[str, Any] = {"output_size": 7, "pyramid_scales": "4,8", "sampling_ratio": 2}


@pytest.mark.parametrize("size", [3, 4])
def test_the_same_number_is_proposed_for_each_image(size: int) -> None:
    inputs = ("f32[N, 2*A, H, 8]", "f32[N, 4*A, H, 8]", f"f32[{size}]")
    assert infer("Proposal", *inputs, version=1, **PROPOSED) == "f32[300*N, 5]"
    assert infer("Proposal", *inputs, version=4, outputs=2, **PROPOSED) == ["f32[300*N, 5]", "f32[300*N]"]
    agrees_with_openvino("Proposal", *inputs, version=1, bindings=SIZES, **PROPOSED)
    agrees_with_openvino("Proposal", *inputs, version=4, outputs=2, bindings=SIZES, **PROPOSED)


def test_proposals_of_several_images_are_as_many_as_are_left() -> None:
    inputs = ("f32[N, 3]", "f32[H, 9, A, 4]", "f32[N, 4*A, H, 9]", "f32[N, A, H, 9]")
    given = {**GENERATED, "roi_num_type": "i32"}
    made = outline("GenerateProposals", *inputs, version=9, outputs=3, **given)
    assert made == ["f32[?, 4]", "f32[?]", "i32[N]"]
    agrees_with_openvino("GenerateProposals", *inputs, version=9, outputs=3, bindings=SIZES, **given)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "output"),
    [
        (
            "GenerateProposalsSingleImage",
            ("f32[3]", "f32[R, 4]", "f32[4*A, H, 9]", "f32[A, H, 9]"),
            GENERATED,
            ["f32[10, 4]", "f32[10]"],
        ),
        (
            "DetectionOutput",
            ("f32[R, 4]", "f32[R, 324]", "f32[R, 81]", "f32[1, 3]"),
            DETECTED,
            ["f32[100, 4]", "i32[100]", "f32[100]"],
        ),
        (
            "PriorGridGenerator",
            ("f32[A, 4]", "f32[N, 5, H, 42]", "f32[N, 3, 80, 90]"),
            {"flatten": True},
            ["f32[42*A*H, 4]"],
        ),
        ("PriorGridGenerator", ("f32[A, 4]", "f32[N, 5, H, 42]", "f32[N, 3, 80, 90]"), {}, ["f32[H, 42, A, 4]"]),
        (
            "ROIFeatureExtractor",
            ("f32[R, 4]", "f32[1, A, H, 9]", "f32[1, A, 4, 5]"),
            FEATURES,
            ["f32[R, A, 7, 7]", "f32[R, 4]"],
        ),
        ("TopKROIs", ("f32[R, 4]", "f32[R]"), {"max_rois": 10}, ["f32[10, 4]"]),
    ],
)
def test_the_parts_of_detectron(
    op: str, inputs: tuple[str, ...], attributes: dict[str, Any], output: list[str]
) -> None:
    name = f"ExperimentalDetectron{op}"
    made = infer(name, *inputs, version=6, outputs=len(output), **attributes)
    assert ([made] if isinstance(made, str) else made) == output
    agrees_with_openvino(name, *inputs, version=6, outputs=len(output), bindings=SIZES, **attributes)


def test_a_grid_of_another_size_is_left_open() -> None:
    inputs = ("f32[3, 4]", "f32[1, 5, 7, 8]", "f32[1, 3, 80, 90]")
    made = outline("ExperimentalDetectronPriorGridGenerator", *inputs, version=6, h=2, w=0)
    assert made == "f32[?, 8, 3, 4]"


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "code"),
    [
        ("Proposal", ("f32[1, 6, 8, 8]", "f32[1, 11, 8, 8]", "f32[3]"), PROPOSED, "dim-mismatch"),
        ("Proposal", ("f32[1, 6, 8, 8]", "f32[2, 12, 8, 8]", "f32[3]"), PROPOSED, "dim-mismatch"),
        ("Proposal", ("f32[1, 6, 8, 8]", "f32[1, 12, 8, 8]", "f32[5]"), PROPOSED, "dim-mismatch"),
        ("Proposal", ("f32[1, 6, 8, 8]", "f32[1, 12, 8, 8]", "f32[1, 3]"), PROPOSED, "rank-mismatch"),
        (
            "GenerateProposals",
            ("f32[2, 3]", "f32[8, 9, 3, 4]", "f32[2, 11, 8, 9]", "f32[2, 3, 8, 9]"),
            GENERATED,
            "dim-mismatch",
        ),
        ("ExperimentalDetectronTopKROIs", ("f32[5, 4]", "f32[6]"), {"max_rois": 10}, "dim-mismatch"),
        ("ExperimentalDetectronTopKROIs", ("f32[5, 4]", "f32[5]"), {"max_rois": 0}, "invalid-attribute"),
        (
            "ExperimentalDetectronROIFeatureExtractor",
            ("f32[5, 4]", "f32[2, 3, 4, 5]", "f32[1, 3, 2, 2]"),
            FEATURES,
            "dim-mismatch",
        ),
        (
            "ExperimentalDetectronDetectionOutput",
            ("f32[5, 4]", "f32[5, 323]", "f32[5, 81]", "f32[1, 3]"),
            DETECTED,
            "dim-mismatch",
        ),
    ],
)
def test_what_does_not_fit(op: str, inputs: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert fault(op, *inputs, version=9, **attributes) == code
