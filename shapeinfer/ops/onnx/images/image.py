"""RoiAlign, MaxRoiPool, GridSample, AffineGrid and ImageDecoder: regions and samples of images."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, LENGTH_MISMATCH, TOO_FEW_ELEMENTS
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Dim, at_least, text_of
from shapeinfer.facts import Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.images.sampling import sampled
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import of_rank

CHANNELS = {"RGB": 3, "BGR": 3, "Grayscale": 1}


@rule("RoiAlign", since=10, unranked=4)
def roi_align(
    ctx: Context, x: Tensor, rois: Tensor, batch_indices: Tensor, *, output_height: int = 1, output_width: int = 1
) -> Shape:
    """Sample each region of its image to one size."""
    axes = NamedAxes(ctx)
    axes.bind("corners", 4, "the number of coordinates per region")
    axes.read(x, "x", "_ C _ _")
    axes.read(rois, "rois", "R corners")
    axes.read(batch_indices, "batch_indices", "R")
    return (*axes.shape("R C"), output_height, output_width)


@rule("MaxRoiPool", since=1, unranked=4)
def max_roi_pool(ctx: Context, x: Tensor, rois: Tensor, *, pooled_shape: Sequence[int]) -> Shape:
    """Pool each region, which holds its image's index and its corners, to one size."""
    axes = NamedAxes(ctx)
    axes.bind("numbers", 5, "the row size (batch index and 4 coordinates)")
    axes.read(x, "x", "_ C _ _")
    axes.read(rois, "rois", "R numbers")
    if len(pooled_shape) != 2 or min(pooled_shape) < 1:
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"pooled_shape {list(pooled_shape)} must be two positive sizes",
            "x",
            detail=Detail("pooled_shape"),
        )
    return (*axes.shape("R C"), *pooled_shape)


@rule("GridSample", since=16)
def grid_sample(ctx: Context, x: Tensor, grid: Tensor) -> Shape:
    """Sample the images at the points of a grid, which has as many coordinates as they have spatial axes."""
    if ctx.version < 20:
        of_rank(ctx, x, 4, "x")
        of_rank(ctx, grid, 4, "grid")
    return sampled(ctx, x, grid)


@rule("AffineGrid", since=20)
def affine_grid(ctx: Context, theta: Tensor, size: Tensor) -> Shape:
    """Return the point that each pixel of an image of ``size`` comes from."""
    of_rank(ctx, size, 1, "size")
    spatial = _spatial(ctx, theta, size)
    axes = NamedAxes(ctx)
    axes.bind("rows", spatial, "the number of spatial axes")
    axes.bind("columns", spatial + 1, "the number of spatial axes plus 1")
    axes.read(theta, "theta", "N rows columns")
    n, _, *image = ctx.dims(size, "size") if size.shape == (spatial + 2,) else [ctx.fresh() for _ in range(spatial + 2)]
    axes.bind_size("N", n, "entry 0 of size", "size")
    for i, extent in enumerate(image, 2):
        message = f"entry {i} of size is {text_of(extent)}; it must be at least 1"
        ctx.require(at_least(extent, 1), TOO_FEW_ELEMENTS, message, "size")
    return (axes["N"], *image, spatial)


def _spatial(ctx: Context, theta: Tensor, size: Tensor) -> int:
    """Return the number of spatial axes, from the number of entries of ``size`` or else from the matrices."""
    count = size.shape[0] if size.shape is not None else None
    spatial = count - 2 if isinstance(count, int) else theta.dims[1] if theta.rank == 3 else None
    if spatial is None or isinstance(spatial, Dim):
        raise UnknownRank
    if spatial not in (2, 3):
        message = f"size has {spatial + 2} entries; expected 4 (images) or 5 (volumes)"
        ctx.fail(LENGTH_MISMATCH, message, "size")
    return spatial


@rule("ImageDecoder", since=20, unranked=3)
def image_decoder(ctx: Context, encoded_stream: Tensor, *, pixel_format: str = "RGB") -> Shape:
    """Return an image of unknown height and width, its channels last."""
    of_rank(ctx, encoded_stream, 1, "encoded_stream")
    if pixel_format not in CHANNELS:
        message = f"pixel_format is {pixel_format}; it must be one of {', '.join(CHANNELS)}"
        ctx.fail(INVALID_ATTRIBUTE, message, "encoded_stream", detail=Detail("pixel_format", allowed=tuple(CHANNELS)))
    return ctx.fresh(), ctx.fresh(), CHANNELS[pixel_format]
