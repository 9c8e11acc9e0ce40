"""Where the nodes that diagnostics speak of were written down."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Origin
from shapeinfer.graph import Graph
from shapeinfer.infer.scope import Scope


def located(diagnostics: Iterable[Diagnostic], scopes: Iterable[Scope]) -> list[Diagnostic]:
    """Return the diagnostics with the lines of their nodes, as far as the format and the exporter tell them."""
    graphs: dict[tuple[str, ...], list[Graph]] = {}
    for scope in scopes:
        graphs.setdefault(scope.path, []).append(scope.graph)
    return [d if d.node is None else _located(d, d.node, graphs.get(d.node.graph, ())) for d in diagnostics]


def _located(diagnostic: Diagnostic, place: NodeRef, graphs: Iterable[Graph]) -> Diagnostic:
    if place.line is not None:
        return evolve(diagnostic, line=place.line)
    found = {_origin(graph, place) for graph in graphs} - {Origin()}
    if len(found) != 1:  # graphs of one name that tell of several lines tell of none
        return diagnostic
    (origin,) = found
    return evolve(diagnostic, line=origin.line, source=origin.source)


def _origin(graph: Graph, place: NodeRef) -> Origin:
    """The origin of a node, empty where the graph has no such node or nobody knows."""
    if graph.origin is None or place.index >= len(graph.nodes):
        return Origin()
    node = graph.nodes[place.index]
    return graph.origin(node) if (node.name, node.call.op_type) == (place.name, place.op_type) else Origin()
