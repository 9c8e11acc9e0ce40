"""The steps that random models are made of, one operator each; well typed, and seldom wrong in a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.infer.graphs import Builder, Step, Unfit

# Element by element


def unary(b: Builder) -> None:
    b.add(b.pick(("Relu", "Neg", "Identity", "Exp")), b.floats())


def binary(b: Builder) -> None:
    x = b.floats()
    y = b.partner(x) if b.chance(70) else b.floats()
    b.add(b.pick(("Add", "Mul", "Sub", "Max")), *((x, y) if b.chance(50) else (y, x)))


def with_constant(b: Builder) -> None:
    x = b.floats()
    shape = [b.near(n) if b.chance(60) else 1 for n in b.shape(x)]
    b.add("Add", x, b.weights(*shape[b.number(0, len(shape)) :]))


def where(b: Builder) -> None:
    x = b.floats()
    y = b.partner(x)
    b.add("Where", b.add("Less", x, y), b.partner(x) if b.chance(50) else b.constant(0, np.float32), y)


def softmax(b: Builder) -> None:
    x = b.floats(1)
    b.add("Softmax", x, axis=b.signed(b.number(0, b.rank(x) - 1), b.rank(x)))


def running_sum(b: Builder) -> None:
    x = b.floats(1)
    b.add("CumSum", x, b.constant(b.signed(b.number(0, b.rank(x) - 1), b.rank(x))))


def p_relu(b: Builder) -> None:
    x = b.floats(1)
    b.add("PRelu", x, b.weights(*[b.near(n) if b.chance(50) else 1 for n in b.shape(x)]))


# Products


def matmul(b: Builder) -> None:
    x = b.floats(1)
    if b.chance(60):
        shape = (b.near(b.shape(x)[-1]), b.number(1, 4))
        w = b.weights(*(shape if b.chance(80) else shape[:1]))
        b.add("MatMul", x, w)
    else:
        b.add("MatMul", x, b.floats(1))


def matmul_transposed(b: Builder) -> None:
    x = b.floats(2)
    y = b.partner(x)
    rank = b.rank(x)
    b.add("MatMul", x, b.add("Transpose", y, perm=[*range(rank - 2), rank - 1, rank - 2]))


def gemm(b: Builder) -> None:
    x = b.floats(2, 2)
    flip, turn = b.number(0, 1), b.number(0, 1)
    k = b.near(b.shape(x)[0 if flip else 1])
    n = b.number(1, 4)
    w = b.weights(*((n, k) if turn else (k, n)))
    bias = [b.weights(b.pick((n, 1)))] if b.chance(60) else []
    if b.chance(20):
        bias = [b.floats(0, 2)]
    b.add("Gemm", x, w, *bias, transA=flip, transB=turn)


def einsum(b: Builder) -> None:
    x = b.floats(2, 4)
    y = b.partner(x)
    if 0 in b.shape(x) + b.shape(y):
        # The runtime's process would end.
        raise Unfit
    equation = {
        2: ("ij,jk->ik", "ij,kj->ik", "ij,ij->j", "ij,ik", "ij,ij->"),
        3: ("bij,bjk->bik", "bij,bkj->bik", "bij,bij->bj", "...ij,...kj->...ik"),
        4: ("bhid,bhjd->bhij", "bihd,bjhd->bhij", "...ij,...jk->...ik", "abcd,abcd->da"),
    }[b.rank(x)]
    b.add("Einsum", x, y, equation=b.pick(equation))


# Along axes


def concat(b: Builder) -> None:
    x = b.floats(1)
    rank = b.rank(x)
    parts = [x, b.partner(x)] + [b.partner(x)] * b.number(0, 1)
    b.add("Concat", *parts, axis=b.signed(b.number(0, rank - 1), rank))


def split(b: Builder) -> None:
    x = b.floats(1)
    rank = b.rank(x)
    axis = b.number(0, rank - 1)
    length = b.shape(x)[axis]
    parts = b.number(1, 4)
    axis = b.signed(axis, rank)
    if b.chance(50):
        first = b.number(0, length)
        b.add_many("Split", x, b.constant([first, b.near(length - first)]), outputs=2, axis=axis)
    elif b.opset >= 18:
        b.add_many("Split", x, outputs=parts, axis=axis, num_outputs=parts)
    else:
        b.add_many("Split", x, outputs=parts, axis=axis)


def gather(b: Builder) -> None:
    x = b.floats(1)
    rank = b.rank(x)
    axis = b.number(0, rank - 1)
    length = b.shape(x)[axis]
    picked = [b.number(-length, length - 1 + b.chance(5)) for _ in range(b.number(1, 3))] if length else [0]
    b.add("Gather", x, b.constant(picked[0] if b.chance(40) else picked), axis=b.signed(axis, rank))


def slice_(b: Builder) -> None:
    x = b.floats(1)
    axis = b.number(0, b.rank(x) - 1)
    length = b.shape(x)[axis]
    step = b.pick((1, 1, 1, 2, 3, -1, -2))
    start, end = b.number(-length - 1, length + 1), b.pick((b.number(-length - 1, length + 1), 2**31, -(2**31), 1000))
    b.add("Slice", x, *(b.constant([n]) for n in (start, end, b.signed(axis, b.rank(x)), step)))


def reduce(b: Builder) -> None:
    x = b.floats(1)
    axes = [b.signed(a, b.rank(x)) for a in range(b.rank(x)) if b.chance(40)]
    op = b.pick(("ReduceSum", "ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"))
    given: dict[str, Any] = {"keepdims": b.number(0, 1)}
    if not axes:
        b.add(op, x, **given)
    elif op == "ReduceSum" or b.opset >= 18:
        b.add(op, x, b.constant(axes), **given)
    else:
        b.add(op, x, axes=axes, **given)


def arg_max(b: Builder) -> None:
    x = b.floats(1)
    axis = b.number(0, b.rank(x) - 1)
    found = b.add("ArgMax", x, axis=b.signed(axis, b.rank(x)), keepdims=b.number(0, 1))
    b.add("Cast", found, to=1)


def top_k(b: Builder) -> None:
    x = b.floats(1)
    axis = b.number(0, b.rank(x) - 1)
    k = b.constant([b.number(0, b.near(b.shape(x)[axis]))])
    b.add_many("TopK", x, k, outputs=2, axis=b.signed(axis, b.rank(x)))


def pad(b: Builder) -> None:
    x = b.floats(1)
    mode = b.pick(("constant", "constant", "reflect", "edge"))
    low = -1 if mode == "constant" else 0
    b.add("Pad", x, b.constant([b.number(low, 2) for _ in range(2 * b.rank(x))]), mode=mode)


def tile(b: Builder) -> None:
    x = b.floats(1)
    b.add("Tile", x, b.constant([b.pick((0, 1, 1, 2, 3)) for _ in b.shape(x)]))


def transpose(b: Builder) -> None:
    x = b.floats(1)
    perm = list(range(b.rank(x)))
    for i in reversed(range(1, len(perm))):
        j = b.number(0, i)
        perm[i], perm[j] = perm[j], perm[i]
    b.add("Transpose", x, perm=perm)


def expand(b: Builder) -> None:
    x = b.floats()
    if b.chance(50):
        b.add("Expand", x, b.add("Shape", b.floats()))
    else:
        shape = [b.near(n) if b.chance(60) else b.number(1, 3) for n in b.shape(x)]
        b.add("Expand", x, b.constant([2] * b.number(0, 1) + shape[b.number(0, len(shape)) :]))


# Windows


def _window(b: Builder, x: str, *, dilated: bool = True) -> dict[str, Any]:
    axes = b.rank(x) - 2
    out: dict[str, Any] = {"kernel_shape": [b.number(1, min(4, n + 1)) for n in b.shape(x)[2:]]}
    out["strides"] = [b.number(1, 3) for _ in range(axes)]
    if dilated and b.chance(35):
        out["dilations"] = [b.number(1, 3) for _ in range(axes)]
    elif b.chance(20):
        # Together with gaps the padding is not the same in all runtimes.
        out["auto_pad"] = b.pick(("SAME_UPPER", "SAME_LOWER", "VALID"))
    if "auto_pad" not in out:
        out["pads"] = [b.number(0, 2) for _ in range(2 * axes)]
    return out


def conv(b: Builder) -> None:
    x = b.floats(3, 5)
    window = _window(b, x)
    channels = b.shape(x)[1]
    group = b.pick([g for g in (1, 2, 3) if channels and channels % g == 0] or [1])
    w = b.weights(group * b.number(1, 2), max(1, b.near(channels // group)), *window["kernel_shape"])
    b.add("Conv", x, w, group=group, **window)


def pool(b: Builder) -> None:
    x = b.floats(3, 5)
    op = b.pick(("MaxPool", "AveragePool", "LpPool"))
    window = _window(b, x, dilated=op == "MaxPool" or b.opset >= 19)
    if op != "LpPool" and "auto_pad" not in window:
        window["ceil_mode"] = b.number(0, 1)
    b.add(op, x, **window)


def global_pool(b: Builder) -> None:
    b.add(b.pick(("GlobalAveragePool", "GlobalMaxPool")), b.floats(3, 5))


def conv_transpose(b: Builder) -> None:
    x = b.floats(3, 4)
    window = _window(b, x)
    if b.chance(30):
        window["output_padding"] = [b.number(0, 1) for _ in window["kernel_shape"]]
    w = b.weights(b.near(b.shape(x)[1]), b.number(1, 2), *window["kernel_shape"])
    b.add("ConvTranspose", x, w, **window)


def resize(b: Builder) -> None:
    x = b.floats(1, 4)
    scales = [1.0] * min(2, b.rank(x) - 1)
    scales += [b.pick((1.0, 2.0, 2.0, 3.0, 0.5)) for _ in range(b.rank(x) - len(scales))]
    b.add("Resize", x, "", b.constant(scales, np.float32), mode="nearest")


def blocks(b: Builder) -> None:
    b.add(b.pick(("DepthToSpace", "SpaceToDepth")), b.floats(4, 4), blocksize=2)


def normalization(b: Builder) -> None:
    x = b.floats(2, 4)
    channels = b.near(b.shape(x)[1])
    kind = b.number(0, 2)
    if kind == 0:
        last = b.near(b.shape(x)[-1])
        if b.opset < 17:
            raise Unfit
        b.add("LayerNormalization", x, b.weights(last), b.weights(last))
    elif kind == 1:
        b.add("BatchNormalization", x, *(b.weights(channels) for _ in range(4)))
    else:
        b.add("InstanceNormalization", x, b.weights(channels), b.weights(channels))


# Reshapes


def reshape(b: Builder) -> None:
    """Reshape to numbers, some copied and one left open."""
    x = b.floats(1)
    shape = list(b.shape(x))
    kind = b.number(0, 3)
    if kind == 0:
        target = [0] * b.number(0, len(shape) - 1) + [-1]
    elif kind == 1:
        at = b.number(0, len(shape) - 1)
        parts = [n for n in (2, 3, 4) if shape[at] % n == 0] or [1]
        target = [0] * at + [b.near(b.pick(parts)), -1] + [b.near(n) for n in shape[at + 1 :]]
    elif kind == 2:
        target = [-1, b.pick((1, 2, 3, 4))]
    else:
        target = [b.near(n) for n in shape]
        if target:
            target[b.number(0, len(target) - 1)] = -1
    allow = {"allowzero": 1} if b.opset >= 14 and b.chance(15) else {}
    b.add("Reshape", x, b.constant(target), **allow)


def flatten(b: Builder) -> None:
    x = b.floats(1)
    b.add("Flatten", x, axis=b.number(-b.rank(x), b.rank(x)))


def squeeze(b: Builder) -> None:
    x = b.floats(1)
    ones = [i for i, n in enumerate(b.shape(x)) if n == 1]
    if not ones and not b.chance(10):
        raise Unfit
    axis = b.pick(ones or [0])
    b.add("Squeeze", x, b.constant([b.signed(axis, b.rank(x))]))


def unsqueeze(b: Builder) -> None:
    x = b.floats(0, 4)
    b.add("Unsqueeze", x, b.constant([b.signed(b.number(0, b.rank(x)), b.rank(x) + 1)]))


OPERATORS: tuple[Step, ...] = (
    unary,
    *(binary,) * 3,
    with_constant,
    where,
    softmax,
    running_sum,
    p_relu,
    *(matmul,) * 2,
    matmul_transposed,
    *(gemm,) * 2,
    einsum,
    *(concat,) * 3,
    split,
    gather,
    slice_,
    reduce,
    arg_max,
    top_k,
    pad,
    tile,
    transpose,
    expand,
    *(conv,) * 2,
    *(pool,) * 3,
    global_pool,
    *(conv_transpose,) * 2,
    resize,
    blocks,
    normalization,
    *(reshape,) * 2,
    flatten,
    squeeze,
    unsqueeze,
)
