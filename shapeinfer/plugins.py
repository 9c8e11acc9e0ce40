"""What do installed packages add? Their entry points, never what merely lies in the working directory."""

from __future__ import annotations

import os
import sys
from importlib.metadata import distributions
from pathlib import Path


def load(group: str) -> None:
    """Import what installed packages name as entry points of a group."""
    seen: set[str] = set()
    for package in distributions(path=_installed()):
        if group in (package.read_text("entry_points.txt") or "") and package.name not in seen:
            seen.add(package.name)
            for plugin in package.entry_points.select(group=group):
                plugin.load()


def _installed() -> list[str]:
    """Return Python's path without the working directory, where ``python -m`` finds what anybody may have written."""
    try:
        here = os.path.realpath(Path.cwd())
    except OSError:
        return list(filter(None, sys.path))
    return [place for place in sys.path if place and os.path.realpath(place) != here]
