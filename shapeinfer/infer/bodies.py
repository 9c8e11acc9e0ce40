"""The graphs inside a node: infer one apart from what surrounds it, and read what steers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import Factory, define

from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Dim, Size
from shapeinfer.facts import (
    UNKNOWN,
    Fact,
    Tensor,
    complete,
    resized,
)
from shapeinfer.graph import Graph
from shapeinfer.infer.declared import is_label
from shapeinfer.infer.scope import Scope

if TYPE_CHECKING:
    from shapeinfer.infer.driver import Run


def infer_body(run: Run, scope: Scope, index: int, attribute: str, given: Mapping[str, Fact | None]) -> list[Fact]:
    """Infer a subgraph with facts for its inputs and return those of its outputs."""
    graph = subgraph(scope, index, attribute)
    node = scope.graph.nodes[index]
    name = node.name or f"{node.call.op_type}_{index}"
    inner = Scope(graph, (*scope.path, f"{name}.{attribute}"), scope)
    inner.update({n: _entering(run, given.get(n) or UNKNOWN, n, fact) for n, fact in graph.inputs.items()})
    run.infer(inner)
    return [inner[name] or UNKNOWN for name in graph.outputs]


def _entering(run: Run, given: Fact, name: str, declared: Fact) -> Fact:
    """What a body's input holds: where it is given less than it declares, its own names are but labels."""
    if isinstance(given, Tensor) and given.dtype and given.shape is not None:
        return given
    return complete(given, resized(declared, lambda size: run.namer.fresh(name) if is_label(size) else size))


def subgraph(scope: Scope, index: int, attribute: str) -> Graph:
    """Return a graph among a node's attributes."""
    return (scope.graph.nodes[index].graphs or {})[attribute]


@define
class Aside:
    """What was found in a body that may not run."""

    diagnostics: list[Diagnostic] = Factory(list)
    misnamed: list[tuple[tuple[Size, Size], Diagnostic]] = Factory(list)
    outputs: list[Fact] = Factory(list)


@contextmanager
def aside(run: Run) -> Iterator[Aside]:
    """Collect what is found inside apart, and forget what was learned."""
    found = Aside()
    before = run.solver, run.diagnostics, run.misnamed, run.checked
    # A call that was looked at only in there has not said yet, out here, what it has to say.
    inner = run.solver = run.solver.scope()
    run.diagnostics, run.misnamed, run.checked = found.diagnostics, found.misnamed, dict(run.checked)
    try:
        yield found
    finally:
        run.solver, run.diagnostics, run.misnamed, run.checked = before
    found.outputs = [f.substitute(dict(inner.narrowed)) for f in found.outputs]


def once(run: Run, body: Callable[[], list[Fact]]) -> list[Fact]:
    """Infer a body of which every pass is alike, and report what it says."""
    with aside(run) as found:
        found.outputs = body()
    run.diagnostics += found.diagnostics
    run.misnamed += found.misnamed
    return found.outputs


def own(run: Run, mark: int, fact: Fact) -> Fact:
    """Give a fact new symbols for the lengths that belong to one pass."""
    inner: dict[Dim, Size] = {
        s: run.namer.fresh("Loop", s.low, s.high) for s in sorted(fact.symbols, key=str) if run.namer.since(mark, s)
    }
    return fact.substitute(inner)


def truth(fact: Fact | None) -> bool | None:
    """Return what a condition is known to be."""
    if isinstance(fact, Tensor) and fact.value and isinstance(fact.value[0], (bool, int)):
        return bool(fact.value[0])
    return None


def number(fact: Fact | None) -> Size | None:
    """Return what the only entry of an integer tensor is known to be."""
    if isinstance(fact, Tensor) and fact.value and isinstance(fact.value[0], (int, Dim)):
        return fact.value[0]
    return None
