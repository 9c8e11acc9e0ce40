"""Models that are not on this machine: URLs that fsspec reads, such as ``s3://bucket/model.onnx``."""

from __future__ import annotations

import glob
import re
from typing import TYPE_CHECKING, Any, NoReturn

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.errors import ModelError

MOST = 1 << 31
"""A file of more bytes is not fetched."""

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://.")


def is_remote(path: str) -> bool:
    """Whether a path is a URL."""
    return _URL.match(path) is not None


def read(url: str) -> bytes:
    """Return the bytes of a remote file. Raises ModelError for what cannot be had."""
    files, path = _opened(url)
    try:
        too_large = (files.size(path) or 0) > MOST
        data: bytes = b"" if too_large else files.cat_file(path)
    except Exception as error:  # noqa: BLE001 - every store has errors of its own
        _fail(url, error)
    if too_large:
        _fail(url, "the file cannot be read: it has more than 2 gigabytes")
    return data


def listed(url: str, suffixes: tuple[str, ...]) -> list[str] | None:
    """Return the files that a URL with a glob, or one of a directory, stands for, sorted; None for one file.

    Of a directory those with one of the suffixes are taken. Raises ModelError for what cannot be listed.
    """
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
    try:
        opened: tuple[AbstractFileSystem, str] = url_to_fs(url)
    except Exception as error:  # noqa: BLE001 - a protocol's package may be missing, or want credentials
        _fail(url, error)
    return opened


def _fail(url: str, why: Any) -> NoReturn:
    if isinstance(why, FileNotFoundError):
        why = "no such file"
    elif isinstance(why, Exception):
        why = f"the file cannot be read: {str(why) or type(why).__name__}"
    raise ModelError([Diagnostic(codes.UNREADABLE, codes.UNREADABLE.severity, why, path=url)])
