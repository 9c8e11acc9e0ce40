"""Non-maximum suppression: keep the best of boxes that overlap."""

from __future__ import annotations

from shapeinfer.dims import Size, minimum, mul
from shapeinfer.facts import DType, Fact, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INDEX, INTEGERS, choice, element_type, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import only_entry, single
from shapeinfer.shapes.named import NamedAxes

_BOXES = "boxes: T, scores: T"
_LIMITS = "max_output_boxes_per_class?: I, iou_threshold?: F, score_threshold?: F"
_TYPE = 'output_type: element_type = "i64"'
_ORDER = "sort_result_descending: bool = True"
_CODED = f'box_encoding: string = "corner", {_ORDER}'
_TYPES = {"T": FLOATS, "F": FLOATS, "I": INTEGERS, "O": INDEX}
operator(f"NonMaxSuppression({_BOXES}, {_LIMITS}; {_CODED}) -> selected_indices: int64", T=FLOATS, F=FLOATS, I=INTEGERS)
for _since in (3, 4):
    operator(f"NonMaxSuppression({_BOXES}, {_LIMITS}; {_CODED}, {_TYPE}) -> indices: O", since=_since, **_TYPES)
_SELECTED = "selected_indices: O, selected_scores?: float, valid_outputs?: O"
for _since in (5, 9):
    operator(
        f"NonMaxSuppression({_BOXES}, {_LIMITS}, soft_nms_sigma?: F; {_CODED}, {_TYPE}) -> {_SELECTED}",
        since=_since,
        **_TYPES,
    )
operator(
    f"NMSRotated({_BOXES}, {_LIMITS.replace('?', '')}; {_ORDER}, {_TYPE}, clockwise: bool = True) -> {_SELECTED}",
    since=13,
    **_TYPES,
)
_BEST = (
    f'sort_result_type: string = "none", sort_result_across_batch: bool = False, {_TYPE}, '
    "score_threshold: float = 0.0, nms_top_k: int = -1, keep_top_k: int = -1, background_class: int = -1, "
    "normalized: bool = True"
)
_OUTPUTS = "selected_outputs: T, selected_indices?: O, selected_num?: O"
operator(
    f'MatrixNms({_BOXES}; {_BEST}, decay_function: string = "linear", gaussian_sigma: float = 2.0, '
    f"post_threshold: float = 0.0) -> {_OUTPUTS}",
    since=8,
    T=FLOATS,
    O=INDEX,
)
_MULTICLASS = f"{_BEST}, iou_threshold: float = 0.0, nms_eta: float = 1.0"
operator(f"MulticlassNms({_BOXES}; {_MULTICLASS}) -> {_OUTPUTS}", since=8, T=FLOATS, O=INDEX)
operator(f"MulticlassNms({_BOXES}, roisnum?: I; {_MULTICLASS}) -> {_OUTPUTS}", since=9, T=FLOATS, O=INDEX, I=INTEGERS)


def _read(ctx: Context, boxes: Tensor, scores: Tensor, corners: int = 4) -> NamedAxes:
    axes = NamedAxes(ctx)
    axes.bind("corners", corners, "the number of coordinates per box")
    axes.read(boxes, "boxes", "images boxes corners")
    axes.read(scores, "scores", "images classes boxes")
    return axes


def _limits(ctx: Context, boxes_per_class: Tensor | None, iou: Tensor | None, score: Tensor | None) -> Size:
    """Return the maximum number of boxes per class, 0 by default."""
    for port, threshold in {"iou_threshold": iou, "score_threshold": score}.items():
        if threshold is not None:
            single(ctx, threshold, port)
    return 0 if boxes_per_class is None else only_entry(ctx, boxes_per_class, "max_output_boxes_per_class", 0)


@rule("NonMaxSuppression", domain=DOMAIN, unranked=2)
def first_non_max_suppression(
    ctx: Context,
    boxes: Tensor,
    scores: Tensor,
    max_output_boxes_per_class: Tensor | None = None,
    iou_threshold: Tensor | None = None,
    score_threshold: Tensor | None = None,
    *,
    box_encoding: str = "corner",
    output_type: DType = DType.INT64,
) -> Fact:
    """Return image, class and box of each that is kept, in as many rows as there may be at most.

    Up to version 3 that is no more than there are boxes, from version 4 on it goes by image and class.
    """
    choice(ctx, "box_encoding", box_encoding, "corner center")
    axes = _read(ctx, boxes, scores)
    most = _limits(ctx, max_output_boxes_per_class, iou_threshold, score_threshold)
    if ctx.version < 4:
        rows = minimum(axes["boxes"], mul(most, axes["classes"]))
    else:
        rows = mul(mul(minimum(axes["boxes"], most), axes["images"]), axes["classes"])
    return tensor(element_type(ctx, "output_type", output_type, INDEX), (rows, 3))


@rule("NonMaxSuppression", domain=DOMAIN, since=5, unranked=[2, 2, 1])
def non_max_suppression(
    ctx: Context,
    boxes: Tensor,
    scores: Tensor,
    max_output_boxes_per_class: Tensor | None = None,
    iou_threshold: Tensor | None = None,
    score_threshold: Tensor | None = None,
    soft_nms_sigma: Tensor | None = None,
    *,
    box_encoding: str = "corner",
    output_type: DType = DType.INT64,
) -> list[Fact | Shape]:
    """Return image, class and box of each that is kept, their scores, and how many there are."""
    choice(ctx, "box_encoding", box_encoding, "corner center")
    _read(ctx, boxes, scores)
    for port, threshold in {
        "max_output_boxes_per_class": max_output_boxes_per_class,
        "iou_threshold": iou_threshold,
        "score_threshold": score_threshold,
        "soft_nms_sigma": soft_nms_sigma,
    }.items():
        if threshold is not None:
            single(ctx, threshold, port)
    return _suppression_outputs(ctx, output_type)


@rule("NMSRotated", domain=DOMAIN, since=13, unranked=[2, 2, 1])
def rotated_suppression(
    ctx: Context,
    boxes: Tensor,
    scores: Tensor,
    max_output_boxes_per_class: Tensor,
    iou_threshold: Tensor,
    score_threshold: Tensor,
    *,
    output_type: DType = DType.INT64,
) -> list[Fact | Shape]:
    """Return image, class and box of each that is kept; a box's fifth coordinate is its angle."""
    _read(ctx, boxes, scores, corners=5)
    for port, threshold in {
        "max_output_boxes_per_class": max_output_boxes_per_class,
        "iou_threshold": iou_threshold,
        "score_threshold": score_threshold,
    }.items():
        single(ctx, threshold, port)
    return _suppression_outputs(ctx, output_type)


def _suppression_outputs(ctx: Context, output_type: DType) -> list[Fact | Shape]:
    dtype = element_type(ctx, "output_type", output_type, INDEX)
    rows = ctx.fresh()
    return [tensor(dtype, (rows, 3)), (rows, 3), tensor(dtype, (1,))]


@rule("MatrixNms", "MulticlassNms", domain=DOMAIN, since=8, unranked=[2, 2, 1])
def best_of_classes(
    ctx: Context,
    boxes: Tensor,
    scores: Tensor,
    roisnum: Tensor | None = None,
    *,
    output_type: DType = DType.INT64,
) -> list[Fact | Shape]:
    """Return class, score and corners of each that is kept, their indices, and how many each image has.

    With ``roisnum``, the number of regions of each image, boxes and scores go by class.
    """
    dtype = element_type(ctx, "output_type", output_type, INDEX)
    axes = NamedAxes(ctx)
    axes.bind("corners", 4, "the number of coordinates per box")
    if roisnum is None:
        axes = _read(ctx, boxes, scores)
    else:
        axes.read(boxes, "boxes", "classes boxes corners")
        axes.read(scores, "scores", "classes boxes")
        axes.read(roisnum, "roisnum", "images")
    rows = ctx.fresh()
    return [(rows, 6), tensor(dtype, (rows, 1)), tensor(dtype, (axes["images"],))]
