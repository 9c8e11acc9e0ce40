"""Follow an axis back to the input or initializer that its length came from.

Exactly, not by looking for equal numbers: a node's inputs are given a symbol for each axis, and the symbols
in its output are the axes that it is computed from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.dims import Dim, Size, symbol, text_of
from shapeinfer.facts import Fact, Tensor, tensor
from shapeinfer.graph import Node
from shapeinfer.infer.diagnosis.diagnose import node_ref
from shapeinfer.infer.scope import Scope
from shapeinfer.ops.call import infer_call

MAX_STEPS = 200

Axis: TypeAlias = tuple[str, int]
"""A value and one of its axes."""

Marks: TypeAlias = "dict[Dim, Axis]"
"""Which axis of which value a symbol stands for."""


class Step(NamedTuple):
    """One step on the way of a size back to where it comes from."""

    node: NodeRef | None
    """The node that computes the size; None where the way ends at an input or an initializer."""
    sources: tuple[Axis, ...] = ()
    """The axes that the node computes it from; none of a node that decides it by anything else."""
    end: str = ""
    """Where the way ends, such as ``axis 2 of input past``; empty for a node."""

    @property
    def text(self) -> str:
        """The step as a phrase, such as ``by Concat (node 0), from axis 2 of k and axis 2 of past``."""
        if self.node is None:
            return self.end
        return f"by {self.node.text}, from {self.named}" if self.sources else f"computed by {self.node.text}"

    @property
    def named(self) -> str:
        """The sources by name, such as ``axis 2 of k and axis 2 of past``."""
        return " and ".join(f"axis {axis} of {value}" for value, axis in self.sources)


class Origins:
    """Traces axes through one graph, by the facts known so far. What it finds of a node it keeps."""

    def __init__(self, scope: Scope) -> None:
        self._graph = scope.graph
        self._facts = scope
        self._path = scope.path
        self._producers: dict[str, tuple[int, Node]] | None = None
        self._marked: dict[tuple[str, bool], tuple[Marks, Sequence[Fact]]] = {}
        """For the first output of a node what comes of it with a symbol for each axis of its inputs."""

    @property
    def scope(self) -> Scope:
        """The values of the graph."""
        return self._facts

    def __call__(self, name: str, axis: int | None, entry: int | None = None) -> str:
        """Return where the size of an axis, or an entry, comes from, as a phrase; empty for neither."""
        if entry is not None:
            return self._entry(name, entry)
        size = None if axis is None else self._size(name, axis)
        if size is None or axis is None:
            return ""
        by = ""
        for _ in range(MAX_STEPS):
            ends = self._end(name, axis)
            if ends:
                return f"{text_of(size)}: {ends}{by}"
            producer = self.producer(name)
            if producer is None:
                return ""
            index, node = producer
            place = node_ref(node, index, self._path).text
            source = self._source(node, name, axis)
            if source is None:
                return f"{text_of(size)}: computed by {place}"
            name, axis = source
            by = f", by {place}"
        return ""

    def _entry(self, name: str, entry: int) -> str:
        fact = self._facts.fact(name)
        known = fact.value if isinstance(fact, Tensor) and fact.value is not None else ()
        held = known[entry] if entry < len(known) else None
        producer = self.producer(name)
        if not isinstance(held, (int, Dim)):
            return ""
        if producer is not None:
            return f"{text_of(held)}: computed by {node_ref(producer[1], producer[0], self._path).text}"
        return f"{text_of(held)}: {end}" if (end := self._end(name, entry, "entry")) else ""

    def inputs(self, name: str, axis: int) -> set[Axis]:
        """Return the axes of the graph's inputs that a size is computed from, as far as they can be followed."""
        return {step for step in self.axes(name, axis) if step[0] in self._graph.inputs}

    def axes(self, name: str, axis: int) -> list[Axis]:
        """Return the axes that a size is computed from, itself first, as far as they can be followed."""
        seen: dict[Axis, None] = {}
        pending = [(name, axis)]
        while pending and len(seen) < MAX_STEPS:
            step = pending.pop()
            if step in seen:
                continue
            seen[step] = None
            producer = self.producer(step[0])
            if step[0] in self._graph.inputs or producer is None:
                continue
            if (found := self._marked_output(producer[1], *step)) is not None:
                size, names = found
                pending += [names[s] for s in sorted(size.symbols, key=str) if s in names]
        return list(seen)

    def _size(self, name: str, axis: int) -> Size | None:
        fact = self._facts.fact(name)
        if not isinstance(fact, Tensor) or fact.shape is None or not -len(fact.shape) <= axis < len(fact.shape):
            return None
        return fact.shape[axis]

    def _end(self, name: str, axis: int, what: str = "axis") -> str:
        if name in self._graph.inputs:
            return f"{what} {axis} of input {name}"
        return f"{what} {axis} of initializer {name}" if name in self._graph.initializers else ""

    def producer(self, name: str) -> tuple[int, Node] | None:
        """Return the node that computes a value, with its index; None for inputs and initializers."""
        if self._producers is None:
            self._producers = {o: (i, n) for i, n in enumerate(self._graph.nodes) for o in n.outputs if o}
        return self._producers.get(name)

    def _source(self, node: Node, name: str, axis: int) -> Axis | None:
        """The one input axis whose length the output's axis takes over, None where there is no single one."""
        marked = self._marked_output(node, name, axis)
        return None if marked is None else marked[1].get(marked[0])

    def _marked_output(self, node: Node, name: str, axis: int) -> tuple[Dim, Marks] | None:
        """The length of an output's axis where every axis of the inputs has a symbol, and which is whose."""
        if node.graphs is not None:
            return None
        for steering in (False, True):
            names, facts = self._marked_call(node, steering)
            computed = facts[node.outputs.index(name)]
            if isinstance(computed, Tensor) and computed.shape is not None and axis < len(computed.shape):
                size = computed.shape[axis]
                if isinstance(size, Dim) and any(s in names for s in size.symbols):
                    return size, names
        return None

    def _marked_call(self, node: Node, steering: bool) -> tuple[Marks, Sequence[Fact]]:
        key = (next(filter(None, node.outputs), ""), steering)
        found = self._marked.get(key)
        if found is None:
            names: Marks = {}
            inputs = [self._marked_input(value, names, steering) for value in node.inputs]
            found = self._marked[key] = (names, infer_call(node.call, inputs).facts)
        return found

    def _marked_input(self, value: str, names: Marks, steering: bool) -> Fact | None:
        """An input with a symbol for each axis; with ``steering`` what is known to hold a shape keeps it."""
        fact: Fact | None = self._facts.fact(value) if value else None
        if not isinstance(fact, Tensor) or fact.shape is None or (steering and fact.value is not None):
            return fact
        return tensor(fact.dtype, tuple(_marked(d, value, i, names) for i, d in enumerate(fact.shape)))

    def steps(self, name: str, axis: int) -> Iterator[Step]:
        """Each node that computes a size, from the last one back, with the axes it takes it from, and then the end."""
        for _ in range(MAX_STEPS):
            found = self.producer(name)
            if self._end(name, axis) or found is None:
                yield Step(None, (), self._end(name, axis) or f"nothing is known of {name}")
                return
            place = node_ref(found[1], found[0], self._path)
            marked = self._marked_output(found[1], name, axis)
            if marked is None:
                yield Step(place)
                return
            size, names = marked
            sources = tuple(names[s] for s in sorted(size.symbols, key=str) if s in names)
            yield Step(place, sources)
            if len(sources) > 1:
                return
            name, axis = sources[0]


def _marked(size: Size, value: str, axis: int, names: Marks) -> Size:
    """A symbol that stands for one axis of one value; 1 stays, since broadcasting must see it."""
    if size == 1 or (isinstance(size, int) and size == 0):
        return size
    mark = symbol(f"{value}[{axis}]", low=2, fresh=True)
    assert isinstance(mark, Dim), "a mark has more than one value"
    names[mark] = (value, axis)
    return mark
