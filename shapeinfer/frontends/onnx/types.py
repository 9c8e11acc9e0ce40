"""Between ONNX's TypeProto and facts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import onnx

from shapeinfer.dims import Dim, DimSyntaxError, Size, parse, portable_text, symbol
from shapeinfer.facts import (
    UNKNOWN,
    DType,
    Fact,
    MapType,
    OptionalType,
    SequenceType,
    Shape,
    SparseTensor,
    Tensor,
    tensor,
)
from shapeinfer.frontends.onnx.names import as_text
from shapeinfer.graph import UNNAMED

LONGEST = 2**63 - 1
"""The greatest dim_value there is; a length beyond it, which no tensor has, stays unset."""


class TypeReader:
    """Reads the types of one model.

    ``borne`` are the dims that inputs bear. Text over those that are plain names is an expression; any other
    text that an input bears is a symbol of that name, and the rest are mere labels, which are fresh symbols.
    """

    def __init__(self, borne: Collection[str]) -> None:
        self.borne = frozenset(borne)
        self.names = frozenset(n for n in borne if n.isidentifier())
        self.negative = False
        """Whether the type read last had a negative dim."""
        self._negative: set[tuple[bytes, bool]] = set()
        self._facts: dict[tuple[bytes, bool], Fact] = {}
        self._sizes: dict[tuple[str, bool], Size] = {}

    def read(self, proto: onnx.TypeProto, *, label: bool) -> Fact:
        """Return the fact of a type; with ``label`` names that no input has are labels."""
        key = (proto.SerializeToString(), label)
        found = self._facts.get(key)
        if found is not None:
            self.negative = key in self._negative
            return found
        self.negative = False
        found = self._facts[key] = self._read(proto, label)
        if self.negative:
            self._negative.add(key)
        return found

    def _read(self, proto: onnx.TypeProto, label: bool) -> Fact:
        kind = proto.WhichOneof("value")
        if kind == "tensor_type":
            return tensor(element_type(proto.tensor_type.elem_type), self._shape(proto.tensor_type, label))
        if kind == "sparse_tensor_type":
            sparse = proto.sparse_tensor_type
            return SparseTensor(element_type(sparse.elem_type), self._shape(sparse, label))
        if kind == "sequence_type":
            return SequenceType(self._read(proto.sequence_type.elem_type, label))
        if kind == "optional_type":
            return OptionalType(self._read(proto.optional_type.elem_type, label))
        if kind == "map_type":
            return MapType(element_type(proto.map_type.key_type), self._read(proto.map_type.value_type, label))
        return UNKNOWN

    def _shape(self, proto: Any, label: bool) -> Shape | None:
        if not proto.HasField("shape"):
            return None
        return tuple(self._dim(d, label) for d in proto.shape.dim)

    def _dim(self, dim: Any, label: bool) -> Size:
        if dim.HasField("dim_value"):
            if dim.dim_value < 0:
                self.negative = True
                return UNNAMED
            return int(dim.dim_value)
        text = as_text(dim.dim_param)
        if not text:
            return UNNAMED
        found = self._sizes.get((text, label))
        if found is None:
            found = self._sizes[text, label] = self._named(text, label)
        return found

    def _named(self, text: str, label: bool) -> Size:
        if text in self.names:
            return symbol(text)
        if not text.isidentifier():
            try:
                size = parse(text)
            except DimSyntaxError:
                size = None
            if isinstance(size, int) and size >= 0:
                return size
            if isinstance(size, Dim) and all(s.name in self.names for s in size.symbols):
                return size
        return symbol(text, fresh=label and text not in self.borne)


def borne_by(inputs: Iterable[onnx.ValueInfoProto]) -> list[str]:
    """Return the dims that inputs bear, names and other text, in order."""
    return list(dict.fromkeys(text for value in inputs for text in _dim_params(value.type)))


def _dim_params(proto: onnx.TypeProto) -> list[str]:
    kind = proto.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        return [as_text(d.dim_param) for d in getattr(proto, kind).shape.dim if d.dim_param]
    if kind in ("sequence_type", "optional_type"):
        return _dim_params(getattr(proto, kind).elem_type)
    return []


def element_type(number: int) -> DType:
    """Return the element type of a number, UNDEFINED where ONNX gives the number to none."""
    try:
        return DType(number)
    except ValueError:
        return DType.UNDEFINED


def type_proto(fact: Fact) -> onnx.TypeProto:
    """Return the TypeProto of a fact; what is not known is left unset."""
    proto = onnx.TypeProto()
    _fill(proto, fact)
    return proto


def _fill(proto: onnx.TypeProto, fact: Fact) -> None:
    if isinstance(fact, (Tensor, SparseTensor)):
        part: Any = proto.tensor_type if isinstance(fact, Tensor) else proto.sparse_tensor_type
        part.elem_type = int(fact.dtype)
        if fact.shape is not None:
            part.shape.SetInParent()
            for size in fact.shape:
                dim = part.shape.dim.add()
                if isinstance(size, Dim):
                    dim.dim_param = portable_text(size)
                elif size <= LONGEST:
                    dim.dim_value = size
    elif isinstance(fact, (SequenceType, OptionalType)):
        part = proto.sequence_type if isinstance(fact, SequenceType) else proto.optional_type
        part.SetInParent()
        _fill(part.elem_type, fact.element)
    elif isinstance(fact, MapType):
        proto.map_type.key_type = int(fact.key)
        _fill(proto.map_type.value_type, fact.value)
