"""The syntax tree of a model's text, with the place of every name in it.

Spans count characters from the start of the statement around, a node or an item of a list; ``Placed`` tells where that
starts, from the start of the statement around it in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import onnx
from attrs import define, field, frozen

from shapeinfer.graph import Graph, Node

T = TypeVar("T", covariant=True)


class Name(NamedTuple):
    """A name as it is meant, without quotes, and where it stands."""

    text: str
    start: int
    end: int


@define(eq=False)
class Placed(Generic[T]):
    """A statement and where it starts."""

    at: int
    what: T


@frozen(eq=False)
class TypeText:
    """A type; ``dims`` are its names of lengths, those of nested types too."""

    proto: onnx.TypeProto
    dims: tuple[Name, ...]
    start: int
    end: int


@frozen(eq=False)
class ValueText:
    """An input, an output or a value with its type, or an initializer with its data."""

    name: Name
    type: TypeText | None
    tensor: onnx.TensorProto | None
    end: int


@frozen(eq=False)
class AttributeText:
    """An attribute of a node; ``ref`` is the function's attribute whose value it takes."""

    name: Name
    proto: onnx.AttributeProto
    graphs: tuple[GraphText, ...]
    ref: Name | None
    end: int


@frozen(eq=False)
class NodeText:
    """A node. Of a broken one only the outputs are there, as far as they could be read, and no proto."""

    label: Name | None
    outputs: tuple[Name, ...]
    operator: Name | None
    """The operator with its domain, as it is written."""
    attributes: tuple[AttributeText, ...]
    inputs: tuple[Name, ...]
    proto: onnx.NodeProto | None
    end: int

    @property
    def named_output(self) -> Name | None:
        """The first output that has a name, None if none has."""
        return next((o for o in self.outputs if o.text), None)


@frozen(eq=False)
class GraphText:
    """A graph; ``values`` are the types and initializers that stand between its outputs and its nodes."""

    name: Name
    inputs: tuple[Placed[ValueText], ...]
    outputs: tuple[Placed[ValueText], ...]
    values: tuple[Placed[ValueText], ...]
    nodes: tuple[Placed[NodeText], ...]
    opens: int
    """Where the list of nodes opens."""
    end: int


@frozen(eq=False)
class FunctionText:
    """A function; ``types`` are the types that it gives some of its values."""

    domain: str
    name: Name
    inputs: tuple[Name, ...]
    outputs: tuple[Name, ...]
    attributes: tuple[Name, ...]
    nodes: tuple[Placed[NodeText], ...]
    proto: onnx.FunctionProto
    start: int
    opens: int
    end: int


@frozen(eq=False)
class Entry:
    """An entry of a header, such as ``opset_import``, from its key to the end of its value."""

    key: Name
    end: int


@frozen
class Fault:
    """What is wrong with the text between two places, and what would fix it."""

    start: int
    end: int
    message: str
    fix: str = ""


@define(eq=False)
class ModelText:
    """A model as it is written; what could not be read is among its faults and nowhere else."""

    text: str
    header: tuple[Entry, ...]
    header_end: int | None
    """Where the header closes, None if there is none."""
    graph: GraphText | None
    functions: tuple[FunctionText, ...]
    proto: onnx.ModelProto
    """Without the nodes of the main graph, which ``read.complete`` puts in."""
    faults: tuple[Fault, ...]
    known: dict[str, object]
    """Values, and statements of functions, by their text: in a later one they need not be read again."""
    nodes: dict[NodeText, Node] = field(factory=dict)
    """The nodes of the main graph's statements."""
    graphs: WeakValueDictionary[Body, Graph] = field(factory=WeakValueDictionary)
    """The graph of each, of a function's body that of its last call; the report keeps them."""

    def bodies(self) -> Iterator[tuple[int, Body]]:
        """Iterate over everything that holds nodes, each with the place from which its spans count."""
        for body in self.outermost:
            yield from nested(body)

    @property
    def outermost(self) -> list[Body]:
        """The main graph, if there is one, and the functions."""
        return [*([] if self.graph is None else [self.graph]), *self.functions]


Body: TypeAlias = "GraphText | FunctionText"


def nested(graph: Body, at: int = 0) -> Iterator[tuple[int, Body]]:
    """Iterate over a graph and those inside its nodes, each with the place from which its spans count."""
    yield at, graph
    for placed in graph.nodes:
        for attribute in placed.what.attributes:
            for inner in attribute.graphs:
                yield from nested(inner, at + placed.at)
