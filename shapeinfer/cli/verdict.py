"""What became of models: a verdict for each, an exit code and a line for all."""

from __future__ import annotations

import enum

from attrs import define, field

from shapeinfer.api.report import Report
from shapeinfer.config.policy import not_checked
from shapeinfer.config.settings import FailOn
from shapeinfer.diagnostics import codes


class Verdict(enum.IntEnum):
    """What became of a file, from the best to the worst."""

    CLEAN = 0
    GAVE_UP = 1
    ERRORS = 2
    UNUSABLE = 3

    @property
    def exit_code(self) -> int:
        """The process's exit code if this is the worst verdict of all files."""
        return {Verdict.CLEAN: 0, Verdict.ERRORS: 1, Verdict.UNUSABLE: 2, Verdict.GAVE_UP: 3}[self]


def verdict(report: Report, fail_on: FailOn = FailOn.ERROR) -> Verdict:
    """Judge a report: errors that were found stand even where the run gave up after them."""
    if any(map(not_checked, report.errors)):
        return Verdict.UNUSABLE
    if report.errors:
        return Verdict.ERRORS
    if any(d.code is codes.BUDGET_EXCEEDED for d in report.diagnostics):
        return Verdict.GAVE_UP
    return Verdict.ERRORS if fail_on is not FailOn.ERROR and report.warnings else Verdict.CLEAN


_KINDS = ("clean", "with warnings", "with errors", "given up", "unreadable")
_RARE = ("with warnings", "given up")


@define(repr=False)
class Tally:
    """Counts what became of the models of a run."""

    fail_on: FailOn = FailOn.ERROR
    worst: Verdict = Verdict.CLEAN
    models: int = 0
    suppressed: int = 0
    _counts: dict[str, int] = field(factory=lambda: dict.fromkeys(_KINDS, 0))

    def add(self, report: Report) -> None:
        """Count one more model."""
        found = verdict(report, self.fail_on)
        self.worst = max(self.worst, found)
        self.models += 1
        self.suppressed += len(report.suppressed)
        if found is Verdict.UNUSABLE:
            self._counts["unreadable"] += 1
        elif found is Verdict.GAVE_UP:
            self._counts["given up"] += 1
        elif report.errors:
            self._counts["with errors"] += 1
        else:
            self._counts["with warnings" if report.warnings else "clean"] += 1

    @property
    def text(self) -> str:
        """One line: how many models, and of which kind; kinds that are rare are named where there are some."""
        named = [f"{n} {kind}" for kind, n in self._counts.items() if n or kind not in _RARE]
        models = f"{self.models} model{'' if self.models == 1 else 's'}"
        return f"{models}: {', '.join(named)}{self.suppressed_text}"

    @property
    def suppressed_text(self) -> str:
        if not self.suppressed:
            return ""
        return f"; {self.suppressed} finding{'' if self.suppressed == 1 else 's'} suppressed"
