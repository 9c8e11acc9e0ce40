"""Look over a whole graph: names that are hidden, and what is there and of no use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from itertools import chain
from operator import attrgetter

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.graph import Graph, Node
from shapeinfer.graph.order import captured
from shapeinfer.infer.diagnosis.diagnose import node_ref

_NAME = attrgetter("source.name")
SHOWN = 3
"""A finding names so many of those that have the same fault."""

_GENERATED = re.compile(r"(?:^unk__|_o\d+__d|(?P<torch>_dim_))\d+\Z")
"""How names end that tf2onnx, onnxruntime's symbolic inference and torch.onnx give to dims without a name."""


def lint_graph(graph: Graph) -> Iterator[Diagnostic]:
    """Report what is hidden or of no use, once for each kind and graph, however many there are."""
    read = _read(graph)
    yield from _graph_findings(graph, (), read)
    given = [n for n in graph.outputs if n in graph.inputs]
    yield from _of_values(graph, codes.OUTPUT_IS_INPUT, "graph output {} is a graph input", given)
    unread = [n for n in graph.inputs if n not in read]
    yield from _of_values(graph, codes.UNUSED_INPUT, "input {} is never used", unread)
    unread = [n for n in graph.initializers if n not in read]
    yield from _of_values(graph, codes.UNUSED_INITIALIZER, "initializer {} is never used", unread)
    yield from _dim_names(graph)


def _graph_findings(
    graph: Graph, path: Sequence[str], read: Collection[str], outer: Sequence[Set[str]] = ()
) -> Iterator[Diagnostic]:
    """Report what every graph is checked for, also those inside its nodes; ``outer`` names those around."""
    nodes = graph.nodes
    computed = set(chain.from_iterable([node.outputs for node in nodes]))
    idle = computed.difference(read, ("",))
    unread = [i for i, n in enumerate(nodes) if idle.issuperset(filter(None, n.outputs))] if idle else []
    yield from _of_nodes(codes.UNUSED_NODE, "output is never used", nodes, unread, path)
    named = list(map(_NAME, nodes))
    if len(set(named)) < len(named):
        counts = Counter(named)
        twice = [i for i, name in enumerate(named) if name and counts[name] > 1]
        yield from _of_nodes(codes.DUPLICATE_NODE_NAME, "another node has the same name", nodes, twice, path)
    absent = [n for n in graph.declared if n not in computed and n not in graph.inputs and n not in graph.initializers]
    absent = [n for n in absent if n not in graph.outputs]
    yield from _of_values(graph, codes.UNDEFINED_DECLARATION, "value_info declares {}, which no node computes", absent)
    around: Set[str] = frozenset()
    for index, node in enumerate(nodes):
        if node.graphs:
            around = around or computed | graph.inputs.keys() | graph.initializers.keys()
            yield from _hidden(node.graphs.values(), around, node, index, path)
        for attribute, inner in node.graphs.items() if node.graphs else ():
            yield from _passed_on(inner, attribute, (*outer, around), node_ref(node, index, tuple(path)))
            step = f"{node.name or f'{node.call.op_type}_{index}'}.{attribute}"
            yield from _graph_findings(inner, (*path, step), _read(inner), (*outer, around))


def _passed_on(graph: Graph, attribute: str, outer: Sequence[Set[str]], place: NodeRef) -> Iterator[Diagnostic]:
    """Report outputs of a node's graph that only the graphs around it compute: no runtime looks for them there."""
    own = {*graph.inputs, *graph.initializers, *(o for node in graph.nodes for o in node.outputs)}
    passed = [n for n in graph.outputs if n not in own and any(n in names for names in outer)]
    if passed:
        message = f"{attribute} returns {_listed(passed)} of the graph around it; copy it inside with an Identity node"
        yield Diagnostic(codes.MISSING_OUTPUT, codes.MISSING_OUTPUT.severity, message, place)


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
    read.update(chain.from_iterable([node.inputs for node in graph.nodes]))
    for graphs in [node.graphs for node in graph.nodes if node.graphs]:
        for inner in graphs.values():
            read.update(captured(inner))
    return read


def _dim_names(graph: Graph) -> Iterator[Diagnostic]:
    """Report names of inputs' dims that a tool generated."""
    symbols = sorted({s.name for f in graph.inputs.values() for s in f.symbols})
    generated = [name for name in symbols if _is_generated(name)]
    yield from _of_values(
        graph, codes.MADE_UP_DIM_NAME, "dim name {} was generated by a tool; choose one that says what it is", generated
    )


def _is_generated(name: str) -> bool:
    found = _GENERATED.search(name)
    return found is not None and (found["torch"] is None or "onnx::" in name[: found.start()])


def _of_values(graph: Graph, code: Code, message: str, names: Sequence[str]) -> Iterator[Diagnostic]:
    """Report several values of one fault at the first of them; those that the model suppresses apart."""
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
