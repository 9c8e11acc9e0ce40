"""Steps that end in operators whose output's shape computed tensors decide, with entries that fit the sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from tests.fuzz.programs.builder import FLOAT, Grower, Step
from tests.infer.graphs import Unfit

LONG = 24
"""No axis is made longer than this in the sample."""


def _count(b: Grower, x: str) -> int:
    return int(np.prod(b.shape(x)))


def _same_or_one(b: Grower, length: int, percent: int = 70) -> str:
    """A computed entry for an axis of some length or a constant."""
    if b.chance(percent):
        return b.entry(lambda n: n == length)
    return b.constant([length])


# Shapes given whole


def reshape(b: Grower) -> None:
    """Reshape to computed lengths that share out the elements, with at most one left open."""
    x = b.data(0)
    left = _count(b, x)
    parts: list[str] = []
    for _ in range(b.number(0, 3)):
        if b.chance(15) and len(parts) < b.rank(x):
            parts.append(b.constant([0]))
            left = left // max(1, b.shape(x)[len(parts) - 1])
        elif b.chance(75):
            found = _divisor(b, left)
            left //= _sample(b, found)
            parts.append(found)
    parts.insert(b.number(0, len(parts)), b.constant([-1]) if b.chance(70) else _same_or_one(b, left, 60))
    allow = {"allowzero": 1} if b.opset >= 14 and b.chance(15) else {}
    b.add("Reshape", x, b.joined(parts), **allow)


def _divisor(b: Grower, count: int) -> str:
    return b.entry(lambda n: n > 0 and count % n == 0)


def _sample(b: Grower, vector: str) -> int:
    return int(b.values[vector].ravel()[0])


def reshape_to_vector(b: Grower) -> None:
    """Reshape to a computed vector as it is; it seldom fits."""
    x = b.data(0)
    n = _count(b, x)
    target = b.fit(lambda v: v.dtype == np.int64 and v.ndim == 1 and v.size <= 6 and _fits(v, n))
    b.add("Reshape", x, target)


def _fits(target: Any, count: int) -> bool:
    known = int(np.prod([int(n) for n in target if n > 0]))
    unknown = sum(1 for n in target if n < 0)
    return known == count if not unknown else unknown == 1 and known > 0 and count % known == 0


def expand(b: Grower) -> None:
    x = b.data(0)
    parts = []
    for length in b.shape(x):
        one = length == 1
        parts.append(b.entry(lambda n: 0 <= n <= LONG) if one and b.chance(70) else b.constant([1]) if b.chance(25)
                     else _same_or_one(b, length, 50))  # fmt: skip
    if b.chance(40):
        parts.insert(0, b.entry(lambda n: 0 <= n <= 6))
    b.add("Expand", x, b.joined(parts[b.number(0, 1) :]))


def tile(b: Grower) -> None:
    x = b.data(1, 3)
    parts = [b.entry(lambda n: 0 <= n <= 5) if b.chance(50) else b.constant([b.number(0, 2)]) for _ in b.shape(x)]
    b.add("Tile", x, b.joined(parts))


def filled(b: Grower) -> None:
    parts = [
        b.entry(lambda n: 0 <= n <= LONG) if b.chance(70) else b.constant([b.number(0, 3)])
        for _ in range(b.number(0, 3))
    ]
    kind = b.pick(("none", "float", "int", "bool"))
    value = {"float": np.array([2.5], np.float32), "int": np.array([2]), "bool": np.array([True])}.get(kind)
    given = {} if value is None else {"value": onnx.numpy_helper.from_array(value)}
    b.add("ConstantOfShape", b.joined(parts), **given)


def center_crop_pad(b: Grower) -> None:
    if b.opset < 18:
        raise Unfit
    x = b.data(1, 3)
    axes = [a for a in range(b.rank(x)) if b.chance(60)] or [0]
    b.add(
        "CenterCropPad",
        x,
        b.joined(b.entry(lambda n: 0 <= n <= LONG) for _ in axes),
        axes=[b.signed(a, b.rank(x)) for a in axes],
    )


# Along axes


def slice_(b: Grower) -> None:
    x = b.data(1, 3)
    axes = [a for a in range(b.rank(x)) if b.chance(50)] or [0]
    ends = [
        [b.entry(lambda _: True) if b.chance(50) else b.constant([b.number(-3, 9)]) for _ in axes] for _ in range(2)
    ]
    inputs = [x, *(b.joined(e) for e in ends)]
    if len(axes) < b.rank(x) or b.chance(60):
        inputs.append(b.constant([b.signed(a, b.rank(x)) for a in axes]))
        if b.chance(60):
            steps = [b.entry(lambda n: n != 0) if b.chance(40) else b.constant([b.pick((1, 2, -1, 3))]) for _ in axes]
            inputs.append(b.joined(steps))
    b.add("Slice", *inputs)


def slice_axes(b: Grower) -> None:
    """Slice along a computed axis."""
    x = b.data(1, 3)
    axis = b.entry(lambda n: -b.rank(x) <= n < b.rank(x))
    b.add("Slice", x, b.constant([b.number(0, 2)]), b.constant([b.number(-2, 6)]), axis)


def pad(b: Grower) -> None:
    x = b.data(1, 3)
    rank = b.rank(x)
    parts = [
        b.entry(lambda n: -1 <= n <= 6) if b.chance(40) else b.constant([b.number(-1, 2)]) for _ in range(2 * rank)
    ]
    b.add("Pad", x, b.joined(parts), mode=b.pick(("constant", "constant", "edge", "reflect")))


def pad_axes(b: Grower) -> None:
    if b.opset < 18:
        raise Unfit
    x = b.data(1, 3)
    parts = [b.entry(lambda n: 0 <= n <= 6) for _ in range(2)]
    axis = b.entry(lambda n: -b.rank(x) <= n < b.rank(x)) if b.chance(40) else b.constant([b.signed(0, b.rank(x))])
    b.add("Pad", x, b.joined(parts), "", axis)


def split(b: Grower) -> None:
    x = b.data(1, 3)
    axis = b.number(0, b.rank(x) - 1)
    length = b.shape(x)[axis]
    first = b.entry(lambda n: 0 <= n <= length)
    whole = b.add("Gather", b.add("Shape", x), b.constant([axis])) if b.chance(70) else b.constant([length])
    rest = b.add("Sub", whole, first)
    b.add_many("Split", x, b.joined([first, rest]), outputs=2, axis=b.signed(axis, b.rank(x)))


def split_sequence(b: Grower) -> None:
    x = b.data(1, 3)
    axis = b.number(0, b.rank(x) - 1)
    each = b.single(lambda n: n > 0) if b.chance(60) else b.entry(lambda n: n == b.shape(x)[axis])
    parts = b.add("SplitToSequence", x, each, axis=b.signed(axis, b.rank(x)))
    kind = b.number(0, 2)
    if kind == 0:
        b.add("SequenceAt", parts, b.constant(b.number(-1, 1)))
    elif kind == 1:
        b.add("SequenceLength", parts)
    else:
        b.add("ConcatFromSequence", parts, axis=axis)


def top_k(b: Grower) -> None:
    x = b.data(1, 3)
    axis = b.number(0, b.rank(x) - 1)
    k = b.entry(lambda n: 0 <= n <= b.shape(x)[axis])
    b.add_many("TopK", x, k, outputs=2, axis=b.signed(axis, b.rank(x)))


def gather(b: Grower) -> None:
    x = b.data(1, 3)
    axis = b.number(0, b.rank(x) - 1)
    n = b.shape(x)[axis]
    at = b.fit(lambda v: v.dtype == np.int64 and v.ndim <= 2 and v.size <= 16 and ((-n <= v) & (v < n)).all())
    b.add("Gather", x, at, axis=b.signed(axis, b.rank(x)))


def one_hot(b: Grower) -> None:
    x = b.fit(lambda v: v.dtype == np.int64 and 0 < v.ndim <= 2 and v.size <= 16)
    depth = b.single(lambda n: 0 < n <= LONG) if b.chance(60) else b.entry(lambda n: 0 < n <= LONG)
    b.add("OneHot", x, depth, b.constant([0, 1], np.float32), axis=b.pick((-1, 0)))


def unsqueeze(b: Grower) -> None:
    x = b.data(0, 3)
    b.add("Unsqueeze", x, b.entry(lambda n: -b.rank(x) - 1 <= n <= b.rank(x)))


def squeeze(b: Grower) -> None:
    x = b.fit(lambda v: v.dtype == FLOAT and 1 in v.shape)
    at = b.shape(x).index(1)
    kind = b.number(0, 2)
    if kind == 0:
        b.add("Squeeze", x)
    else:
        b.add("Squeeze", x, b.entry(lambda n: n in (at, at - b.rank(x))) if kind == 1 else b.constant([at]))


def reduce(b: Grower) -> None:
    x = b.data(1, 3)
    axes = b.entry(lambda n: -b.rank(x) <= n < b.rank(x))
    op = "ReduceSum" if b.opset < 18 else b.pick(("ReduceSum", "ReduceMean", "ReduceMax"))
    b.add(op, x, axes, keepdims=b.number(0, 1), noop_with_empty_axes=b.number(0, 1))


def running_sum(b: Grower) -> None:
    x = b.data(1, 3)
    b.add("CumSum", x, b.single(lambda n: -b.rank(x) <= n < b.rank(x)))


# Counts


def count_up(b: Grower) -> None:
    near = [b.single(lambda n: -LONG <= n <= LONG) if b.chance(60) else b.constant(b.number(0, 6)) for _ in range(2)]
    step = b.single(lambda n: 0 < abs(n) <= LONG) if b.chance(40) else b.constant(b.pick((1, 1, 2, -1)))
    made = b.add("Range", *near, step)
    b.add("Cast", made, to=1)


def count_up_floats(b: Grower) -> None:
    last = b.add("Cast", b.single(lambda n: 0 <= n <= LONG), to=1)
    step = b.constant(b.pick((1.0, 0.5, 2.0, 0.3, 1.5)), np.float32)
    if b.chance(50):
        last = b.add(b.pick(("Mul", "Div")), last, b.constant(b.pick((0.5, 2.0, 3.0)), np.float32))
    b.add("Range", b.constant(b.pick((0.0, 1.0, 0.5)), np.float32), last, step)


def eye(b: Grower) -> None:
    x = b.fit(lambda v: v.ndim == 2)
    b.add("EyeLike", x, dtype=1, k=b.number(-1, 1))


def window(b: Grower) -> None:
    if b.opset < 17:
        raise Unfit
    op = b.pick(("HannWindow", "HammingWindow", "BlackmanWindow"))
    b.add(op, b.single(lambda n: 0 <= n <= LONG), periodic=b.number(0, 1))


def fourier(b: Grower) -> None:
    if b.opset < 20:
        raise Unfit
    x = b.fit(lambda v: v.dtype == FLOAT and 2 <= v.ndim <= 3 and 0 not in v.shape)
    x = b.add("Unsqueeze", x, b.constant([-1]))
    b.add("DFT", x, b.single(lambda n: 0 < n <= LONG), b.constant(1), onesided=b.number(0, 1))


# Images


def resize(b: Grower) -> None:
    x = b.data(1, 4)
    rank = b.rank(x)
    first = b.number(0, min(2, rank - 1))
    axes = list(range(first, rank))
    some: dict[str, Any] = {"mode": "nearest"}
    parts = [b.entry(lambda n: 0 < n <= LONG) if b.chance(80) else b.constant([b.number(1, 8)]) for _ in axes]
    if b.opset >= 18 and b.chance(50):
        some["axes"] = [b.signed(a, rank) for a in axes]
        if b.chance(50):
            some |= {"axes": axes, "keep_aspect_ratio_policy": b.pick(("not_larger", "not_smaller", "stretch"))}
    else:
        outer = b.add("Slice", b.add("Shape", x), b.constant([0]), b.constant([first]))
        parts = [outer, *parts]
    b.add("Resize", x, "", "", b.joined(parts), **some)


def resize_by_scales(b: Grower) -> None:
    """Resize by a ratio of lengths, computed in floats."""
    x = b.data(1, 4)
    rank = b.rank(x)
    above = b.add("Cast", b.entry(lambda n: 0 < n <= LONG), to=1)
    below = b.add("Cast", b.entry(lambda n: 0 < n <= LONG), to=1) if b.chance(60) else b.constant([2.0], np.float32)
    scale = b.add(b.pick(("Div", "Div", "Mul")), above, below)
    if not 0 < b.values[scale][0] < 8:
        raise Unfit
    ones = b.constant([1.0] * (rank - 1), np.float32)
    scales = b.add("Concat", ones, scale, axis=0) if rank > 1 else scale
    b.add("Resize", x, "", scales, mode=b.pick(("nearest", "linear")) if rank in (2, 4) else "nearest")


def affine_grid(b: Grower) -> None:
    if b.opset < 20:
        raise Unfit
    theta = b.constant(np.ones((1, 2, 3)), np.float32)
    parts = [b.constant([1]), *(b.entry(lambda n: 0 < n <= 8) for _ in range(3))]
    b.add("AffineGrid", theta, b.joined(parts), align_corners=b.number(0, 1))


def columns_to_image(b: Grower) -> None:
    if b.opset < 18:
        raise Unfit
    height, width = (b.entry(lambda n: 2 <= n <= 6) for _ in range(2))
    blocks = (_sample(b, height) - 1) * (_sample(b, width) - 1)
    x = b.add("ConstantOfShape", b.constant([1, 4, blocks]))
    b.add("Col2Im", x, b.joined([height, width]), b.constant([2, 2]))


def unpool(b: Grower) -> None:
    x = b.fit(lambda v: v.dtype == FLOAT and v.ndim in (3, 4) and v.size > 0 and min(v.shape[2:]) >= 2)
    axes = b.rank(x) - 2
    pooled = b.add_many("MaxPool", x, outputs=2, kernel_shape=[2] * axes, strides=[2] * axes)
    b.add("MaxUnpool", *pooled, b.add("Shape", x), kernel_shape=[2] * axes, strides=[2] * axes)


# Entries put and taken


def scatter(b: Grower) -> None:
    x = b.data(1, 3)
    n = b.shape(x)[0]
    rows = b.fit(lambda v: v.dtype == np.int64 and v.ndim == 1 and v.size <= 8 and ((-n <= v) & (v < n)).all())
    updates = b.add("Gather", x, rows, axis=0)
    b.add("ScatterND", x, b.add("Unsqueeze", rows, b.constant([-1])), updates)


def compress(b: Grower) -> None:
    x = b.data(1, 3)
    axis = b.number(0, b.rank(x) - 1)
    keep = b.fit(lambda v: v.dtype == np.bool_ and v.ndim == 1 and v.size <= b.shape(x)[axis])
    b.add("Compress", x, keep, axis=b.signed(axis, b.rank(x)))


def turn(b: Grower) -> None:
    x = b.data(2, 3)
    time, batch = b.shape(x)[:2]
    lengths = b.fit(lambda v: v.dtype == np.int64 and v.shape == (batch,) and ((v >= 0) & (v <= time)).all())
    b.add("ReverseSequence", x, lengths, time_axis=0, batch_axis=1)


def triangle(b: Grower) -> None:
    if b.opset < 14:
        raise Unfit
    b.add("Trilu", b.data(2, 4), b.single(lambda n: abs(n) <= LONG), upper=b.number(0, 1))


# What is made by shape and then used


def mixed(b: Grower) -> None:
    """Join what was made with something of the same shape in the sample."""
    x = b.data(0)
    shape = b.shape(x)
    y = b.fit(lambda v: v.dtype == FLOAT and v.ndim <= 4 and _broadcasts(v.shape, shape), late=30)
    b.add(b.pick(("Add", "Mul", "Sub")), x, y)


def _broadcasts(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(one), reversed(other)))


def joined(b: Grower) -> None:
    x = b.data(1)
    shape = b.shape(x)
    axis = b.number(0, len(shape) - 1)
    y = b.fit(lambda v: v.dtype == FLOAT and v.ndim == len(shape) and _but(v.shape, axis) == _but(shape, axis))
    b.add("Concat", x, y, axis=b.signed(axis, len(shape)))


def _but(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def product(b: Grower) -> None:
    x = b.data(2)
    k = b.shape(x)[-1]
    y = b.fit(lambda v: v.dtype == FLOAT and v.ndim in (1, 2) and v.shape[0] == k)
    b.add("MatMul", x, y)


CONSUMERS: tuple[Step, ...] = (
    *(reshape,) * 5, reshape_to_vector, *(expand,) * 3, *(tile,) * 2, *(filled,) * 2, center_crop_pad,
    *(slice_,) * 4, slice_axes, *(pad,) * 2, pad_axes, *(split,) * 2, split_sequence, *(top_k,) * 2, *(gather,) * 2,
    one_hot, unsqueeze, squeeze, reduce, running_sum, *(count_up,) * 2, count_up_floats, eye, window, fourier,
    *(resize,) * 3, *(resize_by_scales,) * 2, affine_grid, columns_to_image, unpool, scatter, compress, turn, triangle,
    *(mixed,) * 3, *(joined,) * 2, product,
)  # fmt: skip
