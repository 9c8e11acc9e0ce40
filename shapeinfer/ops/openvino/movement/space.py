"""Blocks taken apart and laid out: DepthToSpace, SpaceToDepth, BatchToSpace, SpaceToBatch, Col2Im and their like."""

from __future__ import annotations

from collections.abc import Mapping

from shapeinfer.diagnostics.codes import (
    INVALID_ATTRIBUTE,
    INVALID_VALUE,
    LENGTH_MISMATCH,
    NEGATIVE_LENGTH,
    NOT_DIVISIBLE,
    RANK_MISMATCH,
    TOO_FEW_ELEMENTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import RuleStopped
from shapeinfer.dims import AtMost, Divides, Equal, Size, floordiv, maximum, mul, product, sub, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, NUMBERS, choice, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.movement.columns import channels_of, how_often, image_and_block
from shapeinfer.shapes.movement.indexing import known_entries
from shapeinfer.shapes.movement.slicing import count_of
from shapeinfer.shapes.rank import of_rank, of_rank_at_least
from shapeinfer.shapes.windows.window import Window, of_each

for _name in ("DepthToSpace", "SpaceToDepth"):
    operator(f"{_name}(data: T; mode: string, block_size: int = 1) -> output: T", T=ANY)
operator("ShuffleChannels(data: T; axis: int = 1, group: int = 1) -> output: T", since=3, T=ANY)
_BLOCKS = "data: T, block_shape: I, {0}_begin: B, {0}_end: E"
for _name, _ends in (("BatchToSpace", "crops"), ("SpaceToBatch", "pads")):
    operator(f"{_name}({_BLOCKS.format(_ends)}) -> output: T", since=2, T=ANY, I=INTEGERS, B=INTEGERS, E=INTEGERS)
operator("ReorgYolo(data: T; stride: ints) -> output: T", T=NUMBERS)
operator(
    "ExtractImagePatches(data: T; sizes: ints, strides: ints, rates: ints, auto_pad: string) -> output: T",
    since=3,
    T=NUMBERS,
)
operator(
    "Col2Im(data: T, output_size: I, kernel_size: I; strides: ints = (1, 1), dilations: ints = (1, 1), "
    "pads_begin: ints = (0, 0), pads_end: ints = (0, 0)) -> output: T",
    since=15,
    T=ANY,
    I=INTEGERS,
)


@rule("DepthToSpace", domain=DOMAIN)
def depth_to_space(ctx: Context, data: Tensor, *, mode: str, block_size: int = 1) -> Shape:
    """Move channels into blocks of ``block_size`` pixels along each spatial axis."""
    n, c, *space = _image(ctx, data, mode, block_size)
    depth = how_often(ctx, c, block_size ** len(space), "data[1]", "the elements of a block")
    return (n, depth, *(mul(d, block_size) for d in space))


@rule("SpaceToDepth", domain=DOMAIN)
def space_to_depth(ctx: Context, data: Tensor, *, mode: str, block_size: int = 1) -> Shape:
    """Move blocks of ``block_size`` pixels along each spatial axis into channels."""
    n, c, *space = _image(ctx, data, mode, block_size)
    left = (how_often(ctx, d, block_size, f"data[{i}]", "block_size") for i, d in enumerate(space, 2))
    return (n, mul(c, block_size ** len(space)), *left)


def _image(ctx: Context, data: Tensor, mode: str, block_size: int) -> Shape:
    choice(ctx, "mode", mode, "blocks_first depth_first")
    if block_size < 1:
        ctx.fail(
            INVALID_ATTRIBUTE, f"block_size is {block_size}; it must be positive", "data", detail=Detail("block_size")
        )
    of_rank_at_least(ctx, data, 3, "data")
    return data.dims


@rule("ShuffleChannels", domain=DOMAIN, since=3)
def shuffle_channels(ctx: Context, data: Tensor, *, axis: int = 1, group: int = 1) -> Shape:
    """Keep the shape, whose channels are divided into groups of one size."""
    if group < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"group is {group}; it must be positive", "data", detail=Detail("group"))
    k = ctx.axis(axis, data.rank, at="data")
    message = f"axis {k} of data is {text_of(data.dims[k])}, which is not divisible by {group} groups"
    ctx.require(Divides(group, data.dims[k]), NOT_DIVISIBLE, message, f"data[{k}]")
    return data.dims


@rule("BatchToSpace", domain=DOMAIN, since=2)
def batch_to_space(ctx: Context, data: Tensor, block_shape: Tensor, crops_begin: Tensor, crops_end: Tensor) -> Shape:
    """Lay the parts of the batch out along the other axes, then crop these."""
    blocks, crops = _blocks(ctx, data, block_shape, {"crops_begin": crops_begin, "crops_end": crops_end})
    whole = None if None in blocks else product(b for b in blocks if b is not None)
    batch, *space = data.dims
    out = [ctx.fresh() if whole is None else how_often(ctx, batch, whole, "data[0]", "the elements of a block")]
    for i, (size, by, crop) in enumerate(zip(space, blocks[1:], crops[1:]), 1):
        if by is None or crop is None:
            out.append(ctx.fresh())
            continue
        uncropped = mul(size, by)
        message = f"axis {i} is {text_of(uncropped)} before cropping, less than the {text_of(crop)} elements to crop"
        wrong = ctx.require(AtMost(crop, uncropped), NEGATIVE_LENGTH, message, f"crops_begin crops_end data[{i}]").is_no
        out.append(ctx.fresh() if wrong else sub(uncropped, crop))
    return tuple(out)


@rule("SpaceToBatch", domain=DOMAIN, since=2)
def space_to_batch(ctx: Context, data: Tensor, block_shape: Tensor, pads_begin: Tensor, pads_end: Tensor) -> Shape:
    """Pad all axes but the batch, then move blocks of them into it."""
    blocks, pads = _blocks(ctx, data, block_shape, {"pads_begin": pads_begin, "pads_end": pads_end})
    batch, *space = data.dims
    out = [ctx.fresh() if None in blocks else mul(batch, product(b for b in blocks if b is not None))]
    for i, (size, by, pad) in enumerate(zip(space, blocks[1:], pads[1:]), 1):
        if by is None or pad is None:
            out.append(ctx.fresh())
        else:
            out.append(how_often(ctx, size + pad, by, f"data[{i}]", "the block", " with its pads"))
    return tuple(out)


def _blocks(
    ctx: Context, data: Tensor, block_shape: Tensor, ends: Mapping[str, Tensor]
) -> tuple[list[Size | None], list[Size | None]]:
    """Return the block's size along each axis, and what both ends add up to; None if unknown."""
    of_rank_at_least(ctx, data, 2, "data")
    count = count_of(ctx, {"block_shape": block_shape, **ends})
    if count is not None:
        message = f"block_shape has {text_of(count)} entries; expected {data.rank}, one per axis of data"
        if ctx.require(Equal(count, data.rank), LENGTH_MISMATCH, message, "block_shape[0] data").is_no:
            raise RuleStopped
    blocks = known_entries(block_shape, data.rank)
    amounts = {port: known_entries(x, data.rank) for port, x in ends.items()}
    for port, listed, least in (("block_shape", blocks, 1), *((port, a, 0) for port, a in amounts.items())):
        for e in listed:
            if e is not None:
                message = f"{port} has the entry {text_of(e)}; entries must be at least {least}"
                ctx.require(AtMost(least, e), INVALID_VALUE, message, port)
    begin, end = amounts.values()
    return blocks, [None if b is None or e is None else b + e for b, e in zip(begin, end)]


@rule("ReorgYolo", domain=DOMAIN, unranked=4)
def reorg_yolo(ctx: Context, data: Tensor, *, stride: tuple[int, ...]) -> Shape:
    """Move blocks of ``stride`` by ``stride`` pixels into channels; OpenVINO requires at least as many channels."""
    if not stride or stride[0] < 1:
        ctx.fail(INVALID_ATTRIBUTE, f"stride is {list(stride)}; it must be positive", "data", detail=Detail("stride"))
    of_rank(ctx, data, 4, "data")
    n, c, *space = data.dims
    rows, columns = (how_often(ctx, d, stride[0], f"data[{i}]", "stride") for i, d in enumerate(space, 2))
    message = f"axis 1 of data is {text_of(c)}, less than the {stride[0] ** 2} elements of a block"
    ctx.require(AtMost(stride[0] ** 2, c), TOO_FEW_ELEMENTS, message, "data[1]")
    return n, mul(c, stride[0] ** 2), rows, columns


@rule("ExtractImagePatches", domain=DOMAIN, since=3, unranked=4)
def extract_image_patches(
    ctx: Context,
    data: Tensor,
    *,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    auto_pad: str,
) -> Shape:
    """Put the pixels of each patch into channels; there may be no patch at all."""
    pad = choice(ctx, "auto_pad", auto_pad, "valid same_upper same_lower")
    of_rank(ctx, data, 4, "data")
    for name, listed in (("sizes", sizes), ("strides", strides), ("rates", rates)):
        of_each(ctx, name, listed, 2)
    n, c, *space = data.dims
    extents = [rate * (size - 1) + 1 if pad == "valid" else 1 for rate, size in zip(rates, sizes)]
    patches = (maximum(0, floordiv(d - e, s) + 1) for d, e, s in zip(space, extents, strides))
    return (n, mul(c, sizes[0] * sizes[1]), *patches)


@rule("Col2Im", domain=DOMAIN, since=15)
def col_to_im(
    ctx: Context,
    data: Tensor,
    output_size: Tensor,
    kernel_size: Tensor,
    *,
    strides: tuple[int, ...] = (1, 1),
    dilations: tuple[int, ...] = (1, 1),
    pads_begin: tuple[int, ...] = (0, 0),
    pads_end: tuple[int, ...] = (0, 0),
) -> Shape:
    """Lay columns, each of them a block of pixels in every channel, back into an image, or a batch of images."""
    if data.rank not in (2, 3):
        ctx.fail(RANK_MISMATCH, f"data has rank {data.rank}; it must have rank 2, or 3 with a batch axis", "data")
    image, block = image_and_block(ctx, output_size, kernel_size, ("output_size", "kernel_size"))
    over = Window(strides, dilations, (*pads_begin, *pads_end)).of(ctx, block, len(image))
    *batch, column, blocks = data.dims
    channels = channels_of(ctx, column, blocks, over, image, ("data", "output_size"), len(batch))
    return (*batch, channels, *image)
