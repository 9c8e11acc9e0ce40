"""Read and write large models without their weights: what is heavy is stepped over, or copied as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import onnx

from shapeinfer.frontends.onnx.wire import Malformed, fields, varint

HEAVY = 1 << 16
"""Data of more bytes is left out; entries that steer a shape are far fewer."""
MOST_NESTED = 100
"""Messages nested deeper than this are no model to protobuf either."""
LEFT_OUT = "shapeinfer.left_out"
"""The key of the external data that stands for data left out."""

Bytes: TypeAlias = "bytes | memoryview"
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
_IN_MODEL_GRAPH, _NODES, _OUTPUTS, _VALUE_INFO = 7, 1, 12, 13

_STAND_IN = onnx.TensorProto(
    data_location=onnx.TensorProto.EXTERNAL, external_data=[onnx.StringStringEntryProto(key=LEFT_OUT)]
).SerializeToString(deterministic=True)


def without_weights(model: memoryview) -> bytes:
    """Return a serialized model with the data of large tensors left out. Raises Malformed for what is none."""
    return b"".join(_lightened(model, 0, len(model), _MODEL, MOST_NESTED))


def _lightened(view: memoryview, at: int, end: int, message: _Message, depth: int) -> list[Bytes]:
    if not depth:
        raise Malformed
    pieces: list[Bytes] = []
    kept, left_out = at, False
    for field in fields(view, at, end):
        if field.end - field.value <= HEAVY or field.number not in message:
            continue
        inner = message[field.number]
        pieces.append(view[kept : field.start])
        kept = field.end
        if inner is None:
            left_out = True
        else:
            pieces += _wrapped(field.number, _lightened(view, field.value, field.end, inner, depth - 1))
    pieces.append(view[kept:end])
    return [*pieces, _STAND_IN] if left_out else pieces


def with_types(source: memoryview, lean: onnx.ModelProto) -> Iterator[Bytes] | None:
    """Yield a model in pieces: ``source`` with the graph's outputs and value_info of ``lean``, and all else as it is.

    None where subgraphs or functions hold types too, whose nodes would have to be written anew. Raises Malformed.
    """
    bodies = (lean.graph, *lean.functions)
    if any(a.HasField("g") or a.graphs for body in bodies for n in body.node for a in n.attribute):
        return None
    if any(f.value_info for f in lean.functions):
        return None
    return _retyped(source, lean)


def _retyped(source: memoryview, lean: onnx.ModelProto) -> Iterator[Bytes]:
    typed = onnx.GraphProto(output=lean.graph.output, value_info=lean.graph.value_info)
    types = typed.SerializeToString(deterministic=True)
    for field in fields(source, 0, len(source)):
        if field.number != _IN_MODEL_GRAPH:
            yield source[field.start : field.end]
            continue
        inside = fields(source, field.value, field.end)
        kept = [source[f.start : f.end] for f in inside if f.number not in (_OUTPUTS, _VALUE_INFO)]
        yield from _wrapped(field.number, [*kept, types])


def _wrapped(number: int, pieces: list[Bytes]) -> list[Bytes]:
    return [varint(number << 3 | 2), varint(sum(map(len, pieces))), *pieces]


def is_left_out(tensor: onnx.TensorProto) -> bool:
    """Whether a tensor's data was left out when it was read."""
    return any(entry.key == LEFT_OUT for entry in tensor.external_data)
