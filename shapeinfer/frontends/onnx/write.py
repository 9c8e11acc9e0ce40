"""Write inferred types into a ModelProto; everything else in it stays as it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Sequence as SequenceOf

import onnx

from shapeinfer.dims import Dim, Size, has_fresh_symbol, portable_text
from shapeinfer.facts import UNKNOWN, Fact, OptionalType, SequenceType, Tensor, complete, tensor
from shapeinfer.frontends.formats import OutputDims
from shapeinfer.frontends.onnx.imports import key_of
from shapeinfer.frontends.onnx.types import type_proto
from shapeinfer.frontends.onnx.wire import varint
from shapeinfer.graph import FunctionKey, Graph

# Field tags of onnx.proto, for messages that are written as bytes: GraphProto.value_info and its parts.
_VALUE_INFO, _NAME, _TYPE = b"\x6a", b"\x0a", b"\x12"
_VALUE_INFO_OF_FUNCTION = b"\x62"
_TYPED_FUNCTIONS = 10
"""The IR version that gave functions a value_info."""

_GENERATED = re.compile(r"unk__\d+|.*_dim_\d+")
"""Names that exporters make up: no author chose them."""

Values = Mapping[str, "Fact | None"]
Scopes = Mapping[Graph, Values]
StandsFor = Callable[[Dim, Size], bool]
"""Whether a declared dim is a name for a length."""


def _never(_declared: Dim, _length: Size) -> bool:
    return False


class _Types(dict[Fact, bytes]):
    """Facts as the bytes of their TypeProto, each serialized once."""

    def __missing__(self, fact: Fact) -> bytes:
        data: bytes = type_proto(fact).SerializeToString(deterministic=True)
        found = self[fact] = _TYPE + varint(len(data)) + data
        return found


class _Entries(dict[tuple[int, Fact], tuple[bytes, bytes]]):
    """What stands in an entry of a value_info before and behind a name of so many bytes, for a fact."""

    def __init__(self, types: _Types) -> None:
        super().__init__()
        self._types = types

    def __missing__(self, key: tuple[int, Fact]) -> tuple[bytes, bytes]:
        length, fact = key
        head, kind = _NAME + varint(length), self._types[fact]
        found = self[key] = varint(len(head) + length + len(kind)) + head, kind
        return found


def annotate(
    model: onnx.ModelProto,
    graph: Graph,
    scopes: Scopes,
    stands_for: StandsFor = _never,
    output_dims: OutputDims = "keep",
    *,
    sized: bool = False,
    adds: bool = True,
) -> None:
    """Write the types of ``scopes`` into the model of ``graph``: value_info, outputs, subgraphs, functions.

    A value_info that is there already keeps its documentation and gets the type; without ``adds`` it gets no others.
    An output whose declared dim ``stands_for`` the length found keeps the author's name for it, unless ``output_dims``
    is ``expression``; with ``both`` value_info then has the formula. A number that is declared of an output stays where
    only data decides.

    Where a caller gave sizes the model is ``sized``: no name stays for what is a number then, and inputs say what was
    given, which are left alone otherwise.
    """
    writer = _Writer(scopes, stands_for, output_dims, sized, adds)
    pending = [(model.graph, graph)]
    while pending:
        proto, read = pending.pop()
        if read in scopes:
            writer.annotate(proto, read)
        pending += [(held, inner) for _, held, inner in _subgraphs(proto.node, read)]
    _annotate_functions(model, scopes, writer)


def give_sizes(model: onnx.ModelProto, before: Mapping[str, Fact], now: Mapping[str, Fact]) -> None:
    """Write the dims of inputs that were declared anew into a model; those of the inputs of bodies are dropped.

    Runtimes hold the values that a body takes to what it declares of them.
    """
    if any(before[name] is not now[name] for name in before):
        for body in _bodies(model.graph.node):
            for value in body.input:
                for dim in value.type.tensor_type.shape.dim:
                    dim.Clear()
    for value in (*model.graph.input, *model.graph.value_info):
        if value.name in before and before[value.name] is not now[value.name]:
            _give_sizes(value.type, before[value.name], now[value.name])


def _bodies(nodes: Iterable[onnx.NodeProto]) -> Iterable[onnx.GraphProto]:
    """Yield the graphs among the attributes of nodes, and those inside them."""
    pending = list(nodes)
    while pending:
        for attribute in pending.pop().attribute:
            for body in (*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs):
                yield body
                pending += body.node


def _subgraphs(
    protos: SequenceOf[onnx.NodeProto], graph: Graph
) -> Iterable[tuple[tuple[int, str], onnx.GraphProto, Graph]]:
    """Yield the graphs among the nodes' attributes, each with its place; not those that a function's caller gives."""
    for index, node in enumerate(graph.nodes):
        if node.graphs is not None:
            held = {a.name: a.g for a in protos[index].attribute if a.HasField("g")}
            for name, inner in node.graphs.items():
                if name in held:
                    yield (index, name), held[name], inner


class _Writer:
    """Writes the types of one model's graphs."""

    def __init__(self, scopes: Scopes, stands_for: StandsFor, output_dims: OutputDims, sized: bool, adds: bool) -> None:
        self.scopes = scopes
        self.stands_for = stands_for
        self.output_dims = output_dims
        self.sized = sized
        self.adds = adds
        self.types = _Types()
        self._entries = _Entries(self.types)

    def annotate(self, proto: onnx.GraphProto, graph: Graph) -> None:
        """Fill in value_info and outputs of one graph."""
        values = self.scopes[graph]
        outputs = {o: f for o in graph.outputs if (f := values.get(o)) is not None and f is not UNKNOWN}
        shown = {name: self._shown(fact, graph, name) for name, fact in outputs.items()}
        there = {v.name: v for v in proto.value_info}
        sources = {"", *graph.inputs, *graph.initializers}
        for name, value in there.items():
            fact = values.get(name)
            if fact is not None and fact is not UNKNOWN and name not in sources:
                self._retype(value, graph, name, self._named(fact, graph, name, formulas=True))
        for value in (*proto.input, *proto.value_info) if self.sized else ():
            if value.name in graph.inputs:
                _give_sizes(value.type, graph.inputs[value.name], values.get(value.name) or UNKNOWN)
        for value in proto.output:
            if value.name in shown:
                self._retype(value, graph, value.name, shown[value.name])
        kept = outputs.keys() if self.output_dims != "both" else [o for o, f in outputs.items() if shown[o] is f]
        others = sources.union(there, kept)
        self.add(proto, {n: f for n, f in values.items() if f is not None and f is not UNKNOWN and n not in others})

    def _shown(self, fact: Fact, graph: Graph, name: str) -> Fact:
        """Return the type of an output with the names that are to stand in it."""
        return fact if self.output_dims == "expression" else self._named(fact, graph, name)

    def _named(self, fact: Fact, graph: Graph, name: str, *, formulas: bool = False) -> Fact:
        """Put back what is declared of just this length, and of what is not known.

        In place of ``formulas`` of inputs no name is, nor a number in that of what only data decides.
        """
        declared = graph.declared.get(name)
        if declared is None:
            return fact
        fact = complete(fact, declared.fact)
        if not isinstance(fact, Tensor) or not isinstance(declared.fact, Tensor):
            return fact
        ours, theirs = fact.shape, declared.fact.shape
        if ours is None or theirs is None or len(ours) != len(theirs):
            return fact

        def kept(mine: Size, declared_size: Size) -> bool:
            if isinstance(declared_size, int):
                return _is_open(mine) and not formulas
            if not self.stands_for(declared_size, mine) or (self.sized and isinstance(mine, int)):
                return False
            return _is_open(mine) if formulas else not _GENERATED.fullmatch(declared_size.text)

        return tensor(
            fact.dtype,
            tuple(declared_size if kept(mine, declared_size) else mine for mine, declared_size in zip(ours, theirs)),
        )

    def _retype(self, value: onnx.ValueInfoProto, graph: Graph, name: str, fact: Fact) -> None:
        """Replace a type unless it is the same already; its text, and the author's denotations, then stay."""
        declared = graph.declared.get(name)
        if declared is None or declared.fact is not fact:
            value.ClearField("type")
            value.MergeFromString(self.types[fact])

    def add(self, proto: onnx.GraphProto | onnx.FunctionProto, facts: Mapping[str, Fact]) -> None:
        """Append entries to a value_info, as bytes, which is much faster than as objects."""
        if not self.adds:
            return
        tag = _VALUE_INFO if isinstance(proto, onnx.GraphProto) else _VALUE_INFO_OF_FUNCTION
        entries = self._entries
        parts: list[bytes] = []
        for name, fact in facts.items():
            text = name.encode()
            before, behind = entries[len(text), fact]
            parts += (tag, before, text, behind)
        if parts:
            proto.MergeFromString(b"".join(parts))


def _annotate_functions(model: onnx.ModelProto, scopes: Scopes, writer: _Writer) -> None:
    """Write into functions what holds in all their calls; what two functions are called alike is left as it is."""
    bodies: dict[FunctionKey, list[Graph]] = {}
    for graph in scopes:
        if graph.function is not None:
            bodies.setdefault(graph.function, []).append(graph)
    names = Counter(map(key_of, model.functions))
    for proto in model.functions:
        key = key_of(proto)
        if key in bodies and names[key] == 1:
            _annotate_alike(proto, bodies[key], scopes, writer, known=model.ir_version >= _TYPED_FUNCTIONS)


def _annotate_alike(
    proto: onnx.GraphProto | onnx.FunctionProto, bodies: SequenceOf[Graph], scopes: Scopes, writer: _Writer, known: bool
) -> None:
    """Write what several readings of one body agree on, and drop what is there and not true of all of them."""
    entered = [g for g in bodies if g in scopes]
    if entered and known:
        computed = dict.fromkeys(name for node in entered[0].nodes for name in node.outputs if name)
        agreed: dict[str, Fact] = {}
        apart: set[str] = set()
        for name in computed:
            facts = [scopes[g].get(name) or UNKNOWN for g in entered]
            if len({writer.types[f] for f in facts}) > 1:
                apart.add(name)
            elif facts[0] is not UNKNOWN:
                agreed[name] = facts[0]
        for index in reversed(range(len(proto.value_info))):
            if proto.value_info[index].name in apart:
                del proto.value_info[index]
        for value in (*proto.value_info, *(proto.output if isinstance(proto, onnx.GraphProto) else ())):
            if value.name in agreed:
                value.type.CopyFrom(type_proto(agreed.pop(value.name)))
        writer.add(proto, agreed)
    inner: dict[tuple[int, str], tuple[onnx.GraphProto, list[Graph]]] = {}
    for body in bodies:
        for place, held, graph in _subgraphs(proto.node, body):
            inner.setdefault(place, (held, []))[1].append(graph)
    for held, graphs in inner.values():
        _annotate_alike(held, graphs, scopes, writer, known=True)


def _is_open(size: Size) -> bool:
    """Whether only data decides a length."""
    return has_fresh_symbol(size)


def _give_sizes(proto: onnx.TypeProto, declared: Fact, fact: Fact) -> None:
    """Write the lengths of a fact that are not those declared into a type, whose other names and texts stay."""
    if isinstance(fact, (SequenceType, OptionalType)) and isinstance(declared, (SequenceType, OptionalType)):
        held = proto.sequence_type if isinstance(fact, SequenceType) else proto.optional_type
        _give_sizes(held.elem_type, declared.element, fact.element)
    if fact.shape is None:
        return
    part = proto.tensor_type if isinstance(fact, Tensor) else proto.sparse_tensor_type
    if declared.shape is None:
        found = type_proto(fact)
        part.CopyFrom(found.tensor_type if isinstance(fact, Tensor) else found.sparse_tensor_type)
        return
    for dim, declared_size, size in zip(part.shape.dim, declared.shape, fact.shape):
        if isinstance(size, int):
            dim.dim_value = size
        elif size is not declared_size and not _is_open(size):
            dim.dim_param = portable_text(size)
