"""Write a file whole or not at all, and say why where it cannot be done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from onnx import ModelProto

from shapeinfer.cli.terminal import STDIN, Failure, shown, write
from shapeinfer.frontends.onnx.external import external_files
from shapeinfer.frontends.onnx.read import rewritten
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


def save_onnx(source: str, out: str, model: ModelProto) -> None:
    """Write what was made of a source's model, whose weights may be left out of it: they are copied as they are.

    Warns where the weights are in files of their own that are not beside the new one. Raises Failure as ``save`` does.
    """
    if source == STDIN:
        save(out, _serialized(model, out))
    else:
        with rewritten(source, model) as pieces:
            save_all(out, pieces)
    weights = external_files(model)
    if weights and not _beside(source, out):
        names = ", ".join(map(shown, weights[:3])) + (", ..." if len(weights) > 3 else "")
        message = f"warning: {shown(out)} reads its weights from files beside it ({names}); bring them along\n"
        write(message, err=True)


def _serialized(model: ModelProto, out: str) -> bytes:
    try:
        return bytes(model.SerializeToString())
    except Exception as error:
        raise Failure(f"{shown(out)} was not written: the model does not fit into one file ({error})") from error


def _beside(source: str, out: str) -> bool:
    """Whether two files are in one directory, so that what is named relative to it is the same file."""
    here = Path.cwd() if source == STDIN else Path(os.path.realpath(source)).parent
    return here == Path(os.path.realpath(out)).parent


def _reason(error: OSError, path: str) -> str:
    folder = Path(path).parent
    if isinstance(error, FileNotFoundError):
        return f"there is no directory {shown(str(folder))}"
    if isinstance(error, IsADirectoryError):
        return "it is a directory"
    if isinstance(error, PermissionError):
        return f"you may not write in the directory {shown(str(folder))}"
    return error.strerror or str(error)
