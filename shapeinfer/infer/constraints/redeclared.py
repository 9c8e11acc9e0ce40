"""Declare the inputs of a graph anew, with names of the caller's for their dims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve

from shapeinfer.dims import Dim, DimSyntaxError, Size, parse_with, substitute, symbol
from shapeinfer.facts import Fact, Tensor, resized, tensor
from shapeinfer.graph import UNNAMED, Declaration, Function, Functions, Graph, Node
from shapeinfer.ops.limits import MOST

GivenDim: TypeAlias = "int | str | Dim"
GivenShapes: TypeAlias = "Mapping[str, Sequence[GivenDim]]"
"""Shapes by the name of the input: numbers, and names or formulas that declare a dim anew."""


class _Names(dict[str, Size]):
    """The dims of a model by name; any other name is that of a new one."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __missing__(self, name: str) -> Size:
        made = self[name] = symbol(name)
        return made


def has_names(dims: object) -> bool:
    """Whether a shape declares dims anew."""
    return isinstance(dims, Iterable) and any(isinstance(dim, (str, Dim)) for dim in dims)


def named_dims(graph: Graph) -> dict[str, Dim]:
    """Return the symbols of a graph's inputs by name."""
    return {s.name: s for f in graph.inputs.values() for s in sorted(f.symbols, key=str)}


def read_dims(graph: Graph, given: Iterable[Any]) -> list[Any]:
    """Return a shape with names read as dims: those of the model's inputs, or new ones.

    Raises DimSyntaxError for text that is no dim; what is neither text nor a Dim stays as it is.
    """
    named = _Names(named_dims(graph))
    return [parse_with(dim.strip(), named) if isinstance(dim, str) else dim for dim in given]


def redeclared(graph: Graph, shapes: GivenShapes) -> Graph:
    """Return a graph whose inputs have the dims that ``shapes`` names; the graph itself where it names none.

    What the model declares of other values was traced with the sizes before: numbers there are dropped, and an old name
    is renamed wherever it stands. Shapes that an input cannot have are left to whoever reports them.
    """
    inputs = dict(graph.inputs)
    old: dict[Dim, set[Size]] = {}
    for name, given in shapes.items():
        value = graph.aliases.get(name, name)
        fact = graph.inputs.get(value)
        dims = _new_dims(graph, fact, given)
        if dims is None or not isinstance(fact, Tensor):
            continue
        for said, size in zip(fact.shape or (), dims):
            if isinstance(said, Dim) and said.is_symbol:
                old.setdefault(said, set()).add(size)
        inputs[value] = fact.of(*dims)
    if inputs == graph.inputs:
        return graph
    renamed = {said: size for said, sizes in old.items() for size in sizes if len(sizes) == 1}
    redone = {value for value, fact in inputs.items() if fact is not graph.inputs[value]}
    inputs = {value: fact if value in redone else fact.substitute(renamed) for value, fact in inputs.items()}
    names = {s.name for fact in inputs.values() for s in fact.symbols}
    return _Undeclared(renamed, names).graph(evolve(graph, inputs=inputs))


def _new_dims(graph: Graph, fact: Fact | None, given: object) -> list[Size] | None:
    """Return the dims of an input for which names are given; None where only numbers are, or what cannot be."""
    if not has_names(given) or not isinstance(given, Iterable) or not isinstance(fact, Tensor):
        return None
    try:
        dims = read_dims(graph, given)
    except DimSyntaxError:
        return None
    if fact.shape is not None and len(fact.shape) != len(dims):
        return None
    if not all(isinstance(dim, (int, Dim)) and (isinstance(dim, Dim) or 0 <= dim <= MOST) for dim in dims):
        return None
    return [dim if isinstance(dim, Dim) else said for dim, said in zip(dims, fact.shape or dims)]


class _Undeclared:
    """Forgets the numbers that a model declares of what nodes compute, and renames dims in the rest."""

    def __init__(self, renamed: Mapping[Dim, Size], names: set[str]) -> None:
        self.renamed = renamed
        self.names = names
        """The names of inputs' dims: a label of one of these is no label of its own any more."""

    def graph(self, graph: Graph) -> Graph:
        """Return the main graph without them."""
        return evolve(
            graph,
            declared={name: self._declaration(d) for name, d in graph.declared.items()},
            nodes=[self._node(node) for node in graph.nodes],
            functions=self._functions(graph.functions),
        )

    def _declaration(self, declaration: Declaration) -> Declaration:
        fact = resized(declaration.fact, self._size)
        return declaration if fact is declaration.fact else evolve(declaration, fact=fact)

    def _size(self, size: Size) -> Size:
        if isinstance(size, int):
            return UNNAMED
        is_label = size.is_symbol and size.is_fresh
        return UNNAMED if is_label and size.name in self.names else substitute(size, self.renamed)

    def _node(self, node: Node) -> Node:
        if not node.graphs:
            return node
        # The runtime makes the number of a Loop's pass and its condition as the body declares them.
        steering = 2 if node.call.op_type == "Loop" else 0
        return evolve(node, graphs={name: self._body(inner, steering) for name, inner in node.graphs.items()})

    def _body(self, body: Graph, steering: int) -> Graph:
        inputs = {
            name: tensor(fact.dtype, None) if isinstance(fact, Tensor) and i >= steering else fact
            for i, (name, fact) in enumerate(body.inputs.items())
        }
        return self.graph(evolve(body, inputs=inputs))

    def _functions(self, functions: Functions) -> Functions:
        return {key: self._function(function) for key, function in functions.items()}

    def _function(self, function: Function) -> Function:
        def body(node: Node, others: Functions) -> Graph:
            return self.graph(function.body(node, others))

        return evolve(function, body=body)
