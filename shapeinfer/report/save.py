"""Replace a file as a whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

PART = 1 << 24
"""So many bytes are written at once."""


def replace(path: str, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file so that its readers see the old content or the new, never a part; the old file's mode stays.

    A symbolic link is followed, a device or pipe written to as it is. Raises OSError, and then leaves what was
    there untouched.
    """
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG | (0o666 & ~_umask())
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{path} is a directory")
    if not stat.S_ISREG(mode):
        with target.open("wb") as file:
            _write(file, pieces)
        return
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            _write(file, pieces)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def require_directory(path: str) -> None:
    """Raise FileNotFoundError if the directory of a file does not exist."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"the directory {folder} does not exist", path)


def _write(file: BinaryIO, pieces: Iterable[bytes | memoryview]) -> None:
    """Write pieces in parts; pages of a mapped file are released after each part."""
    for piece in pieces:
        for at in range(0, len(piece), PART):
            file.write(piece[at : at + PART])
            held = piece.obj if isinstance(piece, memoryview) else None
            if isinstance(held, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                held.madvise(mmap.MADV_DONTNEED)


def _umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
