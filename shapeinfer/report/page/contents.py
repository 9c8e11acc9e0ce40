"""The data of a report page: graphs, findings, contract, cost."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from attrs import frozen

from shapeinfer.api.report import Report
from shapeinfer.cost import Cost
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef
from shapeinfer.dims import Dim, Size
from shapeinfer.facts import Tensor
from shapeinfer.infer.constraints.contract import Requirement
from shapeinfer.report.page.graphs import Graphs, text_of
from shapeinfer.report.page.kinds import KINDS
from shapeinfer.report.paint import printable

MOST_TRACED = 100
"""The number of findings whose origins are traced through the graph."""


def contents(name: str, report: Report, cost: Cost | None) -> dict[str, Any]:
    """Return the data of the page of a report of an inferred model."""
    assert report.result is not None, "the graph is there"
    main = report.result.graph
    graphs = Graphs(report)
    graphs.add(main, (), None)
    page = _Page(report, graphs)
    return {
        "name": printable(name),
        "format": main.format,
        "opsets": [f"{printable(domain) or 'ai.onnx'} {opset}" for domain, opset in main.opsets.items()],
        "runs": report.ok,
        "symbols": _symbols(report),
        "contract": page.requirements(report.contract),
        "unsimplified": page.requirements(report.contract.unsimplified),
        "smallSizes": page.requirements(report.contract.small_sizes),
        "smallText": text_of(report.contract.small_text),
        "smallest": [[text_of(name), size] for name, size in (report.contract.smallest_sizes or {}).items()],
        "judged": [page.graphs.table.condition(r.asked) for r in report.contract.all_sizes],
        "assumed": [[text_of(a.text), page.place(a.node)] for a in report.assumptions],
        "atRunTime": [[text_of(r.condition), page.place(r.node)] for r in report.contract.at_run_time],
        "findings": [page.finding(d, i < MOST_TRACED) for i, d in enumerate(report.diagnostics)],
        "cost": None if cost is None else _cost(cost, page),
        "kinds": KINDS,
        "graphs": graphs.graphs,
        "operators": graphs.operators.entries,
        "attributes": graphs.attributes.entries,
        "modules": graphs.modules.entries,
        "classes": graphs.classes,
        "sources": graphs.sources.entries,
        "types": graphs.types.entries,
        "dims": graphs.dims,
        "table": graphs.table.entries,
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
                where = f"axis {axis} of {text_of(name)}"
                for s in sorted(size.symbols, key=str):
                    found.setdefault(s, f"{where}, which is {text_of(size.text)}")
                alone.setdefault(size, where)
    found = {s: alone.get(s, where) for s, where in found.items()}
    return [[s.name, s.low, s.high, s.divisor, where] for s, where in found.items() if not s.is_fresh]


def _cost(cost: Cost, page: _Page) -> dict[str, Any]:
    def entry(size: Size | None) -> int | None:
        return None if size is None else page.graphs.table.size(size)

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
        "unknown": [text_of(line) for line in cost.unknown],
    }


def _size(size: Size | None) -> str:
    return "?" if size is None else text_of(str(size))


@frozen
class _Page:
    """Places what is said about a model in its graphs."""

    report: Report
    graphs: Graphs

    def place(self, node: NodeRef | None) -> tuple[int, int] | None:
        """The graph and the index of a node, None for one that is not drawn."""
        found = None if node is None else self.graphs.paths.get(node.graph)
        if node is None or found is None or not 0 <= node.index < len(found[1].nodes):
            return None
        return found[0], node.index

    def requirements(self, requirements: Iterable[Requirement]) -> list[list[Any]]:
        """Conditions, each with its entry in the table, its node and why."""
        return [
            [text_of(r.condition), self.graphs.table.condition(r.asked), self.place(r.node), text_of(r.message)]
            for r in requirements
        ]

    def finding(self, diagnostic: Diagnostic, traced: bool) -> dict[str, Any]:
        d = diagnostic
        program = d.program_place if d.module else f"in {d.program_place}"
        source = [program] if d.program_place else []
        return {
            "severity": d.severity.value,
            "code": d.code.name,
            "message": text_of(d.message),
            "where": text_of(d.node.text) if d.node else "",
            "place": self.place(d.node),
            "operands": [[text_of(t) for t in (o.port, o.value, o.fact, o.origin)] for o in d.shown],
            "notes": [text_of(note) for note in (*d.notes, *source)],
            "fix": "" if d.fix is None else text_of(d.fix.text),
            "elsewhere": [[text_of(n.text), self.place(n)] for n in d.elsewhere],
            "help": d.help,
            "chain": self._chain(d) if traced else [],
        }

    def _chain(self, diagnostic: Diagnostic) -> list[int]:
        """The values that the lengths in question came through."""
        found = self.graphs.paths.get(diagnostic.node.graph) if diagnostic.node else None
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
        return [self.graphs.ids[number][name] for name in names if name in self.graphs.ids[number]]
