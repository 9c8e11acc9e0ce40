"""Interpolate: axes resized by factors, or to sizes that are listed."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, LENGTH_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AtMost, Size, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INTEGERS, NUMBERS, choice, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.contents import sizes_in
from shapeinfer.shapes.images.scaling import scaled
from shapeinfer.shapes.movement.indexing import numbers
from shapeinfer.shapes.movement.reshape import need_list

operator(
    "Interpolate(image: T, sizes: I; axes: ints, mode: string, align_corners: bool = True, antialias: bool = False, "
    "pads_begin: ints = (), pads_end: ints = ()) -> output: T",
    T=NUMBERS,
    I=INTEGERS,
)
_ATTRIBUTES = (
    'mode: string, shape_calculation_mode: string, coordinate_transformation_mode: string = "half_pixel", '
    'nearest_mode: string = "round_prefer_floor", antialias: bool = False, pads_begin: ints = (0), '
    "pads_end: ints = (0), cube_coeff: float = -0.75"
).replace("(0)", "(0,)")
operator(
    f"Interpolate(image: T, sizes: I, scales: F, axes?: A; {_ATTRIBUTES}) -> output: T",
    since=4,
    T=NUMBERS,
    I=INTEGERS,
    F=FLOATS,
    A=INTEGERS,
)
operator(
    f"Interpolate(image: T, scales_or_sizes: S, axes?: A; {_ATTRIBUTES}) -> output: T",
    since=11,
    T=NUMBERS,
    S=NUMBERS,
    A=INTEGERS,
)
MODES = "nearest linear linear_onnx cubic"


@rule("Interpolate", domain=DOMAIN)
def interpolate_1(ctx: Context, image: Tensor, sizes: Tensor, *, axes: tuple[int, ...], mode: str) -> Shape:
    """Resize the axes that the attribute names."""
    choice(ctx, "mode", mode, "nearest linear cubic area")
    named = ctx.axes(axes, image.rank, negative=False, at="image")
    return _set(ctx, list(image.dims), named, sizes, "sizes", by_factor=False)


@rule("Interpolate", domain=DOMAIN, since=4)
def interpolate_4(
    ctx: Context,
    image: Tensor,
    sizes: Tensor,
    scales: Tensor,
    axes: Tensor | None = None,
    *,
    mode: str,
    shape_calculation_mode: str,
    pads_begin: tuple[int, ...] = (0,),
    pads_end: tuple[int, ...] = (0,),
) -> Shape:
    """Pad the image, then scale the axes by factors or to sizes, as the attribute says."""
    choice(ctx, "mode", mode, MODES)
    by_factor = choice(ctx, "shape_calculation_mode", shape_calculation_mode, "sizes scales") == "scales"
    listed, port = (scales, "scales") if by_factor else (sizes, "sizes")
    return _interpolated(ctx, image, listed, axes, (pads_begin, pads_end), port, by_factor=by_factor)


@rule("Interpolate", domain=DOMAIN, since=11)
def interpolate_11(
    ctx: Context,
    image: Tensor,
    scales_or_sizes: Tensor,
    axes: Tensor | None = None,
    *,
    mode: str,
    shape_calculation_mode: str,
    pads_begin: tuple[int, ...] = (0,),
    pads_end: tuple[int, ...] = (0,),
) -> Shape:
    """Pad the image, then scale the axes by the one list of factors or sizes."""
    choice(ctx, "mode", mode, f"{MODES} bilinear_pillow bicubic_pillow")
    by_factor = choice(ctx, "shape_calculation_mode", shape_calculation_mode, "sizes scales") == "scales"
    pads = (pads_begin, pads_end)
    return _interpolated(ctx, image, scales_or_sizes, axes, pads, "scales_or_sizes", by_factor=by_factor)


def _interpolated(
    ctx: Context,
    image: Tensor,
    listed: Tensor,
    axes: Tensor | None,
    pads: Sequence[tuple[int, ...]],
    port: str,
    *,
    by_factor: bool,
) -> Shape:
    shape = list(image.dims)
    for name, amounts in zip(("pads_begin", "pads_end"), pads):
        if min(amounts, default=0) < 0:
            ctx.fail(
                INVALID_ATTRIBUTE,
                f"{name} is {list(amounts)}; entries cannot be negative",
                detail=Detail(name),
            )
        shape = [d + p for d, p in zip(shape, (*amounts, *(0,) * len(shape)))]
    named = None if axes is None else numbers(need_list(ctx, axes, "axes").value)
    if axes is not None and named is None and axes.shape != (0,):
        return tuple(ctx.fresh() for _ in shape)
    chosen = range(len(shape)) if axes is None else ctx.axes(named or (), len(shape), negative=False, at="axes")
    return _set(ctx, shape, chosen, listed, port, by_factor=by_factor)


def _set(ctx: Context, shape: list[Size], axes: Sequence[int], listed: Tensor, port: str, *, by_factor: bool) -> Shape:
    """Resize the axes to the sizes of a list, or scale them by its factors; the list may have more entries."""
    count = need_list(ctx, listed, port).shape
    if count is not None:
        message = f"{port} has {text_of(count[0])} entries for {len(axes)} axes"
        ctx.require(AtMost(len(axes), count[0]), LENGTH_MISMATCH, message, f"{port}[0]")
    known = count is not None and isinstance(count[0], int) and listed.value is not None
    if not known:
        sizes: Sequence[Size] = [ctx.fresh() for _ in axes]
    elif by_factor:
        sizes = [scaled(ctx, shape[a], factor) for a, factor in zip(axes, listed.value or ())]
    else:
        sizes = sizes_in(ctx, listed, port)
    for axis, size in zip(axes, sizes):
        shape[axis] = size
    return tuple(shape)
