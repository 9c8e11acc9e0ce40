"""Look over a whole graph: names that are hidden, and what is there and of no use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.graph import Graph, Node
from shapeinfer.graph.order import captured
from shapeinfer.infer.places import node_ref

SHOWN = 3
"""So many names are said of those that have the same fault."""

_MADE_UP = re.compile(r"(?:^unk__|_o\d+__d|(?P<torch>_dim_))\d+\Z")
"""How names end that tf2onnx, onnxruntime's symbolic inference and torch.onnx give dims that nobody named."""


def look_over(graph: Graph) -> Iterator[Diagnostic]:
    """Report what is hidden or of no use, once for each kind and graph, however many there are."""
    read = _read(graph)
    yield from _tidy(graph, (), read)
    given = [n for n in graph.outputs if n in graph.inputs]
    yield from _of_values(graph, codes.OUTPUT_IS_INPUT, "given back as it came: {}", given)
    unread = [n for n in graph.inputs if n not in read]
    yield from _of_values(graph, codes.UNUSED_INPUT, "nothing reads the input {}", unread)
    unread = [n for n in graph.initializers if n not in read]
    yield from _of_values(graph, codes.UNUSED_INITIALIZER, "nothing reads the initializer {}", unread)
    yield from _dim_names(graph)


def _tidy(graph: Graph, path: Sequence[str], read: Collection[str]) -> Iterator[Diagnostic]:
    """What every graph is checked for, those inside nodes too."""
    nodes = graph.nodes
    made = {o for node in nodes for o in node.outputs}
    idle = made.difference(read, ("",))
    unread = [i for i, n in enumerate(nodes) if idle.issuperset(filter(None, n.outputs))] if idle else []
    yield from _of_nodes(codes.UNUSED_NODE, "output is never used", nodes, unread, path)
    named = [node.name for node in nodes]
    if len(set(named)) < len(named):
        counts = Counter(named)
        twice = [i for i, name in enumerate(named) if name and counts[name] > 1]
        yield from _of_nodes(codes.DUPLICATE_NODE_NAME, "another node has the same name", nodes, twice, path)
    absent = [n for n in graph.declared if n not in made and n not in graph.inputs and n not in graph.initializers]
    absent = [n for n in absent if n not in graph.outputs]
    yield from _of_values(graph, codes.UNDEFINED_DECLARATION, "a type is declared of {}, which nothing makes", absent)
    around = None
    for index, node in enumerate(nodes):
        if node.graphs:
            around = around or made | graph.inputs.keys() | graph.initializers.keys()
            yield from _hidden(node.graphs.values(), around, node, index, path)
        for attribute, inner in node.graphs.items() if node.graphs else ():
            step = f"{node.name or f'{node.call.op_type}_{index}'}.{attribute}"
            yield from _tidy(inner, (*path, step), _read(inner))


def _hidden(
    graphs: Iterable[Graph], around: Iterable[str], node: Node, index: int, path: Sequence[str]
) -> Iterator[Diagnostic]:
    """Report names of a node's graphs that the graph around them has too: nodes there can mean only one of the two."""
    own = {n for g in graphs for n in (*g.inputs, *g.initializers, *(o for inner in g.nodes for o in inner.outputs))}
    hidden = sorted(own.intersection(around) - {""})
    if hidden:
        message = f"a subgraph of the node redefines {_listed(hidden)}, which the enclosing graph defines"
        place = node_ref(node, index, tuple(path))
        yield Diagnostic(codes.SHADOWED_NAME, codes.SHADOWED_NAME.severity, message, place)


def _read(graph: Graph) -> set[str]:
    read = set(graph.outputs)
    for node in graph.nodes:
        read.update(node.inputs)
        for inner in node.graphs.values() if node.graphs else ():
            read.update(captured(inner))
    return read


def _dim_names(graph: Graph) -> Iterator[Diagnostic]:
    """Report names of inputs' dims that tell nobody what they are."""
    symbols = sorted({s.name for f in graph.inputs.values() for s in f.symbols})
    made_up = [name for name in symbols if _is_made_up(name)]
    yield from _of_values(graph, codes.MADE_UP_DIM_NAME, "a tool named the dim {}; a name of yours says more", made_up)


def _is_made_up(name: str) -> bool:
    found = _MADE_UP.search(name)
    return found is not None and (found["torch"] is None or "onnx::" in name[: found.start()])


def _of_values(graph: Graph, code: Code, message: str, names: Sequence[str]) -> Iterator[Diagnostic]:
    """Report several values of one fault at the first of them; those of which the model asks not to, apart."""
    ignored = [n for n in names if graph.ignores and code.name in graph.ignores(n)]
    for alike in ([n for n in names if n not in ignored], ignored):
        if alike:
            yield Diagnostic(code, code.severity, message.format(_listed(alike)), value=alike[0])


def _of_nodes(
    code: Code, message: str, nodes: Sequence[Node], found: Sequence[int], path: Sequence[str]
) -> Iterator[Diagnostic]:
    """Report several nodes of one fault at the first of them."""
    if found:
        others = f" ({len(found) - 1} more like this)" if len(found) > 1 else ""
        place = node_ref(nodes[found[0]], found[0], tuple(path))
        yield Diagnostic(code, code.severity, message + others, place)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"
