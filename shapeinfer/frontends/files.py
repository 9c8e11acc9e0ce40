"""Read a model's file; what cannot be read ends in a ModelError that says why."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError

_LFS = b"version https://git-lfs"
POINTER_LENGTH = len(_LFS)
"""So many bytes tell whether a file is a pointer."""

LARGE = 1 << 24
"""A file of more bytes than this is read without its weights where nobody needs them."""


def bytes_of(path: Path) -> bytes:
    """Return what a file holds. Raises ModelError."""
    with opened(path) as data:
        return bytes(data)


@contextlib.contextmanager
def opened(path: Path, *, mapped: bool = False) -> Iterator[bytes | mmap.mmap]:
    """Open a file: whole, or with ``mapped`` if it is large as a map of which only what is looked at is read.

    Raises ModelError.
    """
    try:
        with path.open("rb") as file:
            if mapped and os.fstat(file.fileno()).st_size > LARGE:
                data: bytes | mmap.mmap = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            else:
                data = file.read()
    except FileNotFoundError:
        fail(codes.UNREADABLE, "there is no such file", str(path))
    except IsADirectoryError:
        fail(codes.UNREADABLE, "this is a directory; name a model file in it", str(path))
    except OSError as error:
        fail(codes.UNREADABLE, f"the file cannot be read: {error.strerror or error}", str(path))
    except ValueError as error:
        fail(codes.UNREADABLE, f"this is no path: {error}", str(path))
    try:
        yield data
    finally:
        if isinstance(data, mmap.mmap):
            with contextlib.suppress(BufferError):  # a view of it is still about, and closes it when it goes
                data.close()


def written(model: str | os.PathLike[str] | bytes) -> tuple[bytes, str | None]:
    """Return what a model that is text holds, and the path of its file, if it is one. Raises ModelError."""
    where = None if isinstance(model, bytes) else os.fspath(model)
    data = model if isinstance(model, bytes) else bytes_of(Path(model))
    refuse_pointer(data, where)
    if not data.strip():
        fail(codes.NOT_A_MODEL, "the file is empty", where)
    return data, where


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
