"""Steps that take entries of shape tensors, put them together and move them about."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.programs.builder import INT, Grower, Step
from tests.infer.graphs import Unfit


def gather(b: Grower) -> None:
    x = b.vector(least=1)
    n = b.shape(x)[0]
    at = [b.number(-n, n - 1) for _ in range(b.number(1, 3))]
    b.add("Gather", x, b.constant(at if b.chance(60) else at[0]))


def gather_otherwise(b: Grower) -> None:
    x = b.vector(least=1)
    n = b.shape(x)[0]
    at = [b.number(-n, n - 1) for _ in range(b.number(1, 3))]
    if b.chance(50):
        b.add("GatherElements", x, b.constant(at))
    else:
        b.add("GatherND", x, b.constant([[i] for i in at]))


def gather_by_length(b: Grower) -> None:
    """Choose an entry of a table by a computed index."""
    table = b.constant([b.number(0, 8) for _ in range(b.number(2, 8))])
    index = b.entry(lambda n: -b.shape(table)[0] <= n < b.shape(table)[0])
    b.add("Gather", table, index)


def cut(b: Grower) -> None:
    x = b.vector(least=1)
    n = b.shape(x)[0]
    step = b.pick((1, 1, 1, 2, -1, -1))
    ends = (b.number(-n - 1, n + 1), b.pick((b.number(-n - 1, n + 1), 2**31, 2**63 - 1, -(2**63), 1000)))
    b.add("Slice", x, b.constant([ends[0]]), b.constant([ends[1]]), b.constant([0]), b.constant([step]))


def concat(b: Grower) -> None:
    parts = [b.vector() if b.chance(75) else b.constant([b.number(0, 4)]) for _ in range(b.number(2, 3))]
    b.add("Concat", *parts, axis=b.pick((0, 0, -1)))


def split(b: Grower) -> None:
    x = b.vector(least=2)
    n = b.shape(x)[0]
    if b.chance(50):
        first = b.number(0, n)
        b.add_many("Split", x, b.constant([first, n - first]), outputs=2, axis=0)
    elif b.opset >= 18:
        b.add_many("Split", x, outputs=2, num_outputs=2)
    else:
        b.add_many("Split", x, outputs=2)


def scalar_and_vector(b: Grower) -> None:
    if b.chance(50):
        b.add("Unsqueeze", b.scalar(), b.constant([0]))
    else:
        b.add("Squeeze", b.fit(lambda v: _ints(v) and v.ndim == 1 and v.size == 1))


def fold_axes(b: Grower) -> None:
    """Reshape a vector into a matrix, and reduce, turn or pick a row of it."""
    x = b.fit(lambda v: _ints(v) and v.ndim == 1 and v.size in (2, 4, 6, 8))
    table = b.add("Reshape", x, b.constant(b.pick(([2, -1], [-1, 2], [1, 2, -1]))))
    kind = b.number(0, 3)
    if kind == 0:
        b.add("Transpose", table)
    elif kind == 1:
        b.add("ReduceSum", table, b.constant([b.pick((0, -1))]), keepdims=b.number(0, 1))
    elif kind == 2:
        b.add("Flatten", table, axis=b.number(0, 2))
    else:
        b.add("Gather", table, b.constant(0), axis=b.number(0, 1))


def repeat(b: Grower) -> None:
    x = b.vector(least=1, most=4)
    if b.chance(50):
        b.add("Tile", x, b.constant([b.number(0, 2)]))
    else:
        one = b.fit(lambda v: _ints(v) and v.size == 1 and v.ndim <= 1)
        b.add("Expand", one, b.constant([b.number(0, 3)]))


def put(b: Grower) -> None:
    """Put an entry into the place of another."""
    x = b.vector(least=1)
    n = b.shape(x)[0]
    at, new = b.number(-n, n - 1), b.entry(lambda _: True) if b.chance(60) else b.constant([b.number(0, 4)])
    if b.chance(50):
        reduction = {"reduction": b.pick(("add", "mul"))} if b.opset >= 16 and b.chance(30) else {}
        b.add("ScatterElements", x, b.constant([at]), new, **reduction)
    else:
        b.add("ScatterND", x, b.constant([[at]]), new)


def turn(b: Grower) -> None:
    x = b.vector(least=2)
    b.add(
        "ReverseSequence",
        b.add("Unsqueeze", x, b.constant([1])),
        b.constant([b.shape(x)[0]]),
        time_axis=0,
        batch_axis=1,
    )


def choose_some(b: Grower) -> None:
    x = b.vector(least=1)
    n = b.shape(x)[0]
    keep = b.constant([b.chance(60) for _ in range(n)], np.bool_)
    if b.chance(50):
        keep = b.add(b.pick(("Greater", "Less")), x, b.constant(b.number(0, 6)))
    b.add("Compress", x, keep, **({"axis": 0} if b.chance(50) else {}))


# Sequences


def sequence(b: Grower) -> None:
    x = b.small()
    dtype = b.values[x].dtype
    same = b.fit(lambda v: v.dtype == dtype and v.ndim <= 1 and v.size <= 8)
    made = b.add("SequenceConstruct", x, same)
    kind = b.number(0, 3)
    if kind == 0:
        b.add("SequenceAt", made, b.constant(b.number(-2, 1)))
    elif kind == 1:
        b.add("SequenceLength", b.add("SequenceInsert", made, x, *((b.constant(0),) if b.chance(50) else ())))
    elif kind == 2:
        b.add("ConcatFromSequence", made, axis=0, new_axis=b.number(0, 1))
    else:
        b.add("SequenceAt", b.add("SequenceErase", made, b.constant(b.number(-2, 1))), b.constant(0))


def pieces(b: Grower) -> None:
    x = b.vector(least=1)
    whole = b.add("SplitToSequence", x, axis=0, keepdims=b.number(0, 1))
    if b.chance(50):
        b.add("SequenceAt", whole, b.constant(b.number(-1, 0)))
    else:
        b.add("SequenceLength", whole)


def optional(b: Grower) -> None:
    if b.opset < 18:
        raise Unfit
    b.add("OptionalGetElement", b.small())
    b.add("OptionalHasElement", b.small())


def _ints(value: Any) -> bool:
    return bool(value.dtype == INT)


ENTRIES: tuple[Step, ...] = (
    *(gather,) * 5, gather_otherwise, gather_by_length, *(cut,) * 3, *(concat,) * 3, split, *(scalar_and_vector,) * 2,
    fold_axes, repeat, put, turn, choose_some, sequence, pieces, optional,
)  # fmt: skip
