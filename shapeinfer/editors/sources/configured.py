"""The model files that the ``models`` of a configuration match."""

from __future__ import annotations

import os
from collections.abc import Iterator
from glob import escape
from pathlib import Path

from shapeinfer.batch.walk import ANY_DEPTH, files_below, matching
from shapeinfer.config.globs import matches
from shapeinfer.config.settings import Settings
from shapeinfer.text import is_edited, is_exported

MOST = 256
"""The most models to use; if more match, the most recently written ones."""


def configured(settings: Settings) -> list[Path]:
    """Return the existing files that match ``models`` of a configuration, relative to its folder.

    Hidden and excluded files are skipped. If more than ``MOST`` match, the most recently written ones are returned.
    """
    folder = settings.folder
    if folder is None:
        return []
    found = {
        path: written
        for one in settings.models
        for glob in one.paths
        for path in _files(folder, glob)
        if matches(one.paths, path, folder) and not settings.excludes(path) and (is_exported(path) or is_edited(path))
        if (written := _written(path)) is not None
    }
    return [Path(path) for path in sorted(found, key=lambda path: (-found[path], path))[:MOST]]


def _files(folder: Path, glob: str) -> Iterator[str]:
    """Iterate over the files that a glob may match: as in .gitignore, anywhere unless it has a slash inside."""
    if glob.startswith("!"):
        return
    above = [escape(str(folder)), *([] if "/" in glob.rstrip("/") else [ANY_DEPTH])]
    for path in matching("/".join([*above, glob.removeprefix("./").strip("/")])):
        if os.path.isdir(path):  # noqa: PTH112 - of many
            yield from files_below(path, [])
        else:
            yield path


def _written(path: str) -> int | None:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return None
