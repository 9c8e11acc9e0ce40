"""What an inference has found so far, and how much work it may still do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from attrs import evolve

from shapeinfer.budget import FINISHING, OverBudget, current, grant
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.facts import Fact
from shapeinfer.graph import Graph
from shapeinfer.infer.constraints.solver import PendingClaim, Solver
from shapeinfer.infer.declared import Comparisons

MAX_DEPTH = 40
"""Subgraphs and functions nested deeper than this are not entered."""

MAX_WORK = 1_000_000
LEAST_WORK = 10_000
MOST_TIMES = 50
"""Subgraphs and functions are entered until so many times the nodes of the model were walked in them, or these."""
MOST_TRIED = 20_000
"""After so many nodes no others are tried with facts that may not hold."""
A_FUNCTION = 5
"""So many nodes are counted for a model-local function, which is not read before it is called."""


class State:
    """What is found of a model; a branch that may not run has one of its own."""

    def __init__(self, solver: Solver, diagnostics: list[Diagnostic], mark: int = 0) -> None:
        self.solver = solver
        self.diagnostics = diagnostics
        self.comparisons = Comparisons()
        """What came of what the model declares of values."""
        self.results: dict[tuple[object, ...], Sequence[Fact]] = {}
        """What calls of functions gave, by function, call and facts."""
        self.speculative: dict[PendingClaim, None] = {}
        """What bodies that may not run require, if they run: it is no condition of the model."""
        self.mark = mark
        """How many fresh symbols there were before what is inferred in this state: a pass of a loop, a branch."""

    def branch(self, mark: int) -> State:
        """Return a state that knows what this one knows; what is found with it stays there."""
        inner = State(self.solver.copy(), [], mark)
        # What is found of a body in a branch is reported there alone: outside, another call must report it again.
        inner.results = dict(self.results)
        return inner

    def add_findings(self, branch: State) -> None:
        """Take what is to be reported of a branch, and nothing of what was learned in it."""
        self.diagnostics += branch.diagnostics
        self.comparisons.add(branch.comparisons)

    def add_conditions(self, branch: State) -> None:
        """Take what a branch requires, if it runs, apart from what this state requires."""
        self.speculative |= branch.speculative
        narrowed = dict(branch.solver.narrowed)
        for key, pending in branch.solver.pending.items():
            if key not in self.solver.pending:
                self.speculative[evolve(pending, condition=pending.condition.substitute(narrowed))] = None

    def restart(self, solver: Solver, diagnostics: int) -> None:
        """Forget all but the first so many diagnostics, and go on from what a solver knows."""
        self.solver = solver
        del self.diagnostics[diagnostics:]
        self.comparisons.clear()
        self.results.clear()
        self.speculative.clear()


class Effort:
    """How much work an inference may do, and how much of it was done."""

    def __init__(self, graph: Graph) -> None:
        self.expression = current().expression
        """How many operations of a length are followed."""
        self.most_nodes = min(MAX_WORK, max(LEAST_WORK, MOST_TIMES * _size(graph)))
        self.nodes = 0
        """How many nodes of subgraphs and functions were walked."""
        self.tried = 0
        """How many nodes were walked with facts that may not hold."""
        self.depth = 0
        """How many subgraphs and functions are entered now, each in the one before."""
        self.stopped: Diagnostic | None = None
        """Where the budget was spent first, if it was."""
        self.is_over = False
        """Whether the budget is spent: then the rest is left unknown."""

    @property
    def is_too_deep(self) -> bool:
        return self.depth >= MAX_DEPTH

    @property
    def is_too_much(self) -> bool:
        """Whether so many nodes of bodies were walked that no other body is entered."""
        return self.nodes > self.most_nodes

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Count what is done inside as nested one level deeper."""
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def end(self, over: OverBudget | MemoryError, place: NodeRef | None = None) -> None:
        """End the inference at a place, since the budget is spent."""
        why = "there was not enough memory" if isinstance(over, MemoryError) else str(over)
        self.note_stop(f"{why}; everything from here on is unknown", place)
        self.is_over = True
        grant(FINISHING)

    def note_stop(self, message: str, place: NodeRef | None = None) -> None:
        """Note that something is not followed further; the first such note is the one reported."""
        code = codes.BUDGET_EXCEEDED
        self.stopped = self.stopped or Diagnostic(code, code.severity, message, place)

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Count the nodes that are walked inside as tried, apart from the others."""
        before = self.nodes
        try:
            yield
        finally:
            self.tried += self.nodes - before
            self.nodes = before

    @property
    def may_try(self) -> bool:
        """Whether so few nodes were tried that others may be."""
        return self.tried < MOST_TRIED and not self.is_over

    def restart(self) -> None:
        """Forget what was walked and where it stopped."""
        self.nodes, self.tried, self.stopped = 0, 0, None


def _size(model: Graph) -> int:
    """How many nodes a model has, about as many as that in its functions."""
    return _nodes_in(model) + A_FUNCTION * len(model.functions)


def _nodes_in(graph: Graph) -> int:
    inner = sum(_nodes_in(g) for node in graph.nodes if node.graphs for g in node.graphs.values())
    return len(graph.nodes) + inner
