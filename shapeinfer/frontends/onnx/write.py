"""Write inferred types into a ModelProto; everything else in it stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import onnx

from shapeinfer.dims import Dim, Size
from shapeinfer.facts import UNKNOWN, Fact, Tensor, tensor
from shapeinfer.frontends.onnx.types import type_proto
from shapeinfer.frontends.onnx.wire import varint
from shapeinfer.graph import Graph

# Field tags of onnx.proto, for messages that are written as bytes: GraphProto.value_info and its parts.
_VALUE_INFO, _NAME, _TYPE = b"\x6a", b"\x0a", b"\x12"

_GENERATED = re.compile(r"unk__\d+|.*_dim_\d+")
"""Names that exporters make up: no author chose them."""

Values = Mapping[str, "Fact | None"]
StandsFor = Callable[[Dim, Size], bool]
"""Whether a declared dim is a name for a length."""


def _never(_declared: Dim, _length: Size) -> bool:
    return False


class _Types(dict[Fact, bytes]):
    """Facts as the bytes of their TypeProto, each made once."""

    def __missing__(self, fact: Fact) -> bytes:
        data: bytes = type_proto(fact).SerializeToString(deterministic=True)
        found = self[fact] = _TYPE + varint(len(data)) + data
        return found


def annotate(
    model: onnx.ModelProto,
    graph: Graph,
    scopes: Mapping[Graph, Values],
    stands_for: StandsFor = _never,
) -> None:
    """Write the types of ``scopes`` into a model that ``graph`` was made of: value_info, outputs, subgraphs.

    Inputs are left alone. A value_info that is there already keeps its documentation and gets the type.
    An output whose declared dim ``stands_for`` the length found keeps the author's name for it.
    """
    pending = [(model.graph, graph)]
    types = _Types()
    while pending:
        proto, read = pending.pop()
        values = scopes.get(read)
        if values is not None:
            _annotate(proto, read, values, types, stands_for)
        pending += _subgraphs(proto, read)


def _subgraphs(proto: onnx.GraphProto, graph: Graph) -> Iterable[tuple[onnx.GraphProto, Graph]]:
    for index, node in enumerate(graph.nodes):
        if node.graphs is not None:
            held = {a.name: a.g for a in proto.node[index].attribute if a.HasField("g")}
            for name, inner in node.graphs.items():
                yield held[name], inner


def _annotate(proto: onnx.GraphProto, graph: Graph, values: Values, types: _Types, stands_for: StandsFor) -> None:
    outputs = set(graph.outputs)
    there = {v.name: v for v in proto.value_info}
    parts: list[bytes] = []
    for node in graph.nodes:
        for name in node.outputs:
            fact = values.get(name)
            if fact is None or fact is UNKNOWN or name in outputs:
                continue
            if name in there:
                _retype(there[name], graph, name, _named(fact, graph, name, stands_for, formulas=True))
                continue
            head, kind = name.encode(), types[fact]
            length = varint(len(head))
            parts += (_VALUE_INFO, varint(1 + len(length) + len(head) + len(kind)), _NAME, length, head, kind)
    if parts:
        proto.MergeFromString(b"".join(parts))
    for value in proto.output:
        fact = values.get(value.name)
        if fact is not None and fact is not UNKNOWN:
            _retype(value, graph, value.name, _named(fact, graph, value.name, stands_for))


def _retype(value: onnx.ValueInfoProto, graph: Graph, name: str, fact: Fact) -> None:
    """Replace a type unless it says the same already; its text, and the author's denotations, then stay."""
    declared = graph.declared.get(name)
    if declared is None or declared.fact is not fact:
        value.type.CopyFrom(type_proto(fact))


def _named(fact: Fact, graph: Graph, name: str, stands_for: StandsFor, *, formulas: bool = False) -> Fact:
    """Put the author's own name back where one is declared for just this length; not for ``formulas`` of inputs."""
    declared = graph.declared.get(name)
    if declared is None or not isinstance(fact, Tensor) or not isinstance(declared.fact, Tensor):
        return fact
    ours, theirs = fact.shape, declared.fact.shape
    if ours is None or theirs is None or len(ours) != len(theirs):
        return fact

    def kept(mine: Size, said: Size) -> bool:
        if not isinstance(said, Dim) or not stands_for(said, mine):
            return False
        if formulas:
            return isinstance(mine, Dim) and any(s.made for s in mine.symbols)
        return not _GENERATED.fullmatch(said.text)

    return tensor(fact.dtype, tuple(said if kept(mine, said) else mine for mine, said in zip(ours, theirs)))
