"""The models whose programs are open: which files they were exported from, and the reports of those in use."""

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
"""So many reports are kept, those that were used last."""
MOST_NODES = 100_000
"""Together they have no more nodes than this, unless one alone has."""

Stamp: TypeAlias = "tuple[int, int, int]"


def stamp_of(path: Path) -> Stamp | None:
    """Return what changes when a file is written: its time, size and identity; None for one that is not there."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


@frozen(eq=False, repr=False)
class Checked:
    """A model as it was when it was checked last."""

    path: Path
    stamp: Stamp
    report: Report
    modules: tuple[Instance, ...]

    @property
    def weight(self) -> int:
        return 0 if self.report.graph is None else len(self.report.graph.nodes)


@frozen(eq=False, repr=False)
class _Seen:
    """A model as it was when it was read last: the names of the files that it was exported from."""

    stamp: Stamp
    names: frozenset[str]


@define(eq=False, repr=False)
class Models:
    """Models by their paths, read again when their files change.

    A file that is no model, as one that is half written, stands for what it was before. One thread at a time may ask.
    """

    opened: dict[Path, None] = field(factory=dict)
    """The models that the user named, beside those of a configuration."""
    _seen: dict[Path, _Seen] = field(factory=dict)
    _checked: OrderedDict[Path, Checked] = field(factory=OrderedDict)

    def open(self, path: Path) -> Report:
        """Look at a model that the user named from now on, and return its report, of a file that is none, too."""
        self.opened[path] = None
        stamp = stamp_of(path)
        return _judged(path) if stamp is None else self.checked(path, stamp).report

    def paths(self, folder: Path) -> list[Path]:
        """Return the models that may concern the programs in a folder: those named, and those of its configuration."""
        return list(dict.fromkeys([*self.opened, *configured(settings_for(folder))]))

    def exported_from(self, file: Path) -> Iterator[Checked]:
        """Yield the models that were exported from a file of this name; of many those that were written last."""
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
        """Return a model as its file is now, or as it was while that can be read."""
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
    """The report of a model with the sizes and codes that its configuration has for it."""
    settings = settings_for(path.parent)
    model = settings.of(str(path))
    return apply_settings(check_one(str(path), options=Options(**model.sizes, **settings.limits)), settings, model)
