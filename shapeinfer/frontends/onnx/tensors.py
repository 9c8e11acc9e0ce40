"""Facts of TensorProtos: always dims and element type, entries only where they are few."""

from __future__ import annotations

from typing import Any

import onnx
from onnx import numpy_helper

from shapeinfer.facts import MAX_CONTENTS, Contents, DType, SparseTensor, Tensor, tensor

FEW = 64
"""Entries of types that seldom steer shapes are read only up to this number."""
_STEERING = frozenset({DType.INT64, DType.INT32, DType.BOOL})


def tensor_fact(proto: onnx.TensorProto) -> Tensor:
    """Return the fact of a constant. External data is not read; large data is never looked at."""
    dims = tuple(proto.dims)
    try:
        dtype = DType(proto.data_type)
    except ValueError:
        dtype = DType.UNDEFINED
    if any(d < 0 for d in dims):
        return tensor(dtype, None)
    return tensor(dtype, dims, _entries(proto, dtype, dims))


def _entries(proto: onnx.TensorProto, dtype: DType, dims: tuple[int, ...]) -> Contents | None:
    count = 1
    for d in dims:
        count *= d
    if count > (MAX_CONTENTS if dtype in _STEERING else FEW) or (dtype.numpy() is None and dtype is not DType.STRING):
        return None
    if proto.data_location == onnx.TensorProto.EXTERNAL or dtype in (DType.COMPLEX64, DType.COMPLEX128):
        return None
    try:
        array: Any = numpy_helper.to_array(proto)
    except (ValueError, TypeError):
        return None
    return tuple(array.ravel().tolist())


def sparse_fact(proto: onnx.SparseTensorProto) -> SparseTensor:
    """Return the fact of a sparse constant."""
    try:
        dtype = DType(proto.values.data_type)
    except ValueError:
        dtype = DType.UNDEFINED
    dims = tuple(proto.dims)
    return SparseTensor(dtype, None if any(d < 0 for d in dims) else dims)
