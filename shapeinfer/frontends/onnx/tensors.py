"""Facts of TensorProtos: always dims and element type, entries only where they are few."""

from __future__ import annotations

from typing import Any

import onnx
from onnx import numpy_helper

from shapeinfer.dims import count_of_elements
from shapeinfer.facts import MAX_CONTENTS, Contents, DType, SparseTensor, Tensor, tensor
from shapeinfer.frontends.onnx.types import element_type
from shapeinfer.remembered import forgotten_by, note

FEW = 64
"""Entries of types that seldom steer shapes are read only up to this number."""
_STEERING = frozenset({DType.INT64, DType.INT32, DType.BOOL})
_READ_THOUGH = frozenset({DType.STRING, DType.BFLOAT16})
"""Types that numpy itself has not, whose entries are read as text and as the floats that they are."""
MAX_BYTES = 16 * MAX_CONTENTS
"""Data of more bytes is no key."""
MAX_FACTS = 50_000
TIMES = 8
"""A fact takes so many bytes, about, for each axis and each byte of its data."""
_facts: dict[tuple[object, ...], Tensor] = {}
"""The facts of tensors by type, dims and, where they are looked at, the bytes of their entries."""
forgotten_by(_facts.clear)


def tensor_fact(proto: onnx.TensorProto) -> Tensor:
    """Return the fact of a constant. External data is not read; large data is never looked at."""
    dims: tuple[int, ...] = tuple(proto.dims[:])  # a slice is copied at once, where iteration goes one by one
    kind = (proto.data_type, dims)
    found = _facts.get(kind)
    if found is not None:
        return found
    dtype = element_type(proto.data_type)
    if any(d < 0 for d in dims):
        return tensor(dtype, None)
    if not _is_read(dtype, dims):
        return _kept(kind, tensor(dtype, dims))
    if proto.data_location == onnx.TensorProto.EXTERNAL:
        return tensor(dtype, dims)
    data = proto.raw_data
    if not data or len(data) > MAX_BYTES:
        return tensor(dtype, dims, _entries(proto))
    return _facts.get((kind, data)) or _kept((kind, data), tensor(dtype, dims, _entries(proto)))


def _kept(key: tuple[object, ...], fact: Tensor) -> Tensor:
    if len(_facts) >= MAX_FACTS:
        _facts.clear()
    _facts[key] = fact
    note(TIMES * sum(len(part) for part in key if isinstance(part, (bytes, tuple))))
    return fact


def _is_read(dtype: DType, dims: tuple[int, ...]) -> bool:
    """Whether the entries of a tensor are looked at: they are few, of a type that may steer shapes or very few."""
    if dtype in (DType.COMPLEX64, DType.COMPLEX128) or (dtype.numpy() is None and dtype not in _READ_THOUGH):
        return False
    return count_of_elements(dims) <= (MAX_CONTENTS if dtype in _STEERING else FEW)


def _entries(proto: onnx.TensorProto) -> Contents | None:
    try:
        array: Any = numpy_helper.to_array(proto)
        if proto.data_type == onnx.TensorProto.BFLOAT16:
            array = array.astype("f4")
    except (ValueError, TypeError):
        return None
    return tuple(array.ravel().tolist())


def sparse_fact(proto: onnx.SparseTensorProto) -> SparseTensor:
    """Return the fact of a sparse constant."""
    dims = tuple(proto.dims)
    return SparseTensor(element_type(proto.values.data_type), None if any(d < 0 for d in dims) else dims)
