"""Names in the protos of graphs: which are defined, which are captured, and how they are renamed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping

import onnx


def graphs_of(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """Return the graphs among a node's attributes."""
    return [g for a in node.attribute for g in ([a.g] if a.HasField("g") else a.graphs)]


def bodies_of(node: onnx.NodeProto) -> list[tuple[str, onnx.GraphProto]]:
    """Return the graphs that attributes of a node hold one each, by the attribute's name."""
    return [(a.name, a.g) for a in node.attribute if a.HasField("g")]


def step(node: onnx.NodeProto, index: int, attribute: str) -> str:
    """Return how a place inside a node's graph is called, as diagnostics call it."""
    return f"{node.name or f'{node.op_type}_{index}'}.{attribute}"


def nested(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """Yield every graph inside a graph, however deep."""
    pending = [graph]
    while pending:
        inside = [g for node in pending.pop().node for g in graphs_of(node)]
        yield from inside
        pending += inside


def stored(graph: onnx.GraphProto) -> list[str]:
    """Return the names of a graph's initializers, sparse ones too."""
    return [*(t.name for t in graph.initializer), *(s.values.name for s in graph.sparse_initializer)]


def value_names(graph: onnx.GraphProto) -> set[str]:
    """Return every name that a graph gives a value of its own."""
    outputs = itertools.chain.from_iterable(node.output for node in graph.node)
    return {*(v.name for v in graph.input), *stored(graph), *outputs} - {""}


def read(node: onnx.NodeProto) -> Iterator[str]:
    """Yield the names that a node reads, by its inputs or inside its graphs."""
    yield from filter(None, node.input)
    for graph in graphs_of(node):
        own = value_names(graph)
        names = itertools.chain.from_iterable(map(read, graph.node))
        yield from (n for n in itertools.chain(names, (v.name for v in graph.output)) if n not in own)


def put(nodes: Iterable[onnx.NodeProto], becomes: Mapping[str, str]) -> None:
    """Let nodes, and the graphs inside them, read other values; a name that a graph has of its own is another's."""
    for node in nodes:
        for i, name in enumerate(node.input):
            if name in becomes:
                node.input[i] = becomes[name]
        for graph in graphs_of(node):
            own = value_names(graph)
            outer = {old: new for old, new in becomes.items() if old not in own}
            if outer:
                put(graph.node, outer)
                for value in graph.output:
                    value.name = outer.get(value.name, value.name)


class Names:
    """All names of a model, to make new ones beside them."""

    def __init__(self, model: onnx.ModelProto, more: Iterable[str] = ()) -> None:
        self._taken = value_names(model.graph).union(more, *map(value_names, nested(model.graph)))
        self._taken.update(v.name for g in (model.graph, *nested(model.graph)) for v in g.output)

    def fresh(self, wish: str) -> str:
        """Return a name that nothing else has: the one wished for, or one like it."""
        return fresh_name(wish, self._taken)


def fresh_name(wish: str, taken: set[str]) -> str:
    """Return a name that is not taken, the one wished for or one like it, and take it."""
    name, tried = wish, itertools.count(1)
    while name in taken:
        name = f"{wish}_{next(tried)}"
    taken.add(name)
    return name
