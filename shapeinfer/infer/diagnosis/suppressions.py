"""Split off the diagnostics that a model itself suppresses."""

from __future__ import annotations

from collections.abc import Iterable

from shapeinfer.diagnostics.codes import UNUSABLE
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.graph import Graph, Node
from shapeinfer.infer.scope import Scope


def split(
    diagnostics: Iterable[Diagnostic], graph: Graph, scopes: Iterable[Scope]
) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Return the diagnostics to report and those that the model, a node or a value of it suppresses."""
    reported = tuple(diagnostics)
    if graph.ignores is None or not reported:
        return reported, ()
    graphs: dict[tuple[str, ...], list[Graph]] = {}
    for scope in scopes:
        graphs.setdefault(scope.path, []).append(scope.graph)
    # A model cannot suppress that it does not meet what the caller fixes.
    ignored = {d: None for d in reported if d.code not in UNUSABLE and d.code.name in _ignored_at(d, graph, graphs)}
    return tuple(d for d in reported if d not in ignored), tuple(ignored)


def _ignored_at(diagnostic: Diagnostic, graph: Graph, graphs: dict[tuple[str, ...], list[Graph]]) -> frozenset[str]:
    """The codes that are ignored where a diagnostic stands."""
    assert graph.ignores is not None, "called only where the frontend reads suppressions"
    place = diagnostic.node
    nodes = [] if place is None else _nodes_at(place, graphs.get(place.graph, ()))
    values = {o.value for o in diagnostic.operands}.union(*(node.outputs for node in nodes))
    return frozenset().union(*map(graph.ignores, (None, *nodes, *values, diagnostic.value)))


def _nodes_at(place: NodeRef, graphs: Iterable[Graph]) -> list[Node]:
    """The node of a place; there may be several where graphs share the names around them, and then none is meant."""
    there = [graph.nodes[place.index] for graph in graphs if place.index < len(graph.nodes)]
    found = [node for node in there if (node.name, node.call.op_type) == (place.name, place.op_type)]
    return found if len(found) == 1 else []
