"""Read a ModelProto from a path, bytes or a ModelProto; anything else ends in a ModelError with the reason."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError

from shapeinfer.diagnostics import codes
from shapeinfer.frontends import files
from shapeinfer.frontends.files import POINTER_LENGTH, fail, opened, refuse_pointer
from shapeinfer.frontends.formats import ModelLike
from shapeinfer.frontends.onnx.lean import with_weights, without_weights
from shapeinfer.frontends.onnx.pieces import merge
from shapeinfer.frontends.onnx.wire import Malformed, fields

MOST_FIELDS = 30
"""No field of a model has a greater number than this."""


def load(model: ModelLike, *, weights: bool = True) -> onnx.ModelProto:
    """Return the model; external data is never opened. Raises ModelError for a file or bytes that hold none.

    Without ``weights`` the data of large tensors may be left out of what is read from a file or bytes.
    """
    if isinstance(model, onnx.ModelProto):
        proto, where = model, None
    elif isinstance(model, bytes):
        proto, where = _parsed(model, None, weights), None
    elif isinstance(model, (str, os.PathLike)):
        where = os.fspath(model)
        with opened(Path(where), mapped=not weights) as data:
            proto = _parsed(data, where, weights)
    else:
        raise TypeError(f"a model is a path, bytes or a ModelProto, not {type(model).__name__}")
    if not proto.HasField("graph"):
        fail(codes.NOT_A_MODEL, "not an ONNX model: it has no graph", where)
    graph = proto.graph
    if not graph.node and not graph.output:
        fail(codes.EMPTY_GRAPH, "the model's graph is empty: it has no nodes and no outputs", where)
    return proto


@contextlib.contextmanager
def rewritten(path: str, changed: onnx.ModelProto) -> Iterator[Iterable[bytes | memoryview]]:
    """Give in pieces a changed model that ``load`` read from a file without weights, with the weights put back.

    They are read from the file as the pieces are consumed. Raises ModelError.
    """
    lean = changed.SerializeToString()
    with opened(Path(path), mapped=True) as data, memoryview(data) as view:
        try:
            yield with_weights(memoryview(lean), view)
        except Malformed:
            fail(codes.UNREADABLE, "the file was changed while it was read", path)


def _parsed(data: bytes | mmap.mmap, where: str | None, weights: bool) -> onnx.ModelProto:
    refuse_pointer(data[:POINTER_LENGTH], where)
    if not data:
        fail(codes.NOT_A_MODEL, "the file is empty", where)
    proto = onnx.ModelProto()
    try:
        if weights or len(data) <= files.LARGE:
            proto.ParseFromString(bytes(data))
        else:
            with memoryview(data) as view:
                light = without_weights(view)
            if len(light) > files.LARGE:
                merge(proto, memoryview(light))
            else:
                proto.ParseFromString(light)
    except (DecodeError, Malformed):
        with memoryview(data) as view:
            cut = _is_cut(view)
        if cut:
            fail(codes.TRUNCATED_MODEL, f"the model ends in the middle: only {len(data)} bytes are there", where)
        fail(codes.NOT_A_MODEL, "not an ONNX model: it is not an ONNX protobuf message", where)
    return proto


def _is_cut(data: memoryview) -> bool:
    """Whether the top-level fields are a model's up to one that is longer than what is left."""
    seen = set()
    try:
        for field in fields(data, 0, len(data)):
            if field.number > MOST_FIELDS:
                return False
            seen.add(field.number)
    except Malformed as malformed:
        return bool({1, 7, 8} & {*seen, malformed.cut}) and 0 < malformed.cut <= MOST_FIELDS
    return False
