"""Follow an axis back to the input or initializer that its length came from.

Exactly, not by looking for equal numbers: a node's inputs are given a symbol for each axis, and the symbols
in its output say which axes it was made of.
"""

from __future__ import annotations

from shapeinfer.dims import Dim, Size, symbol, text_of
from shapeinfer.facts import Fact, Tensor, tensor
from shapeinfer.graph import Node
from shapeinfer.infer.places import node_ref
from shapeinfer.infer.scope import Scope
from shapeinfer.ops.call import infer_call

MAX_STEPS = 200


class Origins:
    """Traces axes through one graph, by the facts known so far."""

    def __init__(self, scope: Scope) -> None:
        self._graph = scope.graph
        self._facts = scope
        self._path = scope.path
        self._makers: dict[str, tuple[int, Node]] | None = None

    def __call__(self, name: str, axis: int) -> str:
        """Say in a phrase where the length of an axis came from."""
        size = self._size(name, axis)
        if size is None:
            return ""
        by = ""
        for _ in range(MAX_STEPS):
            ends = self._end(name, axis)
            if ends:
                return f"{text_of(size)}: {ends}{by}"
            maker = self._maker(name)
            if maker is None:
                return ""
            index, node = maker
            place = node_ref(node, index, self._path).text
            source = self._source(node, name, axis)
            if source is None:
                return f"{text_of(size)}: made by {place}"
            name, axis = source
            by = f", by {place}"
        return ""

    def _size(self, name: str, axis: int) -> Size | None:
        fact = self._facts.fact(name)
        if not isinstance(fact, Tensor) or fact.shape is None or not -len(fact.shape) <= axis < len(fact.shape):
            return None
        return fact.shape[axis]

    def _end(self, name: str, axis: int) -> str:
        if name in self._graph.inputs:
            return f"axis {axis} of input {name}"
        return f"axis {axis} of initializer {name}" if name in self._graph.initializers else ""

    def _maker(self, name: str) -> tuple[int, Node] | None:
        if self._makers is None:
            self._makers = {o: (i, n) for i, n in enumerate(self._graph.nodes) for o in n.outputs if o}
        return self._makers.get(name)

    def _source(self, node: Node, name: str, axis: int) -> tuple[str, int] | None:
        """The one input axis whose length the output's axis takes over, None where there is no single one."""
        if node.graphs is not None:
            return None
        names: dict[Dim, tuple[str, int]] = {}
        inputs: list[Fact | None] = []
        for value in node.inputs:
            fact: Fact | None = self._facts.fact(value) if value else None
            if isinstance(fact, Tensor) and fact.shape is not None:
                fact = tensor(
                    fact.dtype,
                    tuple(_marked(d, value, i, names) for i, d in enumerate(fact.shape)),
                    fact.value,
                )
            inputs.append(fact)
        made = infer_call(node.call, inputs).facts[node.outputs.index(name)]
        if not isinstance(made, Tensor) or made.shape is None or axis >= len(made.shape):
            return None
        size = made.shape[axis]
        return names.get(size) if isinstance(size, Dim) else None


def _marked(size: Size, value: str, axis: int, names: dict[Dim, tuple[str, int]]) -> Size:
    """A symbol that stands for one axis of one value; 1 stays, since broadcasting must see it."""
    if size == 1 or (isinstance(size, int) and size == 0):
        return size
    mark = symbol(f"{value}[{axis}]", low=2, made=True)
    assert isinstance(mark, Dim), "a mark has more than one value"
    names[mark] = (value, axis)
    return mark
