"""Read a ModelProto from a path, bytes or a ModelProto; what is no model ends in a ModelError that says why."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn, TypeAlias

import onnx
from google.protobuf.message import DecodeError

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.frontends.onnx.lean import with_types, without_weights
from shapeinfer.frontends.onnx.wire import Malformed, fields

ModelLike: TypeAlias = "str | os.PathLike[str] | bytes | onnx.ModelProto"
_LFS = b"version https://git-lfs"
LARGE = 1 << 24
"""A file of more bytes than this is read without its weights where nobody needs them."""
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
        with _opened(Path(where), mapped=not weights) as data:
            proto = _parsed(data, where, weights)
    else:
        raise TypeError(f"a model is a path, bytes or a ModelProto, not {type(model).__name__}")
    if not proto.HasField("graph"):
        _fail(codes.NOT_A_MODEL, "this is no ONNX model: it has no graph", where)
    graph = proto.graph
    if not graph.node and not graph.output:
        _fail(codes.EMPTY_GRAPH, "the model's graph is empty: it has no nodes and no outputs", where)
    return proto


@contextlib.contextmanager
def rewritten(path: str, typed: onnx.ModelProto) -> Iterator[Iterable[bytes | memoryview] | None]:
    """Give a file's model in pieces, with the types that were filled into what ``load`` gave of it without weights.

    The pieces are read from the file as they are asked for. None where subgraphs hold types too: then the model
    must be loaded whole. Raises ModelError.
    """
    with _opened(Path(path), mapped=True) as data, memoryview(data) as view:
        try:
            yield with_types(view, typed)
        except Malformed:
            _fail(codes.UNREADABLE, "the file was changed while it was read", path)


@contextlib.contextmanager
def _opened(path: Path, *, mapped: bool) -> Iterator[bytes | mmap.mmap]:
    """Open a file: whole, or if it is large as a map of which only what is looked at is read."""
    try:
        with path.open("rb") as file:
            large = mapped and os.fstat(file.fileno()).st_size > LARGE
            if not large:
                data: bytes | mmap.mmap = file.read()
            else:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        _fail(codes.UNREADABLE, "there is no such file", str(path))
    except IsADirectoryError:
        _fail(codes.UNREADABLE, "this is a directory; name a model file in it", str(path))
    except OSError as error:
        _fail(codes.UNREADABLE, f"the file cannot be read: {error.strerror or error}", str(path))
    except ValueError as error:
        _fail(codes.UNREADABLE, f"this is no path: {error}", str(path))
    try:
        yield data
    finally:
        if isinstance(data, mmap.mmap):
            with contextlib.suppress(BufferError):  # a view of it is still about, and closes it when it goes
                data.close()


def _parsed(data: bytes | mmap.mmap, where: str | None, weights: bool) -> onnx.ModelProto:
    if data[: len(_LFS)] == _LFS:
        _fail(codes.GIT_LFS_POINTER, "this is a Git LFS pointer, not the model; run git lfs pull", where)
    if not data:
        _fail(codes.NOT_A_MODEL, "the file is empty", where)
    proto = onnx.ModelProto()
    try:
        if weights or len(data) <= LARGE:
            proto.ParseFromString(bytes(data))
        else:
            with memoryview(data) as view:
                proto.ParseFromString(without_weights(view))
    except (DecodeError, Malformed):
        with memoryview(data) as view:
            cut = _is_cut(view)
        if cut:
            _fail(codes.TRUNCATED_MODEL, f"the model ends in the middle: only {len(data)} bytes are there", where)
        _fail(codes.NOT_A_MODEL, "this is no ONNX model: it is no protobuf message of that kind", where)
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


def _fail(code: Code, message: str, path: str | None) -> NoReturn:
    raise ModelError([Diagnostic(code, code.severity, message, path=path)])
