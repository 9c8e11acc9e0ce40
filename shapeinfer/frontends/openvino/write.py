"""Write inferred dims into the ports of an IR; every other byte of the file stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shapeinfer.facts import Fact, Tensor
from shapeinfer.frontends.openvino.layers import Layer
from shapeinfer.frontends.openvino.read import Document
from shapeinfer.frontends.openvino.tree import Element
from shapeinfer.graph import Graph

Values = Mapping[str, "Fact | None"]
_TAG = re.compile(rb"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def annotated(document: Document, graph: Graph, scopes: Mapping[Graph, Values]) -> bytes:
    """Return the file with the dims of every port whose rank is known; a length that is no number is -1.

    ``graph`` is that of the document, ``scopes`` what was inferred for it and the graphs inside. Raises ValueError
    for a file that is not UTF-8.
    """
    if document.data.startswith(_UTF_16):
        raise ValueError("the file is UTF-16; save it as UTF-8, as OpenVINO writes it")
    parts, at = [], 0
    edits = [e for port, fact in _ports(graph, scopes) for e in _edits(document.data, port, fact)]
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


def _edits(data: bytes, port: Element, fact: Tensor) -> Iterator[tuple[int, int, bytes]]:
    """Give the bytes to replace so that a port has these dims."""
    dims = list(port.all("dim"))
    lengths = [d if isinstance(d, int) else -1 for d in fact.dims]
    if len(dims) == len(lengths):
        for dim, length in zip(dims, lengths):
            if dim.text.strip() != str(length):
                yield dim.start, dim.end, b"<dim>%d" % length
        return
    line = data[data.rfind(b"\n", 0, port.start) + 1 : port.start]
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
