"""A graph as text: one line per node in ONNX's text syntax, with the types of its outputs as a comment."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.dims import Size
from shapeinfer.facts import OPENVINO, Fact, MapType, OptionalType, SequenceType, SparseTensor, Tensor
from shapeinfer.graph import UNNAMED, AttributeType, Graph, Node
from shapeinfer.report.paint import STYLES, Paint, columns, legible, plain, printable
from shapeinfer.report.short_names import ShortNames

COMMENT = 64
"""Comments start at this column at the latest, unless their line is longer."""
FEW = 16
"""The longest list that is written whole; of longer ones the first three entries and the last."""
LONGEST = 1 << 20
"""Types are written beside a node up to so many characters; a name of a hundred thousand may stand in each."""

_TOGETHER = re.compile(r"[\[{][^\[\]{}]*[\]}]|: (?:\w+ = )?")
"""Text that is kept on one line: a list, a name with its type, an attribute with its value."""

Faults = Mapping[tuple[tuple[str, ...], int], list[Diagnostic]]


def listing(report: Report, paint: Paint = plain) -> Iterator[str]:
    """Write the graph of a report, a line at a time; nothing if it could not be read.

    Diagnostics are below their node. If lines must fit a width, long names are cut in the middle.
    """
    if report.graph is None:
        return
    faults: dict[tuple[tuple[str, ...], int], list[Diagnostic]] = {}
    for d in report.diagnostics:
        if d.node is not None:
            faults.setdefault((d.node.graph, d.node.index), []).append(d)
    names = ShortNames({name for values in report.scopes.values() for name in values}, paint.width)
    yield from _comment(printable(_head(report.graph, names)), "", paint, "dim")
    yield from _Listing(report, faults, paint, names).graph(report.graph, (), "")


def _head(graph: Graph, names: ShortNames) -> str:
    """Return the header of the listing."""
    opsets = ", ".join(f"{domain or 'ai.onnx'} {opset}" for domain, opset in graph.opsets.items())
    syntax = "layers" if graph.format == OPENVINO else "nodes in ONNX's text syntax"
    short = "; long names shortened (--full)" if names.are_shortened else ""
    return f"graph {_name(graph.name)}, {opsets}: {syntax}, inferred types as comments{short}"


def _comment(text: str, indent: str, paint: Paint, style: str) -> Iterator[str]:
    lines = _folded(text, paint, f"{indent}# ", f"{indent}#   ")
    return (f"{indent}{paint(style, line[len(indent) :])}" for line in lines)


def _folded(text: str, paint: Paint, indent: str, more: str | None = None) -> Iterator[str]:
    """Return a text in lines that fit; lists and the like are broken only if they are too long for one line."""
    if paint.width is None or paint.fits(indent + text):
        return iter([indent + text])
    room = paint.width - columns(more or indent) - len("    ")
    words = _TOGETHER.sub(lambda found: found[0].replace(" ", "\0"), text).split(" ")
    whole = " ".join(word if columns(word) <= room else word.replace("\0", " ") for word in words)
    return (line.replace("\0", " ") for line in paint.folded(whole, indent, more))


class _Listing:
    """Writes graphs of one report."""

    def __init__(self, report: Report, faults: Faults, paint: Paint, names: ShortNames) -> None:
        self._scopes = report.scopes
        self._faults = faults
        self._paint = paint
        self._names = names

    def graph(self, graph: Graph, path: tuple[str, ...], indent: str) -> Iterator[str]:
        values = self._scopes.get(graph, {})
        for name, fact in graph.inputs.items():
            yield from self._declared("input", name, values.get(name) or fact, indent)
        for name, fact in graph.initializers.items():
            yield from self._declared("initializer", name, fact, indent, contents_of(fact))
        for name in graph.outputs:
            yield from self._declared("output", name, values.get(name), indent)
        calls = [indent + self._written(_call(node, self._names)) for node in graph.nodes]
        widest = COMMENT if self._paint.width is None else min(COMMENT, self._paint.width * 3 // 5)
        column = min(widest, max(map(columns, calls), default=0))
        for index, (node, call) in enumerate(zip(graph.nodes, calls)):
            yield from self._node(call, self._types(node, values), indent, column)
            for d in self._faults.get((path, index), ()):
                said = f"{d.severity}[{d.code.name}]: {self._written(d.message)}"
                yield from _comment(said, f"{indent}    ", self._paint, STYLES[d.severity])
            for attribute, inner in (node.graphs or {}).items():
                yield f"{indent}  {self._paint('cyan', printable(attribute))} {printable(_name(inner.name))}"
                below = f"{node.name or f'{node.call.op_type}_{index}'}.{attribute}"
                yield from self.graph(inner, (*path, below), indent + "    ")

    def _written(self, text: str) -> str:
        return printable(text) if self._paint.width is None else legible(text)

    def _declared(self, kind: str, name: str, fact: Fact | None, indent: str, contents: str = "") -> Iterator[str]:
        text = printable(f"{self._names(name)}: {_type_text(fact)}{contents}")
        first, *others = _folded(f"{kind} {text}", self._paint, indent)
        yield indent + self._paint("cyan", kind) + first[len(indent) + len(kind) :]
        yield from others

    def _types(self, node: Node, values: Mapping[str, Fact | None]) -> str:
        """Return the types of a node's outputs; a single output with a long name has its type only."""
        known = [(o, values[o]) for o in node.outputs if o and values.get(o) is not None]
        named = len(known) > 1 or not self._names.are_shortened
        start = "{}: " if named else ""
        types = (start.format(self._names(o)) + _type_text(fact) + _lengths(node, fact) for o, fact in known)
        return printable(_joined(types))

    def _node(self, call: str, types: str, indent: str, column: int) -> Iterator[str]:
        """Yield a call and its types, on one line if that fits, otherwise the types on the next."""
        padded = call + " " * (column - columns(call))
        for start in (padded, call):
            if self._paint.fits(f"{start}  # {types}"):
                yield start + self._paint("dim", f"  # {types}") if types else call
                return
        yield from _folded(call[len(indent) :], self._paint, indent)
        if types:
            yield from _comment(types, f"{indent}    ", self._paint, "dim")


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


def _type_text(fact: Fact | None) -> str:
    return fact.text if fact is not None else "?"


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


def _call(node: Node, names: Callable[[str], str]) -> str:
    call, parts = node.call, attributes_of(node)
    operator = f"{call.domain}.{call.op_type}" if call.domain else call.op_type
    attributes = f" <{', '.join(parts)}>" if parts else ""
    both = (node.outputs, node.inputs)
    outputs, inputs = (", ".join(_name(names(v)) if v else '""' for v in values) for values in both)
    return f"{f'{outputs} = ' if outputs else ''}{operator}{attributes} ({inputs})"


def _attribute(kind: AttributeType, value: Any) -> str:
    write = _WRITERS.get(kind)
    if write is None:
        return "..."
    if isinstance(value, tuple):
        return f"[{_entries(value, write)}]"
    return write(value)


def _entries(entries: tuple[Any, ...], write: Callable[[Any], str]) -> str:
    """Return the entries of a list; of a long one the first three and the last."""
    if len(entries) <= FEW:
        return ", ".join(map(write, entries))
    return f"{', '.join(map(write, entries[:3]))}, ... {write(entries[-1])}"


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
    return f" {{{_entries(fact.value, lambda entry: printable(write(entry)))}}}"


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
