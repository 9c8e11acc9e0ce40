"""TensorRT's plugins, which onnxruntime and TensorRT's exporters put into ONNX's own domain."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.ops.signature import declare
from shapeinfer.shapes.named import NamedAxes

HALF_OR_SINGLE = "float float16"

declare(
    "DisentangledAttention_TRT(c2c_attention: T, c2p_attention: T, p2c_attention: T; factor: float, span: int) -> "
    "disentangled_attention: T",
    domain="",
    T=HALF_OR_SINGLE,
)


@rule("DisentangledAttention_TRT", since=1)
def disentangled_attention(ctx: Context, c2c_attention: Tensor) -> Shape:
    """Add scores of positions to those of contents, whose shape stays."""
    return c2c_attention.dims


declare(
    "EfficientNMS_TRT(boxes: T, scores: T, anchors?: T; background_class: int, box_coding: int, iou_threshold: float, "
    "max_output_boxes: int, plugin_version: string, score_activation: int, score_threshold: float) -> num_detections: "
    "int32, detection_boxes: T, detection_scores: T, detection_classes: int32",
    domain="",
    T=HALF_OR_SINGLE,
)


@rule("EfficientNMS_TRT", since=1, unranked=[2, 3, 2, 2])
def efficient_nms(ctx: Context, boxes: Tensor, scores: Tensor, *, max_output_boxes: int) -> list[Shape]:
    """Return as many boxes of each image as the attribute allows, and how many of them count."""
    _require_positive(ctx, max_output_boxes, "max_output_boxes")
    axes = NamedAxes(ctx)
    axes.read(scores, "scores", "batch boxes classes")
    if boxes.shape is not None:
        axes.read(boxes, "boxes", "batch boxes _" if len(boxes.shape) == 3 else "batch boxes _ _")
    batch = axes["batch"]
    return [(batch, 1), (batch, max_output_boxes, 4), (batch, max_output_boxes), (batch, max_output_boxes)]


_LEVELS = "feature_map_0: float, feature_map_1: float, feature_map_2: float, feature_map_3: float"

declare(
    f"MultilevelCropAndResize_TRT(boxes: float, {_LEVELS}; image_size: ints, plugin_version: string, pooled_size: int) "
    "-> patches: float",
    domain="",
)
declare(
    f"PyramidROIAlign_TRT(boxes: float, {_LEVELS}; plugin_version: string, pooled_size: int) -> patches: float",
    domain="",
)


@rule("MultilevelCropAndResize_TRT", "PyramidROIAlign_TRT", since=1, unranked=5)
def pooled_regions(ctx: Context, boxes: Tensor, feature_map_0: Tensor, *, pooled_size: int) -> Shape:
    """Sample every box of an image as a square, for each channel."""
    _require_positive(ctx, pooled_size, "pooled_size")
    axes = NamedAxes(ctx)
    axes.read(boxes, "boxes", "batch boxes _")
    axes.read(feature_map_0, "feature_map_0", "batch channels _ _")
    return (*axes.shape("batch boxes channels"), pooled_size, pooled_size)


def _require_positive(ctx: Context, number: int, name: str) -> None:
    if number < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"{name} is {number}; it must be positive", detail=Detail(name))
