"""Attributes of a NodeProto as Python values; equal sets are one object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import onnx

from shapeinfer.diagnostics.codes import Code
from shapeinfer.frontends.onnx.stored import tensor_faults
from shapeinfer.frontends.onnx.tensors import sparse_fact, tensor_fact
from shapeinfer.frontends.onnx.types import TypeReader
from shapeinfer.graph import Attributes, AttributeType

_A = AttributeType


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


_READERS: dict[AttributeType, Callable[[onnx.AttributeProto], Any]] = {
    _A.FLOAT: lambda a: float(a.f),
    _A.INT: lambda a: int(a.i),
    _A.STRING: lambda a: _text(a.s),
    _A.TENSOR: lambda a: tensor_fact(a.t),
    _A.FLOATS: lambda a: tuple(a.floats),
    _A.INTS: lambda a: tuple(a.ints),
    _A.STRINGS: lambda a: tuple([s.decode("utf-8", "replace") for s in a.strings]),
    _A.TENSORS: lambda a: tuple(tensor_fact(t) for t in a.tensors),
    _A.SPARSE_TENSOR: lambda a: sparse_fact(a.sparse_tensor),
    _A.SPARSE_TENSORS: lambda a: tuple(sparse_fact(t) for t in a.sparse_tensors),
    _A.TYPE_PROTO: lambda a: TypeReader(()).read(a.tp, label=True),
    _A.TYPE_PROTOS: lambda a: tuple(TypeReader(()).read(t, label=True) for t in a.type_protos),
}
_FIELDS = (
    (_A.FLOAT, "f"),
    (_A.INT, "i"),
    (_A.STRING, "s"),
    (_A.TENSOR, "t"),
    (_A.GRAPH, "g"),
    (_A.FLOATS, "floats"),
    (_A.INTS, "ints"),
    (_A.STRINGS, "strings"),
)


def read_attributes(protos: Iterable[onnx.AttributeProto]) -> Attributes:
    """Return the attributes of one node; references to a function's attributes must be replaced before."""
    values: dict[str, Any] = {}
    types: dict[str, AttributeType] = {}
    faults: list[tuple[Code, str]] = []
    for proto in protos:
        kind = kind_of(proto)
        types[proto.name] = kind
        reader = _READERS.get(kind)
        if reader is not None:
            values[proto.name] = reader(proto)
        if kind is _A.TENSOR:
            faults += tensor_faults(proto.t, f"the tensor {proto.name}")
    return Attributes(values, types, tuple(faults))


def kind_of(proto: onnx.AttributeProto) -> AttributeType:
    """Return an attribute's kind, which models of the first IR versions leave to be seen from the field."""
    if proto.type:
        try:
            return AttributeType(proto.type)
        except ValueError:
            return AttributeType.UNDEFINED
    for kind, field in _FIELDS:
        if proto.HasField(field) if kind <= _A.GRAPH else len(getattr(proto, field)):
            return kind
    return AttributeType.UNDEFINED
