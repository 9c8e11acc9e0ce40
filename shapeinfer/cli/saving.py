"""Write a file whole or not at all, and say why where it cannot be done."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from shapeinfer.cli.terminal import Failure, shown
from shapeinfer.report.save import replace


def save(path: str, *pieces: bytes | memoryview) -> None:
    """Replace a file. Raises Failure that tells what its user can do about it."""
    save_all(path, pieces)


def save_all(path: str, pieces: Iterable[bytes | memoryview]) -> None:
    """Replace a file by pieces that are made one after the other. Raises Failure as ``save`` does."""
    try:
        replace(path, pieces)
    except OSError as error:
        raise Failure(f"{shown(path)} was not written: {_reason(error, path)}") from error


def _reason(error: OSError, path: str) -> str:
    folder = Path(path).parent
    if isinstance(error, FileNotFoundError):
        return f"there is no directory {shown(str(folder))}"
    if isinstance(error, IsADirectoryError):
        return "it is a directory"
    if isinstance(error, PermissionError):
        return f"you may not write in the directory {shown(str(folder))}"
    return error.strerror or str(error)
