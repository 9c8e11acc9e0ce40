"""Boxes of objects: where they may be, and what is found in them."""

from __future__ import annotations

import math

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INVALID_ATTRIBUTE, LENGTH_MISMATCH, NOT_DIVISIBLE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AnyOf, Divides, Equal, Size, exact_div, mul, product, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INTEGERS, NUMBERS, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import sizes_in
from shapeinfer.shapes.movement.reshape import need_list
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import of_rank

Numbers = tuple[float, ...]
_DETECTION = (
    "background_label_id: int = 0, top_k: int = -1, variance_encoded_in_target: bool = False, keep_top_k: ints, "
    'code_type: string = "caffe.PriorBoxParameter.CORNER", share_location: bool = True, nms_threshold: float, '
    "confidence_threshold: float = 0.0, clip_after_nms: bool = False, clip_before_nms: bool = False, "
    "decrease_label_id: bool = False, normalized: bool = False, input_height: int = 1, input_width: int = 1, "
    "objectness_score: float = 0.0"
)
_FOUND = "box_logits: T, class_preds: T, proposals: T, aux_class_preds?: T, aux_box_preds?: T"
operator(f"DetectionOutput({_FOUND}; num_classes: int, {_DETECTION}) -> output: T", T=FLOATS)
operator(f"DetectionOutput({_FOUND}; {_DETECTION}) -> output: T", since=8, T=FLOATS)
_PRIOR = (
    "min_size?: floats, max_size?: floats, aspect_ratio?: floats, flip: bool = False, clip: bool = False, "
    "step: float = 0.0, offset: float, variance?: floats, scale_all_sizes: bool = True, fixed_ratio?: floats, "
    "fixed_size?: floats, density?: floats"
)
operator(f"PriorBox(output_size: I, image_size: I; {_PRIOR}) -> output: float", I=INTEGERS)
operator(
    f"PriorBox(output_size: I, image_size: I; {_PRIOR}, min_max_aspect_ratios_order: bool = True) -> output: float",
    since=8,
    I=INTEGERS,
)
operator(
    "PriorBoxClustered(output_size: I, image_size: I; width: floats, height: floats, clip: bool = False, "
    "step: float = 0.0, step_w: float = 0.0, step_h: float = 0.0, offset: float, variance?: floats) -> output: float",
    I=INTEGERS,
)
operator(
    "RegionYolo(data: T; anchors?: floats, axis: int, coords: int, classes: int, end_axis: int, num: int, "
    "do_softmax: bool = False, mask?: ints) -> output: T",
    T=NUMBERS,
)


@rule("DetectionOutput", domain=DOMAIN, unranked=4)
def first_detection_output(
    ctx: Context,
    box_logits: Tensor,
    class_preds: Tensor,
    proposals: Tensor,
    aux_class_preds: Tensor | None = None,
    aux_box_preds: Tensor | None = None,
    *,
    num_classes: int,
    keep_top_k: tuple[int, ...],
    top_k: int = -1,
    share_location: bool = True,
    variance_encoded_in_target: bool = False,
    normalized: bool = False,
) -> Shape:
    """Return seven numbers for each object that may be found."""
    inputs = (box_logits, class_preds, proposals, aux_class_preds, aux_box_preds)
    sizes = (1 if variance_encoded_in_target else 2, 4 if normalized else 5)
    return _detections(ctx, inputs, sizes, num_classes, keep_top_k, top_k, share_location=share_location)


@rule("DetectionOutput", domain=DOMAIN, since=8, unranked=4)
def detection_output(
    ctx: Context,
    box_logits: Tensor,
    class_preds: Tensor,
    proposals: Tensor,
    aux_class_preds: Tensor | None = None,
    aux_box_preds: Tensor | None = None,
    *,
    keep_top_k: tuple[int, ...],
    top_k: int = -1,
    share_location: bool = True,
    variance_encoded_in_target: bool = False,
    normalized: bool = False,
) -> Shape:
    """Return seven numbers per detected object; the number of classes follows from the inputs."""
    inputs = (box_logits, class_preds, proposals, aux_class_preds, aux_box_preds)
    sizes = (1 if variance_encoded_in_target else 2, 4 if normalized else 5)
    return _detections(ctx, inputs, sizes, None, keep_top_k, top_k, share_location=share_location)


def _detections(
    ctx: Context,
    inputs: tuple[Tensor, Tensor, Tensor, Tensor | None, Tensor | None],
    sizes: tuple[int, int],
    num_classes: int | None,
    keep_top_k: tuple[int, ...],
    top_k: int,
    *,
    share_location: bool,
) -> Shape:
    """Return the output's shape; ``sizes`` are the rows of a prior box and the numbers in each."""
    box_logits, class_preds, proposals, aux_class_preds, aux_box_preds = inputs
    rows, numbers = sizes
    axes = NamedAxes(ctx)
    axes.bind("rows", rows, "the number expected for variance_encoded_in_target")
    axes.read(box_logits, "box_logits", "N boxes")
    axes.read(class_preds, "class_preds", "N scores")
    axes.read(proposals, "proposals", "_ rows _")
    axes.read(aux_box_preds, "aux_box_preds", "N boxes")
    _check_batch(ctx, axes, proposals)
    priors = _priors(ctx, proposals, numbers)
    classes = _classes(ctx, axes.known("scores"), priors) if num_classes is None else num_classes
    if priors is not None and classes is not None:
        located = mul(priors, 4 if share_location else mul(classes, 4))
        axes.bind_size("boxes", located, "the number of coordinates", "box_logits[1]")
        axes.bind_size(
            "scores", mul(priors, classes), "the number of classes times the number of prior boxes", "class_preds[1]"
        )
    if priors is not None:
        axes.bind("twice", mul(priors, 2), "2 times the number of prior boxes")
    axes.read(aux_class_preds, "aux_class_preds", "N twice")
    return 1, 1, _most(ctx, axes["N"], keep_top_k, top_k, priors, classes), 7


def _check_batch(ctx: Context, axes: NamedAxes, proposals: Tensor) -> None:
    """Require that there are prior boxes for each image, or the same for all."""
    images = axes.known("N")
    if proposals.shape is None or images is None:
        return
    own = proposals.shape[0]
    message = f"axis 0 of proposals is {text_of(own)}; it must be 1 or {text_of(images)}, the batch size"
    ctx.require(AnyOf((Equal(own, images), Equal(own, 1))), DIM_MISMATCH, message, "proposals[0]")


def _priors(ctx: Context, proposals: Tensor, numbers: int) -> Size | None:
    """Return how many prior boxes there are, each of so many numbers."""
    if proposals.shape is None:
        return None
    size = proposals.shape[2]
    message = f"axis 2 of proposals is {text_of(size)}; it must be a multiple of {numbers}, the numbers per prior box"
    if ctx.require(Divides(numbers, size), NOT_DIVISIBLE, message, "proposals[2]").is_no:
        return None
    return exact_div(size, numbers)


def _classes(ctx: Context, scores: Size | None, priors: Size | None) -> Size | None:
    """Return how many classes there are: as many as there are scores for each prior box."""
    if scores is None or not isinstance(priors, int) or priors == 0:
        return None
    message = f"axis 1 of class_preds is {text_of(scores)}, which is not divisible by {priors} prior boxes"
    if ctx.require(Divides(priors, scores), NOT_DIVISIBLE, message, "class_preds[1]").is_no:
        return None
    return exact_div(scores, priors)


def _most(
    ctx: Context, images: Size, keep_top_k: tuple[int, ...], top_k: int, priors: Size | None, classes: Size | None
) -> Size:
    """Return how many objects may be found in all images."""
    if not keep_top_k:
        ctx.fail(INVALID_ATTRIBUTE, "keep_top_k is empty; it must have an entry", detail=Detail("keep_top_k"))
    if keep_top_k[0] > 0:
        return mul(images, keep_top_k[0])
    each = top_k if top_k > 0 else priors
    return ctx.fresh() if each is None or classes is None else mul(mul(images, each), classes)


@rule("PriorBox", domain=DOMAIN, unranked=2)
def prior_box(
    ctx: Context,
    output_size: Tensor,
    image_size: Tensor,
    *,
    min_size: Numbers | None = None,
    max_size: Numbers | None = None,
    aspect_ratio: Numbers | None = None,
    flip: bool = False,
    scale_all_sizes: bool = True,
    fixed_ratio: Numbers | None = None,
    fixed_size: Numbers | None = None,
    density: Numbers | None = None,
) -> Shape:
    """Return corners and variances of the prior boxes at each point of a grid."""
    ratios = len(_ratios(aspect_ratio or (), flip=flip))
    if fixed_size:
        each = ratios * len(fixed_size)
    elif scale_all_sizes:
        each = ratios * len(min_size or ()) + len(max_size or ())
    else:
        each = ratios + len(min_size or ()) - 1
    for dense in density or ():
        if not math.isfinite(dense):
            ctx.fail(
                INVALID_ATTRIBUTE,
                f"density has the entry {dense:g}; entries must be positive integers",
                detail=Detail("density"),
            )
        each += (len(fixed_ratio) if fixed_ratio else ratios) * (int(dense) ** 2 - 1)
    if each < 0:
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"the attributes produce {each} boxes at each point; there must be at least one",
            detail=Detail("min_size"),
        )
    return _on_a_grid(ctx, output_size, image_size, each)


def _ratios(ratios: Numbers, *, flip: bool) -> set[float]:
    """Return the distinct ratios, rounded to six digits, with 1 and, if ``flip``, the inverse of each."""
    inverse = [1 / ratio for ratio in ratios if flip and ratio]
    return {1.0, *(round(ratio, 6) for ratio in (*ratios, *inverse))}


@rule("PriorBoxClustered", domain=DOMAIN, unranked=2)
def prior_box_clustered(
    ctx: Context, output_size: Tensor, image_size: Tensor, *, width: Numbers, height: Numbers
) -> Shape:
    """Return corners and variances of the prior boxes at each point of a grid, one for each width and height."""
    if len(width) != len(height):
        ctx.fail(LENGTH_MISMATCH, f"width has {len(width)} entries and height {len(height)}; they must be equal")
    return _on_a_grid(ctx, output_size, image_size, len(width))


def _on_a_grid(ctx: Context, output_size: Tensor, image_size: Tensor, each: int) -> Shape:
    grid: Size = ctx.fresh()
    for port, size in {"output_size": output_size, "image_size": image_size}.items():
        listed = need_list(ctx, size, port)
        if listed.shape is None:
            continue
        message = f"{ctx.port_name(port)} has {text_of(listed.shape[0])} entries; expected 2, a height and a width"
        count = ctx.equal(2, listed.shape[0], LENGTH_MISMATCH, f"{port}[0]", message)
        if count == listed.shape[0] and port == "output_size":
            grid = product(sizes_in(ctx, listed, port))
    return 2, mul(grid, 4 * each)


@rule("RegionYolo", domain=DOMAIN)
def region_yolo(
    ctx: Context,
    data: Tensor,
    *,
    axis: int,
    end_axis: int,
    coords: int,
    classes: int,
    do_softmax: bool = False,
    mask: tuple[int, ...] | None = None,
) -> Shape:
    """Fold the axes from ``axis`` to ``end_axis``, or keep them with the channels that the mask chooses.

    The specification gives true as the default of ``do_softmax``, yet who reads an IR without it takes false.
    """
    of_rank(ctx, data, 4, "data")
    if not do_softmax:
        return data.dims[0], (classes + coords + 1) * len(mask or ()), *data.dims[2:]
    first, last = ctx.axis(axis, 4, at="data"), ctx.axis(end_axis, 4, at="data")
    if first > last:
        ctx.fail(
            INVALID_ATTRIBUTE, f"axis is {axis}, greater than end_axis, which is {end_axis}", detail=Detail("axis")
        )
    return *data.dims[:first], product(data.dims[first : last + 1]), *data.dims[last + 1 :]
