"""The runtime has the last word: every value of a model, under many bindings, has the shape that was inferred."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest

from shapeinfer import Report, check
from shapeinfer.dims import Dim, Size, evaluate
from shapeinfer.facts import Fact, SequenceType, Tensor, dtype_of
from tests.infer.running import Array, session
from tests.models import parsed

MODELS = {
    "elementwise": """g (float[N, M] x, float[1, M] b) => (float[] y) {
        h = Add(x, b) r = Relu(h) t = Transpose(r) y = Flatten<axis=0>(t)
    }""",
    "shapes into shapes": """g (float[N, M, 2] x) => (float[] y) {
        zero = Constant<value_int=0>() s = Shape(x) n = Gather<axis=0>(s, zero)
        axes = Constant<value = int64[1] {0}>() two = Constant<value = int64 {2}>() m = Mul(n, two)
        first = Unsqueeze(m, axes) rest = Constant<value = int64[1] {-1}>()
        target = Concat<axis=0>(first, rest) y = Reshape(x, target)
    }""",
    "expand": """g (float[N, 1, 3] x, float[M] v) => (float[] y) {
        s = Shape(v) o = Constant<value = int64[2] {2, 1}>() e = Concat<axis=0>(o, s)
        i = Constant<value = int64[2] {0, 1}>() y = Expand(x, o)
    }""",
    "join and cut": """g (float[N, 4] x, float[M, 4] z) => (float[] y) {
        c = Concat<axis=0>(x, z, x) a, b = Split<axis=1, num_outputs=2>(c)
        p = Concat<axis=1>(b, a) starts = Constant<value = int64[1] {1}>() ends = Constant<value = int64[1] {-1}>()
        ax = Constant<value = int64[1] {0}>() y = Slice(p, starts, ends, ax)
    }""",
    "counts": """g (float[N] x, float[M] z) => (int64[] y) {
        n = NonZero(x) t = Transpose(n) s = Shape(z) k = Squeeze(s)
        zero = Constant<value = int64 {0}>() two = Constant<value = int64 {2}>()
        r = Range(zero, k, two) f = ConstantOfShape(s) y = Concat<axis=0>(r, r)
    }""",
    "a product": """g (float[N, 4] x, float[4, M] w, float[M] b) => (float[] y) {
        h = MatMul(x, w) g1 = Gemm(x, w, b) s = Softmax(h) t = Transpose(s) y = MatMul(t, g1)
    }""",
    "pooling": """g (float[1, 2, H, W] x, float[3, 2, 3, 3] w) => (float[] y) {
        c = Conv<strides=[2, 2], pads=[1, 1, 1, 1]>(x, w) g1 = GlobalAveragePool(c)
        d = ReduceMean<keepdims = 0>(c) y = Flatten(g1)
    }""",
    "if by data": """g (float[N, 3] x, bool c) => (float[] y) {
        y = If(c) <then_branch = t () => (float[] a) { a = Relu(x) },
                   else_branch = e () => (float[] b) { b = Concat<axis=0>(x, x) }>
        z = Abs(y) s = Shape(z)
    }""",
    "if of two ranks": """g (float[N, 3] x, bool c) => (float[] y) {
        y = If(c) <then_branch = t () => (float[] a) { a = Relu(x) },
                   else_branch = e () => (float[] b) { f = Constant<value = int64[1] {-1}>() b = Reshape(x, f) }>
    }""",
    "if by shape": """g (float[N, 3] x, bool c) => (float[] y) {
        s = Size(x) six = Constant<value = int64 {6}>() k = Greater(s, six)
        y = If(k) <then_branch = t () => (float[] a) { a = Relu(x) },
                   else_branch = e () => (float[] b) { b = Transpose(x) }>
    }""",
    "loop that grows": """g (float[N, 3] x, int64 trips) => (float[] y, float[] stack) {
        yes = Constant<value = bool {1}>()
        y, stack = Loop(trips, yes, x) <body = b
            (int64 i, bool c, float[K, 3] v) => (bool c1, float[L, 3] w, float[] e) {
            c1 = Identity(c) w = Concat<axis=0>(v, x) e = ReduceSum<keepdims = 0>(v)
        }>
        z = Concat<axis=0>(y, x) s = Shape(stack)
    }""",
    "loop with an exit": """g (float[N, 3] x, int64 trips) => (float[] y, float[] stack) {
        yes = Constant<value = bool {1}>() five = Constant<value = int64 {5}>()
        y, stack = Loop(five, yes, x) <body = b (int64 i, bool c, float[] v) => (bool c1, float[] w, float[] e) {
            c1 = Less(i, trips) w = Relu(v) e = ReduceSum<keepdims = 0>(v)
        }>
    }""",
    "loop a certain number of times": """g (float[N, 3] x) => (float[] y, float[] stack) {
        yes = Constant<value = bool {1}>() five = Constant<value = int64 {5}>()
        y, stack = Loop(five, yes, x) <body = b (int64 i, bool c, float[] v) => (bool c1, float[] w, float[N, 3] e) {
            c1 = Identity(c) w = Concat<axis=1>(v, x) e = Relu(x)
        }>
    }""",
    "a sequence in a loop": """g (float[N, 3] x, int64 trips) => (float[] y) {
        yes = Constant<value = bool {1}>() empty = SequenceEmpty() one = Constant<value = int64 {1}>()
        zero = Constant<value = int64 {0}>() start = SequenceInsert(empty, x)
        seq = Loop(trips, yes, start) <body = b (int64 i, bool c, seq(float[]) v) => (bool c1, seq(float[]) w) {
            c1 = Identity(c) a = SequenceAt(v, i) d = Concat<axis=0>(a, x) w = SequenceInsert(v, d)
        }>
        y = ConcatFromSequence<axis = 0>(seq) first = SequenceAt(seq, zero) n = SequenceLength(seq)
    }""",
    "scan": """g (float[T, N] x, float[N] h) => (float[] y) {
        last, y = Scan<num_scan_inputs = 1, scan_output_axes = [1], body = b
            (float[N] s, float[N] e) => (float[N] s1, float[N] r) {
            s1 = Add(s, e) r = Relu(s1)
        }>(h, x)
        z = Transpose(y)
    }""",
    "functions": """<ir_version: 9, opset_import: ["" : 20, "f" : 1]>
    g (float[N, M] x) => (float[] y) { a = f.F<axis=0>(x) b = f.F(x) y = Mul(b, b) }
    <domain: "f", opset_import: ["" : 20]>
    F <axis: int = 2> (p) => (q) { h = Concat<axis=1>(p, p) q = Flatten<axis: int = @axis>(h) }""",
    "pieces": """g (float[N, 3] x) => (float[] y) {
        s = SplitToSequence<axis = 0, keepdims = 0>(x) n = SequenceLength(s)
        y = ConcatFromSequence<axis = 0, new_axis = 1>(s)
    }""",
}
SIZES = (0, 1, 2, 5)
TRIPS = (0, 1, 3)
DIVIDES_BY_ZERO = {"scan"}
"""Models at whose empty inputs the runtime's process ends."""


def with_all_outputs(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with every value of its main graph as an output."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    there = {v.name for v in out.graph.output}
    out.graph.output.extend(
        onnx.ValueInfoProto(name=name) for n in model.graph.node for name in n.output if name and name not in there
    )
    return out


def feeds(
    model: onnx.ModelProto, report: Report, sizes: Mapping[str, int], trips: int, choice: bool
) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for value in model.graph.input:
        fact = report.values[value.name]
        assert isinstance(fact, Tensor), "these models take tensors"
        if value.name == "trips":
            out["trips"] = np.array(trips)
        elif value.name == "c":
            out["c"] = np.array(choice)
        else:
            shape = [d if isinstance(d, int) else sizes[d.text] for d in fact.dims]
            out[value.name] = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 3
    return out


def agrees(inferred: Fact, real: Any, sizes: Mapping[str, int], learned: dict[Dim, int]) -> bool:
    """Whether a value is as inferred; a made-up length is one number wherever it occurs."""
    if isinstance(inferred, SequenceType):
        return inferred.length in (None, len(real)) or isinstance(inferred.length, Dim)
    if not isinstance(inferred, Tensor):
        return True
    if inferred.dtype and inferred.dtype is not dtype_of(real.dtype):
        return False
    if inferred.shape is None:
        return True
    return len(inferred.shape) == real.ndim and all(
        holds(size, number, sizes, learned) for size, number in zip(inferred.shape, real.shape)
    )


def holds(size: Size, number: int, sizes: Mapping[str, int], learned: dict[Dim, int]) -> bool:
    if isinstance(size, int):
        return size == number
    if size.is_symbol and size.is_fresh:
        low, high = size.low, size.high
        within = (low is None or low <= number) and (high is None or number <= high)
        return within and learned.setdefault(size, number) == number
    known = {**sizes, **{s.text: n for s, n in learned.items()}}
    if any(s.text not in known for s in size.symbols):
        return True
    return evaluate(size, known) == number


@pytest.mark.parametrize("name", MODELS)
def test_every_value_has_the_inferred_shape(name: str) -> None:
    model = with_all_outputs(parsed(MODELS[name]))
    report = check(model)
    assert [d.text for d in report.errors] == []
    run = session(model)
    outputs = [o.name for o in run.get_outputs()]
    names = sorted({s.text for i in model.graph.input for s in report.values[i.name].symbols})
    inputs = {i.name for i in model.graph.input}
    ran = 0
    allowed = [n for n in SIZES if n or name not in DIVIDES_BY_ZERO]
    for numbers in itertools.product(allowed, repeat=len(names)):
        sizes = dict(zip(names, numbers))
        for trips in TRIPS if "trips" in inputs else (0,):
            for choice in (False, True) if "c" in inputs else (False,):
                try:
                    results = run.run(outputs, feeds(model, report, sizes, trips, choice))
                except Exception:  # noqa: BLE001 - the runtime refuses these sizes: nothing is claimed of them
                    continue
                ran += 1
                learned: dict[Dim, int] = {}
                for value, real in zip(outputs, results):
                    fact = report.values[value]
                    shape = getattr(real, "shape", len(real) if isinstance(real, list) else real)
                    assert agrees(fact, real, sizes, learned), f"{value} at {sizes}, {trips}: {fact} is {shape}"
    assert ran >= len(allowed) ** len(names) // 2


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_runs_has_no_error_under_that_binding(name: str) -> None:
    model = parsed(MODELS[name])
    free = check(model)
    run = session(model)
    names = sorted({s.text for i in model.graph.input for s in free.values[i.name].symbols})
    for numbers in itertools.product((1, 3) if name in DIVIDES_BY_ZERO else (0, 1, 3), repeat=len(names)):
        sizes = dict(zip(names, numbers))
        try:
            run.run(None, feeds(model, free, sizes, 1, choice=True))
        except Exception:  # noqa: BLE001 - as above
            continue
        bound = check(model, bind=sizes)
        assert bound.ok, (sizes, [d.text for d in bound.errors])
