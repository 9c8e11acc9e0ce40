"""The data of a report page: graphs with their layout, findings, contract, cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from attrs import define, field, frozen

from shapeinfer.api.report import Report
from shapeinfer.cost import Cost
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.dims import Dim, Size
from shapeinfer.dims.notation.serialized import Table
from shapeinfer.facts import Fact, Tensor
from shapeinfer.graph import Graph, Node
from shapeinfer.graph.order import captured
from shapeinfer.infer.constraints.contract import Requirement
from shapeinfer.infer.diagnosis.diagnose import node_ref
from shapeinfer.report.listing import attributes_of, contents_of
from shapeinfer.report.page.layout import layout
from shapeinfer.report.paint import printable, shortened

LONGEST_TEXT = 500
MOST_TRACED = 100
"""The number of findings whose origins are traced through the graph."""

NODE, INPUT, OUTPUT, CAPTURED = range(4)
"""Kinds of boxes."""

Values = Mapping[str, "Fact | None"]


def contents(name: str, report: Report, cost: Cost | None) -> dict[str, Any]:
    """Return the data of the page of a report of an inferred model."""
    assert report.result is not None, "the graph is there"
    page = _Page(report)
    main = report.result.graph
    page.graph(main, (), None)
    return {
        "name": printable(name),
        "opsets": [f"{printable(domain) or 'ai.onnx'} {opset}" for domain, opset in main.opsets.items()],
        "runs": report.ok,
        "symbols": _symbols(report),
        "contract": page.requirements(report.contract),
        "unsimplified": page.requirements(report.contract.unsimplified),
        "smallSizes": page.requirements(report.contract.small_sizes),
        "smallText": _text(report.contract.small_text),
        "smallest": [[_text(name), size] for name, size in (report.contract.smallest_sizes or {}).items()],
        "judged": [page.table.condition(r.asked) for r in report.contract.all_sizes],
        "assumed": [[_text(a.text), page.place(a.node)] for a in report.assumptions],
        "atRunTime": [[_text(r.condition), page.place(r.node)] for r in report.contract.at_run_time],
        "findings": [page.finding(d, i < MOST_TRACED) for i, d in enumerate(report.diagnostics)],
        "cost": None if cost is None else _cost(cost, page),
        "graphs": page.graphs,
        "dims": page.dims,
        "table": page.table.entries,
    }


def _symbols(report: Report) -> list[list[Any]]:
    """The symbols that a reader can bind, each with its bounds, its divisor and its place.

    That is an axis of this length where there is one, else an axis of a length that is computed from it.
    """
    alone: dict[Dim, str] = {}
    found: dict[Dim, str] = {}
    for name in report.graph.inputs if report.graph else ():
        fact = report.values[name]
        for axis, size in enumerate(fact.shape or () if isinstance(fact, Tensor) else ()):
            if isinstance(size, Dim):
                where = f"axis {axis} of {_text(name)}"
                for s in sorted(size.symbols, key=str):
                    found.setdefault(s, f"{where}, which is {_text(size.text)}")
                alone.setdefault(size, where)
    found = {s: alone.get(s, where) for s, where in found.items()}
    return [[s.name, s.low, s.high, s.divisor, where] for s, where in found.items() if not s.is_fresh]


def _cost(cost: Cost, page: _Page) -> dict[str, Any]:
    def entry(size: Size | None) -> int | None:
        return None if size is None else page.table.size(size)

    sums = {
        "parameters": cost.parameters,
        "bytes of parameters": cost.parameter_bytes,
        "multiply-adds": cost.multiply_adds,
        "peak memory of activations, in bytes": cost.peak_bytes,
    }
    each = [(n.node.index, (n.parameters, n.multiply_adds, n.bytes)) for n in cost.nodes]
    return {
        "sums": [[name, entry(size), _size(size)] for name, size in sums.items()],
        "nodes": {i: [entry(size) for size in sizes] for i, sizes in each},
        "unknown": [_text(line) for line in cost.unknown],
    }


def _size(size: Size | None) -> str:
    return "?" if size is None else _text(str(size))


def _text(text: str) -> str:
    """Text that is safe to show, cut where it is very long."""
    text = printable(text)
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}..."


@frozen
class _Box:
    kind: int
    index: int
    """Of the node, or of the value that an input or output is."""
    text: str


@define
class _Page:
    """Collects the graphs of a report and the formulas of their shapes."""

    report: Report
    graphs: list[dict[str, Any]] = field(factory=list)
    dims: list[tuple[str, int]] = field(factory=list)
    """The lengths that are no numbers: their text and their entry in the table."""
    table: Table = field(factory=Table)
    _lengths: dict[Dim, int] = field(factory=dict)
    _paths: dict[tuple[str, ...], tuple[int, Graph]] = field(factory=dict)
    """The first graph of each path."""
    _ids: list[dict[str, int]] = field(factory=list)
    """For each graph the numbers of its values."""
    _drawn: dict[Graph, int] = field(factory=dict)
    _bodies: dict[object, Graph] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for graph, values in self.report.scopes.items():
            if graph.call is not None:
                self._bodies[graph.function, graph.call, tuple(map(values.get, graph.formals))] = graph

    def graph(self, graph: Graph, path: tuple[str, ...], parent: tuple[int, int] | None) -> int:
        """Add a graph with all inside it, and return its number."""
        number = self._drawn[graph] = len(self.graphs)
        made: dict[str, Any] = {}
        self.graphs.append(made)
        self._paths.setdefault(path, (number, graph))
        values = self.report.scopes.get(graph, {})
        ids: dict[str, int] = {}
        self._ids.append(ids)
        around = dict.fromkeys(n for n in captured(graph) if n) if parent is not None else {}
        inputs = dict.fromkeys([*graph.inputs, *graph.formals])
        for name in (*inputs, *graph.initializers, *around, *(o for n in graph.nodes for o in n.outputs)):
            if name:
                ids.setdefault(name, len(ids))
        roles = {**dict.fromkeys(graph.initializers, "initializer"), **dict.fromkeys(around, "from around")}
        roles |= dict.fromkeys(inputs, "input")
        made["title"] = " / ".join(map(_text, path)) or _text(graph.name) or "main graph"
        made["parent"] = parent
        made["nodes"] = [self._node(node, index, values, path, number, ids) for index, node in enumerate(graph.nodes)]
        made["values"] = [[_text(n), roles.get(n, ""), *self._fact(self._known(graph, values, n))] for n in ids]
        made["outputs"] = [ids[name] for name in graph.outputs if name in ids]
        made |= self._placed(graph, [n for n in (*inputs, *around) if n not in graph.initializers], made, ids)
        return number

    def _known(self, graph: Graph, values: Values, name: str) -> Fact | None:
        return values.get(name) or graph.initializers.get(name)

    def _node(
        self, node: Node, index: int, values: Values, path: tuple[str, ...], graph: int, ids: Mapping[str, int]
    ) -> list[Any]:
        place = node_ref(node, index, path)
        own = node.name or f"{node.call.op_type}_{index}"
        inside = {name: (inner, f"{own}.{name}") for name, inner in (node.graphs or {}).items()}
        key = ((node.call.domain, node.call.op_type), node.call, tuple(map(values.get, node.inputs)))
        body = self._bodies.get(key)
        if body is not None:
            inside["body"] = (body, f"{node.call.domain}::{node.call.op_type}")
        return [
            _text(place.operator),
            _text(node.name),
            [ids.get(name, -1) for name in node.inputs],
            [ids.get(name, -1) for name in node.outputs],
            [_text(a) for a in attributes_of(node)],
            [
                self._drawn[inner] if inner in self._drawn else self.graph(inner, (*path, step), (graph, index))
                for inner, step in inside.values()
            ],
            node.line,
        ]

    def _fact(self, fact: Fact | None) -> tuple[Any, ...]:
        """A fact as its type, its lengths, and its entries where they are known.

        The lengths are numbers of 0 or more, or -1 less the number of one of ``dims``; None for an unknown rank, 0
        where the type's text is all there is.
        """
        if not isinstance(fact, Tensor):
            return ("?" if fact is None else _text(fact.text), 0, "")
        shape = None if fact.shape is None else [self._length(size) for size in fact.shape]
        return (fact.dtype.text, shape, _text(contents_of(fact).strip()) if fact.dtype.is_integer else "")

    def _length(self, size: Size) -> int:
        if isinstance(size, int):
            return size
        found = self._lengths.get(size)
        if found is None:
            found = self._lengths[size] = len(self.dims)
            self.dims.append((_text(size.text), self.table.size(size)))
        return -1 - found

    def _placed(self, graph: Graph, inputs: Sequence[str], made: Mapping[str, Any], ids: Mapping[str, int]) -> Any:
        """The boxes of a graph and the lines between them; Constants are written at their readers, not drawn."""
        boxes = [_Box(INPUT if n in graph.inputs or n in graph.formals else CAPTURED, ids[n], n) for n in inputs]
        source = {box.index: i for i, box in enumerate(boxes)}
        drawn = [i for i, n in enumerate(graph.nodes) if n.call.op_type != "Constant" or n.call.domain]
        at = {index: len(boxes) + i for i, index in enumerate(drawn)}
        boxes += [_Box(NODE, index, made["nodes"][index][0]) for index in drawn]
        for index, box in at.items():
            source |= {value: box for value in made["nodes"][index][3] if value >= 0}
        joined: dict[tuple[int, int, int], None] = {}
        for index, box in at.items():
            node = graph.nodes[index]
            inner = [n for g in (node.graphs or {}).values() for n in captured(g)]
            for value in [*made["nodes"][index][2], *(ids[n] for n in inner if n in ids)]:
                if value in source and source[value] != box:
                    joined[source[value], box, value] = None
        for value in made["outputs"]:
            if value in source:
                joined[source[value], len(boxes), value] = None
            boxes.append(_Box(OUTPUT, value, made["values"][value][0]))
        widths = [self._width(box, made) for box in boxes]
        led_to = {b for _, b, _ in joined}
        weights = [self._weight(box, made) if i in led_to else 1 for i, box in enumerate(boxes)]
        found = layout(widths, weights, [(a, b) for a, b, _ in joined])
        return {
            "boxes": [[b.kind, b.index, found.layers[i], found.middles[i], widths[i]] for i, b in enumerate(boxes)],
            "lines": [[a, b, value, bends] for (a, b, value), bends in zip(joined, found.bends)],
        }

    def _weight(self, box: _Box, made: Mapping[str, Any]) -> float:
        """Float values are the main path of a model; the others compute shapes and masks."""
        values = made["nodes"][box.index][3] if box.kind == NODE else [box.index]
        return 20.0 if any(str(made["values"][v][2]).startswith(("f", "bf")) for v in values if v >= 0) else 1.0

    def _width(self, box: _Box, made: Mapping[str, Any]) -> int:
        """The width of a box with the type below it."""
        own = len(shortened(box.text) if box.kind == NODE else box.text[:24]) * 8 + 28
        values = made["nodes"][box.index][3] if box.kind == NODE else [box.index]
        below = [self._type_text(made["values"][v]) for v in values[:1] if v >= 0]
        return int(max(own, *(min(len(text), 34) * 7 + 12 for text in below), 60))

    def _type_text(self, value: Sequence[Any]) -> str:
        lengths = value[3]
        if not lengths:
            return str(value[2])
        return f"{value[2]}[{', '.join(str(n) if n >= 0 else self.dims[-1 - n][0] for n in lengths)}]"

    # Findings

    def place(self, node: NodeRef | None) -> tuple[int, int] | None:
        """The graph and the index of a node, None for one that is not drawn."""
        found = None if node is None else self._paths.get(node.graph)
        if node is None or found is None or not 0 <= node.index < len(found[1].nodes):
            return None
        return found[0], node.index

    def requirements(self, requirements: Iterable[Requirement]) -> list[list[Any]]:
        """Conditions, each with its entry in the table, its node and why."""
        return [
            [_text(r.condition), self.table.condition(r.asked), self.place(r.node), _text(r.message)]
            for r in requirements
        ]

    def finding(self, diagnostic: Diagnostic, traced: bool) -> dict[str, Any]:
        d = diagnostic
        program = d.program_place if d.module else f"in {d.program_place}"
        source = [program] if d.program_place else []
        return {
            "severity": d.severity.value,
            "code": d.code.name,
            "message": _text(d.message),
            "where": _text(d.node.text) if d.node else "",
            "place": self.place(d.node),
            "operands": [[_text(t) for t in (o.port, o.value, o.fact, o.origin)] for o in d.shown],
            "notes": [_text(note) for note in (*d.notes, *source)],
            "fix": "" if d.fix is None else _text(d.fix.text),
            "elsewhere": [[_text(n.text), self.place(n)] for n in d.elsewhere],
            "help": d.help,
            "chain": self._chain(d) if traced else [],
        }

    def _chain(self, diagnostic: Diagnostic) -> list[int]:
        """The values that the lengths in question came through."""
        found = self._paths.get(diagnostic.node.graph) if diagnostic.node else None
        if found is None:
            return []
        number, graph = found
        names: dict[str, None] = {}
        for operand in diagnostic.shown:
            names[operand.value] = None
            if operand.axis is not None:
                with suppress(ValueError):  # the fault may be that there is no such axis
                    names |= {
                        name: None for name, _ in self.report.trace(operand.value, operand.axis, graph=graph).axes
                    }
        return [self._ids[number][name] for name in names if name in self._ids[number]]
