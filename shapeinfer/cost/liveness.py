"""Which values are in memory while a node runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from attrs import field, frozen

from shapeinfer.cost.memory import Bytes, peak_of
from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.dims import Size, add, maximum
from shapeinfer.graph import Graph
from shapeinfer.graph.order import captured


@frozen
class LiveSet:
    """What is in memory while a node of the main graph runs, beside the weights."""

    node: NodeRef
    values: Mapping[str, Size | None]
    """The bytes of each value by its name, None if unknown; inputs of the model first, then in order of the nodes."""
    inside: Size | None
    """The most bytes that are alive at once in subgraphs or the function of the node; 0 for a plain operator."""
    _sums: tuple[Bytes, Bytes] = field(repr=False, eq=False, alias="sums")
    """The bytes of ``values``, and of those that the values inside come on top of."""

    @property
    def bytes(self) -> Size | None:
        """The most bytes that are alive at once while the node runs; None if unknown."""
        if self.inside is None or None in self.values.values():
            return None
        whole, around = self._sums
        return peak_of([whole]) if self.inside == 0 else maximum(peak_of([whole]), add(peak_of([around]), self.inside))


def lifetimes(graph: Graph, weights: Collection[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield for each node which values begin with it and which end with it; inputs do neither.

    A value ends with the last node that reads it, one that nothing reads with its own, outputs of the graph never.
    """
    last = _last_reads(graph)
    ends: dict[int, list[str]] = {}
    for index, node in enumerate(graph.nodes):
        begun = [name for name in node.outputs if name and name not in weights]
        for name in begun:
            ends.setdefault(max(index, last.get(name, index)), []).append(name)
        yield begun, ends.pop(index, ())


def _last_reads(graph: Graph) -> dict[str, int]:
    """Return for each value the index of the last node that reads it, behind the last node for outputs."""
    last: dict[str, int] = {}
    for index, node in enumerate(graph.nodes):
        last.update(dict.fromkeys(node.inputs, index))
        for inner in node.graphs.values() if node.graphs else ():
            last.update(dict.fromkeys(captured(inner), index))
    last.update(dict.fromkeys(graph.outputs, len(graph.nodes)))
    return last
