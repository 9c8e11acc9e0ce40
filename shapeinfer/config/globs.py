"""Which models a glob names, in the language of .gitignore: ``bert*.onnx`` anywhere, ``m/*.onnx`` in one folder."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shapeinfer.remembered import forgotten_by, note_text

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LONGEST = 4096
"""No path has more characters, so no glob needs more."""
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(path: str) -> bool:
    """Whether a path names a file by its URL."""
    return _SCHEME.match(path) is not None


def fault_of(glob: str) -> str | None:
    """Return what is wrong with a glob, None if nothing is."""
    if not glob.strip():
        return "it is empty"
    if len(glob) > LONGEST:
        return f"it has more than {LONGEST} characters"
    if _is_open(glob):
        return "[ is not closed"
    if glob.startswith("#"):
        return "it starts with #, which marks a comment"
    if ".." in glob.split("/"):
        return "it points outside the folder of its configuration file"
    try:
        _spec((glob,))
    except ValueError:
        return "it matches nothing"
    except re.error:
        return "a range in brackets ends before it begins"
    return None


def _is_open(glob: str) -> bool:
    """Whether a [ is never closed; one that a backslash stands before is a character."""
    at = 0
    while at < len(glob):
        if glob[at] == "[":
            first = at + 1 + glob.startswith(("!", "^"), at + 1)
            at = glob.find("]", first + 1)  # a ] that comes first is one of the characters
            if at < 0:
                return True
        at += 2 if glob[at] == "\\" else 1
    return False


def matches(globs: Sequence[str], path: str, folder: Path | None) -> bool:
    """Whether a path is among those that globs name, which are relative to ``folder``, else to where we are."""
    return bool(globs) and _spec(tuple(globs)).match_file(_inside(path, folder))


@functools.lru_cache(maxsize=256)
def _spec(globs: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    from shapeinfer.config.patterns import Pattern

    note_text(*globs)
    lines = [glob.removeprefix("./") if "/" in glob[2:] else glob for glob in globs]
    return GitIgnoreSpec.from_lines(lines, Pattern)


forgotten_by(_spec.cache_clear)


def _inside(path: str, folder: Path | None) -> str:
    """Return a path as globs see it: relative to the folder, or, from outside of it, all that there is of it."""
    if is_url(path):
        return _SCHEME.sub("", path)
    # Links stay links: the name that the user sees is the one that a glob is held against.
    whole, above = (Path(os.path.abspath(p)) for p in (path, folder or ""))  # noqa: PTH100
    try:
        return whole.relative_to(above).as_posix()
    except ValueError:
        return whole.relative_to(whole.anchor).as_posix()
