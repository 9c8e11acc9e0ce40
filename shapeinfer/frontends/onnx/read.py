"""Read a ModelProto from a path, bytes or a ModelProto; what is no model ends in a ModelError that says why."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeAlias

import onnx
from google.protobuf.message import DecodeError

from shapeinfer.diagnostics import codes
from shapeinfer.frontends.files import bytes_of, fail, refuse_pointer

ModelLike: TypeAlias = "str | os.PathLike[str] | bytes | onnx.ModelProto"


def load(model: ModelLike) -> onnx.ModelProto:
    """Return the model; external data is never opened. Raises ModelError for a file or bytes that hold none."""
    if isinstance(model, onnx.ModelProto):
        proto, where = model, None
    elif isinstance(model, bytes):
        proto, where = _parsed(model, None), None
    elif isinstance(model, (str, os.PathLike)):
        where = os.fspath(model)
        proto = _parsed(bytes_of(Path(where)), where)
    else:
        raise TypeError(f"a model is a path, bytes or a ModelProto, not {type(model).__name__}")
    if not proto.HasField("graph"):
        fail(codes.NOT_A_MODEL, "this is no ONNX model: it has no graph", where)
    graph = proto.graph
    if not graph.node and not graph.output:
        fail(codes.EMPTY_GRAPH, "the model's graph is empty: it has no nodes and no outputs", where)
    return proto


def _parsed(data: bytes, where: str | None) -> onnx.ModelProto:
    refuse_pointer(data, where)
    if not data:
        fail(codes.NOT_A_MODEL, "the file is empty", where)
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except DecodeError:
        if _looks_cut(data):
            fail(
                codes.TRUNCATED_MODEL,
                f"the model ends in the middle: only {len(data)} bytes are there",
                where,
            )
        fail(codes.NOT_A_MODEL, "this is no ONNX model: it is no protobuf message of that kind", where)
    return proto


def _looks_cut(data: bytes) -> bool:
    """Whether the top-level fields are a model's up to one that is longer than what is left."""
    at = 0
    seen = False
    while at < len(data):
        tag, at = _varint(data, at)
        kind, number = tag & 7, tag >> 3
        if not 1 <= number <= 30 or kind not in (0, 2):
            return False
        value, at = _varint(data, at)
        if kind == 2:
            at += value
        if number in (1, 7, 8):
            seen = True
    return seen and at > len(data)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return value, len(data) + 1
