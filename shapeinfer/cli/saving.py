"""Write a file whole or not at all, and say why where it cannot be done."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shapeinfer.cli.terminal import STDIN, Failure, shown, write
from shapeinfer.frontends.formats import Format
from shapeinfer.report.save import replace


def save(path: str, *pieces: bytes | memoryview) -> None:
    """Replace a file. Raises Failure with the reason."""
    save_all(path, pieces)


def save_all(path: str, pieces: Iterable[bytes | memoryview]) -> None:
    """Replace a file by pieces that are produced one after the other. Raises Failure as ``save`` does."""
    try:
        replace(path, pieces)
    except OSError as error:
        raise Failure(f"{shown(path)} was not written: {_reason(error, path)}") from error


def save_model(known: Format, source: str, out: str, model: Any) -> None:
    """Write the changed model of ``source``; weights that were left out of it are copied from there unchanged.

    Warns of files that the new one reads and that are only beside the source. Raises Failure as ``save`` does.
    """
    read_from = None if source == STDIN else source
    try:
        with known.loaded.write(model, read_from) as pieces:
            save_all(out, pieces)
    except ValueError as error:
        raise Failure(f"{shown(out)} was not written: {error}") from error
    warning = known.loaded.unreachable_files(model, read_from, out)
    if warning:
        write(f"warning: {warning}\n", err=True)


def _reason(error: OSError, path: str) -> str:
    folder = Path(path).parent
    if isinstance(error, FileNotFoundError):
        return f"the directory {shown(str(folder))} does not exist"
    if isinstance(error, IsADirectoryError):
        return "it is a directory"
    if isinstance(error, PermissionError):
        return f"you may not write in the directory {shown(str(folder))}"
    return error.strerror or str(error)
