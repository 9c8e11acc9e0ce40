"""Where a viewer of files shows a diagnostic."""

from __future__ import annotations

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


def model_location(name: str, diagnostic: Diagnostic) -> Location:
    """Return the place of a diagnostic in the model file."""
    return Location(_from_here(name), diagnostic.line, diagnostic.column)


def position(diagnostic: Diagnostic) -> str:
    """Return ``:line:column`` as far as they are known, to be written after a file's name."""
    return "".join(f":{number}" for number in (diagnostic.line, diagnostic.column) if number is not None)


def own_location(diagnostic: Diagnostic) -> Location | None:
    """Return the line of the user's own program, if it is known."""
    source = diagnostic.source
    return None if source is None else Location(_from_here(source.file), source.line)


def shown_location(name: str, diagnostic: Diagnostic) -> Location:
    """Return the user's own line if its file may be found from here, otherwise the place in the model file.

    An exporter writes the paths of its own machine: one that does not lie below the working directory is in no
    checkout that a viewer could show.
    """
    own = own_location(diagnostic)
    return own if own is not None and not _is_absolute(own.path) else model_location(name, diagnostic)


def _from_here(path: str) -> str:
    """A path relative to the working directory, if it lies below it."""
    here = Path(path)
    with suppress(ValueError):
        here = here.relative_to(Path.cwd())
    return here.as_posix()


def _is_absolute(path: str) -> bool:
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()
