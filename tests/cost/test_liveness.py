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


def fullest(graph: onnx.GraphProto, sizes: Mapping[str, int]) -> int:
    """The most bytes alive at once, from the bytes of inputs and of what nodes make."""
    nodes = graph.node
    weights = {t.name for t in graph.initializer} | {n.output[0] for n in nodes if n.op_type == "Constant"}
    inputs = {v.name for v in graph.input} - weights
    results = {o.name for o in graph.output}
    most, made = sum(sizes[name] for name in inputs), set[str]()
    wanted = list(itertools.accumulate((n.input for n in reversed(nodes)), set.union, initial=results))[:0:-1]
    for node, later in zip(nodes, wanted):
        made |= set(node.output) - {""} - weights
        alive = made & later.union(node.output)
        most = max(most, sum(sizes[name] for name in inputs | alive))
    return most


def bytes_of(fact: Tensor) -> int | None:
    """The bytes of a bound value, None where data decides its shape."""
    shape = [d for d in fact.shape or () if isinstance(d, int)]
    return size_of(shape, fact.dtype.bits) if fact.shape is not None and len(shape) == len(fact.shape) else None


def size_of(shape: Sequence[int], bits: int) -> int:
    return -(-math.prod(shape) * bits // 8)


@for_each(80)
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
    peak = judged.report.cost().peak_bytes
    assert peak is not None
    for sizes in bindings(random, judged.sizes_of(found.sample), 4):
        bound = check(found.model, bind=sizes)
        known = {n: bytes_of(f) for n, f in bound.values.items() if isinstance(f, Tensor)}
        taken = {n: size for n, size in known.items() if size is not None}
        if not bound.ok or len(taken) < len(known):
            continue
        assert bound.cost().peak_bytes == fullest(found.model.graph, taken)
        decided = not isinstance(peak, Dim) or not any(s.is_fresh for s in peak.symbols)
        if decided and judged.report.contract.holds(sizes):
            assert evaluate(peak, sizes) == fullest(found.model.graph, taken)


def test_peak_memory_is_that_of_a_run(corpus_model: Path, corpus_report: Report, corpus_runs: Runs) -> None:
    model = onnx.load(corpus_model, load_external_data=False)
    if model.functions or any(a.HasField("g") for n in model.graph.node for a in n.attribute):
        pytest.skip("bodies are counted by hand")
    cost = corpus_report.cost()
    if cost.peak_bytes is None:
        pytest.skip("it holds values without a size")
    types = {v.name: DType(v.type.tensor_type.elem_type) for v in model.graph.input}
    for binding in corpus_runs:
        symbols = binding["symbols"]
        if isinstance(cost.peak_bytes, Dim) and not {s.name for s in cost.peak_bytes.symbols} <= set(symbols):
            pytest.skip("only data decides its memory")
        sizes = {n: size_of(v["shape"], dtype_of(v["dtype"]).bits) for n, v in binding["values"].items()}
        sizes |= {n: size_of(shape, types[n].bits) for n, shape in binding["inputs"].items()}
        assert evaluate(cost.peak_bytes, symbols) == fullest(model.graph, sizes)
