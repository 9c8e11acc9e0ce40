"""The values of one graph while it is inferred, with those it captures from the graphs around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shapeinfer.dims import Size
from shapeinfer.facts import UNKNOWN, Fact
from shapeinfer.graph import Graph, Node


class UndefinedValue(KeyError):
    """A name that this graph and those around it have not defined so far."""


class Scope(dict[str, "Fact | None"]):
    """Facts by value name; a name that is not the graph's own is looked up in the graph around it.

    The empty name stands for an input left out, which is None.
    """

    def __init__(self, graph: Graph, path: tuple[str, ...] = (), outer: Scope | None = None) -> None:
        super().__init__({"": None})
        self.graph = graph
        self.path = path
        self.outer = outer
        self.absent: frozenset[str] = frozenset()
        """Names that are undefined or in a cycle; they were reported and count as unknown."""
        self.fresh_symbols: dict[tuple[object, ...], tuple[Size, ...]] = {}
        """For calls, the names and facts of their inputs, the symbols for what is data-dependent."""
        self.order: Sequence[int] = ()
        """The nodes in the order in which they are inferred."""
        self._producers: dict[str, int] = {}
        self.needed: dict[int, list[str]] | None = None
        """The nodes that an output depends on, each with what it reads; None until it is computed."""

    def __missing__(self, name: str) -> Fact | None:
        if name in self.absent:
            return UNKNOWN
        if self.outer is not None:
            return self.outer[name]
        raise UndefinedValue(name)

    def producer(self, name: str) -> Node | None:
        """Return the node of this graph that computes a value, None where none does."""
        if not self._producers:
            self._producers = {o: i for i, n in enumerate(self.graph.nodes) for o in n.outputs if o}
        index = self._producers.get(name)
        return None if index is None else self.graph.nodes[index]

    def with_facts(self, facts: Iterable[tuple[str, Fact]]) -> Scope:
        """Return a scope of the same graph in which some values have other facts."""
        inner = Scope(self.graph, self.path, self)
        inner.absent, inner._producers, inner.needed = self.absent, self._producers, self.needed
        inner.update(facts)
        return inner

    def defines(self, name: str) -> bool:
        """Whether the name can be read, here or in a graph around."""
        return name in self or name in self.absent or (self.outer is not None and self.outer.defines(name))

    def fact(self, name: str) -> Fact:
        """Return what is known of a value, UNKNOWN for a name that is not defined."""
        try:
            return self[name] or UNKNOWN
        except UndefinedValue:
            return UNKNOWN
