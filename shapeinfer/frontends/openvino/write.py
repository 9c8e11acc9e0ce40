"""Write inferred dims into the ports of an IR; every other byte of the file stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shapeinfer.facts import Fact, Shape, Tensor
from shapeinfer.frontends.openvino.layers import Layer
from shapeinfer.frontends.openvino.read import Document
from shapeinfer.frontends.openvino.tree import Element
from shapeinfer.graph import Graph

Values = Mapping[str, "Fact | None"]
_TAG = re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")
_SHAPE = re.compile(rb"""\sshape\s*=\s*(["'])(.*?)\1""")
MOST_INDENT = 1000
"""What stands farther to the right is not indented: a whole document may be one line."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def annotated(document: Document, graph: Graph, scopes: Mapping[Graph, Values]) -> bytes:
    """Return the file with the dims of every port whose rank is known; a length that is not a number is -1.

    Sizes that the caller set for inputs are written into the shapes of its Parameters too. ``graph`` is that of
    the document, ``scopes`` what was inferred for it and the graphs inside. Raises ValueError for a file that is not
    UTF-8.
    """
    if document.data.startswith(_UTF_16):
        raise ValueError("the file is UTF-16; save it as UTF-8, as OpenVINO writes it")
    parts, at = [], 0
    edits = [e for port, fact in _ports(graph, scopes) for e in _edits(document.data, port, fact)]
    edits += _at_the_ends(document, graph, scopes.get(graph, {}))
    for start, end, text in sorted(edits):
        parts += [document.data[at:start], text]
        at = end
    return b"".join([*parts, document.data[at:]])


def _ports(graph: Graph, scopes: Mapping[Graph, Values]) -> Iterator[tuple[Element, Tensor]]:
    """Every port of a graph whose shape is known, those of bodies too; an input port is as what it reads."""
    values = scopes.get(graph)
    if values is None:
        return
    for node in graph.nodes:
        assert isinstance(node.source, Layer), "a node of an IR comes from a layer"
        layer = node.source.element
        for side, names in (("input", node.inputs), ("output", node.outputs)):
            for port, name in zip(layer.below(side, "port"), names):
                fact = values.get(name)
                if isinstance(fact, Tensor) and fact.shape is not None:
                    yield port, fact
        for inner in (node.graphs or {}).values():
            yield from _ports(inner, scopes)


def _at_the_ends(document: Document, graph: Graph, values: Values) -> Iterator[tuple[int, int, bytes]]:
    """Give the bytes to replace in Parameters and Results, which are no nodes."""
    outputs = iter(graph.outputs)
    for layer in document.root.below("layers", "layer"):
        kind = layer.attributes.get("type")
        if kind not in ("Parameter", "Result"):
            continue
        parameter = graph.aliases.get(layer.attributes.get("name", ""))
        ports = layer.below("output" if kind == "Parameter" else "input", "port")
        name = parameter if kind == "Parameter" else next(outputs, None) if ports else None
        fact = values.get(name or "")
        if not isinstance(fact, Tensor) or fact.shape is None:
            continue
        for port in ports[:1]:
            yield from _edits(document.data, port, fact)
        declared = layer.first("data")
        if kind == "Parameter" and declared is not None:
            yield from _shape_edit(document.data, declared, fact.shape)


def _shape_edit(data: bytes, declared: Element, shape: Shape) -> Iterator[tuple[int, int, bytes]]:
    """Give the bytes to replace so that a Parameter declares the numbers of a shape; other lengths stay as they are."""
    found = _SHAPE.search(data, declared.start, _end_of_tag(data, declared.start))
    if found is None:
        return
    declared_dims = [part.strip() for part in found[2].split(b",")]
    others = declared_dims if len(declared_dims) == len(shape) else [b"?"] * len(shape)
    text = b",".join(b"%d" % size if isinstance(size, int) else other for size, other in zip(shape, others))
    if text.split(b",") != declared_dims:
        yield found.start(2), found.end(2), text


def _edits(data: bytes, port: Element, fact: Tensor) -> Iterator[tuple[int, int, bytes]]:
    """Give the bytes to replace so that a port has these dims."""
    dims = list(port.all("dim"))
    lengths = [d if isinstance(d, int) else -1 for d in fact.dims]
    if len(dims) == len(lengths):
        for dim, length in zip(dims, lengths):
            if dim.text.strip() != str(length):
                yield dim.start, dim.end, b"<dim>%d" % length
        return
    begin = data.rfind(b"\n", max(port.start - MOST_INDENT, 0), port.start)
    line = data[begin + 1 : port.start] if begin >= 0 else b"<"
    indent = b"\n" + line if not line.strip() else b""
    step = b"\t" if b"\t" in line else b"  "
    text = b"".join(b"%s<dim>%d</dim>" % (indent and indent + step, length) for length in lengths)
    if dims:
        before = data[port.start : dims[0].start].rstrip()
        yield port.start + len(before), data.index(b">", dims[-1].end) + 1, text
        return
    end = _end_of_tag(data, port.start)
    tag = data[port.start : end]
    if tag.endswith(b"/>"):
        yield port.start, end, tag[: -len(b"/>")].rstrip() + b">" + text + indent + b"</port>"
    else:
        yield end, end, text


def _end_of_tag(data: bytes, start: int) -> int:
    """The place after a start tag, whose quoted attributes may hold a ``>``."""
    found = _TAG.match(data, start)
    assert found is not None, "a tag that was read has an end"
    return found.end()
