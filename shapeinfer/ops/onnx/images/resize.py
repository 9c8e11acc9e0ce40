"""Resize and Upsample: axes resized by factors, or to sizes that are listed."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    INVALID_ATTRIBUTE,
    INVALID_VALUE,
    LENGTH_MISMATCH,
    MISSING_INPUT,
    TOO_FEW_ELEMENTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import RuleStopped
from shapeinfer.dims import AllOf, AnyOf, Condition, Dim, Equal, Ratio, Size, at_least, simplest, text_of
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.images.scaling import in_proportion, scaled
from shapeinfer.shapes.rank import of_rank

POLICIES = ("stretch", "not_larger", "not_smaller")


@rule("Resize", since=11)
def resize(
    ctx: Context,
    x: Tensor,
    roi: Tensor | None = None,
    scales: Tensor | None = None,
    sizes: Tensor | None = None,
    *,
    axes: Sequence[int] | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    keep_aspect_ratio_policy: str = "stretch",
) -> Shape:
    """Scale the axes by factors, or to sizes that are listed."""
    if keep_aspect_ratio_policy not in POLICIES:
        message = f"keep_aspect_ratio_policy is {keep_aspect_ratio_policy!r}; it must be one of {', '.join(POLICIES)}"
        ctx.fail(INVALID_ATTRIBUTE, message, detail=Detail("keep_aspect_ratio_policy", allowed=tuple(POLICIES)))
    by, to = _chosen(ctx, scales, sizes)
    if coordinate_transformation_mode == "tf_crop_and_resize" and roi is not None and x.shape is not None:
        _region(ctx, roi, x.rank if axes is None else len(axes))
    if to is not None:
        return _to_sizes(ctx, x, to, axes, keep_aspect_ratio_policy)
    assert by is not None
    if keep_aspect_ratio_policy != "stretch":
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"keep_aspect_ratio_policy {keep_aspect_ratio_policy} requires sizes instead of scales",
            detail=Detail("keep_aspect_ratio_policy"),
        )
    return _by_tensor(ctx, x, by, axes, above_one=False)


@rule("Resize", since=10)
def first_resize(ctx: Context, x: Tensor, scales: Tensor) -> Shape:
    """Scale the axes by factors."""
    return _by_tensor(ctx, x, scales, None, above_one=False)


@rule("Upsample", since=9)
def upsample(ctx: Context, x: Tensor, scales: Tensor) -> Shape:
    """Scale the axes by factors of at least 1."""
    return _by_tensor(ctx, x, scales, None, above_one=True)


@rule("Upsample", since=7)
def upsample_by_attribute(ctx: Context, x: Tensor, *, scales: Sequence[float]) -> Shape:
    """Scale the axes by factors of at least 1, which are fixed."""
    return _by_attribute(ctx, x, scales)


@rule("Upsample", since=1, unranked=4)
def upsample_images(ctx: Context, x: Tensor, *, height_scale: float, width_scale: float) -> Shape:
    """Scale height and width of images by factors of at least 1."""
    of_rank(ctx, x, 4, "x", "a batch of images")
    return _by_attribute(ctx, x, (1, 1, height_scale, width_scale))


def _region(ctx: Context, roi: Tensor, axes: int) -> None:
    """Require a start and an end of the region for each axis."""
    of_rank(ctx, roi, 1, "roi")
    if roi.shape is not None:
        message = (
            f"roi has {text_of(roi.shape[0])} entries; expected {2 * axes}, a start and an end for each of {axes} axes"
        )
        ctx.require(Equal(roi.shape[0], 2 * axes), LENGTH_MISMATCH, message, "roi[0]")


def _chosen(ctx: Context, scales: Tensor | None, sizes: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """Return the one of the two inputs that is in use.

    An empty tensor of scales stands for none: opset 11 wants one beside sizes, and later ones have them from there.
    Nothing stands for sizes that are not to be.
    """
    if scales is not None and sizes is not None:
        of_rank(ctx, scales, 1, "scales")
        count = scales.shape[0] if scales.shape is not None else 0
        message = "scales and sizes exclude each other; keep one of them"
        if ctx.require(Equal(count, 0), CONFLICTING_ARGUMENTS, message, "scales sizes").is_no:
            raise RuleStopped
        return None, sizes
    if sizes is None and (scales is None or scales.shape == (0,)):
        ctx.fail(MISSING_INPUT, "Resize requires scales or sizes", "scales sizes")
    return scales, sizes


def _scaled_axes(
    ctx: Context, x: Tensor, axes: Sequence[int] | None, count: Size | None, port: str
) -> tuple[list[Size], tuple[int, ...]]:
    """Return the input shape, and the axes that ``count`` entries apply to: all axes unless named."""
    shape: list[Size] = []
    if x.shape is not None:
        shape += x.shape
    elif axes is None and isinstance(count, int):
        shape += [ctx.fresh() for _ in range(count)]
    else:
        raise UnknownRank
    named = tuple(range(len(shape))) if axes is None else ctx.axes(axes, len(shape), at="x")
    if count is not None:
        message = f"{port or 'scales'} has {text_of(count)} entries for {len(named)} axes of {ctx.port_name('x')}"
        if ctx.require(Equal(count, len(named)), LENGTH_MISMATCH, message, f"{port} x").is_no:
            raise RuleStopped
    return shape, named


def _count(ctx: Context, listed: Tensor, port: str) -> Size | None:
    """Return the number of entries of a list, None if unknown."""
    of_rank(ctx, listed, 1, port, "one entry for each axis")
    return None if listed.shape is None else listed.shape[0]


def _by_tensor(ctx: Context, x: Tensor, scales: Tensor, axes: Sequence[int] | None, *, above_one: bool) -> Shape:
    """Multiply the axes by factors that an input holds."""
    shape, named = _scaled_axes(ctx, x, axes, _count(ctx, scales, "scales"), "scales")
    return _scaled(ctx, shape, named, scales.value or (None,) * len(named), "scales", above_one=above_one)


def _by_attribute(ctx: Context, x: Tensor, scales: Sequence[float]) -> Shape:
    """Multiply the axes by fixed factors of at least 1."""
    shape, named = _scaled_axes(ctx, x, None, len(scales), "")
    return _scaled(ctx, shape, named, tuple(scales), "", above_one=True)


def _scaled(
    ctx: Context, shape: list[Size], named: Sequence[int], factors: Contents, port: str, *, above_one: bool
) -> Shape:
    """Multiply the axes by their factors, rounding down."""
    for axis, factor in zip(named, factors):
        if isinstance(factor, (int, float)) and (factor < 1 if above_one else factor <= 0):
            least = "at least 1" if above_one else "positive"
            code = INVALID_VALUE if port else INVALID_ATTRIBUTE
            ctx.fail(
                code,
                f"the scale of axis {axis} is {factor}; it must be {least}",
                port,
                detail=Detail(None if port else "scales"),
            )
        if isinstance(factor, (Dim, Ratio)) and not above_one:
            _positive(ctx, axis, factor, port)
        shape[axis] = scaled(ctx, shape[axis], factor)
    return tuple(shape)


def _positive(ctx: Context, axis: int, factor: Dim | Ratio, port: str) -> None:
    """Require that a computed factor is not 0."""
    above = factor.above if isinstance(factor, Ratio) else factor
    message = f"the scale of axis {axis} is {factor.text}; it must be positive"
    ctx.require(at_least(above, 1), INVALID_VALUE, message, port)


def _to_sizes(ctx: Context, x: Tensor, sizes: Tensor, axes: Sequence[int] | None, policy: str) -> Shape:
    """Resize the axes to the listed sizes, or in proportion so that they fit inside these or cover them."""
    count = _count(ctx, sizes, "sizes")
    shape, named = _scaled_axes(ctx, x, axes, count, "sizes")
    wanted = ctx.dims(sizes, "sizes") if isinstance(count, int) else tuple(ctx.fresh() for _ in named)
    before = [shape[axis] for axis in named]
    if x.shape is not None:
        if policy == "not_smaller" and len(named) > 1:
            _covered(ctx, named, before, wanted)
        else:
            for axis, old, size in zip(named, before, wanted):
                _reachable(ctx, axis, old, size)
    if policy != "stretch":
        wanted = in_proportion(ctx, before, wanted, inside=policy == "not_larger")
    for axis, size in zip(named, wanted):
        shape[axis] = size
    return tuple(shape)


def _covered(ctx: Context, axes: Sequence[int], before: Sequence[Size], wanted: Sequence[Size]) -> None:
    """Require that the common factor, the largest one, is not 0, and that empty axes stay empty."""
    for axis, old, size in zip(axes, before, wanted):
        if size is not old:
            condition = AnyOf((at_least(old, 1), Equal(size, 0)))
            ctx.require(condition, TOO_FEW_ELEMENTS, _unreachable(axis, old, size), f"x[{axis}] sizes")
    some = (c for old, size in zip(before, wanted) for c in (at_least(size, 1), Equal(old, 0)))
    message = f"sizes are [{', '.join(map(text_of, wanted))}], which no scale produces"
    ctx.require(AnyOf(tuple(some)), TOO_FEW_ELEMENTS, message, "x sizes")


def _unreachable(axis: int, size: Size, wanted: Size) -> str:
    return f"axis {axis} is {text_of(size)} and cannot be scaled to {text_of(wanted)}"


def _reachable(ctx: Context, axis: int, size: Size, wanted: Size) -> None:
    """Require that empty axes stay empty and other axes do not become empty."""
    if wanted is size:
        return
    message = _unreachable(axis, size, wanted)
    if isinstance(wanted, int):
        condition: Condition = at_least(size, 1) if wanted else Equal(size, 0)
    else:
        some = AllOf((at_least(size, 1), at_least(wanted, 1)))
        condition = simplest(AnyOf((some, AllOf((Equal(size, 0), Equal(wanted, 0))))))
    ctx.require(condition, TOO_FEW_ELEMENTS, message, f"x[{axis}] sizes")
