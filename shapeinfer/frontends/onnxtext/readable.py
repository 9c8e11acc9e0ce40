"""A model as text to be read: without its weights, and with the lines of the program that it was exported from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from pathlib import PurePosixPath, PureWindowsPath

import onnx

from shapeinfer.diagnostics.diagnostic import Origin
from shapeinfer.diagnostics.printable import printable
from shapeinfer.facts import MAX_CONTENTS
from shapeinfer.frontends.onnx.names import as_text
from shapeinfer.frontends.onnx.trace import recorded
from shapeinfer.frontends.onnxtext.tree import Body, GraphText, NodeText, Placed, ValueText
from shapeinfer.frontends.onnxtext.write import checked_text

FEW = 16
"""Data of so many entries is written out; of integers, which shapes may be computed from, as many as are followed."""
WIDEST = 100
"""A list of values longer than this gets a line for each."""
LONGEST = 120
"""Comments are cut here."""
_INTEGERS = frozenset(
    {
        onnx.TensorProto.INT64,
        onnx.TensorProto.INT32,
        onnx.TensorProto.INT16,
        onnx.TensorProto.INT8,
        onnx.TensorProto.UINT64,
        onnx.TensorProto.UINT32,
        onnx.TensorProto.BOOL,
    }
)
_DATA = ("raw_data", "float_data", "int32_data", "int64_data", "uint64_data", "double_data", "string_data")


def readable_text(model: onnx.ModelProto, file: str) -> str:
    """Return a model as text with short lines, in which weights are said to be in ``file``; the model loses them.

    Before the nodes of each line of a Python program stands that line, as a comment, if the exporter recorded it.
    Raises ValueError for a model that the syntax cannot hold.
    """
    for graph in _graphs(model):
        known = {tensor.name for tensor in graph.initializer}
        repeated = [i for i, value in enumerate(graph.value_info) if value.name in known]
        for i in reversed(repeated):
            del graph.value_info[i]
    for tensor in _tensors(model):
        _shorten(tensor, file)
    text, tree = checked_text(model)
    breaks: list[tuple[int, str]] = []
    if tree.graph is not None:
        breaks += _in_graph(text, tree.graph, 0, model.graph)
    for function, proto in zip(tree.functions, model.functions):
        breaks += _in_nodes(text, function, function.start, proto.node)
    return "\n".join(map(printable, _broken(text, breaks).split("\n")))


def _nodes(model: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    nodes = [*model.graph.node, *(node for function in model.functions for node in function.node)]
    while nodes:
        node = nodes.pop()
        yield node
        nodes += (inner for attribute in node.attribute for graph in _inside(attribute) for inner in graph.node)


def _inside(attribute: onnx.AttributeProto) -> Iterable[onnx.GraphProto]:
    return [attribute.g] if attribute.HasField("g") else attribute.graphs


def _graphs(model: onnx.ModelProto) -> Iterator[onnx.GraphProto]:
    yield model.graph
    yield from (graph for node in _nodes(model) for attribute in node.attribute for graph in _inside(attribute))


def _tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    yield from (tensor for graph in _graphs(model) for tensor in graph.initializer)
    for node in _nodes(model):
        for attribute in node.attribute:
            yield from [attribute.t] if attribute.HasField("t") else attribute.tensors


def _shorten(tensor: onnx.TensorProto, file: str) -> None:
    """Replace long data by the name of the file that it is in."""
    entries = prod(tensor.dims)
    elsewhere = tensor.data_location == onnx.TensorProto.EXTERNAL
    if elsewhere and any(pair.key == "location" for pair in tensor.external_data):
        return
    if elsewhere or entries > (MAX_CONTENTS if tensor.data_type in _INTEGERS else FEW):
        for field in (*_DATA, "external_data"):
            tensor.ClearField(field)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=file)


def _in_graph(text: str, graph: GraphText, at: int, proto: onnx.GraphProto) -> Iterator[tuple[int, str]]:
    """Yield where lines break in a graph, and what stands between; ``at`` is where its spans count from."""
    margin = _margin(text, at + graph.name.start)
    for several in (graph.inputs, graph.outputs):
        yield from _in_list(at, several, margin)
    yield from _in_list(at, graph.values, margin, always=True)
    yield from _in_nodes(text, graph, at, proto.node)


def _in_list(
    at: int, values: Iterable[Placed[ValueText]], margin: str, *, always: bool = False
) -> Iterator[tuple[int, str]]:
    values = list(values)
    if values and (always or values[-1].at + values[-1].what.end - values[0].at > WIDEST):
        yield from ((at + value.at, f"\n{margin}      ") for value in values)


def _in_nodes(text: str, body: Body, at: int, protos: Iterable[onnx.NodeProto]) -> Iterator[tuple[int, str]]:
    before: Origin | None = None
    for placed, proto in zip(body.nodes, protos):
        start = at + placed.at
        origin = recorded(proto.metadata_props)
        if origin.source is not None and origin != before:
            yield start, f"{_comment(origin)}\n{_margin(text, start)}"
        before = origin
        yield from _in_subgraphs(text, placed.what, start, proto)


def _in_subgraphs(text: str, node: NodeText, at: int, proto: onnx.NodeProto) -> Iterator[tuple[int, str]]:
    for written, attribute in zip(node.attributes, proto.attribute):
        for graph, inner in zip(written.graphs, _inside(attribute)):
            yield from _in_graph(text, graph, at, inner)


def _comment(origin: Origin) -> str:
    assert origin.source is not None, "only a line of a program is commented"
    source = origin.source
    flavour = PureWindowsPath if "\\" in source.file else PurePosixPath
    place = f"{flavour(as_text(source.file)).name}:{source.line}"
    inside = f"in {origin.module}, " if origin.module else ""
    said = printable(f"# {inside}{place}: {source.code}" if source.code else f"# {inside}{place}")
    return said if len(said) <= LONGEST else f"{said[: LONGEST - 3]}..."


def _margin(text: str, at: int) -> str:
    """The spaces that a line begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" "))]


def _broken(text: str, breaks: Iterable[tuple[int, str]]) -> str:
    pieces: list[str] = []
    done = 0
    for at, between in sorted(breaks):
        piece = text[done:at]
        pieces += (piece.rstrip(" ") if between.startswith("\n") else piece, between)
        done = at
    return "".join((*pieces, text[done:]))
