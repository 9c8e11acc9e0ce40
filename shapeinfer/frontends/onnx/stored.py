"""Check tensors as a file stores them: that they have as much data as their shape needs, in a file that may be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath

import onnx

from shapeinfer.diagnostics.codes import INVALID_EXTERNAL_DATA, INVALID_TENSOR, UNSAFE_EXTERNAL_DATA, Code
from shapeinfer.dims import count_of_elements
from shapeinfer.facts import DType
from shapeinfer.frontends.onnx.lean import is_left_out
from shapeinfer.frontends.onnx.names import as_text
from shapeinfer.frontends.onnx.tensors import tensor_fact

_T = onnx.TensorProto
LARGE = 1 << 20
"""Data of tensors of more bytes than this is not looked at, since that would copy it."""

_BITS: dict[int, int] = {
    **dict.fromkeys((_T.BOOL, _T.INT8, _T.UINT8), 8),
    **dict.fromkeys((_T.INT16, _T.UINT16, _T.FLOAT16, _T.BFLOAT16), 16),
    **dict.fromkeys((_T.FLOAT, _T.INT32, _T.UINT32), 32),
    **dict.fromkeys((_T.DOUBLE, _T.INT64, _T.UINT64, _T.COMPLEX64), 64),
    _T.COMPLEX128: 128,
}
_FIELDS: dict[int, str] = {
    _T.FLOAT: "float_data",
    _T.COMPLEX64: "float_data",
    _T.DOUBLE: "double_data",
    _T.COMPLEX128: "double_data",
    _T.INT64: "int64_data",
    _T.UINT32: "uint64_data",
    _T.UINT64: "uint64_data",
    _T.STRING: "string_data",
    **dict.fromkeys((_T.INT32, _T.INT16, _T.INT8, _T.UINT16, _T.UINT8, _T.BOOL, _T.FLOAT16, _T.BFLOAT16), "int32_data"),
}


def tensor_faults(proto: onnx.TensorProto, subject: str) -> Iterator[tuple[Code, str]]:
    """Yield the faults of a stored tensor, which messages call ``subject``; no file is opened."""
    dims = tuple(proto.dims)
    if any(d < 0 for d in dims):
        yield INVALID_TENSOR, f"{subject} has the shape {list(dims)}; a dim cannot be negative"
        return
    if proto.data_type == _T.UNDEFINED or proto.data_type not in DType.__members__.values():
        yield INVALID_TENSOR, f"{subject} has the element type {proto.data_type}, which ONNX does not define"
        return
    count = count_of_elements(dims)
    if count >= 2**63:
        yield INVALID_TENSOR, f"{subject} has a shape of more elements than 64 bits can count"
        return
    if is_left_out(proto):
        return
    if proto.data_location == _T.EXTERNAL:
        yield from _external(proto, subject, count)
    elif count * _BITS.get(proto.data_type, 0) <= 8 * LARGE or _holds_little(proto):
        yield from _inside(proto, subject, count)


def sparse_faults(proto: onnx.SparseTensorProto, subject: str) -> Iterator[tuple[Code, str]]:
    """Yield the faults of a stored sparse tensor (onnx.proto, "SparseTensorProto")."""
    dims = list(proto.dims)
    if any(d < 0 for d in dims):
        yield INVALID_TENSOR, f"{subject} has the shape {dims}; a dim cannot be negative"
        return
    before = (
        *tensor_faults(proto.values, f"values of {subject}"),
        *tensor_faults(proto.indices, f"indices of {subject}"),
    )
    yield from before
    if len(proto.values.dims) != 1:
        yield INVALID_TENSOR, f"{subject} has values of rank {len(proto.values.dims)}; they must be of rank 1"
        return
    places, count = list(proto.indices.dims), proto.values.dims[0]
    if places not in ([count], [count, len(dims)]):
        needed = f"[{count}] or [{count}, {len(dims)}]"
        yield INVALID_TENSOR, f"{subject} has indices of shape {places}; for {count} values they must be {needed}"
        return
    lengths = dims if len(places) == 2 else [count_of_elements(dims)]
    for i, index in enumerate(tensor_fact(proto.indices).value or ()):
        if not before and isinstance(index, int) and not 0 <= index < lengths[i % len(lengths)]:
            yield INVALID_TENSOR, f"{subject} has the index {index}, outside its shape {dims}"
            return


def _holds_little(proto: onnx.TensorProto) -> bool:
    """Whether a tensor has data, and little of it; one without any was stripped of it."""
    if proto.ByteSize() > LARGE:
        return False
    return bool(proto.raw_data) or any(len(getattr(proto, field)) for field in set(_FIELDS.values()))


def _inside(proto: onnx.TensorProto, subject: str, count: int) -> Iterator[tuple[Code, str]]:
    bits = _BITS.get(proto.data_type)
    if proto.HasField("raw_data"):
        if proto.data_type == _T.STRING:
            yield INVALID_TENSOR, f"{subject} has text as raw_data; it must be in string_data"
        elif bits is not None and 8 * len(proto.raw_data) != count * bits:
            needed = count * bits // 8
            yield INVALID_TENSOR, f"{subject} has {len(proto.raw_data)} bytes of data, its shape needs {needed}"
        return
    field = _FIELDS.get(proto.data_type)
    if field is None:
        return
    needed = count * (2 if proto.data_type in (_T.COMPLEX64, _T.COMPLEX128) else 1)
    found = len(getattr(proto, field))
    if found != needed:
        yield INVALID_TENSOR, f"{subject} has {found} entries in {field}, its shape needs {needed}"


def _external(proto: onnx.TensorProto, subject: str, count: int) -> Iterator[tuple[Code, str]]:
    entries = {as_text(e.key): as_text(e.value) for e in proto.external_data}
    location = entries.get("location", "")
    if not location:
        yield INVALID_EXTERNAL_DATA, f"{subject} has external data without a location"
    elif escapes(location):
        yield UNSAFE_EXTERNAL_DATA, f"{subject} is stored in {location}, outside the model's directory"
    for key in ("offset", "length"):
        if key in entries and not entries[key].isdecimal():
            yield INVALID_EXTERNAL_DATA, f"{subject} has the {key} {entries[key]!r}, which is not a number of bytes"
            return
    bits = _BITS.get(proto.data_type)
    if bits is not None and "length" in entries and int(entries["length"]) != count * bits // 8:
        needed = count * bits // 8
        yield INVALID_EXTERNAL_DATA, f"{subject} has {entries['length']} bytes elsewhere, its shape needs {needed}"


def escapes(location: str) -> bool:
    """Whether a path leads out of the directory that it is relative to, on any system."""
    if PurePosixPath(location).is_absolute() or PureWindowsPath(location).drive or location.startswith("\\"):
        return True
    depth = 0
    for part in location.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False
