"""A graph as text: one line per node in ONNX's text syntax, with the types of its outputs as a comment."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Size
from shapeinfer.facts import OPENVINO, Fact, MapType, OptionalType, SequenceType, SparseTensor, Tensor
from shapeinfer.graph import UNNAMED, AttributeType, Graph, Node
from shapeinfer.report.paint import STYLES, Paint, plain, printable

COMMENT = 64
"""Comments start at this column at the latest, unless their line is longer."""
FEW = 16
"""Lists and contents of more entries than this are cut short."""
LONGEST = 1 << 20
"""Types are written beside a node up to so many characters; a name of a hundred thousand may stand in each."""

Faults = Mapping[tuple[tuple[str, ...], int], list[Diagnostic]]


def listing(report: Report, paint: Paint = plain) -> Iterator[str]:
    """Write the graph of a report, a line at a time; nothing if it could not be read.

    Diagnostics stand below the node they speak of.
    """
    if report.graph is None:
        return
    faults: dict[tuple[tuple[str, ...], int], list[Diagnostic]] = {}
    for d in report.diagnostics:
        if d.node is not None:
            faults.setdefault((d.node.graph, d.node.index), []).append(d)
    yield paint("dim", printable(_head(report.graph)))
    yield from _Listing(report, faults, paint).graph(report.graph, (), "")


def _head(graph: Graph) -> str:
    """Return the header of the listing."""
    opsets = ", ".join(f"{domain or 'ai.onnx'} {opset}" for domain, opset in graph.opsets.items())
    syntax = "layers" if graph.format == OPENVINO else "nodes in ONNX's text syntax"
    return f"# graph {_name(graph.name)}, {opsets}: {syntax}, inferred types as comments"


class _Listing:
    """Writes graphs of one report."""

    def __init__(self, report: Report, faults: Faults, paint: Paint) -> None:
        self._scopes = report.scopes
        self._faults = faults
        self._paint = paint

    def graph(self, graph: Graph, path: tuple[str, ...], indent: str) -> Iterator[str]:
        values = self._scopes.get(graph, {})
        for name, fact in graph.inputs.items():
            yield indent + self._paint("cyan", "input") + f" {_typed(name, values.get(name) or fact)}"
        for name, fact in graph.initializers.items():
            yield indent + self._paint("cyan", "initializer") + f" {_typed(name, fact)}{contents_of(fact)}"
        for name in graph.outputs:
            yield indent + self._paint("cyan", "output") + f" {_typed(name, values.get(name))}"
        calls = [indent + printable(_call(node)) for node in graph.nodes]
        column = min(COMMENT, max(map(len, calls), default=0))
        for index, (node, call) in enumerate(zip(graph.nodes, calls)):
            known = [o for o in node.outputs if o and values.get(o) is not None]
            types = _joined(_typed(o, values[o]) + _lengths(node, values[o]) for o in known)
            yield call.ljust(column) + self._paint("dim", f"  # {types}") if types else call
            for d in self._faults.get((path, index), ()):
                said = f"# {d.severity}[{d.code.name}]: {printable(d.message)}"
                yield f"{indent}    {self._paint(STYLES[d.severity], said)}"
            for attribute, inner in (node.graphs or {}).items():
                yield f"{indent}  {self._paint('cyan', printable(attribute))} {printable(_name(inner.name))}"
                below = f"{node.name or f'{node.call.op_type}_{index}'}.{attribute}"
                yield from self.graph(inner, (*path, below), indent + "    ")


def _joined(parts: Iterable[str]) -> str:
    """Join parts until they are long, without making the others."""
    taken, length = [], 0
    for part in parts:
        if length > LONGEST:
            taken.append("...")
            break
        taken.append(part)
        length += len(part)
    return ", ".join(taken)


def _typed(name: str, fact: Fact | None) -> str:
    """A value and its type; names are not quoted, since nothing parses this."""
    return printable(f"{name}: {fact.text if fact is not None else '?'}")


def _lengths(node: Node, fact: Fact | None) -> str:
    """The entries of small integer tensors, from which shapes are computed; a Constant shows its own."""
    if node.call.op_type == "Constant" or not isinstance(fact, Tensor) or not fact.dtype.is_integer:
        return ""
    return contents_of(fact)


def _name(name: str) -> str:
    """A name in ONNX's text syntax: quoted unless it is an identifier."""
    return name if not name or (name.isascii() and name.isidentifier()) else _quoted(name)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def attributes_of(node: Node) -> list[str]:
    """Return the attributes of a node as they are written in ONNX's text syntax, without its graphs.

    Each has its type, without which an empty list would be of none; those of an IR are written without.
    """
    given = node.call.attributes
    return [
        f"{_name(name)}{f': {kind.name.lower()}' if kind > 0 else ''} = {_attribute(kind, given.values.get(name))}"
        for name, kind in given.types.items()
        if kind not in (AttributeType.GRAPH, AttributeType.GRAPHS)
    ]


def _call(node: Node) -> str:
    call, parts = node.call, attributes_of(node)
    operator = f"{call.domain}.{call.op_type}" if call.domain else call.op_type
    attributes = f" <{', '.join(parts)}>" if parts else ""
    made = f"{', '.join(map(_argument, node.outputs))} = " if node.outputs else ""
    return f"{made}{operator}{attributes} ({', '.join(map(_argument, node.inputs))})"


def _argument(name: str) -> str:
    return _name(name) if name else '""'


def _attribute(kind: AttributeType, value: Any) -> str:
    write = _WRITERS.get(kind)
    if write is None:
        return "..."
    if isinstance(value, tuple):
        return f"[{_first_few([write(v) for v in value[: FEW + 1]])}]"
    return write(value)


def _first_few(entries: list[str]) -> str:
    return ", ".join(entries if len(entries) <= FEW else [*entries[:FEW], "..."])


def _float(value: Any) -> str:
    """The shortest text of a 32-bit float, the type of float attributes."""
    return str(np.float32(value))


def _tensor(fact: Tensor) -> str:
    return f"{_type(fact)}{contents_of(fact) or ' {...}'}"


def _type(fact: Fact) -> str:
    """A type in ONNX's text syntax, where a scalar has no brackets and ``float[]`` is of any rank."""
    if isinstance(fact, Tensor):
        if not fact.shape:
            return fact.dtype.onnx + ("[]" if fact.shape is None else "")
        return f"{fact.dtype.onnx}[{', '.join(map(_dim, fact.shape))}]"
    if isinstance(fact, SparseTensor):
        return f"sparse_tensor({_type(Tensor(fact.dtype, fact.shape))})"
    if isinstance(fact, SequenceType):
        return f"seq({_type(fact.element)})"
    if isinstance(fact, OptionalType):
        return f"optional({_type(fact.element)})"
    if isinstance(fact, MapType):
        return f"map({fact.key.onnx}, {_type(fact.value)})"
    return fact.text


def _dim(size: Size) -> str:
    if isinstance(size, int):
        return str(size)
    return "?" if size is UNNAMED else _name(size.text)


def contents_of(fact: Fact) -> str:
    """Return the entries of a small tensor in braces, empty if unknown."""
    if not isinstance(fact, Tensor) or fact.value is None:
        return ""
    write = _float if fact.dtype.is_float else _entry_text
    return f" {{{_first_few([printable(write(v)) for v in fact.value[: FEW + 1]])}}}"


def _entry_text(value: object) -> str:
    if value is None:
        return "?"
    return _quoted(value) if isinstance(value, str) else str(int(value) if isinstance(value, bool) else value)


_WRITERS: dict[AttributeType, Callable[[Any], str]] = {
    **dict.fromkeys((AttributeType.FLOAT, AttributeType.FLOATS), _float),
    **dict.fromkeys((AttributeType.INT, AttributeType.INTS), str),
    **dict.fromkeys((AttributeType.STRING, AttributeType.STRINGS, AttributeType.TEXT), _quoted),
    **dict.fromkeys((AttributeType.TENSOR, AttributeType.TENSORS), _tensor),
    **dict.fromkeys((AttributeType.TYPE_PROTO, AttributeType.TYPE_PROTOS), _type),
    **dict.fromkeys((AttributeType.SPARSE_TENSOR, AttributeType.SPARSE_TENSORS), lambda fact: fact.text),
}
