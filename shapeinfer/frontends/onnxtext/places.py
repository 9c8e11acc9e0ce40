"""Give the graph of a text model the places of its nodes and values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

from shapeinfer.diagnostics.diagnostic import Origin
from shapeinfer.diagnostics.fix import Fix, TextEdit
from shapeinfer.facts import UNKNOWN
from shapeinfer.frontends.onnx.imports import key_of
from shapeinfer.frontends.onnxtext.lines import Lines, lines_of
from shapeinfer.frontends.onnxtext.rewording import rewording
from shapeinfer.frontends.onnxtext.tree import Body, FunctionText, GraphText, ModelText, NodeText, Placed
from shapeinfer.graph import Functions, Graph, Node


def attach(graph: Graph, model: ModelText) -> None:
    """Tell a graph where its nodes and values stand, and take what broken statements make for unknown."""
    assert model.graph is not None, "it has a graph"
    text = _Text(model)
    _attach(graph, model.graph, 0, text)
    if model.header and graph.origin is not None:
        graph.origin = partial(_or_header, graph.origin, text)
    written_as = {key_of(f.proto): f for f in model.functions}
    for key, function in graph.functions.items():
        written = written_as.get(key)
        if written is not None:
            function.body = partial(_body, function.body, written, text)


class _Text:
    """The text in which places are; its lines are counted when the first is needed.

    It holds no graph, and not the model that holds them: graphs hold this.
    """

    def __init__(self, model: ModelText) -> None:
        self.graphs = model.graphs
        self._text = model.text
        self._header = model.header[0].key.start if model.header else 0

    @cached_property
    def _lines(self) -> Lines:
        return lines_of(self._text)

    def origin(self, at: int) -> Origin:
        line, column = self._lines.position(at)
        return Origin(line + 1, column + 1)

    def reworded(self, statement: NodeText, fix: Fix, at: int, opset: int) -> TextEdit | None:
        found = rewording(statement, fix, at, self._text, opset)
        if found is None:
            return None
        start, end, new = found
        (line, column), (last, behind) = self._lines.position(at + start), self._lines.position(at + end)
        return TextEdit(line + 1, column + 1, last + 1, behind + 1, new)

    def header(self) -> Origin:
        return self.origin(self._header)


def _or_header(own: Callable[[Node | str | None], Origin], text: _Text, what: Node | str | None) -> Origin:
    """What holds of the whole model stands in its header."""
    return text.header() if what is None else own(what)


def _body(
    make: Callable[[Node, Functions], Graph], written: FunctionText, text: _Text, node: Node, functions: Functions
) -> Graph:
    graph = make(node, functions)
    _attach(graph, written, 0, text)
    return graph


def _attach(graph: Graph, written: Body, at: int, text: _Text) -> None:
    whole = [placed for placed in written.nodes if placed.what.proto is not None]
    if len(whole) < len(written.nodes):
        _fill_in(graph, written)
    for node, placed in zip(graph.nodes, whole):
        for attribute in placed.what.attributes if node.graphs else ():
            inner = (node.graphs or {}).get(attribute.name.text)
            if inner is not None and len(attribute.graphs) == 1:
                _attach(inner, attribute.graphs[0], at + placed.at, text)
    places = _Places(graph, written, whole, at, text)
    graph.origin, graph.edit = places.origin, places.edit
    text.graphs[written] = graph


def _fill_in(graph: Graph, written: Body) -> None:
    """The outputs of a broken statement are unknown; reading them is no fault."""
    computed = {o for node in graph.nodes for o in node.outputs}
    broken = {o.text for n in written.nodes if n.what.proto is None for o in n.what.outputs if o.text}
    unknown = broken - computed - graph.inputs.keys() - graph.initializers.keys()
    graph.initializers = {**graph.initializers, **dict.fromkeys(sorted(unknown), UNKNOWN)}


class _Places:
    """The places of one graph."""

    def __init__(self, graph: Graph, written: Body, whole: list[Placed[NodeText]], at: int, text: _Text) -> None:
        self._all = graph.nodes
        self._written = written
        self._whole = whole
        self._at = at
        self._text = text

    def origin(self, what: Node | str | None) -> Origin:
        """Return where a node's operator, a value's name or the graph's stands."""
        place = self._nodes.get(what) if isinstance(what, Node) else self._values.get(what or "")
        return self._text.origin(self._at + (self._written.name.start if place is None else place))

    def edit(self, node: Node, fix: Fix) -> TextEdit | None:
        """Return how the text of a node changes for a fix, None where the text cannot say it."""
        placed = self._statements.get(node)
        return None if placed is None else self._text.reworded(placed.what, fix, self._at + placed.at, node.call.opset)

    @cached_property
    def _statements(self) -> dict[Node, Placed[NodeText]]:
        return dict(zip(self._all, self._whole))

    @cached_property
    def _nodes(self) -> dict[Node, int]:
        found = {}
        for node, placed in self._statements.items():
            operator = placed.what.operator
            found[node] = placed.at + (operator.start if operator else 0)
        return found

    @cached_property
    def _values(self) -> dict[str, int]:
        if not isinstance(self._written, GraphText):
            return {n.text: n.start for n in (*self._written.inputs, *self._written.outputs)}
        lists = (self._written.outputs, self._written.values, self._written.inputs)
        return {p.what.name.text: p.at + p.what.name.start for placed in lists for p in placed}
