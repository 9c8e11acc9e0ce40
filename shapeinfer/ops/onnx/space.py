"""DepthToSpace, SpaceToDepth, MaxUnpool and Col2Im: blocks of pixels taken apart and laid out."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INVALID_ATTRIBUTE, LENGTH_MISMATCH, NOT_DIVISIBLE, RANK_MISMATCH
from shapeinfer.dims import AtMost, Divides, Size, exact_div, product, text_of
from shapeinfer.facts import Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.onnx.pool import require_small_pads
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.indexing import is_unread
from shapeinfer.shapes.rank import alike, of_rank
from shapeinfer.shapes.window import BEFORE_SPACE, slid, unslid, window


@rule("DepthToSpace", since=1, unranked=4)
def depth_to_space(ctx: Context, x: Tensor, *, blocksize: int) -> Shape:
    """Move channels into blocks of ``blocksize`` by ``blocksize`` pixels."""
    n, c, h, w = _image(ctx, x, blocksize)
    return n, _parts(ctx, c, blocksize * blocksize, "x[1]", "a block's pixels"), h * blocksize, w * blocksize


@rule("SpaceToDepth", since=1, unranked=4)
def space_to_depth(ctx: Context, x: Tensor, *, blocksize: int) -> Shape:
    """Move blocks of ``blocksize`` by ``blocksize`` pixels into channels."""
    n, c, h, w = _image(ctx, x, blocksize)
    rows, columns = (_parts(ctx, s, blocksize, f"x[{i}]", "blocksize") for i, s in ((2, h), (3, w)))
    return n, c * (blocksize * blocksize), rows, columns


def _image(ctx: Context, x: Tensor, blocksize: int) -> Shape:
    if blocksize < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"blocksize is {blocksize}, it must be positive", "x")
    of_rank(ctx, x, 4, "x")
    return x.dims


def _parts(ctx: Context, size: Size, by: Size, at: str, what: str) -> Size:
    """Return how often ``by`` goes into the length of an axis, which it must divide."""
    axis = at[at.index("[") + 1 : -1]
    message = f"axis {axis} of input is {text_of(size)}, not a multiple of {text_of(by)}, {what}"
    wrong = ctx.require(Divides(by, size), NOT_DIVISIBLE, message, at).is_no
    return ctx.fresh() if wrong or by == 0 else exact_div(size, by)


@rule("MaxUnpool", since=9)
def max_unpool(
    ctx: Context,
    x: Tensor,
    i: Tensor,
    output_shape: Tensor | None = None,
    *,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Shape:
    """Spread each element over the window that it was the largest of, to ``output_shape`` where that is given."""
    shape = _alike(ctx, x, i)
    if len(shape) < 3:
        ctx.fail(RANK_MISMATCH, f"X has rank {len(shape)}, it needs batch, channels and at least one axis more", "x")
    over = window(ctx, kernel_shape, len(shape) - 2, strides=strides, pads=pads)
    require_small_pads(ctx, over)
    covered = (*shape[:2], *unslid(ctx, over, shape[2:], at="x"))
    if output_shape is None:
        return covered
    wanted = ctx.dims(output_shape, "output_shape")
    if len(wanted) != len(shape):
        message = f"output_shape has {len(wanted)} lengths, X has rank {len(shape)}"
        ctx.fail(LENGTH_MISMATCH, message, "output_shape x")
    for axis, (size, least) in enumerate(zip(wanted, covered)):
        at = f"x[{axis}] output_shape"
        message = f"entry {axis} of output_shape is {text_of(size)}, X has {text_of(least)} there"
        if axis < BEFORE_SPACE:
            ctx.equal(size, least, DIM_MISMATCH, at, message)
        else:
            message = f"entry {axis} of output_shape is {text_of(size)}, the windows cover {text_of(least)}"
            ctx.require(AtMost(least, size), DIM_MISMATCH, message, at)
    return wanted


def _alike(ctx: Context, x: Tensor, i: Tensor) -> Shape:
    """Ask that data and indices have one shape, and return what is known of it."""
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
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
) -> Shape:
    """Lay columns, each of them a block of pixels in every channel, back into an image."""
    of_rank(ctx, input, 3, "input")
    image, block = _pair(ctx, image_shape, block_shape)
    n, columns, blocks = input.shape or (ctx.fresh(), ctx.fresh(), ctx.fresh())
    over = window(ctx, block, len(image), strides=strides, pads=pads, dilations=dilations)
    if input.shape is None or any(is_unread(d) for d in block):
        return (n, ctx.fresh(), *image)
    if not any(is_unread(d) for d in image):
        made = product(slid(ctx, over, image, at="image_shape"))
        message = f"axis 2 of input has {text_of(blocks)} columns, the image has {text_of(made)} blocks"
        ctx.equal(blocks, made, DIM_MISMATCH, "input[2]", message)
    return (n, _parts(ctx, columns, product(block), "input[1]", "the pixels of a block"), *image)


def _pair(ctx: Context, image_shape: Tensor, block_shape: Tensor) -> tuple[Shape, Shape]:
    """Return the shapes of image and block, which are of one rank."""
    of_rank(ctx, image_shape, 1, "image_shape")
    of_rank(ctx, block_shape, 1, "block_shape")
    counts = [x.shape[0] for x in (image_shape, block_shape) if x.shape is not None]
    if len(counts) == 2:
        ctx.equal(counts[0], counts[1], LENGTH_MISMATCH, "image_shape[0] block_shape[0]")
    known = next((c for c in counts if isinstance(c, int)), None)
    if known is None:
        raise UnknownRank
    image, block = (
        ctx.dims(x, name) if x.shape == (known,) else tuple(ctx.fresh() for _ in range(known))
        for x, name in ((image_shape, "image_shape"), (block_shape, "block_shape"))
    )
    return image, block
