"""Steps with graphs inside: If, Loop and Scan that compute lengths, or take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx

from tests.fuzz.programs.builder import FLOAT, INT, Grower, Step
from tests.fuzz.programs.consumers import CONSUMERS
from tests.fuzz.programs.lengths import LENGTHS
from tests.infer.graphs import Unfit


def _grown(b: Grower, steps: tuple[Step, ...], most: int = 3) -> None:
    for _ in range(b.number(0, most)):
        b.grow(b.pick(steps))


def _graph(b: Grower, name: str, inputs: list[tuple[str, Any, Any]], outputs: list[str]) -> onnx.GraphProto:
    """The nodes of a builder as a graph; what goes in has its element type and, at times, its rank or shape."""
    declared = [onnx.helper.make_tensor_value_info(n, kind, shape) for n, kind, shape in inputs]
    made = []
    for out in outputs:
        kind = onnx.helper.np_dtype_to_tensor_dtype(b.values[out].dtype)
        made.append(onnx.helper.make_tensor_value_info(out, kind, None))
    return onnx.helper.make_graph(b.nodes, name, declared, made)


def made_inside(b: Grower, name: str) -> str:
    """The value, made by a node of the graph: an output of a body may not be what stands outside."""
    if any(name in n.output for n in b.nodes):
        return name
    return b.add("Identity", name)


def condition(b: Grower) -> str:
    """A computed boolean of no axes."""
    if b.chance(25):
        return b.fit(lambda v: v.dtype == np.bool_ and v.size == 1 and v.ndim <= 1)
    one = b.single(lambda _: True)
    return b.add(b.pick(("Greater", "Less", "Equal", "GreaterOrEqual")), one, b.constant(b.number(0, 8)))


def choice(b: Grower) -> None:
    """Choose one of two vectors, scalars or tensors of floats, each computed in a branch of its own."""
    decides = condition(b)
    kind = b.pick(("vector", "vector", "scalar", "floats"))
    branches = []
    for name in ("then", "else"):
        inner = b.inner()
        _grown(inner, (*LENGTHS, *CONSUMERS) if kind == "floats" else LENGTHS)
        last = inner.vector() if kind == "vector" else inner.scalar() if kind == "scalar" else inner.data()
        branches.append(_graph(inner, name, [], [made_inside(inner, last)]))
    b.add("If", decides, then_branch=branches[0], else_branch=branches[1])


def loop_on_lengths(b: Grower) -> None:
    """Compute a length or a vector in a loop, some times over: halved, doubled, joined with itself or anything else."""
    state = b.scalar() if b.chance(50) else b.vector(least=1, most=4)
    _loop(b, state, b.values[state].shape if b.chance(50) else None, LENGTHS)


def loop_on_data(b: Grower) -> None:
    """Let a tensor of floats grow, shrink or stay in a loop."""
    state = b.data(1, 3)
    _loop(b, state, None, (*CONSUMERS, *LENGTHS))


def _loop(b: Grower, state: str, shape: Any, steps: tuple[Step, ...]) -> None:
    trips = b.single(lambda n: 0 <= n <= 6) if b.chance(60) else b.constant(b.number(0, 4))
    dtype = b.values[state].dtype
    inner = b.inner()
    index, going, carried = (inner.fresh("in") for _ in range(3))
    inner.values |= {index: np.array(0), going: np.array(True), carried: b.values[state]}
    if dtype == INT and b.chance(70):
        op, other = b.pick((("Div", 2), ("Mul", 2), ("Add", 1), ("Sub", 1), ("Mod", 3), ("Max", 2)))
        inner.add(op, carried, inner.constant(other))
    _grown(inner, steps)
    value = inner.values[carried]
    late = inner.fit(lambda v: v.dtype == dtype and v.ndim == value.ndim)
    goes_on = made_inside(inner, going)
    if b.chance(30):
        goes_on = inner.add("Less", index, inner.single(lambda n: n > 0))
    outputs = [goes_on, made_inside(inner, late)]
    if b.chance(50):
        outputs.append(made_inside(inner, inner.fit(lambda v: v.dtype in (INT, FLOAT) and v.ndim <= 3)))
    if len(set(outputs)) < len(outputs):
        raise Unfit
    kind = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    body = _graph(inner, "body", [(index, 7, []), (going, 9, []), (carried, kind, shape)], outputs)
    start = "" if b.chance(30) else b.constant(True, np.bool_)
    b.add_many("Loop", trips, start, state, outputs=len(outputs) - 1, body=body)


def scan(b: Grower) -> None:
    """Scan the rows of a tensor with a state."""
    x = b.data(2, 3)
    row = b.values[x]
    if not row.shape[0]:
        raise Unfit
    inner = b.inner()
    carried, one = inner.fresh("in"), inner.fresh("in")
    inner.values |= {carried: row[0], one: row[0]}
    total = inner.add("Add", carried, one)
    _grown(inner, (*CONSUMERS, *LENGTHS), 2)
    out = made_inside(inner, inner.fit(lambda v: v.dtype in (INT, FLOAT) and v.ndim <= 2))
    if out == total:
        out = inner.add("Neg", out)
    body = _graph(inner, "body", [(carried, 1, None), (one, 1, None)], [total, out])
    start = b.add("Gather", x, b.constant(0))
    b.add_many("Scan", start, x, outputs=2, body=body, num_scan_inputs=1)


BODIES: tuple[Step, ...] = (*(choice,) * 3, *(loop_on_lengths,) * 3, loop_on_data, scan)
