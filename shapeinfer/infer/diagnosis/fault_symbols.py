"""Which symbols a fault is about, and which assumptions they come from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from shapeinfer.diagnostics.finding import Claim, Finding
from shapeinfer.dims import Dim
from shapeinfer.facts import Tensor
from shapeinfer.graph import Node
from shapeinfer.infer.declared import Assumption
from shapeinfer.infer.diagnosis.diagnose import input_ports
from shapeinfer.infer.diagnosis.origins import Origins
from shapeinfer.infer.scope import Scope


def symbols_of(fault: Finding | Claim, scope: Scope, node: Node) -> set[Dim]:
    """Return the symbols, as they were before anything was learned, of the lengths that a fault is about."""
    symbols: set[Dim] = set()
    for port, index in input_ports(fault, node):
        fact = scope.fact(node.inputs[index])
        shape = fact.shape if isinstance(fact, Tensor) else None
        if shape is not None and port.axis is not None and -len(shape) <= port.axis < len(shape):
            size = shape[port.axis]
            symbols |= size.symbols if isinstance(size, Dim) else frozenset()
        elif isinstance(fact, Tensor) and fact.value is not None:
            symbols |= fact.symbols
    return symbols


def declared_symbols_of(fault: Finding | Claim, origins: Origins, node: Node) -> set[Dim]:
    """Return the symbols that the graph's inputs declare for the lengths that a fault is about, bound or not."""
    return {
        s
        for name, axes in _axes_of(fault, origins.scope, node)
        for axis in axes
        for s in declared_for(name, axis, origins)
    }


def declared_for(name: str, axis: int, origins: Origins) -> set[Dim]:
    """Return the symbols that the graph's inputs declare for the axes that an axis of a value is computed from."""
    symbols: set[Dim] = set()
    for source, i in origins.inputs(name, axis):
        declared = origins.scope.graph.inputs[source]
        size = declared.shape[i] if isinstance(declared, Tensor) and declared.shape is not None else 0
        symbols |= size.symbols if isinstance(size, Dim) else frozenset()
    return symbols


def assumption_notes(
    fault: Finding | Claim, origins: Origins, node: Node, assumed: Collection[Assumption]
) -> list[str]:
    """Return a note for each assumption that the lengths of a fault come from."""
    used = {(a.value, a.axis): a for a in assumed}
    found: dict[Assumption, None] = {}
    for name, axes in _axes_of(fault, origins.scope, node):
        for axis in axes:
            steps = ((step, kind) for step in origins.axes(name, axis) for kind in (step, (step[0], None)))
            found |= {used[kind]: None for _, kind in steps if kind in used}
    return [f"assuming that {a.text}, as declared" for a in found]


def _axes_of(fault: Finding | Claim, scope: Scope, node: Node) -> Iterator[tuple[str, Iterable[int]]]:
    """The values that a fault is about, each with the axes in question."""
    for port, index in input_ports(fault, node):
        name = node.inputs[index]
        fact = scope.fact(name)
        rank = len(fact.shape or ()) if isinstance(fact, Tensor) else 0
        axes = range(rank) if port.axis is None else (port.axis,)
        yield name, [axis % rank for axis in axes if -rank <= axis < rank]
