"""Faults of a model at the lines of the program that it was exported from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from shapeinfer.diagnostics.diagnostic import Diagnostic


def by_source(diagnostics: Iterable[Diagnostic], folders: Iterable[Path]) -> dict[Path, list[Diagnostic]]:
    """Return the diagnostics that name a line of the user's program, by the file, as far as it is found.

    An exporter writes relative paths as seen from its working directory, which may be any of ``folders``.
    """
    places = list(folders)
    found: dict[Path, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        if diagnostic.source is not None:
            tried = (folder / diagnostic.source.file for folder in places)
            file = next((path for path in tried if path.is_file()), None)
            if file is not None:
                found.setdefault(file.resolve(), []).append(diagnostic)
    return found
