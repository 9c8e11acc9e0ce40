"""What a glob names or a directory holds: found without going round in circles, whatever links lead where."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Iterator

ANY_DEPTH = "**"
_SEPARATOR = re.compile(f"[{re.escape(os.sep + (os.altsep or ''))}]")


def matching(pattern: str) -> list[str]:
    """Return the files and directories that a glob names, sorted; hidden ones only where it says so.

    ``**`` follows no link to a directory. Any other part may, yet a directory is searched only once for the same rest
    of the pattern, by whatever name it is reached: the work is at most the number of directories times that of parts.
    """
    begin, parts = _split(pattern)
    found: set[str] = set()
    seen: set[tuple[int, int, int]] = set()
    left = [(begin, 0)]
    while left:
        folder, at = left.pop()
        if at == len(parts):
            found.add(folder)
        elif parts[at] != ANY_DEPTH and not glob.has_magic(parts[at]):
            path = os.path.join(folder, parts[at])  # noqa: PTH118 - a Path would drop the ./ that was written
            left += [(path, at + 1)] if os.path.lexists(path) else []
        elif _is_new(folder, at, seen):
            left += reversed(list(_steps(folder, parts, at)))
    return sorted(found)


def files_below(folder: str, failed: list[OSError]) -> Iterator[str]:
    """Yield the files below a directory, and note which directories cannot be read; links to directories lead nowhere.

    However deep they are nested, which ``os.walk`` of Python 3.11 is not made for.
    """
    left = [folder]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                found = list(entries)
        except OSError as error:
            failed.append(error)
            continue
        left += [entry.path for entry in found if _is_folder(entry, follow=False)]
        yield from (entry.path for entry in found if not _is_folder(entry, follow=True))


def _split(pattern: str) -> tuple[str, list[str]]:
    """Return where a pattern begins, and its parts; several ``**`` in a row are one."""
    drive, rest = os.path.splitdrive(pattern)
    *above, last = _SEPARATOR.split(rest)
    parts = [*filter(None, above), last]  # an empty one at the end asks for a directory
    root = drive + rest[: not above[0]] if above else drive
    return root, [part for before, part in zip(["", *parts], parts) if part != ANY_DEPTH or before != ANY_DEPTH]


def _is_new(folder: str, at: int, seen: set[tuple[int, int, int]]) -> bool:
    """Whether a directory is there and was not searched yet for the parts from this one on."""
    try:
        status = os.stat(folder or os.curdir)  # noqa: PTH116 - of many, one after the other
    except OSError:
        return False
    state = (status.st_dev, status.st_ino, at)
    new = state not in seen
    seen.add(state)
    return new


def _steps(folder: str, parts: list[str], at: int) -> Iterator[tuple[str, int]]:
    """Yield what matches one part in a directory, and which part comes next there."""
    part, is_last = parts[at], at + 1 == len(parts)
    if part == ANY_DEPTH and not is_last:
        yield folder, at + 1
    for entry in _entries(folder):
        path = os.path.join(folder, entry.name)  # noqa: PTH118 - as above
        if part == ANY_DEPTH:
            if not entry.name.startswith("."):
                yield from [(path, at)] if _is_folder(entry, follow=False) else []
                yield from [(path, at + 1)] if is_last else []
        elif _matches(entry.name, part) and (is_last or _is_folder(entry, follow=True)):
            yield path, at + 1


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return what is in a directory by name, nothing for one that cannot be read."""
    try:
        with os.scandir(folder or os.curdir) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_folder(entry: os.DirEntry[str], *, follow: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def _matches(name: str, part: str) -> bool:
    return fnmatch.fnmatch(name, part) and (part.startswith(".") or not name.startswith("."))
