"""Peak memory against a count of every moment of a bound model, each from scratch."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import onnx
import pytest
from hypothesis import given, note

from shapeinfer import Report, check
from shapeinfer.dims import Dim, evaluate
from shapeinfer.facts import DType, Tensor, dtype_of
from tests.conftest import Runs
from tests.infer.graphs import drawn, for_each, randoms
from tests.infer.laws import Judged, bindings
from tests.infer.patterns import STEPS
from tests.models import checked


def moments(graph: onnx.GraphProto) -> list[set[str]]:
    """The values alive before the first node, and while each of them runs."""
    nodes = graph.node
    weights = {t.name for t in graph.initializer} | {n.output[0] for n in nodes if n.op_type == "Constant"}
    inputs = {v.name for v in graph.input} - weights
    results = {o.name for o in graph.output}
    found, made = [inputs], set[str]()
    wanted = list(itertools.accumulate((n.input for n in reversed(nodes)), set.union, initial=results))[:0:-1]
    for node, later in zip(nodes, wanted):
        made |= set(node.output) - {""} - weights
        found.append(inputs | made & later.union(node.output))
    return found


def fullest(alive: Sequence[set[str]], sizes: Mapping[str, int]) -> int:
    """The most bytes alive at once, from the bytes of inputs and of what nodes make."""
    return max(sum(map(sizes.__getitem__, names)) for names in alive)


def bytes_of(fact: Tensor) -> int | None:
    """The bytes of a bound value, None where data decides its shape."""
    shape = [d for d in fact.shape or () if isinstance(d, int)]
    return size_of(shape, fact.dtype.bits) if fact.shape is not None and len(shape) == len(fact.shape) else None


def size_of(shape: Sequence[int], bits: int) -> int:
    return -(-math.prod(shape) * bits // 8)


@for_each(40)
@given(randoms)
def test_peak_memory_of_random_models(random: Random) -> None:
    found = drawn(random, STEPS, most=12)
    outputs = list(found.model.graph.output)
    del found.model.graph.output[:]
    found.model.graph.output.extend(o for o in outputs if o is outputs[-1] or random.randrange(6) == 0)
    note(onnx.printer.to_text(found.model))
    judged = Judged(found.model)
    if not judged.report.ok:
        return
    alive = moments(found.model.graph)
    peak = judged.report.cost().peak_bytes
    assert peak is not None
    for sizes in bindings(random, judged.sizes_of(found.sample), 4):
        bound = check(found.model, bind=sizes)
        known = {n: bytes_of(f) for n, f in bound.values.items() if isinstance(f, Tensor)}
        taken = {n: size for n, size in known.items() if size is not None}
        if not bound.ok or len(taken) < len(known):
            continue
        counted = [live.bytes for live in bound.live_sets() if isinstance(live.bytes, int)]
        assert bound.cost().peak_bytes == fullest(alive, taken) == max(counted)
        decided = not isinstance(peak, Dim) or not any(s.is_fresh for s in peak.symbols)
        if decided and judged.report.contract.holds(sizes):
            assert evaluate(peak, sizes) == fullest(alive, taken)


CHAIN = """g (float[N, 4] x) => (float[] y, float[] h) <float[4, 8] w = ["location": "w"]> {
    h = MatMul(x, w)
    idle = Relu(x)
    t = Relu(h)
    y = ReduceSum<keepdims = 0>(t)
}"""


def test_a_value_is_alive_from_its_node_to_the_last_that_reads_it() -> None:
    report = checked(CHAIN)
    assert {live.node.op_type: list(live.values) for live in report.live_sets()} == {
        "MatMul": ["x", "h"],  # weights are not counted
        "Relu": ["x", "h", "t"],
        "ReduceSum": ["x", "h", "t", "y"],
    }
    assert [list(live.values) for live in report.live_sets()][1] == ["x", "h", "idle"]


def test_bytes_are_formulas_or_numbers() -> None:
    report = checked(CHAIN)
    assert [str(live.bytes) for live in report.live_sets()] == ["48*N", "64*N", "80*N", "80*N + 4"]
    bound = list(report.live_sets(bind={"N": 2}))
    assert [live.bytes for live in bound] == [96, 128, 160, 164]
    assert bound[2].values == {"x": 32, "h": 64, "t": 64}
    assert bound[3].bytes == report.cost(bind={"N": 2}).peak_bytes


def test_what_a_body_holds_comes_on_top() -> None:
    report = checked("""g (float[N] x, bool c) => (float[] y) {
        h = Neg(x)
        y = If(c) <then_branch = t () => (float[] u) { a = Neg(h) u = Neg(a) },
                   else_branch = e () => (float[] v) { v = Neg(h) }>
    }""")
    neg, branch = report.live_sets(bind={"N": 2})
    assert (neg.inside, neg.bytes) == (0, 8 + 1 + 8)
    assert (branch.values, branch.inside) == ({"x": 8, "c": 1, "h": 8, "y": 8}, 8 + 8)
    assert branch.bytes == 8 + 1 + 8 + (8 + 8)  # y is the output of a branch, and not there before


def test_the_output_of_a_loop_is_there_beside_its_body() -> None:
    (loop,) = checked("""g (float[2] x, int64 n, bool c) => (float[] y) {
        y = Loop(n, c, x) <body = b (int64 i, bool go, float[2] s) => (bool on, float[2] t) {
            on = Identity(go) t = Neg(s) }>
    }""").live_sets()
    assert loop.values == {"x": 8, "n": 8, "c": 1, "y": 8}
    assert (loop.inside, loop.bytes) == (8 + 1 + 8 + 1 + 8, 25 + 26)


def test_what_has_no_size_is_alive_too() -> None:
    report = checked("g (float[N] x, int64[K] s) => (float[] y) { r = Reshape(x, s) y = Relu(r) }")
    assert [(live.values["r"], live.bytes) for live in report.live_sets()] == [(None, None), (None, None)]


def test_peak_memory_is_that_of_a_run(corpus_model: Path, corpus_report: Report, corpus_runs: Runs) -> None:
    model = onnx.load(corpus_model, load_external_data=False)
    if model.functions or any(a.HasField("g") for n in model.graph.node for a in n.attribute):
        pytest.skip("bodies are counted by hand")
    cost = corpus_report.cost()
    if cost.peak_bytes is None:
        pytest.skip("it holds values without a size")
    alive = moments(model.graph)
    types = {v.name: DType(v.type.tensor_type.elem_type) for v in model.graph.input}
    for binding in corpus_runs:
        symbols = binding["symbols"]
        if isinstance(cost.peak_bytes, Dim) and not {s.name for s in cost.peak_bytes.symbols} <= set(symbols):
            pytest.skip("only data decides its memory")
        sizes = {n: size_of(v["shape"], dtype_of(v["dtype"]).bits) for n, v in binding["values"].items()}
        sizes |= {n: size_of(shape, types[n].bits) for n, shape in binding["inputs"].items()}
        assert evaluate(cost.peak_bytes, symbols) == fullest(alive, sizes)
