"""A cache of the models behind open programs: the source files of each, and the reports of those in use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from attrs import define, evolve, field, frozen

from shapeinfer.api.options import Options
from shapeinfer.api.recorded import recorded_files
from shapeinfer.api.report import Report
from shapeinfer.batch.one import check_one
from shapeinfer.config.policy import apply_settings
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.editors.documents import settings_for
from shapeinfer.editors.sources.configured import configured
from shapeinfer.editors.sources.modules import Instance, instances

MOST_REPORTS = 8
"""The most reports that are cached; the least recently used ones are dropped."""
MOST_NODES = 100_000
"""The most nodes of all cached reports together; a single larger one is kept."""

Stamp: TypeAlias = "tuple[int, int, int]"


def stamp_of(path: Path) -> Stamp | None:
    """Return modification time, size and inode of a file, which change when it is written; None if missing."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


@frozen(eq=False, repr=False)
class Checked:
    """A model with its report, as of its last check."""

    path: Path
    stamp: Stamp
    report: Report
    modules: tuple[Instance, ...]

    @property
    def weight(self) -> int:
        return 0 if self.report.graph is None else len(self.report.graph.nodes)


@frozen(eq=False, repr=False)
class _Seen:
    """The names of the source files of a model, as of its last read."""

    stamp: Stamp
    names: frozenset[str]


@define(eq=False, repr=False)
class Models:
    """Models by their paths, read again when their files change.

    While a file is no valid model, such as one half written, its previous state is used. Not thread safe.
    """

    opened: dict[Path, None] = field(factory=dict)
    """The models that the user opened, in addition to those of a configuration."""
    _seen: dict[Path, _Seen] = field(factory=dict)
    _checked: OrderedDict[Path, Checked] = field(factory=OrderedDict)

    def open(self, path: Path) -> Report:
        """Add a model that the user opened, and return its report, also for a file that is no model."""
        self.opened[path] = None
        stamp = stamp_of(path)
        return _judged(path) if stamp is None else self.checked(path, stamp).report

    def paths(self, folder: Path) -> list[Path]:
        """Return the candidate models for the programs in a folder: those opened, and those of its configuration."""
        return list(dict.fromkeys([*self.opened, *configured(settings_for(folder))]))

    def exported_from(self, file: Path) -> Iterator[Checked]:
        """Yield the models that were exported from a file of this name, at most ``MOST_REPORTS``."""
        count = 0
        for path in self.paths(file.parent):
            seen = self._look(path)
            if seen is not None and file.name in seen.names:
                yield self.checked(path, seen.stamp)
                count += 1
                if count == MOST_REPORTS:
                    return

    def _look(self, path: Path) -> _Seen | None:
        stamp, before = stamp_of(path), self._seen.get(path)
        if stamp is None:
            self._seen.pop(path, None)
            return None
        if before is not None and before.stamp == stamp:
            return before
        try:
            names = frozenset(PurePosixPath(name.replace("\\", "/")).name for name in recorded_files(path))
        except (ModelError, MemoryError):
            names = frozenset() if before is None else before.names
        self._seen[path] = found = _Seen(stamp, names)
        return found

    def checked(self, path: Path, stamp: Stamp) -> Checked:
        """Return a model with its report; while its file is unreadable, with the previous report."""
        before = self._checked.get(path)
        if before is None or before.stamp != stamp:
            report = _judged(path)
            if report.graph is None and before is not None:
                found = evolve(before, stamp=stamp)
            else:
                found = Checked(path, stamp, report, instances(report))
            self._checked[path] = found
        self._checked.move_to_end(path)
        while len(self._checked) > 1 and self._is_much():
            self._checked.popitem(last=False)
        return self._checked[path]

    def _is_much(self) -> bool:
        return len(self._checked) > MOST_REPORTS or sum(c.weight for c in self._checked.values()) > MOST_NODES


def _judged(path: Path) -> Report:
    """Return the report of a model, with the sizes and severities that its configuration sets for it."""
    settings = settings_for(path.parent)
    model = settings.of(str(path))
    return apply_settings(check_one(str(path), options=Options(**model.sizes, **settings.limits)), settings, model)
