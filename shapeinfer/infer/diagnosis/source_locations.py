"""Where in the source the nodes and values of diagnostics were written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import evolve

from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Origin
from shapeinfer.graph import Graph

Path = tuple[str, ...]


def with_locations(
    diagnostics: Iterable[Diagnostic], main: Graph, others: Iterable[tuple[Path, Graph]]
) -> list[Diagnostic]:
    """Return the diagnostics with their lines and columns, as far as the format and the exporter record them.

    ``others`` are the graphs inside nodes with the names around them.
    """
    found = list(diagnostics)
    if not found:
        return found
    graphs: dict[Path, list[Graph]] = {}
    for path, graph in others:
        graphs.setdefault(path, []).append(graph)
    known: dict[NodeRef, Origin] = {}
    return [_located(d, main, graphs, known) if d.line is None else d for d in found]


def nested(graph: Graph, path: Path = ()) -> Iterator[tuple[Path, Graph]]:
    """Iterate over a graph and the subgraphs of its nodes, each with the names around it."""
    yield path, graph
    for index, node in enumerate(graph.nodes):
        for attribute, inner in (node.graphs or {}).items():
            yield from nested(inner, (*path, f"{node.name or f'{node.call.op_type}_{index}'}.{attribute}"))


def _located(
    diagnostic: Diagnostic, main: Graph, graphs: dict[Path, list[Graph]], known: dict[NodeRef, Origin]
) -> Diagnostic:
    """Return a diagnostic with its place; ``known`` keeps those of nodes, for one may have any number of findings."""
    place = diagnostic.node
    if place is None:
        found = Origin() if main.origin is None else main.origin(diagnostic.value)
    elif place.line is not None:
        return evolve(diagnostic, line=place.line)
    else:
        if place not in known:
            known[place] = _of_node(place, graphs.get(place.graph, ()))
            if known[place] == Origin() and place.graph:
                known[place] = _around(main, place.graph[0])
        found = known[place]
    return (
        diagnostic
        if found == Origin()
        else evolve(diagnostic, line=found.line, column=found.column, source=found.source, module=found.module)
    )


def _of_node(place: NodeRef, graphs: Iterable[Graph]) -> Origin:
    """The origin of a node; empty where graphs of one name have several."""
    found = {_origin(graph, place) for graph in graphs} - {Origin()}
    return found.pop() if len(found) == 1 else Origin()


def _origin(graph: Graph, place: NodeRef) -> Origin:
    """The origin of a node, empty where the graph has no such node or it is unknown."""
    if graph.origin is None or place.index >= len(graph.nodes):
        return Origin()
    node = graph.nodes[place.index]
    return graph.origin(node) if (node.name, node.call.op_type) == (place.name, place.op_type) else Origin()


def _around(main: Graph, step: str) -> Origin:
    """The origin of the node of the main graph whose subgraph or body has a name, empty unless there is one such."""
    if main.origin is None:
        return Origin()
    found = []
    for index, node in enumerate(main.nodes):
        called = "::".join(filter(None, (node.call.domain, node.call.op_type)))
        if step == called or step.startswith(f"{node.name or f'{node.call.op_type}_{index}'}."):
            found.append(node)
    return main.origin(found[0]) if len(found) == 1 else Origin()
