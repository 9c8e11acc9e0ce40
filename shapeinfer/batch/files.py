"""The models that paths stand for: files, directories, globs and URLs."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from shapeinfer.api.report import Report
from shapeinfer.batch.one import alone
from shapeinfer.batch.remote import is_remote, listed
from shapeinfer.batch.walk import files_below, matching
from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.frontends.formats import is_model_file, suffixes, telling_suffixes

Found = tuple[str, "Report | None"]
"""A model's path, or a path that names none, with the report of that."""


def _nothing(_path: str) -> bool:
    return False


def names_several(path: str) -> bool:
    """Whether a path stands for as many models as it happens to find, rather than for one."""
    if is_remote(path):
        return glob.has_magic(path) or not path.lower().endswith(suffixes())
    return Path(path).is_dir() or _is_glob(path)


def models_in(paths: Iterable[str], exclude: Callable[[str], bool] = _nothing) -> Iterator[Found]:
    """Yield every model that paths stand for, each once, in the order of the paths, below each in that of names.

    Files that ``exclude`` matches are skipped, except those named themselves.
    """
    seen: set[str] = set()
    for path in paths:
        for name, fault in _models_at(path, exclude):
            if name not in seen:
                seen.add(name)
                yield name, fault


def _models_at(path: str, exclude: Callable[[str], bool]) -> Iterator[Found]:
    if is_remote(path):
        try:
            found = listed(path, telling_suffixes())
        except ModelError as error:
            return iter([(path, Report(error.diagnostics, path=path))])
        return iter([(path, None)]) if found is None else _chosen(path, found, exclude)
    if Path(path).is_dir():
        return _below(path, exclude)
    if _is_glob(path):
        return _chosen(path, [name for name in matching(path) if not Path(name).is_dir()], exclude)
    return iter([(path, None)])


def _is_glob(path: str) -> bool:
    return glob.has_magic(path) and not os.path.lexists(path)


def _below(folder: str, exclude: Callable[[str], bool]) -> Iterator[Found]:
    """The models below a directory."""
    failed: list[OSError] = []
    files = sorted(Path(name) for name in files_below(folder, failed) if is_model_file(Path(name)))
    for error in failed:
        where = os.fspath(error.filename or folder)
        yield where, _unreadable(where, f"the directory cannot be read: {error.strerror}")
    if files or not failed:
        yield from _chosen(folder, map(str, files), exclude)


def _chosen(path: str, files: Iterable[str], exclude: Callable[[str], bool]) -> Iterator[Found]:
    """What a path stands for without what is excluded; that nothing remains is a fault."""
    files = list(files)
    kept = [name for name in files if not exclude(name)]
    if not kept:
        yield path, _unreadable(path, _none_of(path, files))
    for name in kept:
        regular = is_remote(name) or Path(name).is_file()
        yield name, None if regular else _unreadable(name, "this is not a regular file")


def _none_of(path: str, files: list[str]) -> str:
    if files:
        return f"all {len(files)} models here are excluded" if len(files) > 1 else "the only model here is excluded"
    if glob.has_magic(path):
        return "no file matches this pattern"
    return f"no model ({', '.join(suffixes())}) in this directory or below it"


def _unreadable(path: str, message: str) -> Report:
    return alone(path, codes.UNREADABLE, message)
