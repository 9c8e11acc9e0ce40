"""A graph of nodes over named values; every frontend builds one and the engine reads only this."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TypeAlias

from attrs import Factory, define, frozen

from shapeinfer.diagnostics.diagnostic import Diagnostic, Origin
from shapeinfer.diagnostics.fix import Fix, TextEdit
from shapeinfer.dims import symbol
from shapeinfer.facts import Fact
from shapeinfer.graph.call import Call, FunctionKey, spelled_function

if TYPE_CHECKING:
    from shapeinfer.graph.program import Operation
    from shapeinfer.graph.wiring import Wiring

UNNAMED = symbol("?", fresh=True)
"""Stands in a declared type for a dim that declares nothing."""


class Source(Protocol):
    """Where a node came from in its file; read only when its name is needed.

    What else a format knows of it, the graph's ``origin`` reads from the same object.
    """

    @property
    def name(self) -> str: ...


@define(eq=False, repr=False)
class Node:
    """One call: ``inputs`` and ``outputs`` are value names, empty where left out.

    ``graphs`` are the subgraphs among its attributes, by the attribute's name.
    """

    call: Call
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    source: Source
    graphs: Mapping[str, Graph] | None = None
    wiring: Mapping[str, Wiring] = MappingProxyType({})
    """How each of the graphs is connected, for formats that say so."""

    @property
    def name(self) -> str:
        name: object = self.source.name
        return name if isinstance(name, str) else repr(name)  # what is no text in a file comes as bytes

    @property
    def line(self) -> int | None:
        """The line of its file that it stands on, None for formats without lines."""
        return getattr(self.source, "line", None)


@frozen(repr=False)
class Declaration:
    """What the model declares of a value that a node computes: its type, and whether it is an output of the model."""

    fact: Fact
    output: bool = False
    claim: bool = False
    """Whether an inference found it before, so that it is wrong if it contradicts ours, wherever it stands."""


Functions: TypeAlias = "Mapping[FunctionKey, Function]"
"""Functions by domain, name and overload."""
Bodies: TypeAlias = "Callable[[Node, Sequence[Fact | None]], Function | None]"


@define(eq=False, repr=False)
class Graph:
    """A graph. ``inputs`` and ``initializers`` are known facts; ``declared`` has the types of what nodes compute."""

    name: str
    nodes: Sequence[Node]
    inputs: Mapping[str, Fact]
    initializers: Mapping[str, Fact]
    outputs: Sequence[str]
    declared: Mapping[str, Declaration]
    opsets: Mapping[str, int]
    functions: Functions = Factory(dict)
    bodies: Bodies | None = None
    """Gives the body that the format's standard has for the operator of a node, None if it has none."""
    faults: Sequence[Diagnostic] = ()
    """What the frontend found wrong while reading."""
    origin: Callable[[Node | str | None], Origin] | None = None
    """Says where a node, a value by its name or, for None, the graph itself was written down.

    That is the place in a file that has lines, and of a node the line of the user's program. Called only where
    something was found; a format that knows neither leaves it out.
    """
    operation: Callable[[Node], Operation | None] | None = None
    """Returns the operation of the user's program that a node was exported from, where the exporter wrote it down."""
    edit: Callable[[Node, Fix], TextEdit | None] | None = None
    """Returns how the text of a node changes for a fix, None where it cannot be written; only of formats with text."""
    ignores: Callable[[Node | str | None], frozenset[str]] | None = None
    """Of the main graph: returns which codes the model suppresses, at a node, of a value by its name, or at all.

    Called only where something was found.
    """
    aliases: Mapping[str, str] = Factory(dict)
    """Other names by which people know its values."""
    function: FunctionKey | None = None
    """The model's own function whose body this is, for one of its calls."""
    call: Call | None = None
    formals: Sequence[str] = ()
    """That call, and the names that the function gives its inputs."""
    constants_are_layers: bool = False
    """Whether initializers count among the values that a report lists."""
    format: str = ""
    """Of a main graph: the name of the format that it was read from."""
    defaults: Mapping[str, Fact] = Factory(dict)
    """Of a main graph: the optional inputs, each with its default."""

    def without_nodes(self) -> Graph:
        """Return its name, inputs, outputs and opsets alone, which keep nothing of the file alive and pickle."""
        return Graph(self.name, (), self.inputs, {}, self.outputs, {}, self.opsets, format=self.format)


@define(eq=False, repr=False)
class Function:
    """A model-local function: ``body`` gives its graph for the attributes of one calling node.

    The body's inputs carry no facts: they take those of the call. What it may call in turn is handed to it, since
    functions that held each other would never be freed before the collector comes.
    """

    domain: str
    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attributes: Mapping[str, bool]
    """Whether each attribute is required."""
    body: Callable[[Node, Functions], Graph]
    overload: str = ""

    @property
    def spelled(self) -> str:
        """Its name as messages have it: ``domain::name:overload``."""
        return spelled_function((self.domain, self.name, self.overload))
