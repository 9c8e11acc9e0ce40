"""Read a model's file; what cannot be read ends in a ModelError with the reason."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from shapeinfer import regular
from shapeinfer.budget import MEGABYTE, current
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError

_LFS = b"version https://git-lfs"
POINTER_LENGTH = len(_LFS)
"""The number of bytes that show whether a file is a pointer."""

LARGE = 1 << 24
"""A file of more bytes than this is read without its weights where they are not needed."""


MOST = (1 << 31) - 1
"""No message of protobuf has more bytes than this."""

TEXT_TAKES = 32
"""Reading a text takes so many times its size as memory, which is checked before it is read."""


@contextlib.contextmanager
def opened(path: Path, *, mapped: bool = False) -> Iterator[bytes | mmap.mmap]:
    """Open a file: whole, or with ``mapped`` if it is large as a map of which only what is looked at is read.

    Raises ModelError.
    """
    too_large = codes.NOT_A_MODEL, "not an ONNX model: it has more than 2 gigabytes, which protobuf cannot read"
    with _reporting_system_errors(str(path), *too_large), regular.opened(path) as file:
        if mapped and os.fstat(file.fileno()).st_size > LARGE:
            data: bytes | mmap.mmap = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        else:
            data = regular.read_rest(file, MOST)
    try:
        yield data
    finally:
        if isinstance(data, mmap.mmap):
            with contextlib.suppress(BufferError):  # a view of it is still about, and closes it when it goes
                data.close()


@contextlib.contextmanager
def _reporting_system_errors(path: str | None, code: Code, message: str) -> Iterator[None]:
    """Raise a ModelError for system errors while reading a file; for one that is too large, this."""
    try:
        yield
    except FileNotFoundError:
        fail(codes.UNREADABLE, "no such file", path)
    except IsADirectoryError:
        fail(codes.UNREADABLE, "this is a directory; name a model file in it", path)
    except regular.TooLarge:
        fail(code, message, path)
    except OSError as error:
        fail(codes.UNREADABLE, f"the file cannot be read: {error.strerror or error}", path)
    except ValueError as error:
        fail(codes.UNREADABLE, f"not a path: {error}", path)


def written(model: str | os.PathLike[str] | bytes) -> tuple[bytes, str | None]:
    """Return what a model that is text holds, and the path of its file, if it is one. Raises ModelError.

    One that would not fit into the memory of the budget is not read.
    """
    where = None if isinstance(model, bytes) else os.fspath(model)
    most = most_of_text()
    message = f"the text has more than {most / MEGABYTE:g} megabytes, the limit; raise --max-memory to read it"
    with _reporting_system_errors(where, codes.BUDGET_EXCEEDED, message):
        if isinstance(model, bytes):
            if len(model) > most:
                raise regular.TooLarge(most)
            data = model
        else:
            data = regular.read(model, most)
    refuse_pointer(data, where)
    if not data.strip():
        fail(codes.NOT_A_MODEL, "the file is empty", where)
    return data, where


def most_of_text() -> int:
    """Return how many bytes a text may have, to be read within the budget in force."""
    return int(min(current().memory * MEGABYTE / TEXT_TAKES, MOST))


def refuse_pointer(data: bytes, where: str | None) -> None:
    """Raise a ModelError for what Git LFS leaves in the place of a file."""
    if is_pointer(data):
        fail(codes.GIT_LFS_POINTER, "this is a Git LFS pointer, not the model; run git lfs pull", where)


def is_pointer(data: bytes) -> bool:
    """Whether this is what Git LFS leaves in the place of a file."""
    return data.startswith(_LFS)


def fail(code: Code, message: str, path: str | None) -> NoReturn:
    """Raise the ModelError of one fault of a file."""
    raise ModelError([Diagnostic(code, code.severity, message, path=path)])
