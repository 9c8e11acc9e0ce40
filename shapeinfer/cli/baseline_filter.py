"""The baselines of check: the one that it reads, and the one that it writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import define, field

from shapeinfer.api.report import Report
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save
from shapeinfer.cli.terminal import Failure, shown, write
from shapeinfer.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from shapeinfer.config.baseline import Baseline


@define(repr=False)
class BaselineFilter:
    """Suppresses the findings that a baseline lists, and writes new ones to ``target``."""

    request: Request
    baseline: str | None = None
    target: str | None = None
    _found: dict[str, tuple[Diagnostic, ...]] = field(factory=dict, init=False)

    def without(self, reports: Iterable[tuple[str, Report]]) -> Iterator[tuple[str, Report]]:
        """Yield the reports with what is known suppressed, and report models that it lists and that no longer exist."""
        self._found.clear()
        held = None if self.baseline is None else _read(self.baseline)
        for path, report in reports:
            found = report.diagnostics
            if held is not None:
                report = held.without_known(report, path, partial(self.request.wants, path))
            if self.target is not None:
                self._found[path] = found
                report = self._recorded([(path, found)]).without_known(report, path, _nothing)
            yield path, report
        for name in held.missing_models() if held is not None else ():
            write(f"note: {shown(str(self.baseline))} lists {shown(name)}, which no longer exists\n", err=True)

    def save(self) -> None:
        """Write what was found to ``target``, if there is one."""
        if self.target is not None:
            from shapeinfer.config.baseline import written

            save(self.target, written(self._recorded(self._found.items())))

    def _recorded(self, found: Iterable[tuple[str, Iterable[Diagnostic]]]) -> Baseline:
        from shapeinfer.config.baseline import recorded

        return recorded(found, Path(self.target or "").parent)


def _nothing(_code: str) -> bool:
    return False


def _read(file: str) -> Baseline:
    from shapeinfer.config.baseline import BaselineError, read

    try:
        return read(Path(file))
    except BaselineError as error:
        raise Failure(str(error)) from None
