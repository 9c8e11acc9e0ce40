"""Steps on sequences of tensors: made, cut, chosen, grown in graphs inside, and turned into tensors again."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from tests.fuzz.programs.bodies import condition, made_inside
from tests.fuzz.programs.builder import FLOAT, INT, Grower, Step
from tests.infer.graphs import Unfit

DTYPES = (INT, FLOAT, np.dtype(np.bool_))


def _sequence(b: Grower, least: int = 0) -> str:
    """A sequence that is there, of so many elements at least in the sample."""
    every: dict[str, Any] = dict(b.values)
    there = [n for n, v in every.items() if isinstance(v, list) and len(v) >= least]
    if not there:
        raise Unfit
    return str(b.pick(there[-3:]))


def _kind(b: Grower, sequence: str) -> Any:
    """The element type of a sequence; an empty one's is not in its sample."""
    value: Any = b.values[sequence]
    return value[0].dtype if value else b.kinds.get(sequence, FLOAT)


def _element(b: Grower, dtype: Any) -> str:
    return b.fit(lambda v: v.dtype == dtype and v.ndim <= 3)


def construct(b: Grower) -> None:
    first = b.fit(lambda v: v.dtype in DTYPES and v.ndim <= 3)
    dtype, rank = b.values[first].dtype, b.rank(first)
    rest = [b.fit(lambda v: v.dtype == dtype and (v.ndim == rank or b.chance(15))) for _ in range(b.number(0, 2))]
    b.add("SequenceConstruct", first, *rest)


def empty(b: Grower) -> None:
    dtype = b.pick(DTYPES[:2])
    made = b.add("SequenceEmpty", dtype=onnx.helper.np_dtype_to_tensor_dtype(dtype))
    b.kinds[made] = dtype
    if b.chance(70):
        b.add("SequenceInsert", made, _element(b, dtype))


def split(b: Grower) -> None:
    x = b.fit(lambda v: v.dtype in DTYPES[:2] and 0 < v.ndim <= 3)
    axis = b.number(0, b.rank(x) - 1)
    sizes = [b.single(lambda n: n > 0)] if b.chance(40) else [b.constant(b.number(1, 3))] if b.chance(50) else []
    b.add("SplitToSequence", x, *sizes, axis=b.signed(axis, b.rank(x)), keepdims=1 if sizes else b.number(0, 1))


def insert(b: Grower) -> None:
    x = _sequence(b)
    count = len(b.values[x])
    new = _element(b, _kind(b, x))
    at = [b.constant(b.number(-count, count))] if b.chance(50) else []
    if b.chance(20):
        at = [b.single(lambda n: -count <= n <= count)]
    b.add("SequenceInsert", x, new, *at)


def erase(b: Grower) -> None:
    x = _sequence(b, 1)
    n = len(b.values[x])
    made = b.add("SequenceErase", x, *([b.constant(b.number(-n, n - 1))] if b.chance(70) else []))
    b.kinds[made] = _kind(b, x)


def at(b: Grower) -> None:
    x = _sequence(b, 1)
    n = len(b.values[x])
    where = b.single(lambda i: -n <= i < n) if b.chance(40) else b.constant(b.number(-n, n - 1))
    b.add("SequenceAt", x, where)


def length(b: Grower) -> None:
    b.add("SequenceLength", _sequence(b))


def join(b: Grower) -> None:
    x = _sequence(b, 1)
    rank = b.values[x][0].ndim
    new = b.number(0, 1)
    if not rank and not new:
        raise Unfit
    b.add("ConcatFromSequence", x, axis=b.signed(b.number(0, rank - 1 + new), rank + new), new_axis=new)


def hand_on(b: Grower) -> None:
    x = _sequence(b)
    b.kinds[b.add("Identity", x)] = _kind(b, x)


def choose(b: Grower) -> None:
    """Choose one of two sequences, at times with one more element."""
    x = _sequence(b)
    dtype = _kind(b, x)
    graphs = []
    for name in ("then", "else"):
        inner = b.inner()
        last = inner.add("SequenceInsert", x, _element(inner, dtype)) if b.chance(50) else inner.add("Identity", x)
        graphs.append(onnx.helper.make_graph(inner.nodes, name, [], [_typed(last, dtype)]))
    b.kinds[b.add("If", condition(b), then_branch=graphs[0], else_branch=graphs[1])] = dtype


def _typed(name: str, dtype: Any) -> onnx.ValueInfoProto:
    kind = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    return onnx.helper.make_tensor_sequence_value_info(name, kind, None)


def grow(b: Grower) -> None:
    """Let a sequence grow in a loop, by what stands outside or by what it held last."""
    x = _sequence(b)
    dtype = _kind(b, x)
    trips = b.single(lambda n: 0 <= n <= 5) if b.chance(60) else b.constant(b.number(0, 3))
    inner = b.inner()
    index, going, carried = (inner.fresh("in") for _ in range(3))
    inner.values |= {index: np.array(0), going: np.array(True), carried: b.values[x]}
    inner.kinds[carried] = dtype
    new = _element(inner, dtype)
    if b.values[x] and b.chance(40):
        new = inner.add("SequenceAt", carried, inner.constant(-1))
        if inner.rank(new) and b.chance(50):
            new = inner.add("Concat", new, new, axis=0)
    grown = inner.add("SequenceInsert", carried, new)
    inputs = [onnx.helper.make_tensor_value_info(index, 7, []), onnx.helper.make_tensor_value_info(going, 9, [])]
    ends = [onnx.helper.make_tensor_value_info(made_inside(inner, going), 9, []), _typed(grown, dtype)]
    body = onnx.helper.make_graph(inner.nodes, "body", [*inputs, _typed(carried, dtype)], ends)
    b.kinds[b.add("Loop", trips, b.constant(True, np.bool_), x, body=body)] = dtype


def each(b: Grower) -> None:
    """Apply an operator to every element."""
    if b.opset < 17:
        raise Unfit
    x = _sequence(b, 1)
    dtype = _kind(b, x)
    op = b.pick(("Identity", "Shape", "Neg" if dtype != np.bool_ else "Not"))
    one, made = b.fresh("in"), b.fresh("out")
    kind = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    ends = (
        onnx.helper.make_tensor_value_info(one, kind, None),
        onnx.helper.make_tensor_value_info(made, 7 if op == "Shape" else kind, None),
    )
    body = onnx.helper.make_graph([onnx.helper.make_node(op, [one], [made])], "each", [ends[0]], [ends[1]])
    b.add("SequenceMap", x, body=body)


SEQUENCES: tuple[Step, ...] = (
    *(construct,) * 2, empty, *(split,) * 2, *(insert,) * 2, erase, *(at,) * 3, *(length,) * 2, *(join,) * 3, hand_on,
    choose, *(grow,) * 2, each,
)  # fmt: skip
