"""Steps that compute shape tensors from shape tensors, through every operator that could carry a length."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from tests.fuzz.programs.builder import INT, Grower, Step
from tests.fuzz.programs.entries import ENTRIES
from tests.infer.graphs import Unfit

FLOATS: tuple[Any, ...] = (*(np.float32,) * 5, *(np.float64,) * 3, np.float16)
ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Div", "Mod", "Mod", "Min", "Max")
COMPARISONS = ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
REDUCTIONS = ("ReduceProd", "ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean")


# Where lengths come from


def shape(b: Grower) -> None:
    x = b.fit(lambda v: 0 < v.ndim <= 5, late=40)
    rank = b.rank(x)
    some: dict[str, int] = {}
    if b.opset >= 15 and b.chance(40):
        some = {k: b.number(-rank - 1, rank + 1) for k in ("start", "end") if b.chance(60)}
    b.add("Shape", x, **some)


def size(b: Grower) -> None:
    b.add("Size", b.fit(lambda v: 0 < v.ndim <= 5, late=40))


# Arithmetic


def arithmetic(b: Grower) -> None:
    x = b.small()
    op = b.pick(ARITHMETIC)
    y = b.constant(b.number(0, 9)) if op in ("Min", "Max") and b.chance(50) else _other(b, x)
    if b.chance(25):
        x, y = y, x
    if op == "Mod" and b.chance(20):
        b.add(op, x, y, fmod=1)
    else:
        b.add(op, x, y)


def _other(b: Grower, x: str) -> str:
    """An operand that broadcasts with a value: a constant or computed."""
    kind = b.number(0, 3)
    if kind == 0:
        return b.constant(b.pick((1, 2, 2, 3, 4, 8, -1, 0, 16, 2**16, 2**24 + 1, 2**31)))
    if kind == 1:
        return b.constant([b.pick((1, 2, 3, -2, 5)) for _ in range(b.pick((1, *b.shape(x)[-1:])))])
    shape = b.shape(x)
    return b.fit(lambda v: _ints(v) and v.ndim <= 1 and (v.size == 1 or v.shape == shape))


def sign(b: Grower) -> None:
    b.add(b.pick(("Neg", "Abs", "Sign", "Identity")), b.small())


def power(b: Grower) -> None:
    x = b.small()
    if b.chance(50):
        b.add("Pow", x, b.constant(b.pick((0, 1, 2, 3))))
    else:
        b.add("Pow", b.constant(b.pick((2, 2, 3, -1))), b.single(lambda n: 0 <= n <= 6))


def clip(b: Grower) -> None:
    low, high = b.constant(b.number(0, 3)), b.constant(b.number(3, 12))
    b.add("Clip", b.small(), *b.pick(((low, high), (low,), ("", high))))


def bits(b: Grower) -> None:
    x = b.single(lambda n: 0 <= n < 2**20)
    if b.opset >= 18 and b.chance(50):
        b.add(b.pick(("BitwiseAnd", "BitwiseOr", "BitwiseXor")), x, b.constant(b.pick((1, 3, 7, -8))))
        return
    wide = b.add("Cast", x, to=13)
    moved = b.add("BitShift", wide, b.constant(b.number(0, 3), np.uint64), direction=b.pick(("LEFT", "RIGHT")))
    b.add("Cast", moved, to=7)


def compare(b: Grower) -> None:
    x = b.small()
    b.add(b.pick(COMPARISONS), x, _other(b, x))


def logic(b: Grower) -> None:
    x = b.small(np.bool_)
    if b.chance(40):
        b.add("Not", x)
        return
    shape = b.shape(x)
    y = b.fit(lambda v: v.dtype == np.bool_ and (v.shape == shape or v.size == 1) and v.ndim <= 1)
    b.add(b.pick(("And", "Or", "Xor")), x, y)


def where(b: Grower) -> None:
    condition = b.small(np.bool_)
    shape = b.shape(condition)
    x = b.fit(lambda v: _ints(v) and v.ndim <= 1 and (v.shape == shape or v.size == 1 or not shape))
    y = _other(b, x)
    b.add("Where", condition, *((x, y) if b.chance(60) else (y, x)))


def of_booleans(b: Grower) -> None:
    b.add("Cast", b.small(np.bool_), to=b.pick((7, 7, 6, 1)))


def reduce(b: Grower) -> None:
    x = b.vector()
    op = b.pick(REDUCTIONS)
    given: dict[str, Any] = {"keepdims": b.number(0, 1)}
    if b.chance(50):
        b.add(op, x, **given)
    elif op == "ReduceSum" or b.opset >= 18:
        b.add(op, x, b.constant([b.pick((0, -1)) if b.shape(x)[0] else 0]), **given)
    else:
        b.add(op, x, axes=[0], **given)


def running_sum(b: Grower) -> None:
    b.add("CumSum", b.vector(), b.constant(b.pick((0, -1))), exclusive=b.number(0, 1), reverse=b.number(0, 1))


def largest(b: Grower) -> None:
    x = b.vector(least=1)
    if b.chance(50):
        b.add_many("TopK", x, b.constant([b.number(0, b.shape(x)[0])]), outputs=2, largest=b.number(0, 1))
    else:
        b.add(b.pick(("ArgMax", "ArgMin")), x, axis=0, keepdims=b.number(0, 1))


def product(b: Grower) -> None:
    x = b.vector(least=1)
    n = b.shape(x)[0]
    if b.chance(50):
        wide = b.add("Cast", x, to=1)
        b.add("Cast", b.add("MatMul", wide, b.constant([float(b.number(0, 3)) for _ in range(n)], np.float32)), to=7)
    else:
        b.add("MatMul", b.add("Cast", x, to=6), b.constant([b.number(0, 3) for _ in range(n)], np.int32))


def variadic(b: Grower) -> None:
    x = b.vector(np.int64, 1)
    same = b.fit(lambda v: _ints(v) and v.shape == b.shape(x))
    b.add(b.pick(("Max", "Min")), x, same, b.constant(b.number(1, 4)))


# Through other types


def through_another_type(b: Grower) -> None:
    b.add("Cast", b.small(), to=b.pick((6, 6, 1, 1, 11, 10, 9, 3, 2, 13, 12)))


def back(b: Grower) -> None:
    x = b.fit(lambda v: v.dtype != INT and v.dtype != np.bool_ and v.size <= 16 and v.ndim < 3)
    if b.opset >= 15 and b.chance(15):
        b.add("CastLike", x, b.small())
    else:
        b.add("Cast", x, to=b.pick((7, 7, 7, 7, 6)))


def floats(b: Grower) -> None:
    """Compute a length in floats, as exporters write scale factors, and cast it back."""
    dtype = np.dtype(b.pick(FLOATS))
    to = {np.dtype(np.float32): 1, np.dtype(np.float64): 11, np.dtype(np.float16): 10}[dtype]
    x = b.add("Cast", b.small(), to=to)
    for _ in range(b.number(1, 3)):
        kind = b.number(0, 4)
        if kind <= 1:
            factor = b.constant(b.pick((0.5, 2.0, 0.25, 1.5, 0.1, 3.0, 1 / 3, 1e-3, 0.0)), dtype)
            x = b.add(b.pick(("Mul", "Div", "Add", "Sub")), x, factor)
        elif kind == 2:
            x = b.add(b.pick(("Floor", "Ceil", "Round", "Sqrt", "Abs", "Reciprocal")), x)
        elif kind == 3:
            y = b.fit(lambda v: v.dtype == dtype and v.size <= 16 and v.ndim < 2)
            x = b.add(b.pick(("Mul", "Div", "Add", "Sub", "Max", "Min")), x, y)
        else:
            x = b.add("Pow", x, b.constant(b.pick((2.0, 0.5, -1.0)), dtype))
    last = b.values[x]
    if not np.isfinite(last).all() or np.abs(last.astype(np.float64)).max(initial=0) > 2**40:
        raise Unfit
    b.add("Cast", x, to=7)


def narrow(b: Grower) -> None:
    """Compute with 32 bits, and go back to 64."""
    x = b.add("Cast", b.small(), to=6)
    y = b.constant(b.pick((1, 2, 3, -1, 1000)), np.int32)
    b.add("Cast", b.add(b.pick(("Add", "Sub", "Mul", "Div", "Mod", "Max")), x, y), to=7)


# Vectors out of nothing


def count_up(b: Grower) -> None:
    last = b.single(lambda n: -8 <= n <= 8)
    first = b.constant(b.number(-1, 2)) if b.chance(70) else b.single(lambda n: -8 <= n <= 8)
    b.add("Range", first, last, b.constant(b.pick((1, 1, 1, 2, 3, -1, -2))))


def filled(b: Grower) -> None:
    n = b.entry(lambda n: 0 <= n <= 8)
    value = np.array([b.number(-1, 4)], np.int64)
    b.add("ConstantOfShape", n, value=onnx.numpy_helper.from_array(value))


def positions(b: Grower) -> None:
    """Return which entries are not zero: what comes of it only the numbers tell."""
    found = b.add("NonZero", b.vector())
    if b.chance(60):
        b.add("Squeeze", found, b.constant([0]))


def distinct(b: Grower) -> None:
    b.add_many("Unique", b.vector(least=1), outputs=b.number(1, 4), sorted=b.number(0, 1))


def one_hot(b: Grower) -> None:
    x = b.vector(least=1, most=4)
    b.add("OneHot", x, b.constant(b.number(1, 4)), b.constant([0, 1]), axis=b.pick((-1, 0, 1)))


def many(b: Grower) -> None:
    """Count farther than entries are followed, and cut a piece out of that."""
    n = b.pick((40, 70, 1000, 1025, 2000))
    long = b.add("Range", b.constant(0), b.add("Mul", b.single(lambda n: 0 < n <= 4), b.constant(n)), b.constant(1))
    first = b.number(0, n - 2)
    b.add("Slice", long, b.constant([first]), b.constant([first + b.number(1, 3)]))


def many_axes(b: Grower) -> None:
    """Reshape to more axes than numpy knows."""
    x = b.fit(lambda v: v.size == 1)
    wide = b.add("Reshape", x, b.constant([1] * b.pick((33, 64, 65, 70))))
    kind = b.number(0, 2)
    b.add("Reshape", wide, b.constant([1])) if kind == 0 else b.add("Squeeze", wide) if kind == 1 else b.add(
        "Shape", wide
    )


def grid(b: Grower) -> None:
    x = b.fit(lambda v: _ints(v) and v.ndim == 2 and v.size <= 16)
    if b.opset >= 14 and b.chance(60):
        b.add("Trilu", x, upper=b.number(0, 1))
    else:
        b.add("EyeLike", x, k=b.number(-1, 1))


def padded(b: Grower) -> None:
    x = b.vector(most=5)
    b.add("Pad", x, b.constant([b.number(0, 2), b.number(-1, 1)]), b.constant(b.number(0, 3)))


def _ints(value: Any) -> bool:
    return bool(value.dtype == INT)


LENGTHS: tuple[Step, ...] = (
    *(shape,) * 6, size, *ENTRIES, *(arithmetic,) * 9, sign, power, clip, bits, *(compare,) * 3, logic, *(where,) * 4,
    of_booleans, *(reduce,) * 3, running_sum, largest, product, variadic, through_another_type, *(back,) * 2,
    *(floats,) * 4, narrow, *(count_up,) * 2, filled, positions, distinct, one_hot, many, many_axes, grid, padded,
)  # fmt: skip
