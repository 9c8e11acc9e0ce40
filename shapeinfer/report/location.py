"""Where a viewer of files shows a diagnostic."""

from __future__ import annotations

import functools
import os
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath

from attrs import frozen

from shapeinfer.diagnostics.diagnostic import Diagnostic


@frozen
class Location:
    """A line of a file; ``line`` is None where the file has no lines, ``column`` where only the line is known."""

    path: str
    line: int | None = None
    column: int | None = None


def file_location(name: str) -> Location:
    """Return the place of a model file."""
    return Location(_from_root(name))


def model_location(name: str, diagnostic: Diagnostic) -> Location:
    """Return the place of a diagnostic in the model file."""
    return Location(_from_root(name), diagnostic.line, diagnostic.column)


def position(diagnostic: Diagnostic) -> str:
    """Return ``:line:column`` as far as they are known, to be written after a file's name."""
    return "".join(f":{number}" for number in (diagnostic.line, diagnostic.column) if number is not None)


def own_location(diagnostic: Diagnostic) -> Location | None:
    """Return the line of the user's own program, if it is known."""
    source = diagnostic.source
    return None if source is None else Location(_from_root(source.file), source.line)


def shown_location(name: str, diagnostic: Diagnostic) -> Location:
    """Return the user's own line if its file may be found from here, otherwise the place in the model file.

    An exporter writes the paths of its own machine: one that does not lie below the root of the checkout is in none
    that a viewer could show.
    """
    own = own_location(diagnostic)
    return own if own is not None and not _is_elsewhere(own.path) else model_location(name, diagnostic)


def _from_root(path: str) -> str:
    """A path relative to the root of the checkout, from which code scanning reads paths; a file elsewhere with ``..``.

    What is no file here, such as a path on the machine of an exporter, stays as it is named unless it lies below.
    """
    here = Path.cwd()
    root, named = _root(here), Path(path)
    if named.is_absolute():
        with suppress(ValueError):
            return named.relative_to(root).as_posix()
    elif root == here and ".." not in named.parts:
        return named.as_posix()
    if os.path.lexists(here / named):
        with suppress(ValueError):  # it is on another drive
            return Path(os.path.relpath(here / named, root)).as_posix()
    return named.as_posix()


@functools.lru_cache(maxsize=8)
def _root(here: Path) -> Path:
    """The root of the checkout that a directory lies in, itself where that is none."""
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


def _is_elsewhere(path: str) -> bool:
    named = PurePosixPath(path), PureWindowsPath(path)
    return any(p.is_absolute() for p in named) or named[0].parts[:1] == ("..",)
