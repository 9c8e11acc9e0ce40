"""Cost and conditions of the modules of a program in a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, field, frozen

from shapeinfer.api.report import Report
from shapeinfer.cost import elements_of
from shapeinfer.dims import Size, text_of, total
from shapeinfer.facts import DType, Tensor
from shapeinfer.graph import Graph, Node
from shapeinfer.graph.program import Module

FEW = 3
"""The most different numbers, or conditions, that are listed for the instances of a class."""
LONGEST = 80
"""The longest condition, or list of formulas, that is shown, in characters."""


@frozen(repr=False)
class Instance:
    """An instance of a module class in a model: its path and class, and the total cost of its nodes.

    ``parameters`` counts the elements of the weights that they read, each weight once; None if unknown.
    ``multiply_adds`` is None if unknown, as in a model with errors. ``value`` is the first value that it computes.
    """

    path: str
    type: str
    parameters: int | None
    multiply_adds: Size | None
    conditions: tuple[str, ...]
    value: str


@define(eq=False, repr=False)
class _Sum:
    type: str
    value: str
    weights: dict[str, Size | None] = field(factory=dict)
    work: list[Size | None] = field(factory=list)
    conditions: dict[str, None] = field(factory=dict)


def instances(report: Report) -> tuple[Instance, ...]:
    """Return the modules whose nodes are in the main graph of a model, in the order in which they run.

    A node without recorded modules counts for the outermost module, which contains all nodes.
    """
    graph = report.graph
    if graph is None or graph.operation is None:
        return ()
    around = [_modules(graph, node) for node in graph.nodes]
    outermost = next((modules[:1] for modules in around if modules), ())
    work = [n.multiply_adds for n in report.cost().nodes] if report.ok else [None] * len(around)
    sums: dict[str, _Sum] = {}
    for node, modules, adds in zip(graph.nodes, around, work):
        for module in modules or outermost:
            one = sums.setdefault(module.path, _Sum(module.type, next(iter(node.outputs), "")))
            one.weights.update(_weights(graph, node))
            one.work.append(adds)
    for requirement in report.contract if report.ok else ():
        at = requirement.node
        inside = around[at.index] if at is not None and not at.graph and 0 <= at.index < len(around) else ()
        for module in inside or outermost:
            sums[module.path].conditions[requirement.condition] = None
    return tuple(_instance(path, one) for path, one in sums.items())


def _modules(graph: Graph, node: Node) -> tuple[Module, ...]:
    found = graph.operation(node) if graph.operation is not None else None
    return () if found is None else found.modules


def _weights(graph: Graph, node: Node) -> Iterator[tuple[str, Size | None]]:
    """Iterate over the weights that a node reads; scalars and shapes that the program spells out do not count."""
    for name in node.inputs:
        fact = graph.initializers.get(name)
        if fact is not None and not (isinstance(fact, Tensor) and _is_written_out(fact)):
            yield name, elements_of(fact)


def _is_written_out(fact: Tensor) -> bool:
    return fact.shape == () or (fact.value is not None and fact.dtype is DType.INT64)


def _instance(path: str, one: _Sum) -> Instance:
    sizes = [size for size in one.weights.values() if isinstance(size, int)]
    known = [adds for adds in one.work if adds is not None]
    return Instance(
        path,
        one.type,
        sum(sizes) if len(sizes) == len(one.weights) else None,
        total(known) if len(known) == len(one.work) else None,
        tuple(one.conditions),
        one.value,
    )


def of_class(found: Iterable[Instance], name: str, file: str) -> list[Instance]:
    """Return the instances of a class of a file; only the name of the Python module identifies the file."""
    return [one for one in found if _is_of(one.type, name, file)]


def _is_of(type_: str, name: str, file: str) -> bool:
    module, _, own = type_.rpartition(".")
    return own == name and module.rpartition(".")[2] in (file.removesuffix(".py"), "__main__")


def summary(found: list[Instance]) -> str:
    """Return the lens text for the instances of a class: their number, conditions and cost."""
    parameters = _distinct(_grouped(one.parameters) for one in found)
    adds = _distinct(_work(one.multiply_adds) for one in found)
    conditions = list(dict.fromkeys(c for one in found for c in one.conditions if len(c) <= LONGEST))
    few = " and ".join(conditions[:FEW]) + (f" and {len(conditions) - FEW} more" if len(conditions) > FEW else "")
    each = "each " if len(found) > 1 else ""
    parts = (
        f"{len(found)} instances" if len(found) > 1 else "",
        few and f"requires {few}",
        parameters and f"{each}{parameters} parameters",
        adds and f"{adds} multiply-adds",
    )
    return ", ".join(filter(None, parts)) or "1 instance"


def _distinct(texts: Iterable[str]) -> str:
    """Return the distinct texts joined by bars; empty if one is unknown, all are 0, or they are too long."""
    found = list(dict.fromkeys(texts))
    text = " | ".join(found[:FEW]) + (" | ..." if len(found) > FEW else "")
    return "" if "" in found or found == ["0"] or len(text) > LONGEST else text


def _grouped(count: int | None) -> str:
    return "" if count is None else f"{count:,}"


def _work(size: Size | None) -> str:
    return _grouped(size) if size is None or isinstance(size, int) else text_of(size)
