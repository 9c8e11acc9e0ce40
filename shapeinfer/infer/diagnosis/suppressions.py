"""Split off the diagnostics that a model itself suppresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
    codes = _Codes(graph.ignores)
    ignored = {d: None for d in reported if d.code not in UNUSABLE and d.code.name in _ignored_at(d, codes, graphs)}
    return tuple(d for d in reported if d not in ignored), tuple(ignored)


class _Codes(dict["Node | str | None", frozenset[str]]):
    """The codes that a node, a value or the model suppresses, read once: one node may have any number of findings."""

    def __init__(self, read: Callable[[Node | str | None], frozenset[str]]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, key: Node | str | None) -> frozenset[str]:
        codes = self[key] = self._read(key)
        return codes


def _ignored_at(diagnostic: Diagnostic, codes: _Codes, graphs: dict[tuple[str, ...], list[Graph]]) -> frozenset[str]:
    """The codes that are ignored where a diagnostic stands."""
    place = diagnostic.node
    nodes = [] if place is None else _nodes_at(place, graphs.get(place.graph, ()))
    values = {o.value for o in diagnostic.operands}.union(*(node.outputs for node in nodes))
    return frozenset().union(*map(codes.__getitem__, (None, *nodes, *values, diagnostic.value)))


def _nodes_at(place: NodeRef, graphs: Iterable[Graph]) -> list[Node]:
    """The node of a place; there may be several where graphs share the names around them, and then none is meant."""
    there = [graph.nodes[place.index] for graph in graphs if place.index < len(graph.nodes)]
    found = [node for node in there if (node.name, node.call.op_type) == (place.name, place.op_type)]
    return found if len(found) == 1 else []
