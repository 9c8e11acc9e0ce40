"""Regions of an image that may hold an object."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH
from shapeinfer.dims import AnyOf, Equal, mul, product, text_of
from shapeinfer.facts import DType, Fact, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INDEX, element_type, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import of_rank
from shapeinfer.shapes.rows import positive

_PROPOSED = (
    "class_probs: T, bbox_deltas: T, image_shape: T; base_size: int, pre_nms_topn: int, post_nms_topn: int, "
    "nms_thresh: float, feat_stride: int, min_size: int, ratio: floats, scale: floats, clip_before_nms: bool = True, "
    "clip_after_nms: bool = False, normalize: bool = False, box_size_scale: float = 1.0, "
    'box_coordinate_scale: float = 1.0, framework: string = ""'
)
operator(f"Proposal({_PROPOSED}) -> output: T", T=FLOATS)
operator(f"Proposal({_PROPOSED}) -> output: T, probabilities?: T", since=4, T=FLOATS)
_GENERATED = "min_size: float, nms_threshold: float, pre_nms_count: int, post_nms_count: int"
_ANCHORED = "im_info: T, anchors: T, deltas: T, scores: T"
operator(
    f"GenerateProposals({_ANCHORED}; {_GENERATED}, normalized: bool = True, nms_eta: float = 1.0, "
    'roi_num_type: element_type = "i64") -> rois: T, roi_scores?: T, rois_num?: I',
    since=9,
    T=FLOATS,
    I=INDEX,
)
_DETECTRON = "ExperimentalDetectron"
operator(
    f"{_DETECTRON}GenerateProposalsSingleImage({_ANCHORED}; {_GENERATED}) -> rois: T, roi_scores?: T",
    since=6,
    T=FLOATS,
)
operator(
    f"{_DETECTRON}DetectionOutput(rois: T, deltas: T, scores: T, im_info: T; score_threshold: float, "
    "nms_threshold: float, num_classes: int, post_nms_count: int, max_detections_per_image: int, "
    "class_agnostic_box_regression: bool = False, max_delta_log_wh: float, deltas_weights: floats)"
    " -> boxes: T, classes?: int32, found_scores?: T",
    since=6,
    T=FLOATS,
)
operator(
    f"{_DETECTRON}PriorGridGenerator(priors: T, feature_map: T, im_data: T; flatten: bool = False, h: int = 0, "
    "w: int = 0, stride_x: float = 0.0, stride_y: float = 0.0) -> output: T",
    since=6,
    T=FLOATS,
)
operator(
    f"{_DETECTRON}ROIFeatureExtractor(inputs*: T; output_size: int, sampling_ratio: int, pyramid_scales: ints, "
    "aligned: bool = False) -> features: T, rois?: T",
    since=6,
    T=FLOATS,
)
operator(f"{_DETECTRON}TopKROIs(rois: T, probs: T; max_rois: int) -> output: T", since=6, T=FLOATS)


@rule("Proposal", domain=DOMAIN, unranked=[2, 1])
def proposal(
    ctx: Context, class_probs: Tensor, bbox_deltas: Tensor, image_shape: Tensor, *, post_nms_topn: int
) -> list[Shape]:
    """Return image and corners of the same number of boxes for each image, and their probabilities."""
    axes = NamedAxes(ctx)
    axes.read(class_probs, "class_probs", "N probabilities H W")
    if class_probs.shape is not None:
        axes.bind("deltas", mul(2, axes["probabilities"]), "2 times the number of probabilities", "probabilities")
    axes.read(bbox_deltas, "bbox_deltas", "N deltas H W")
    _one_of(ctx, image_shape, 1, "image_shape", (3, 4))
    rows = mul(axes["N"], positive(ctx, post_nms_topn, "post_nms_topn"))
    return [(rows, 5), (rows,)]


def _one_of(ctx: Context, x: Tensor, rank: int, port: str, allowed: tuple[int, int]) -> None:
    """Require that the last axis of a tensor has one of two sizes."""
    of_rank(ctx, x, rank, port)
    if x.shape is None:
        return
    fits = AnyOf(tuple(Equal(x.shape[-1], n) for n in allowed))
    message = (
        f"axis {rank - 1} of {ctx.port_name(port)} is {text_of(x.shape[-1])}; it must be {allowed[0]} or {allowed[1]}"
    )
    ctx.require(fits, DIM_MISMATCH, message, f"{port}[{rank - 1}]")


@rule("GenerateProposals", domain=DOMAIN, since=9, unranked=[2, 1, 1])
def generate_proposals(
    ctx: Context,
    im_info: Tensor,
    anchors: Tensor,
    deltas: Tensor,
    scores: Tensor,
    *,
    post_nms_count: int,
    roi_num_type: DType = DType.INT64,
) -> list[Shape | Fact]:
    """Return the corners of the boxes that are left, their scores, and how many each image has."""
    positive(ctx, post_nms_count, "post_nms_count")
    axes = NamedAxes(ctx)
    axes.bind("corners", 4, "the number of corner coordinates per box")
    axes.read(im_info, "im_info", "N _")
    _one_of(ctx, im_info, 2, "im_info", (3, 4))
    axes.read(scores, "scores", "N anchors H W")
    axes.read(anchors, "anchors", "H W anchors corners")
    _read_deltas(axes, deltas, "N deltas H W")
    rows = ctx.fresh()
    dtype = element_type(ctx, "roi_num_type", roi_num_type, INDEX)
    return [(rows, 4), (rows,), tensor(dtype, axes.shape("N"))]


def _read_deltas(axes: NamedAxes, deltas: Tensor, names: str) -> None:
    """Read the displacements, four for each anchor."""
    count = axes.known("anchors")
    if count is not None:
        axes.bind("deltas", mul(4, count), "4 times the number of anchors", "anchors")
    axes.read(deltas, "deltas", names)


@rule(f"{_DETECTRON}GenerateProposalsSingleImage", domain=DOMAIN, since=6, unranked=[2, 1])
def proposals_of_one_image(
    ctx: Context, im_info: Tensor, anchors: Tensor, deltas: Tensor, scores: Tensor, *, post_nms_count: int
) -> list[Shape]:
    """Return the corners and the scores of the number of boxes that an attribute sets."""
    axes = NamedAxes(ctx)
    axes.bind("corners", 4, "the number of corner coordinates per box")
    axes.bind("numbers", 3, "the row size (height, width and scale)")
    axes.read(im_info, "im_info", "numbers")
    axes.read(anchors, "anchors", "_ corners")
    axes.read(scores, "scores", "anchors H W")
    _read_deltas(axes, deltas, "deltas H W")
    count = positive(ctx, post_nms_count, "post_nms_count")
    return [(count, 4), (count,)]


@rule(f"{_DETECTRON}DetectionOutput", domain=DOMAIN, since=6, unranked=[2, 1, 1])
def detectron_output(
    ctx: Context,
    rois: Tensor,
    deltas: Tensor,
    scores: Tensor,
    im_info: Tensor,
    *,
    num_classes: int,
    max_detections_per_image: int,
) -> list[Shape]:
    """Return corners, classes and scores of the number of objects that an attribute sets."""
    axes = NamedAxes(ctx)
    axes.bind("corners", 4, "the number of corner coordinates per box")
    axes.bind("numbers", 3, "the row size (height, width and scale)")
    axes.bind("classes", positive(ctx, num_classes, "num_classes"), "num_classes")
    axes.bind("deltas", 4 * num_classes, "4 times num_classes")
    axes.read(rois, "rois", "R corners")
    axes.read(deltas, "deltas", "R deltas")
    axes.read(scores, "scores", "R classes")
    axes.read(im_info, "im_info", "1 numbers")
    count = positive(ctx, max_detections_per_image, "max_detections_per_image")
    return [(count, 4), (count,), (count,)]


@rule(f"{_DETECTRON}PriorGridGenerator", domain=DOMAIN, since=6)
def prior_grid(
    ctx: Context,
    priors: Tensor,
    feature_map: Tensor,
    im_data: Tensor,
    *,
    flatten: bool = False,
    h: int = 0,
    w: int = 0,
) -> Shape:
    """Return the prior boxes at each point of a grid.

    The specification gives true as the default of ``flatten``, yet who reads an IR without it takes false. A grid of
    another size than the feature map's is not what OpenVINO infers, so its sizes are left open.
    """
    axes = NamedAxes(ctx)
    axes.bind("corners", 4, "the number of corner coordinates per box")
    axes.read(priors, "priors", "P corners")
    axes.read(feature_map, "feature_map", "N _ H W")
    axes.read(im_data, "im_data", "N _ _ _")
    grid = (ctx.fresh() if h else axes["H"], ctx.fresh() if w else axes["W"], axes["P"])
    return (product(grid), 4) if flatten else (*grid, 4)


@rule(f"{_DETECTRON}ROIFeatureExtractor", domain=DOMAIN, since=6, unranked=[4, 2])
def roi_features(ctx: Context, *inputs: Tensor, output_size: int) -> list[Shape]:
    """Sample each region, the first input, from one of the levels of a pyramid; also return the regions."""
    axes = NamedAxes(ctx)
    axes.bind("corners", 4, "the number of corner coordinates per region")
    axes.read(inputs[0], "inputs.0", "R corners")
    for i, level in enumerate(inputs[1:], 1):
        axes.read(level, f"inputs.{i}", "1 C _ _")
    size = positive(ctx, output_size, "output_size")
    return [(*axes.shape("R C"), size, size), axes.shape("R corners")]


@rule(f"{_DETECTRON}TopKROIs", domain=DOMAIN, since=6, unranked=2)
def top_regions(ctx: Context, rois: Tensor, probs: Tensor, *, max_rois: int) -> Shape:
    """Return the corners of the most probable regions."""
    axes = NamedAxes(ctx)
    axes.bind("corners", 4, "the number of corner coordinates per region")
    axes.read(rois, "rois", "R corners")
    axes.read(probs, "probs", "R")
    return positive(ctx, max_rois, "max_rois"), 4
