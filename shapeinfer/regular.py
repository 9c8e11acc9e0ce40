"""Read regular files and nothing else: a pipe or a device may never end, and some do something when they are opened."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from shapeinfer.budget import MEGABYTE, look_closely

PIECE = 16 * MEGABYTE
"""So many bytes are read at once of what may have no end."""
SYSTEM = 0
"""The user whose files are everybody's."""


class TooLarge(OSError):
    """A file holds more bytes than may be read of it."""

    def __init__(self, most: int) -> None:
        super().__init__(errno.EFBIG, f"it is larger than {most / MEGABYTE:g} megabytes")


def opened(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading. Raises OSError for anything else.

    What it is, is asked before it is opened, and again after: what a path names may change in between.
    """
    _require_regular(os.stat(path), path)  # noqa: PTH116 - of text that is no path, too
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - Path.open takes no opener; it is returned
    try:
        _require_regular(os.fstat(file.fileno()), path)
    except BaseException:
        file.close()
        raise
    return file


def read(path: str | os.PathLike[str], most: int) -> bytes:
    """Return what a regular file holds. Raises TooLarge for one of more than ``most`` bytes, unread, or OSError."""
    with opened(path) as file:
        return read_rest(file, most)


def read_rest(file: BinaryIO, most: int, size: int | None = None) -> bytes:
    """Return the rest of an open file. Raises TooLarge if that is more than ``most`` bytes.

    ``size`` is how much there is, asked of the system if it is not given; what has none is read a piece at a time.
    """
    expected = os.fstat(file.fileno()).st_size if size is None else size
    if expected > most:
        raise TooLarge(most)
    pieces = [file.read(expected)] if expected else []
    read = sum(map(len, pieces))
    while piece := file.read(min(PIECE, most + 1 - read)):
        pieces.append(piece)
        read += len(piece)
        if read > most:
            raise TooLarge(most)
        look_closely()
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def is_foreign(file: Path, folder: Path | None = None) -> bool:
    """Whether a file, or a link in its place, belongs to neither this user nor the system's. Raises OSError.

    The system's user, as who one is in a container, takes those of the owner of the ``folder`` that it works in, too.
    On systems without owners of POSIX's kind none is foreign.
    """
    if not hasattr(os, "geteuid"):
        return False
    ours = {os.geteuid(), SYSTEM}
    if folder is not None and ours == {SYSTEM}:
        with contextlib.suppress(OSError):  # of a file that is not saved yet the folder may be none
            ours.add(folder.stat().st_uid)
    return not {file.lstat().st_uid, file.stat().st_uid} <= ours


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; of one that became a pipe meanwhile no other end is waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def _require_regular(status: os.stat_result, path: str | os.PathLike[str]) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", os.fspath(path))
