"""Regions and samples of images, and images of another color space."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, MISSING_INPUT, NOT_DIVISIBLE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Divides, Size, exact_div, mul, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, INTEGERS, NUMBERS, choice, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.images.sampling import sampled
from shapeinfer.shapes.named import NamedAxes
from shapeinfer.shapes.rank import of_rank
from shapeinfer.shapes.rows import positive

operator(
    "GridSample(data: T, grid: G; align_corners: bool = False, "
    'mode: string = "bilinear", padding_mode: string = "zeros") -> output: T',
    since=9,
    T=NUMBERS,
    G=FLOATS,
)
_POOLED = "pooled_h: int, pooled_w: int, sampling_ratio: int, spatial_scale: float"
_REGIONS = "data: T, rois: T, batch_indices: I"
operator(f"ROIAlign({_REGIONS}; {_POOLED}, mode: string) -> output: T", since=3, T=FLOATS, I=INTEGERS)
_ALIGNED = f'{_POOLED}, mode: string, aligned_mode: string = "asymmetric"'
operator(f"ROIAlign({_REGIONS}; {_ALIGNED}) -> output: T", since=9, T=FLOATS, I=INTEGERS)
operator(
    f"ROIAlignRotated({_REGIONS}; {_POOLED}, clockwise_mode: bool = False) -> output: T",
    since=15,
    T=FLOATS,
    I=INTEGERS,
)
operator(
    "ROIPooling(data: T, rois: T; spatial_scale: float, pooled_h?: int, pooled_w?: int, output_size?: ints, "
    'output_roi?: ints, method: string = "max") -> output: T',
    T=FLOATS,
)
_BINS = "spatial_bins_x: int = 1, spatial_bins_y: int = 1"
_PARTS = f"output_dim: int, spatial_scale: float, {_BINS}"
operator(
    f'PSROIPooling(data: T, rois: T; {_PARTS}, group_size: int = 1, mode: string = "average") -> output: T', T=FLOATS
)
operator(
    f"DeformablePSROIPooling(data: T, rois: T, offsets?: T; {_PARTS}, group_size: int = 1, "
    'mode: string = "bilinear_deformable", trans_std: float = 1.0, part_size: int = 1) -> output: T',
    T=FLOATS,
)
for _color in ("RGB", "BGR"):
    operator(f"NV12to{_color}(Y: T, UV?: T) -> output: T", since=8, T=f"{FLOATS} uint8")
    operator(f"I420to{_color}(Y: T, U?: T, V?: T) -> output: T", since=8, T=f"{FLOATS} uint8")


@rule("GridSample", domain=DOMAIN, since=9)
def grid_sample(ctx: Context, x: Tensor, grid: Tensor) -> Shape:
    """Sample images at the points of a grid."""
    of_rank(ctx, x, 4, "x")
    of_rank(ctx, grid, 4, "grid")
    return sampled(ctx, x, grid)


@rule("ROIAlign", domain=DOMAIN, since=3, unranked=4)
def roi_align(ctx: Context, x: Tensor, rois: Tensor, batch_indices: Tensor, *, pooled_h: int, pooled_w: int) -> Shape:
    """Sample each region of its image to one size."""
    return _aligned(ctx, x, rois, batch_indices, 4, (pooled_h, pooled_w))


@rule("ROIAlignRotated", domain=DOMAIN, since=15, unranked=4)
def roi_align_rotated(
    ctx: Context, x: Tensor, rois: Tensor, batch_indices: Tensor, *, pooled_h: int, pooled_w: int
) -> Shape:
    """Sample each region, whose fifth coordinate is its angle, to one size."""
    return _aligned(ctx, x, rois, batch_indices, 5, (pooled_h, pooled_w))


def _aligned(ctx: Context, x: Tensor, rois: Tensor, indices: Tensor, numbers: int, size: tuple[int, int]) -> Shape:
    axes = NamedAxes(ctx)
    axes.bind("numbers", numbers, "the number of coordinates per region")
    axes.read(x, "x", "_ C _ _")
    axes.read(rois, "rois", "R numbers")
    axes.read(indices, "batch_indices", "R")
    return *axes.shape("R C"), *(positive(ctx, d, f"pooled_{side}") for d, side in zip(size, "hw"))


def _regions(ctx: Context, x: Tensor, rois: Tensor) -> NamedAxes:
    """Name the axes of images and of regions that hold their image's index and their corners."""
    axes = NamedAxes(ctx)
    axes.bind("numbers", 5, "the row size (batch index and 4 coordinates)")
    axes.read(x, "x", "_ C _ _")
    axes.read(rois, "rois", "R numbers")
    return axes


@rule("ROIPooling", domain=DOMAIN, unranked=4)
def roi_pooling(
    ctx: Context,
    x: Tensor,
    rois: Tensor,
    *,
    pooled_h: int | None = None,
    pooled_w: int | None = None,
    output_size: tuple[int, ...] | None = None,
    output_roi: tuple[int, ...] | None = None,
) -> Shape:
    """Pool each region to one size, which a file may name in three ways."""
    size = (pooled_h, pooled_w) if pooled_h and pooled_w else output_size or output_roi
    if size is None or len(size) != 2 or not all(d and d > 0 for d in size):
        ctx.fail(INVALID_ATTRIBUTE, "pooled_h and pooled_w must be two positive sizes", detail=Detail("pooled_h"))
    height, width = (d or 0 for d in size)
    return *_regions(ctx, x, rois).shape("R C"), height, width


@rule("PSROIPooling", domain=DOMAIN, unranked=4)
def psroi_pooling(
    ctx: Context,
    x: Tensor,
    rois: Tensor,
    *,
    output_dim: int,
    group_size: int = 1,
    spatial_bins_x: int = 1,
    spatial_bins_y: int = 1,
    mode: str = "average",
) -> Shape:
    """Pool each part of a region from channels of its own."""
    axes = _regions(ctx, x, rois)
    mode = choice(ctx, "mode", mode, "average bilinear")
    parts = positive(ctx, group_size, "group_size") ** 2
    if mode == "bilinear":
        parts = positive(ctx, spatial_bins_x, "spatial_bins_x") * positive(ctx, spatial_bins_y, "spatial_bins_y")
    channels = positive(ctx, output_dim, "output_dim") * parts
    if x.shape is not None:
        axes.bind("needed", channels, f"output_dim times the {parts} parts of a region")
        axes.bind_size("needed", x.shape[1], f"axis 1 of {ctx.port_name('x')}", "x[1]")
    return axes["R"], output_dim, group_size, group_size


@rule("DeformablePSROIPooling", domain=DOMAIN, unranked=4)
def deformable_psroi_pooling(
    ctx: Context,
    x: Tensor,
    rois: Tensor,
    offsets: Tensor | None = None,
    *,
    output_dim: int,
    group_size: int = 1,
) -> Shape:
    """Pool each part of a region from channels of its own, displaced by an offset."""
    axes = _regions(ctx, x, rois)
    if offsets is not None:
        of_rank(ctx, offsets, 4, "offsets")
    group = positive(ctx, group_size, "group_size")
    return axes["R"], positive(ctx, output_dim, "output_dim"), group, group


@rule("NV12toRGB", "NV12toBGR", domain=DOMAIN, since=8, unranked=4)
def from_nv12(ctx: Context, y: Tensor, uv: Tensor | None = None) -> Shape:
    """Convert each pixel to three colors; U and V are the rows after Y, or a plane of half the height and width."""
    if uv is None:
        return _from_one_plane(ctx, y)
    return _from_planes(ctx, y, {"uv": uv}, "N half_height half_width 2")


@rule("I420toRGB", "I420toBGR", domain=DOMAIN, since=8, unranked=4)
def from_i420(ctx: Context, y: Tensor, u: Tensor | None = None, v: Tensor | None = None) -> Shape:
    """Convert each pixel to three colors; U and V are the rows after Y, or planes of half the height and width."""
    if u is None and v is None:
        return _from_one_plane(ctx, y)
    if u is None or v is None:
        ctx.fail(MISSING_INPUT, "U and V require each other", "u v")
    return _from_planes(ctx, y, {"u": u, "v": v}, "N half_height half_width 1")


def _from_one_plane(ctx: Context, y: Tensor) -> Shape:
    axes = NamedAxes(ctx)
    axes.read(y, "y", "N rows W 1")
    third = _part(ctx, axes["rows"], 3, "y[1]")
    _part(ctx, axes["W"], 2, "y[2]")
    return axes["N"], mul(2, third), axes["W"], 3


def _from_planes(ctx: Context, y: Tensor, halves: dict[str, Tensor], names: str) -> Shape:
    axes = NamedAxes(ctx)
    axes.read(y, "y", "N H W 1")
    axes.bind("2", 2, "the number of U and V")
    if y.shape is not None:
        axes.bind("half_height", _part(ctx, axes["H"], 2, "y[1]"), "half the height of Y", "H")
        axes.bind("half_width", _part(ctx, axes["W"], 2, "y[2]"), "half the width of Y", "W")
    for port, plane in halves.items():
        axes.read(plane, port, names)
    if y.shape is None:
        return axes["N"], mul(2, axes["half_height"]), mul(2, axes["half_width"]), 3
    return *axes.shape("N H W"), 3


def _part(ctx: Context, size: Size, parts: int, at: str) -> Size:
    """Return one of so many equal parts of a size."""
    message = f"axis {at[-2]} of {ctx.port_name('y')} is {text_of(size)}, which is not divisible by {parts}"
    if ctx.require(Divides(parts, size), NOT_DIVISIBLE, message, at).is_no:
        return ctx.fresh()
    return exact_div(size, parts)
