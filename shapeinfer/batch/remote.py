"""Models that are not on this machine: URLs that fsspec reads, such as ``s3://bucket/model.onnx``."""

from __future__ import annotations

import glob
import re
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from shapeinfer import regular
from shapeinfer.budget import MEGABYTE, current
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError

MOST = 1 << 31
"""A file of more bytes is not fetched."""

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_REFERENCES = "reference:"
_WEB = (("http", "https"), "http", "https")
_STREAMED = {"block_size": 0}
"""How a file of a web server is read as it comes: answers to questions for a part are read whole, however long."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://.")


def is_remote(path: str) -> bool:
    """Whether a path is a URL."""
    return _URL.match(path) is not None


def read(url: str) -> bytes:
    """Return the bytes of a remote file, as many as the budget has room for. Raises ModelError for what cannot be had.

    Of a file that says how large it is no more is taken, whatever its server sends.
    """
    files, path = _opened(url)
    room = min(MOST, int(current().memory * MEGABYTE))
    try:
        if _is_local(files):
            return regular.read(path, room)
        size = files.size(path) or 0
        with files.open(path, "rb", **_STREAMED if files.protocol in _WEB else {}) as file:
            return _whole(file, size, room)
    except Exception as error:  # noqa: BLE001 - every store has errors of its own
        _fail(url, error)


def _whole(file: BinaryIO, size: int, room: int) -> bytes:
    """Return all that a file holds, whose server says that it has so many bytes, 0 if it does not say."""
    try:
        return regular.read_rest(file, min(size or room, room), size)
    except regular.TooLarge:
        if 0 < size <= room:
            raise OSError("it has more bytes than its server said") from None
        raise


def listed(url: str, suffixes: tuple[str, ...]) -> list[str] | None:
    """Return the files that a URL with a glob, or one of a directory, stands for, sorted; None for one file.

    Of a directory those with one of the suffixes are taken; what ends with one is no directory, which only reading the
    answer of a web server would tell. Raises ModelError for what cannot be listed.
    """
    if not glob.has_magic(url) and url.lower().endswith((*suffixes, ".xml")):
        return None
    files, path = _opened(url)
    try:
        if glob.has_magic(path):
            found = [name for name in files.glob(path) if not files.isdir(name)]
        elif files.isdir(path):
            found = [name for name in files.find(path) if name.lower().endswith(suffixes)]
        else:
            return None
    except Exception as error:  # noqa: BLE001 - every store has errors of its own
        _fail(url, error)
    return sorted(files.unstrip_protocol(name) for name in found)


def _opened(url: str) -> tuple[AbstractFileSystem, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        _fail(url, "reading a URL needs fsspec; install it with pip install 'shapeinfer[remote]'")
    parts = url.split("::")
    if any(part.startswith(_REFERENCES) for part in parts):
        _fail(url, "a file of references is not read: it names other files")
    try:
        if len(parts) > 1 and _is_local(url_to_fs(parts[-1])[0]):
            regular.opened(url_to_fs(parts[-1])[1]).close()
        opened: tuple[AbstractFileSystem, str] = url_to_fs(url)
    except Exception as error:  # noqa: BLE001 - a protocol's package may be missing, or want credentials
        _fail(url, error)
    return opened


def _is_local(files: AbstractFileSystem) -> bool:
    from fsspec.implementations.local import LocalFileSystem

    return isinstance(files, LocalFileSystem)


def _fail(url: str, why: Any) -> NoReturn:
    if isinstance(why, FileNotFoundError):
        why = "no such file"
    elif isinstance(why, OSError) and why.strerror:
        why = f"the file cannot be read: {why.strerror}"
    elif isinstance(why, Exception):
        why = f"the file cannot be read: {str(why) or type(why).__name__}"
    raise ModelError([Diagnostic(codes.UNREADABLE, codes.UNREADABLE.severity, why, path=url)])
