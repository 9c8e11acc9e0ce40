"""Faults of a model at the lines of the program that it was exported from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from shapeinfer.diagnostics.diagnostic import Diagnostic

_UNC = re.compile(r"[\\/]{2}")
"""A UNC path names a server; to look for the file, Windows would send it the user's credentials."""


def by_source(
    diagnostics: Iterable[Diagnostic], workspace: Iterable[Path], beside: Path | None = None
) -> dict[Path, list[Diagnostic]]:
    """Return the diagnostics that name a line of the user's program, by the file, as far as it is found.

    An exporter writes relative paths as seen from its working directory, which may be any folder of the ``workspace``
    or that ``beside`` the model. No other file is looked for than those in the workspace, links followed; where there
    is none, than those in the folder beside.
    """
    folders = list(workspace)
    own = [] if beside is None else [beside]
    places = _places([*folders, *own])
    inside = _places(folders or own)
    found: dict[Path, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        if diagnostic.source is not None:
            file = _resolved(diagnostic.source.file, places, inside)
            if file is not None:
                found.setdefault(file, []).append(diagnostic)
    return found


def _places(folders: Iterable[Path]) -> list[str]:
    """Folders as passed and resolved: a program may be named by either."""
    return list(dict.fromkeys(name for f in folders for name in (os.path.normpath(f), os.path.realpath(f))))


def _resolved(name: str, places: list[str], inside: list[str]) -> Path | None:
    """The file that a name in a model means, which the model may have invented."""
    if _UNC.match(name):
        return None
    for place in places:
        path = os.path.normpath(Path(place) / name)
        try:
            if not _is_in(path, inside):  # judged by its name first: to look at it may mean to connect to a server
                continue
            real = os.path.realpath(path)
            if _is_in(real, inside) and Path(real).is_file():
                return Path(real)
        except (OSError, ValueError):  # a name that no file can have
            continue
    return None


def _is_in(path: str, folders: list[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)
