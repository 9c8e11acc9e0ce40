"""DepthToSpace, SpaceToDepth, MaxUnpool and Col2Im: blocks of pixels taken apart and laid out."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    INVALID_VALUE,
    LENGTH_MISMATCH,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import RuleStopped
from shapeinfer.dims import AtMost, at_least, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.onnx.windows.pool import require_small_pads
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.movement.columns import channels_of, how_often, image_and_block
from shapeinfer.shapes.movement.indexing import is_unread
from shapeinfer.shapes.rank import alike, of_rank
from shapeinfer.shapes.windows.window import BEFORE_SPACE, WINDOW, Window, covered_sizes


@rule("DepthToSpace", since=1, unranked=4)
def depth_to_space(ctx: Context, x: Tensor, *, blocksize: int) -> Shape:
    """Move channels into blocks of ``blocksize`` by ``blocksize`` pixels."""
    n, c, h, w = _image(ctx, x, blocksize)
    return n, how_often(ctx, c, blocksize * blocksize, "x[1]", "the elements of a block"), h * blocksize, w * blocksize


@rule("SpaceToDepth", since=1, unranked=4)
def space_to_depth(ctx: Context, x: Tensor, *, blocksize: int) -> Shape:
    """Move blocks of ``blocksize`` by ``blocksize`` pixels into channels."""
    n, c, h, w = _image(ctx, x, blocksize)
    rows, columns = (how_often(ctx, s, blocksize, f"x[{i}]", "blocksize") for i, s in ((2, h), (3, w)))
    return n, c * (blocksize * blocksize), rows, columns


def _image(ctx: Context, x: Tensor, blocksize: int) -> Shape:
    if blocksize < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"blocksize is {blocksize}; it must be positive", "x", detail=Detail("blocksize"))
    of_rank(ctx, x, 4, "x")
    return x.dims


@rule("MaxUnpool", since=9)
def max_unpool(
    ctx: Context,
    x: Tensor,
    i: Tensor,
    output_shape: Tensor | None = None,
    *,
    kernel_shape: Sequence[int],
    window: Window = WINDOW,
) -> Shape:
    """Spread each element over the window that it was the largest of, to ``output_shape`` if present."""
    shape = _common_shape(ctx, x, i)
    if len(shape) < 3:
        ctx.fail(
            RANK_MISMATCH,
            f"X has rank {len(shape)}; it must have rank 3 or more (batch, channels and spatial axes)",
            "x",
        )
    over = window.of(ctx, kernel_shape, len(shape) - 2)
    require_small_pads(ctx, over)
    covered = (*shape[:2], *covered_sizes(ctx, over, shape[2:], at="x"))
    if output_shape is None:
        return covered
    wanted = ctx.dims(output_shape, "output_shape")
    if len(wanted) != len(shape):
        message = f"output_shape has {len(wanted)} entries; X has rank {len(shape)}"
        ctx.fail(LENGTH_MISMATCH, message, "output_shape x")
    for axis, (size, least) in enumerate(zip(wanted, covered)):
        at = f"x[{axis}] output_shape"
        message = f"entry {axis} of output_shape is {text_of(size)}; it must be {text_of(least)}, axis {axis} of X"
        if axis < BEFORE_SPACE:
            ctx.equal(size, least, DIM_MISMATCH, at, message)
        else:
            message = f"entry {axis} of output_shape is {text_of(size)}; the windows cover {text_of(least)}"
            ctx.require(AtMost(least, size), DIM_MISMATCH, message, at)
    return wanted


def _common_shape(ctx: Context, x: Tensor, i: Tensor) -> Shape:
    """Require that data and indices have one shape, and return what is known of it."""
    alike(ctx, x, i, "x i")
    if x.shape is None or i.shape is None:
        return i.dims if x.shape is None else x.dims
    return tuple(ctx.equal(a, b, DIM_MISMATCH, f"x[{k}] i[{k}]") for k, (a, b) in enumerate(zip(x.shape, i.shape)))


@rule("Col2Im", since=18)
def col_to_im(
    ctx: Context,
    input: Tensor,
    image_shape: Tensor,
    block_shape: Tensor,
    *,
    window: Window = WINDOW,
) -> Shape:
    """Lay columns, each of them a block of pixels in every channel, back into an image."""
    of_rank(ctx, input, 3, "input")
    image, block = image_and_block(ctx, image_shape, block_shape, ("image_shape", "block_shape"))
    for port, sizes in (("image_shape", image), ("block_shape", block)):
        for i, size in enumerate(sizes):
            if not is_unread(size):
                message = f"entry {i} of {port} is {text_of(size)}; it must be at least 1"
                if ctx.require(at_least(size, 1), INVALID_VALUE, message, f"{port}{{{i}}}").is_no:
                    raise RuleStopped
    over = window.of(ctx, block, len(image))
    n, columns, blocks = input.shape or (ctx.fresh(), ctx.fresh(), ctx.fresh())
    if input.shape is None:
        return (n, ctx.fresh(), *image)
    return (n, channels_of(ctx, columns, blocks, over, image, ("input", "image_shape"), 1), *image)
