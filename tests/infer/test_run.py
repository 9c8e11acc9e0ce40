"""One run of the inference: what the caller fixes, what a branch keeps to itself, what an observer hears."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from shapeinfer.budget import OverBudget
from shapeinfer.dims import Dim, Size, text_of
from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.graph import Graph, Node
from shapeinfer.infer.bodies.speculative import speculate
from shapeinfer.infer.constraints.caller import Constraints, constrain
from shapeinfer.infer.constraints.solver import Solver
from shapeinfer.infer.driver import Run
from shapeinfer.infer.result import enter_body, passes
from tests.models import parsed

TWO_AXES = "g (float[N, M] x) => (float[N, M] y) { y = Relu (x) }"


def read(text: str) -> Graph:
    return graph_of(parsed(text))


class TestConstrain:
    def test_sizes_are_put_into_the_inputs_and_noted(self) -> None:
        inputs = constrain(read(TWO_AXES), Constraints(bind={"N": 3}, ranges={"M": (1, 8)}), Solver())
        assert inputs.facts["x"].text == "f32[3, M]"
        assert inputs.notes == {"N": "N = 3", "M": "1 <= M <= 8"}
        assert inputs.diagnostics == []

    def test_ranges_and_assumptions_are_learned_by_the_solver(self) -> None:
        solver = Solver()
        constrain(read(TWO_AXES), Constraints(ranges={"M": (1, 8)}, assume="N == 2*M"), solver)
        known = {s.name: text_of(size) for s, size in solver.known.items()}
        assert known["N"] == "2*M"
        assert [s.bounds() for s in solver.narrowed if s.name == "M"] == [(1, 8)]

    def test_what_inputs_cannot_meet_is_returned_not_raised(self) -> None:
        inputs = constrain(read(TWO_AXES), Constraints(bind={"K": 3}, shapes={"x": [2]}), Solver())
        assert [d.code.name for d in inputs.diagnostics] == ["unknown-binding", "binding-conflict"]
        assert inputs.facts["x"].text == "f32[N, M]"

    def test_beyond_the_budget_the_inputs_are_those_declared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refused(*_: object) -> None:
            raise OverBudget("the budget is spent")

        monkeypatch.setattr(Solver, "narrow", refused)
        inputs = constrain(read(TWO_AXES), Constraints(bind={"N": 3}, ranges={"M": (1, 8)}), Solver())
        assert str(inputs.over) == "the budget is spent"
        assert inputs.facts["x"].text == "f32[N, M]"


def test_what_a_branch_finds_stays_there() -> None:
    graph = read(TWO_AXES)
    run = Run(graph, None, enter_body)
    (symbol, *_) = sorted(graph.inputs["x"].symbols, key=str)
    before = run.state
    with speculate(run) as found:
        run.state.solver.narrow(symbol, 2, 4)
        run.effort.note_stop("the budget is spent")
    assert run.state is before
    assert (before.solver.known, list(found.state.solver.known)) == ({}, [symbol])
    assert run.effort.stopped is not None


class Heard:
    def __init__(self) -> None:
        self.nodes: list[str] = []
        self.known: list[dict[str, str]] = []

    def started(self, known: Mapping[Dim, Size]) -> None:
        self.known.append({s.name: text_of(size) for s, size in known.items()})

    def acted(self, node: Node, known: Mapping[Dim, Size]) -> None:
        self.nodes.append(node.call.op_type)
        self.known.append({s.name: text_of(size) for s, size in known.items()})

    def looked_ahead(self) -> None:
        self.nodes.append("ahead")


def test_an_observer_hears_of_nodes_that_do_more_than_hand_on_facts() -> None:
    graph = read("g (float[N] a, float[3] b) => (y) { r = Relu (a) s = Max (r, b) n = NonZero (s) y = Neg (n) }")
    heard = Heard()
    runs = passes(graph, Constraints(), lambda known: Run(graph, known, enter_body, observer=heard))
    next(iter(runs))
    assert "NonZero" in heard.nodes
    assert not {"Relu", "Neg"} & set(heard.nodes)
