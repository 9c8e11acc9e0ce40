"""A slice of what the generators try: ``python -m tests.fuzz.programs``, ``.nodes`` and ``.modes`` try more of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
import pytest
from onnx.backend.test.case.test_case import TestCase

from shapeinfer import check
from tests.fuzz import modes, oracle
from tests.fuzz.nodes import drawn as node_models
from tests.fuzz.oracle import Judge, Sample, Tried
from tests.fuzz.programs import drawn as shape_programs
from tests.fuzz.refusals import reason
from tests.fuzz.runtime import Refused, Runtime
from tests.models import parsed


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime() as runtime:
        yield runtime


@pytest.fixture(scope="module")
def some_programs(runtime: Runtime) -> list[Sample]:
    return [shape_programs.drawn(number, runtime) for number in range(40)]


def wrong(tried: list[Tried]) -> list[str]:
    return [t.wrong for t in tried if t.wrong is not None]


def test_a_refusal_is_told_by_its_operator_and_fault() -> None:
    said = "Non-zero status code returned while running Gather node. Name:'' Status Message: index 5 is beyond [0,-1]"
    assert reason(said) == "Gather: index N is beyond [N,N]"
    assert reason("Fail: Node () Op (Max) [ShapeInferenceError] Incompatible dimensions").startswith("Max: ")
    assert reason("the runtime's process ended").startswith("model: ")


def test_programs_on_shape_tensors_run_as_inferred(some_programs: list[Sample], runtime: Runtime) -> None:
    judge = Judge(runtime, 3)
    tried = [judge.tried(sample) for sample in some_programs]
    assert wrong(tried) == []
    assert sum(t.ended["ran"] for t in tried) > 60


def test_cases_of_operators_run_as_inferred_when_symbolic_and_changed(
    node_cases: list[TestCase], runtime: Runtime
) -> None:
    judge = Judge(runtime, 3)
    tried = [judge.tried(node_models.drawn(number, node_cases)) for number in range(0, 2 * len(node_cases), 25)]
    assert wrong(tried) == []
    assert sum(t.ended["ran"] for t in tried) > 100


def test_edits_fold_memo_order_and_threads_change_nothing(some_programs: list[Sample], runtime: Runtime) -> None:
    ended, faults = modes.judged(some_programs[:16], runtime)
    assert faults == []
    assert ended["edited"] == 16


def test_a_runtime_whose_process_ends_refuses_and_starts_anew(runtime: Runtime) -> None:
    model, feeds = parsed("g (float[N] x) => (y) { y = Neg (x) }"), {"x": np.ones(2, np.float32)}
    assert len(runtime.run(model, feeds)) == 1
    assert runtime._child is not None
    runtime._child.kill()
    with pytest.raises(Refused, match="ended"):
        runtime.run(model, feeds)
    assert len(runtime.run(model, feeds)) == 1


def test_a_wrong_word_is_found(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oracle sees contents that are not those of a run: here of another model."""
    model = parsed("g (float[N] x) => (y) { s = Shape (x) one = Constant <value = int64 {1}> () y = Add (s, one) }")
    model.graph.output[0].CopyFrom(onnx.ValueInfoProto(name="y"))
    other = onnx.ModelProto()
    other.CopyFrom(model)
    other.graph.node[2].op_type = "Mul"
    monkeypatch.setattr(oracle, "check", lambda m, **given: check(other, **given))
    tried = Judge(runtime).tried(Sample(0, model, {"x": np.ones(4, np.float32)}))
    assert tried.wrong is not None
    assert "entry 0 of y" in tried.wrong
