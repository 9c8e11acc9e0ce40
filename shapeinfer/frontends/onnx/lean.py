"""Read and write large models without their weights: what is heavy is stepped over, or copied as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import onnx

from shapeinfer.frontends.onnx.wire import NUMBERS, SHORT, Bytes, Malformed, fields, varint

HEAVY = 1 << 16
"""Data of more bytes is left out; entries that steer a shape are far fewer."""
MOST_NESTED = 100
"""Messages nested deeper than this are no model to protobuf either."""
LEFT_OUT = "shapeinfer.left_out"
"""The key of the external data that stands for data left out."""
_MARK = LEFT_OUT.encode()

_Message: TypeAlias = "dict[int, _Message | None]"
"""The fields of a message that may be heavy: those that hold messages, and with None those that hold data."""

# Field numbers of onnx.proto.
_TENSOR: _Message = dict.fromkeys((4, 5, 6, 7, 9, 10, 11))
_SPARSE: _Message = {1: _TENSOR, 2: _TENSOR}
_ATTRIBUTE: _Message = {5: _TENSOR, 10: _TENSOR, 22: _SPARSE, 23: _SPARSE}
_NODE: _Message = {5: _ATTRIBUTE}
_GRAPH: _Message = {1: _NODE, 5: _TENSOR, 15: _SPARSE}
_ATTRIBUTE |= {6: _GRAPH, 11: _GRAPH}
_MODEL: _Message = {7: _GRAPH, 25: {7: _NODE}}
_EXTERNAL_DATA, _LOCATION = 13, 14


def without_weights(model: memoryview) -> bytes:
    """Return a serialized model with the data of large tensors left out. Raises Malformed for what is none."""
    return b"".join(_lightened(model, 0, len(model), _MODEL, MOST_NESTED))


def _lightened(view: memoryview, at: int, end: int, message: _Message, depth: int) -> list[Bytes]:
    if not depth:
        raise Malformed
    pieces: list[Bytes] = []
    kept, left_out = at, []
    for field in fields(view, at, end, SHORT):
        if field.end - field.value <= HEAVY or field.number not in message:
            continue
        inner = message[field.number]
        pieces.append(view[kept : field.start])
        kept = field.end
        if inner is None:
            left_out.append(f"{field.start}-{field.end}")
        else:
            pieces += _wrapped(field.number, _lightened(view, field.value, field.end, inner, depth - 1))
    pieces.append(view[kept:end])
    return [*pieces, _stand_in(" ".join(left_out))] if left_out else pieces


def _stand_in(places: str) -> bytes:
    """Return the fields that replace data left out of a tensor: where in the file it is."""
    entry = onnx.StringStringEntryProto(key=LEFT_OUT, value=places)
    tensor = onnx.TensorProto(data_location=onnx.TensorProto.EXTERNAL, external_data=[entry])
    return bytes(tensor.SerializeToString(deterministic=True))


def with_weights(lean: memoryview, source: memoryview) -> Iterator[Bytes]:
    """Yield a serialized model in pieces, with the data put back that ``without_weights`` left out of ``source``.

    Everything else is as it is in ``lean``. Raises Malformed where the data is no more in its place.
    """
    yield from _restored(lean, 0, len(lean), _MODEL, source)


def _restored(view: memoryview, at: int, end: int, message: _Message, source: memoryview) -> list[Bytes]:
    pieces: list[Bytes] = []
    kept = at
    for field in fields(view, at, end, NUMBERS):
        inner = message.get(field.number)
        if inner is None or _MARK not in bytes(view[field.value : field.end]):
            continue
        whole = _tensor if inner is _TENSOR else _restored
        pieces.append(view[kept : field.start])
        pieces += _wrapped(field.number, whole(view, field.value, field.end, inner, source))
        kept = field.end
    return [*pieces, view[kept:end]]


def _tensor(view: memoryview, at: int, end: int, _message: _Message, source: memoryview) -> list[Bytes]:
    """Return the fields of a tensor, with its data in the place of what stands for it."""
    inside = list(fields(view, at, end))
    entries = [f for f in inside if f.number == _EXTERNAL_DATA]
    data = [d for f in entries for d in _left_out(bytes(view[f.value : f.end]), source)]
    if not data:
        return [view[at:end]]
    stand_in = (_EXTERNAL_DATA, _LOCATION)
    return [*(view[f.start : f.end] for f in inside if f.number not in stand_in), *data]


def _left_out(entry: bytes, source: memoryview) -> Iterator[memoryview]:
    """Yield the fields of the source that an entry lists as left out."""
    listed = onnx.StringStringEntryProto.FromString(entry)
    if listed.key != LEFT_OUT:
        return
    for place in listed.value.split():
        start, _, end = place.partition("-")
        if not (start.isdecimal() and end.isdecimal() and int(end) <= len(source)):
            raise Malformed
        first = next(fields(source, int(start), int(end)), None)
        if first is None or first.end != int(end) or first.number not in _TENSOR:
            raise Malformed
        yield source[first.start : first.end]


def _wrapped(number: int, pieces: list[Bytes]) -> list[Bytes]:
    return [varint(number << 3 | 2), varint(sum(map(len, pieces))), *pieces]


def is_left_out(tensor: onnx.TensorProto) -> bool:
    """Whether a tensor's data was left out when it was read."""
    return any(entry.key == LEFT_OUT for entry in tensor.external_data)
