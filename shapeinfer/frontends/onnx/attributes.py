"""Attributes of a NodeProto as Python values; equal sets are one object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import onnx

from shapeinfer.diagnostics.codes import ATTRIBUTE_TYPE, DUPLICATE_NAME, Code
from shapeinfer.frontends.onnx.stored import sparse_faults, tensor_faults
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


_DATA: dict[str, AttributeType] = {
    "f": _A.FLOAT,
    "i": _A.INT,
    "s": _A.STRING,
    "t": _A.TENSOR,
    "g": _A.GRAPH,
    "sparse_tensor": _A.SPARSE_TENSOR,
    "tp": _A.TYPE_PROTO,
    "floats": _A.FLOATS,
    "ints": _A.INTS,
    "strings": _A.STRINGS,
    "tensors": _A.TENSORS,
    "graphs": _A.GRAPHS,
    "sparse_tensors": _A.SPARSE_TENSORS,
    "type_protos": _A.TYPE_PROTOS,
}
"""The fields that hold an attribute's value, with the kind that each is of, in the order in which they are tried."""


def read_attributes(protos: Iterable[onnx.AttributeProto], *, typed: bool = False) -> Attributes:
    """Return the attributes of one node; references to a function's attributes must be replaced before.

    ``typed``: each must have its kind, as required since IR version 2.
    """
    values: dict[str, Any] = {}
    types: dict[str, AttributeType] = {}
    faults: list[tuple[Code, str]] = []
    for proto in protos:
        kind = kind_of(proto)
        faults += _faults(proto, kind, types, typed)
        types[proto.name] = kind
        reader = _READERS.get(kind)
        if reader is not None:
            values[proto.name] = reader(proto)
    return Attributes(values, types, tuple(faults))


def kind_of(proto: onnx.AttributeProto) -> AttributeType:
    """Return an attribute's kind, which models of the first IR versions leave to be seen from the field."""
    if proto.type:
        try:
            return AttributeType(proto.type)
        except ValueError:
            return AttributeType.UNDEFINED
    return next(iter(_held(proto)), AttributeType.UNDEFINED)


def _held(proto: onnx.AttributeProto) -> list[AttributeType]:
    """Return the kinds of the values that an attribute holds: one, unless it is broken or holds but a default."""
    there = {field.name for field, _ in proto.ListFields()}
    return [kind for name, kind in _DATA.items() if name in there]


def _faults(
    proto: onnx.AttributeProto, kind: AttributeType, before: Mapping[str, AttributeType], typed: bool
) -> Iterator[tuple[Code, str]]:
    """Yield the faults of how an attribute is stored, after those ``before``."""
    name = proto.name
    if name in before:
        yield DUPLICATE_NAME, f"attribute {name} occurs more than once"
    if typed and not proto.type:
        yield ATTRIBUTE_TYPE, f"the attribute {name} does not say of which type it is"
    wrong = [held for held in _held(proto) if held is not kind]
    if wrong:
        yield ATTRIBUTE_TYPE, f"attribute {name} is declared {kind.text} but holds {wrong[0].text}"
    if kind is _A.TENSOR:
        yield from tensor_faults(proto.t, f"the tensor {name}")
    elif kind is _A.SPARSE_TENSOR:
        yield from sparse_faults(proto.sparse_tensor, f"the tensor {name}")
    for i, tensor in enumerate(proto.tensors):
        yield from tensor_faults(tensor, f"tensor {i} of {name}")
    for i, sparse in enumerate(proto.sparse_tensors):
        yield from sparse_faults(sparse, f"tensor {i} of {name}")
