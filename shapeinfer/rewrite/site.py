"""One graph of a model that is being rewritten: its nodes, and what is known of its values."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import onnx
from attrs import Factory, define

from shapeinfer.dims import Equal, Size, at_least, has_fresh_symbol, product
from shapeinfer.facts import Contents, DType, Fact, Shape, Tensor
from shapeinfer.graph import Graph, Node
from shapeinfer.infer.result import Result
from shapeinfer.rewrite.names import Names, nested, read, stored, value_names
from shapeinfer.rewrite.stored import Array, Constants

Places: TypeAlias = "frozenset[tuple[tuple[str, ...], int]]"
"""Nodes, by the way to their graph and their number in it."""

T = TypeVar("T")


@define(eq=False, slots=False)
class Site:
    """A graph with its facts. ``nodes`` are those that were read, in the order of the proto's."""

    proto: onnx.GraphProto
    graph: Graph
    result: Result
    checking: Places
    """The nodes, here and elsewhere, that refuse inputs which the rest of the model may not refuse."""
    kept_names: frozenset[str]
    """Names of the model that other parts of it speak of, so that their values stay as they are."""
    names: Names
    path: tuple[str, ...] = ()
    outer: Site | None = None
    first_with: dict[tuple[DType, Shape, Contents], str] = Factory(dict)
    """The first value with each contents, among the nodes visited so far of this graph and those around it."""
    changed: set[str] = Factory(set)
    """The values whose shapes edits of this round change: nothing is known of them until the next inference."""
    _computed: dict[str, Any] = Factory(dict)

    def inside(self, proto: onnx.GraphProto, graph: Graph, step: str) -> Site:
        """Return the site of a graph inside a node of this one."""
        inner = Site(proto, graph, self.result, self.checking, self.kept_names, self.names, (*self.path, step), self)
        # A name that the inner graph gives a value of its own is another value there.
        inner.first_with = {key: name for key, name in self.first_with.items() if name not in inner.own_names}
        return inner

    @property
    def nodes(self) -> Sequence[Node]:
        return self.graph.nodes

    @functools.cached_property
    def producers(self) -> Mapping[str, int]:
        """The node of this graph that computes each value."""
        return {name: i for i, node in enumerate(self.nodes) for name in node.outputs if name}

    @functools.cached_property
    def outputs(self) -> frozenset[str]:
        return frozenset(self.graph.outputs)

    @functools.cached_property
    def doubtful(self) -> frozenset[str]:
        """The outputs, of graphs around this one too, of which more is declared than inference shows.

        Only their author knows whether it is true, and other tools believe it wherever such a value is read.
        """
        own = frozenset(v.name for v in self.proto.output if self._is_doubtful(v.name, v.type.tensor_type))
        return own if self.outer is None else own | self.outer.doubtful

    def _is_doubtful(self, output: str, declared: onnx.TypeProto.Tensor) -> bool:
        found = self.shape(output)
        if found is None:
            return bool(declared.HasField("shape"))
        # Of another rank it is false, and written anew.
        both = zip(declared.shape.dim, found) if len(declared.shape.dim) == len(found) else ()
        return any(dim.HasField("dim_value") and _is_open(size) for dim, size in both)

    @functools.cached_property
    def own_names(self) -> frozenset[str]:
        """The names that this graph gives values of its own."""
        return frozenset(value_names(self.proto))

    @functools.cached_property
    def hidden(self) -> frozenset[str]:
        """The names that graphs inside this one give values of their own."""
        return frozenset().union(*map(value_names, nested(self.proto)))

    @functools.cached_property
    def stored(self) -> frozenset[str]:
        """The names of this graph's initializers that no caller can give anew."""
        return frozenset(stored(self.proto)) - self.graph.inputs.keys()

    def checks(self, index: int) -> bool:
        """Whether a node refuses inputs that the rest of the model may not refuse."""
        return (self.path, index) in self.checking

    def is_standard(self, index: int) -> bool:
        """Whether a node is of ONNX's own domain and no function of the model takes its place."""
        call = self.nodes[index].call
        return call.domain == "" and call.function not in self.graph.functions

    def op(self, index: int) -> str:
        """Return which operator of ONNX's own domain a node is of; an empty text for any other."""
        return self.nodes[index].call.op_type if self.is_standard(index) else ""

    def attribute(self, index: int, name: str, default: Any = None) -> Any:
        """Return what a node's attribute holds."""
        return self.nodes[index].call.attributes.values.get(name, default)

    def has_input(self, index: int, port: int) -> bool:
        """Whether a node has an input."""
        return port < len(self.nodes[index].inputs) and self.nodes[index].inputs[port] != ""

    def fact(self, name: str) -> Fact | None:
        """Return what is known of a value, of this graph or of one around it."""
        site: Site | None = self
        while site is not None:
            scope = site.result.scopes[site.graph]
            if name in site.changed:
                return None
            if name in scope:
                return scope[name]
            site = site.outer
        return None

    def tensor(self, name: str) -> Tensor | None:
        """Return what is known of a tensor, None for any other value."""
        fact = self.fact(name)
        return fact if isinstance(fact, Tensor) else None

    def shape(self, name: str) -> Shape | None:
        """Return the lengths of a tensor's axes, None where the rank is unknown or it is no tensor."""
        tensor = self.tensor(name)
        return None if tensor is None else tensor.shape

    def dtype(self, name: str) -> DType | None:
        """Return a tensor's element type, None where it is not known."""
        tensor = self.tensor(name)
        return None if tensor is None else tensor.dtype or None

    def entries(self, index: int, port: int) -> Contents | None:
        """Return the known entries of a node's input."""
        tensor = self.tensor(self.nodes[index].inputs[port]) if self.has_input(index, port) else None
        return None if tensor is None else tensor.value

    def is_stored(self, name: str) -> bool:
        """Whether a value is a constant of the file already."""
        site: Site | None = self
        while site is not None:
            if name in site.producers:
                return site.op(site.producers[name]) == "Constant"
            if name in site.stored:
                return True
            if name in site.graph.inputs:
                return False
            site = site.outer
        return False

    @functools.cached_property
    def constants(self) -> Constants:
        return Constants(self.proto, self.stored)

    def is_in_memory(self, name: str) -> bool:
        """Whether a constant's data was read with the model."""
        site: Site | None = self
        while site is not None:
            if name in site.constants:
                return site.constants.is_in_memory(name)
            site = site.outer
        return False

    def constant(self, name: str, most: int = 1 << 16) -> Array | None:
        """Return a constant that has no more than so many entries, None for any other value."""
        site: Site | None = self
        shape = self.shape(name)
        if shape is None or not all(isinstance(d, int) for d in shape) or product(shape) > most:
            return None
        while site is not None:
            if name in site.constants:
                return site.constants[name]
            if name in site.producers or name in site.graph.inputs:
                return None
            site = site.outer
        return None

    def is_read(self, name: str) -> bool:
        """Whether anything reads a value of this graph, or the graph gives it back."""
        return name in self._readers

    def reader_count(self, name: str) -> int:
        """Return how often nodes of this graph, and graphs inside it, read a value or give it back."""
        return self._readers.get(name, 0)

    @functools.cached_property
    def _readers(self) -> Mapping[str, int]:
        counted = Counter(name for node in self.proto.node for name in read(node))
        counted.update(v.name for v in self.proto.output)
        return counted

    @functools.cached_property
    def readers(self) -> Mapping[str, Sequence[int]]:
        """The nodes of this graph that read each value, by inputs or inside their graphs, each as often as it does."""
        found: dict[str, list[int]] = {}
        for index, node in enumerate(self.proto.node):
            for name in read(node):
                found.setdefault(name, []).append(index)
        return found

    def read_inside(self, index: int) -> Iterator[str]:
        """Yield the names that the graphs inside a node capture."""
        node = self.proto.node[index]
        yield from itertools.islice(read(node), sum(map(bool, node.input)), None)

    def once(self, what: str, compute: Callable[[Site], T]) -> T:
        """Return what is computed of the whole graph, once for all its nodes."""
        if what not in self._computed:
            self._computed[what] = compute(self)
        return self._computed[what]  # type: ignore[no-any-return]

    def only_reader(self, name: str) -> int | None:
        """Return the one node that reads a value, None where there are more or the graph gives it back."""
        readers = self.readers.get(name, ())
        return readers[0] if len(readers) == 1 and name not in self.outputs and name not in self.kept_names else None

    def same(self, a: Size, b: Size) -> bool:
        """Whether two lengths are proved equal."""
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        premises = self.result.premises
        a, b = premises.current(a), premises.current(b)
        return a is b or premises.answer(Equal(a, b)).is_yes

    def same_shape(self, a: str, b: str) -> bool:
        """Whether two tensors are proved to have one shape and element type."""
        return self.dtype(a) is self.dtype(b) is not None and self.same_dims(a, b)

    def same_dims(self, a: str, b: str) -> bool:
        """Whether two tensors are proved to have one shape."""
        ours, theirs = self.shape(a), self.shape(b)
        if ours is None or theirs is None or len(ours) != len(theirs):
            return False
        return all(map(self.same, ours, theirs))

    def is_positive(self, size: Size) -> bool:
        """Whether a length is proved to be 1 or more."""
        if isinstance(size, int):
            return size >= 1
        premises = self.result.premises
        return premises.answer(at_least(premises.current(size), 1)).is_yes


def _is_open(size: Size) -> bool:
    """Whether only data decides a length."""
    return has_fresh_symbol(size)
