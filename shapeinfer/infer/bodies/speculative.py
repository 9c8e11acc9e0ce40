"""The graphs inside a node: infer one apart from what surrounds it, and read what steers it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

from shapeinfer.dims import Dim, Size, substitute
from shapeinfer.facts import (
    UNKNOWN,
    Fact,
    Tensor,
    tensor,
)
from shapeinfer.graph import Graph, Node
from shapeinfer.infer.constraints.known_conditions import known_conditions
from shapeinfer.infer.declared import adopted
from shapeinfer.infer.diagnosis.diagnose import node_ref
from shapeinfer.infer.driver import Run
from shapeinfer.infer.scope import Scope
from shapeinfer.infer.state import State


def infer_body(
    run: Run,
    scope: Scope,
    index: int,
    attribute: str,
    given: Mapping[str, Fact | None],
    changing: Collection[str] = (),
) -> list[Fact]:
    """Infer a subgraph with facts for its inputs and return those of its outputs.

    Of the inputs that are ``changing`` from pass to pass only the element type is taken as declared.
    """
    graph = subgraph(scope, index, attribute)
    node = scope.graph.nodes[index]
    inner = Scope(graph, (*scope.path, step_into(node, index, attribute)), scope)
    for value, fact in graph.inputs.items():
        if value in changing and isinstance(fact, Tensor):
            fact = tensor(fact.dtype, None)
        found = adopted(given.get(value) or UNKNOWN, fact, functools.partial(run.namer.fresh, value))
        inner[value] = found.fact
        if found.adopted is not None and run.assume(value, None, fact.text, node_ref(node, index, scope.path)):
            inner[value] = found.adopted
    run.infer(inner)
    return [inner[name] or UNKNOWN for name in graph.outputs]


def step_into(node: Node, index: int, attribute: str) -> str:
    """Return the name that a path has for a graph inside a node."""
    return f"{node.name or f'{node.call.op_type}_{index}'}.{attribute}"


def subgraph(scope: Scope, index: int, attribute: str) -> Graph:
    """Return a graph among a node's attributes."""
    return (scope.graph.nodes[index].graphs or {})[attribute]


class Speculation:
    """What was found in a body that may not run."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.outputs: list[Fact] = []


@contextmanager
def speculate(run: Run) -> Iterator[Speculation]:
    """Keep what is found inside apart from what is found of the model."""
    found, before = Speculation(run.state.branch(run.namer.count)), run.state
    run.state = found.state
    try:
        yield found
    finally:
        run.state = before
    solver, comparisons = found.state.solver, found.state.comparisons
    narrowed = dict(solver.narrowed)
    found.outputs = [f.substitute(narrowed) for f in found.outputs]
    before.add_conditions(found.state)
    if comparisons.misnamed:
        # What holds in there alone may show that a declared length is the inferred one.
        known = known_conditions(solver.pending.values(), solver.known, narrowed)
        comparisons.misnamed = [
            ((substitute(mine, narrowed), substitute(declared, narrowed)), diagnostic)
            for (mine, declared), diagnostic in comparisons.misnamed
            if not known.are_same(mine, declared)
        ]


def in_one_pass(run: Run, body: Callable[[], list[Fact]]) -> list[Fact]:
    """Infer a body of which every pass is alike, and report what is found in it."""
    with speculate(run) as found:
        found.outputs = body()
    run.state.add_findings(found.state)
    return found.outputs


def with_own_symbols(run: Run, mark: int, fact: Fact) -> Fact:
    """Give a fact new symbols for the lengths that belong to one pass."""
    inner: dict[Dim, Size] = {
        s: run.namer.fresh("Loop", s.low, s.high) for s in sorted(fact.symbols, key=str) if run.namer.since(mark, s)
    }
    return fact.substitute(inner)


def known_truth(fact: Fact | None) -> bool | None:
    """Return what a condition is known to be."""
    if isinstance(fact, Tensor) and fact.value and isinstance(fact.value[0], (bool, int)):
        return bool(fact.value[0])
    return None


def known_entry(fact: Fact | None) -> Size | None:
    """Return what the only entry of an integer tensor is known to be."""
    if isinstance(fact, Tensor) and fact.value and isinstance(fact.value[0], (int, Dim)):
        return fact.value[0]
    return None
