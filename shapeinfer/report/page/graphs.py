"""The graphs of a report page as tables of nodes and values, in which repeated entries are stored once."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from attrs import define, field

from shapeinfer.api.report import Report
from shapeinfer.dims import Dim, Size
from shapeinfer.dims.notation.serialized import Table
from shapeinfer.facts import Fact, Tensor
from shapeinfer.graph import Graph, Node
from shapeinfer.graph.call import Call
from shapeinfer.graph.order import captured
from shapeinfer.infer.diagnosis.diagnose import node_ref
from shapeinfer.ops.registry import find_rule
from shapeinfer.ops.signature import signature
from shapeinfer.report.listing import FEW, attributes_of
from shapeinfer.report.page.blocks import Cell, folded, to_data
from shapeinfer.report.page.kinds import CONTROL, kind_of
from shapeinfer.report.paint import printable

LONGEST_TEXT = 500
LEAST_RECORD = 4
"""The least length of a node's record: operator, name, inputs and outputs."""
MOVES = frozenset(["Cast", "Convert", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"])
"""Operators that only move or convert weights before their use."""
COMPUTED, INITIALIZER, INPUT, CAPTURED = range(4)
"""Where a value comes from: a node, the model's weights, the caller or an outer graph."""

Values = Mapping[str, "Fact | None"]


def text_of(text: str) -> str:
    """Return text that is safe to show, cut if it is very long."""
    text = printable(text)
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}..."


@define
class Numbered:
    """A table that numbers distinct entries; entry 0 is the default, which most nodes have."""

    entries: list[Any] = field(factory=list)
    _numbers: dict[Any, int] = field(factory=dict)

    def of(self, entry: Any) -> int:
        """Return the number of an entry."""
        number = self._numbers.setdefault(entry, len(self.entries))
        if number == len(self.entries):
            self.entries.append(entry)
        return number


@define
class Graphs:
    """Collects the graphs of a report, with tables of their types, operators, attributes and source lines."""

    report: Report
    graphs: list[dict[str, Any]] = field(factory=list)
    dims: list[tuple[str, int]] = field(factory=list)
    """The symbolic sizes: text and index in the table."""
    table: Table = field(factory=Table)
    types: Numbered = field(factory=Numbered)
    """The types of values, each with the entries of a small tensor."""
    operators: Numbered = field(factory=Numbered)
    """Operators with their kind, the names of their inputs and what they do."""
    attributes: Numbered = field(factory=lambda: Numbered([()], {(): 0}))
    modules: Numbered = field(factory=lambda: Numbered([""], {"": 0}))
    sources: Numbered = field(factory=lambda: Numbered([""], {"": 0}))
    """The lines of the user's program that nodes were exported from."""
    classes: dict[str, str] = field(factory=dict)
    """The class of each module of the user's program, by its path."""
    _lengths: dict[Dim, int] = field(factory=dict)
    paths: dict[tuple[str, ...], tuple[int, Graph]] = field(factory=dict)
    """The first graph of each path."""
    ids: list[dict[str, int]] = field(factory=list)
    """For each graph the numbers of its values."""
    _drawn: dict[Graph, int] = field(factory=dict)
    _bodies: dict[object, Graph] = field(factory=dict)
    _known_types: dict[Fact | None, int] = field(factory=dict)
    _known_calls: dict[Call, tuple[int, int]] = field(factory=dict)
    _tokens: dict[Fact, Hashable] = field(factory=dict)
    _classified: set[str] = field(factory=set)
    """The modules whose classes are known."""
    _marked: set[tuple[tuple[str, ...], int]] = field(factory=set)
    """Paths and indices of the nodes with findings, which are never hidden."""

    def __attrs_post_init__(self) -> None:
        for graph, values in self.report.scopes.items():
            if graph.call is not None:
                self._bodies[graph.function, graph.call, tuple(map(values.get, graph.formals))] = graph
        for d in self.report.diagnostics:
            self._marked |= {(n.graph, n.index) for n in (d.node, *d.elsewhere) if n is not None}

    def add(
        self,
        graph: Graph,
        path: tuple[str, ...],
        parent: tuple[int, int] | None,
        step: str = "",
        outer: Values = MappingProxyType({}),
    ) -> int:
        """Add a graph with all inside it, and return its number; ``outer`` has the values of those around.

        ``step`` is its name among the graphs of its node.
        """
        number = self._drawn[graph] = len(self.graphs)
        made: dict[str, Any] = {}
        self.graphs.append(made)
        self.paths.setdefault(path, (number, graph))
        values = self.report.scopes.get(graph, {})
        ids: dict[str, int] = {}
        self.ids.append(ids)
        is_inside = parent is not None and graph.call is None  # the body of a function captures nothing
        around = dict.fromkeys(n for n in captured(graph) if n) if is_inside else {}
        inputs = dict.fromkeys([*graph.inputs, *graph.formals])
        for name in (*inputs, *graph.initializers, *around, *(o for n in graph.nodes for o in n.outputs)):
            if name:
                ids.setdefault(name, len(ids))
        roles = {**dict.fromkeys(graph.initializers, INITIALIZER), **dict.fromkeys(around, CAPTURED)}
        roles |= dict.fromkeys(inputs, INPUT)
        facts = {name: values.get(name) or graph.initializers.get(name) for name in ids}
        facts |= {name: facts[name] or outer.get(name) for name in around}
        made["title"] = " / ".join(map(text_of, path)) or text_of(graph.name) or "main graph"
        made["name"] = text_of(step)
        made["parent"] = parent
        made["nodes"] = nodes = []
        cells: list[Cell] = []
        weights = set(graph.initializers)
        position: dict[str, tuple[int, int]] = {}
        for index, node in enumerate(graph.nodes):
            hidden = self._is_hidden(node, (path, index), facts, graph, weights)
            cell = self._cell(graph, node, index, facts, position, hidden)
            if node.call.op_type != "Constant" or node.call.domain:  # others are written at their readers
                position.update((name, (len(cells), o)) for o, name in enumerate(node.outputs) if name)
                cells.append(cell)
            nodes.append(self._node(node, index, values, path, number, cell, ids, facts))
        made["values"] = [[text_of(n), self._type(facts[n]), *([roles[n]] if n in roles else ())] for n in ids]
        made["inputs"] = [ids[n] for n in (*inputs, *around) if n not in graph.initializers]
        made["outputs"] = [ids[name] for name in graph.outputs if name in ids]
        made["parts"] = to_data(folded(cells), cells, text_of)
        return number

    def _is_hidden(
        self, node: Node, place: tuple[tuple[str, ...], int], facts: Values, graph: Graph, weights: set[str]
    ) -> bool:
        """Whether a node is hidden because its readers show its output: known entries, or a moved weight.

        Its outputs, and those of a Constant, are added to the ``weights``.
        """
        outputs = [name for name in node.outputs if name]
        if not outputs or place in self._marked or any(name in graph.outputs for name in outputs):
            return False
        is_known = all(isinstance(fact := facts[name], Tensor) and fact.value is not None for name in outputs)
        is_weight = node.call.op_type in MOVES and weights.issuperset(filter(None, node.inputs))
        if is_known or is_weight or node.call.op_type == "Constant":
            weights.update(outputs)
        return is_known or is_weight

    def _cell(
        self,
        graph: Graph,
        node: Node,
        index: int,
        facts: Values,
        position: Mapping[str, tuple[int, int]],
        hidden: bool,
    ) -> Cell:
        origin = graph.origin(node) if graph.origin is not None else None
        if origin is not None and origin.module and origin.module not in self._classified:
            self._classified.add(origin.module)
            operation = graph.operation(node) if graph.operation is not None else None
            modules = operation.modules if operation else ()
            self.classes |= {text_of(m.path): text_of(m.type) for m in modules if m.path and m.type}
        weight = next((n for n in node.inputs if n in graph.initializers), "")
        if hidden:
            token: Hashable = None
        elif node.graphs:
            token = (index,)
        else:
            token = (node.call, *(self._token(facts.get(name)) for name in (*node.inputs, *node.outputs)))
        return Cell(
            index,
            token,
            origin.module if origin else "",
            [position.get(name, (-1, 0)) for name in node.inputs],
            hidden,
            weight,
            origin.source.text if origin and origin.source else "",
        )

    def _token(self, fact: Fact | None) -> Hashable:
        """Return a key that is equal for values of equal blocks, whose fresh symbols and weights may differ."""
        if not isinstance(fact, Tensor):
            return fact
        found = self._tokens.get(fact)
        if found is None:
            found = self._tokens[fact] = self._new_token(fact)
        return found

    def _new_token(self, fact: Tensor) -> Hashable:
        shape = None if fact.shape is None else tuple(map(_known, fact.shape))
        return fact.dtype, shape, fact.value if fact.dtype.text == "i64" else None

    def _node(
        self,
        node: Node,
        index: int,
        values: Values,
        path: tuple[str, ...],
        graph: int,
        cell: Cell,
        ids: Mapping[str, int],
        facts: Values,
    ) -> list[Any]:
        """Return the record of a node without trailing zeros."""
        own = node.name or f"{node.call.op_type}_{index}"
        inside = {name: (inner, f"{own}.{name}") for name, inner in (node.graphs or {}).items()}
        key = (node.call.function, node.call, tuple(map(values.get, node.inputs)))
        body = self._bodies.get(key)
        if body is not None:
            inside["body"] = (body, f"{node.call.domain}::{node.call.op_type}")
        operator, attributes = self._call(node, index, bool(inside))
        record = [
            operator,
            text_of(node.name),
            [ids.get(name, -1) for name in node.inputs],
            [ids.get(name, -1) for name in node.outputs],
            attributes,
            int(cell.hidden),
            self.modules.of(text_of(cell.module)),
            self.sources.of(text_of(cell.source)),
            node.line or 0,
            [
                self._drawn[inner]
                if inner in self._drawn
                else self.add(inner, (*path, step), (graph, index), name, facts)
                for name, (inner, step) in inside.items()
            ]
            or 0,
        ]
        while not record[-1] and len(record) > LEAST_RECORD:
            record.pop()
        return record

    def _call(self, node: Node, index: int, has_body: bool) -> tuple[int, int]:
        """Return the table indices of the operator and of the attributes of a node."""
        found = self._known_calls.get(node.call)
        if found is None:
            call = node.call
            declared = signature(call.domain, call.op_type, call.opset)
            rule = find_rule(declared.domain, declared.name, declared.since) if declared else None
            does = (rule.function.__doc__ or "").partition("\n")[0].replace("``", "") if rule else ""
            operator = (
                text_of(node_ref(node, index, ()).operator),
                CONTROL if has_body else kind_of(call.op_type),
                tuple(text_of(f.name) for f in declared.inputs) if declared else (),
                int(bool(declared and declared.inputs and declared.inputs[-1].kind == "variadic")),
                text_of(does),
            )
            attributes = tuple(map(text_of, attributes_of(node)))
            found = self._known_calls[call] = self.operators.of(operator), self.attributes.of(attributes)
        return found

    def _type(self, fact: Fact | None) -> int:
        found = self._known_types.get(fact)
        if found is None:
            found = self._known_types[fact] = self.types.of(self._fact(fact))
        return found

    def _fact(self, fact: Fact | None) -> tuple[Any, ...]:
        """Return a fact as its type, its sizes, and its entries if they are known.

        A size is a number of 0 or more, or -1 - i for entry i of ``dims``. The sizes are None for an unknown rank, and
        0 for a fact that has only its text. An entry of a tensor is text, or encoded like a size.
        """
        if not isinstance(fact, Tensor):
            return "?" if fact is None else text_of(fact.text), 0
        shape = None if fact.shape is None else tuple(map(self._length, fact.shape))
        if fact.value is None:
            return fact.dtype.text, shape
        is_float = fact.dtype.is_float
        entries = [self._length(v) if isinstance(v, Dim) else _entry(v, is_float) for v in fact.value[:FEW]]
        return fact.dtype.text, shape, (*entries, *["..."] * (len(fact.value) > FEW))

    def _length(self, size: Size) -> int:
        if isinstance(size, int):
            return size
        found = self._lengths.get(size)
        if found is None:
            found = self._lengths[size] = len(self.dims)
            self.dims.append((text_of(size.text), self.table.size(size)))
        return -1 - found


def _known(size: Size) -> Size | None:
    return None if isinstance(size, Dim) and any(s.is_fresh for s in size.symbols) else size


def _entry(value: object, is_float: bool) -> str:
    """Return an entry of a tensor as text; a float is rounded to 32 bits."""
    if value is None:
        return "?"
    if isinstance(value, (bool, int, float)):
        return str(np.float32(value)) if is_float else str(int(value))
    return text_of(json.dumps(value) if isinstance(value, str) else str(value))
