"""Steps of several operators that make conditions: computed shapes, tables of positions, skips, caches and masks."""

from __future__ import annotations

import numpy as np

from tests.infer.graphs import NAMES, Builder, Step, Unfit
from tests.infer.steps import OPERATORS


def slice_to_length(b: Builder) -> None:
    """Cut an axis, or a table of positions, to the length of another tensor's axis."""
    x, other = b.floats(1), b.floats(1)
    length = b.add("Gather", b.add("Shape", other), b.constant([b.number(0, b.rank(other) - 1)]))
    if b.chance(40):
        length = b.add(b.pick(("Add", "Sub")), length, b.constant([b.number(1, 2)]))
    elif b.chance(30):
        length = b.add("Div", length, b.constant([2]))
    elif b.chance(30):
        length = b.add("Neg", length)
    if b.chance(30):
        x = b.weights(b.pick((8, 16)), 4)
    axis = b.constant([b.number(0, b.rank(x) - 1)])
    zero, far = b.constant([0]), b.constant([2**31])
    b.add("Slice", x, *((zero, length) if b.chance(60) else (length, far)), axis)


def position_table(b: Builder) -> None:
    """Add the first rows of a table, which must have as many as the axis is long."""
    x = b.floats(2)
    length, width = b.shape(x)[-2:]
    table = b.weights(b.near(max(length, b.pick((8, 16)))), width)
    end = b.add("Gather", b.add("Shape", x), b.constant([b.rank(x) - 2]))
    b.add("Add", x, b.add("Slice", table, b.constant([0]), end, b.constant([0])))


def looked_up_positions(b: Builder) -> None:
    """Look up a row of a table for each index of an axis."""
    x = b.floats(2)
    length, width = b.shape(x)[-2:]
    table = b.weights(b.near(max(length, b.pick((8, 16)))), width)
    end = b.add("Gather", b.add("Shape", x), b.constant(b.rank(x) - 2))
    rows = b.add("Range", b.constant(0), end, b.constant(1))
    b.add("Add", x, b.add("Gather", table, rows))


def down_and_up(b: Builder) -> None:
    """Halve the axes of an image, double them again, and join that to what was there before."""
    x = b.floats(3, 4)
    axes = b.rank(x) - 2
    if b.chance(50):
        down = b.add("MaxPool", x, kernel_shape=[2] * axes, strides=[2] * axes)
    else:
        channels = max(1, b.shape(x)[1])
        w = b.weights(channels, channels, *[3] * axes)
        down = b.add("Conv", x, w, strides=[2] * axes, pads=[1] * 2 * axes)
    if b.chance(60):
        up = b.add("Resize", down, "", b.constant([1, 1] + [2] * axes, np.float32), mode="nearest")
    else:
        channels = b.shape(x)[1]
        up = b.add("ConvTranspose", down, b.weights(channels, channels, *[2] * axes), strides=[2] * axes)
    if b.chance(70):
        b.add("Concat", up, x, axis=1)
    else:
        b.add("Add", up, x)


def split_heads(b: Builder) -> None:
    """Reshape by lengths computed from the tensor's own."""
    x = b.floats(2, 4)
    rank = b.rank(x)
    shape = b.add("Shape", x)
    axis = b.number(0, rank - 1)
    length = b.add("Gather", shape, b.constant([axis]))
    heads = b.constant([b.pick([n for n in (2, 3, 4) if b.shape(x)[axis] % n == 0] or [2])])
    each = b.add("Div", length, heads)
    before = b.add("Slice", shape, b.constant([0]), b.constant([axis]))
    after = b.add("Slice", shape, b.constant([axis + 1]), b.constant([rank]))
    b.add("Reshape", x, b.add("Concat", before, heads, each, after, axis=0))


def resize_to_skip(b: Builder) -> None:
    """Resize an image to the size of another, and join the two."""
    x = b.floats(3, 4)
    skip = b.partner(x)
    first, second, end = b.constant([0]), b.constant([2]), b.constant([b.rank(x)])
    outer = b.add("Slice", b.add("Shape", x), first, second)
    inner = b.add("Slice", b.add("Shape", skip), second, end)
    up = b.add("Resize", x, "", "", b.add("Concat", outer, inner, axis=0), mode="nearest")
    b.add("Concat", up, skip, axis=1)


def windows(b: Builder) -> None:
    """Fill the last axis up to a multiple, and cut it into windows of that length."""
    x = b.floats(2, 4)
    rank, size = b.rank(x), b.constant([b.pick((2, 3, 4))])
    shape = b.add("Shape", x)
    length = b.add("Gather", shape, b.constant([rank - 1]))
    missing = b.add("Mod", b.add("Sub", size, b.add("Mod", length, size)), size)
    filled = b.add("Pad", x, b.add("Concat", b.constant([0] * (2 * rank - 1)), missing, axis=0))
    outer = b.add("Slice", shape, b.constant([0]), b.constant([rank - 1]))
    count = b.add("Div", b.add("Add", length, missing), size) if b.chance(50) else b.constant([-1])
    b.add("Reshape", filled, b.add("Concat", outer, count, size, axis=0))


def repeat_to_length(b: Builder) -> None:
    """Repeat a tensor as often as another's axis is long, and add the two."""
    x = b.floats(1)
    length = b.add("Gather", b.add("Shape", b.floats(1)), b.constant([0]))
    repeats = b.add("Concat", length, b.constant([1] * b.rank(x)), axis=0)
    b.add("Tile", b.add("Unsqueeze", x, b.constant([0])), repeats)


def merge_axes(b: Builder) -> None:
    """Reshape two neighbouring axes into their product."""
    x = b.floats(2, 4)
    rank = b.rank(x)
    shape = b.add("Shape", x)
    axis = b.number(0, rank - 2)
    both = [b.add("Gather", shape, b.constant([axis + i])) for i in (0, 1)]
    merged = b.add("Mul", *both) if b.chance(70) else b.constant([-1])
    before = b.add("Slice", shape, b.constant([0]), b.constant([axis]))
    after = b.add("Slice", shape, b.constant([axis + 2]), b.constant([rank]))
    b.add("Reshape", x, b.add("Concat", before, merged, after, axis=0))


def reshape_like(b: Builder) -> None:
    """Reshape to the lengths of another tensor, which must have as many entries."""
    b.add("Reshape", b.floats(1), b.add("Shape", b.floats(1)))


def counted(b: Builder) -> None:
    """Count up to a length, or fill a tensor of computed shape."""
    x = b.floats(1)
    axis = b.number(0, b.rank(x) - 1)
    if b.chance(50):
        length = b.add("Gather", b.add("Shape", x), b.constant(axis))
        start, step = b.constant(b.number(0, 2)), b.constant(b.pick((1, 1, 2)))
        b.add("Cast", b.add("Range", start, length, step), to=1)
    else:
        length = b.add("Gather", b.add("Shape", x), b.constant([axis]))
        length = b.add(b.pick(("Add", "Sub", "Mul")), length, b.constant([b.number(1, 3)]))
        b.add("ConstantOfShape", b.add("Concat", length, b.constant([b.number(1, 3)]), axis=0))


def causal_mask(b: Builder) -> None:
    """Cut a square mask to the rows and columns of the scores, as exported decoders do."""
    x = b.floats(2, 4)
    y = b.partner(x)
    rank = b.rank(x)
    keys = b.add("Concat", x, y, axis=rank - 2)
    turned = b.add("Transpose", keys, perm=[*range(rank - 2), rank - 1, rank - 2])
    scores = b.add("MatMul", x, turned)
    total = b.add("Gather", b.add("Shape", scores), b.constant([rank - 1]))
    rows = b.add("Gather", b.add("Shape", scores), b.constant([rank - 2]))
    mask = b.weights(16, 16)
    top = b.add("Slice", mask, b.add("Sub", total, rows), total, b.constant([0]))
    b.add("Add", scores, b.add("Slice", top, b.constant([0]), total, b.constant([1])))


def cached_attention(b: Builder) -> None:
    """Scores over a cache and new keys, under a mask that is an input: past + seq must be its length."""
    x = b.floats(3, 4)
    y = b.partner(x)
    rank = b.rank(x)
    keys = b.add("Concat", y, x, axis=rank - 2)
    scores = b.add("MatMul", x, b.add("Transpose", keys, perm=[*range(rank - 2), rank - 1, rank - 2]))
    total = b.shape(scores)[-1]
    name = b.pick((*NAMES, "T", "T"))
    if b.lengths.setdefault(name, total) != total:
        raise Unfit
    b.add("Add", scores, b.input(b.pick((1, None, "S")), name))


STEPS: tuple[Step, ...] = (
    *OPERATORS,
    slice_to_length,
    position_table,
    looked_up_positions,
    *(down_and_up,) * 2,
    *(split_heads,) * 2,
    merge_axes,
    resize_to_skip,
    windows,
    repeat_to_length,
    reshape_like,
    counted,
    causal_mask,
    *(cached_attention,) * 2,
)
