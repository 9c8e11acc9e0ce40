"""DepthToSpace and SpaceToDepth: blocks of pixels as channels, and back."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, NOT_DIVISIBLE, RANK_MISMATCH
from shapeinfer.dims import Divides, Size, exact_div, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule


@rule("DepthToSpace", since=1, unranked=4)
def depth_to_space(ctx: Context, x: Tensor, *, blocksize: int) -> Shape:
    """Move channels into blocks of ``blocksize`` by ``blocksize`` pixels."""
    n, _, h, w = _image(ctx, x, blocksize)
    return n, _parts(ctx, x, 1, blocksize * blocksize), h * blocksize, w * blocksize


@rule("SpaceToDepth", since=1, unranked=4)
def space_to_depth(ctx: Context, x: Tensor, *, blocksize: int) -> Shape:
    """Move blocks of ``blocksize`` by ``blocksize`` pixels into channels."""
    n, c, _, _ = _image(ctx, x, blocksize)
    return n, c * (blocksize * blocksize), _parts(ctx, x, 2, blocksize), _parts(ctx, x, 3, blocksize)


def _image(ctx: Context, x: Tensor, blocksize: int) -> Shape:
    if blocksize < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"blocksize is {blocksize}, it must be positive", "x")
    if x.rank != 4:
        ctx.fail(RANK_MISMATCH, f"{ctx.spoken('x')} must have rank 4, it has {x.rank}", "x")
    return x.dims


def _parts(ctx: Context, x: Tensor, axis: int, by: int) -> Size:
    size = x.dims[axis]
    message = f"axis {axis} of {ctx.spoken('x')} is {text_of(size)}, which {by} does not divide"
    if ctx.require(Divides(by, size), NOT_DIVISIBLE, message, f"x[{axis}]").is_no:
        return ctx.fresh()
    return exact_div(size, by)
