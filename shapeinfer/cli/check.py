"""The command ``check``: say what is wrong with models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
from attrs import frozen

from shapeinfer.api import Report
from shapeinfer.batch.files import Found, models_in, names_several
from shapeinfer.batch.many import each
from shapeinfer.batch.remote import is_remote
from shapeinfer.cli.options import choosing, requested
from shapeinfer.cli.progress import with_progress
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save
from shapeinfer.cli.terminal import STDIN, Failure, name_of, paint, shown, write
from shapeinfer.cli.verdict import Tally
from shapeinfer.cli.watch import watch as watching
from shapeinfer.config import baseline as known
from shapeinfer.config.globs import fault_of, matches
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.report import FORMATS
from shapeinfer.report.paint import plain

_FOR_PEOPLE = ("text", "concise")
"""Formats that a summary may follow."""


def _excluded(_ctx: click.Context, param: click.Parameter, globs: tuple[str, ...]) -> tuple[str, ...]:
    for glob in globs:
        fault = fault_of(glob)
        if fault is not None:
            raise click.BadParameter(f"{glob!r} is no glob: {fault}", param=param)
    return globs


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@requested
@choosing
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option(
    "--exclude", metavar="GLOB", multiple=True, callback=_excluded, help="Leave out models that a PATH happens to find."
)
@click.option(
    "-j", "--jobs", type=click.IntRange(min=0), default=1, show_default=True, help="So many processes; 0 for all cores."
)
@click.option("--baseline", metavar="FILE", help="Report only what this file does not know.")
@click.option("--write-baseline", metavar="FILE", help="Write what is found to a file, for --baseline.")
@click.option("--watch", is_flag=True, help="Check again whenever a model changes, until Ctrl-C.")
def check(
    paths: tuple[str, ...],
    request: Request,
    form: str,
    exclude: tuple[str, ...],
    jobs: int,
    baseline: str | None,
    write_baseline: str | None,
    watch: bool,
) -> None:
    """Say what is wrong with models.

    A PATH is a model, a directory (every .onnx file below it), a glob, a URL that fsspec reads (s3://, gs://, ...)
    or - for standard input. All are checked, whatever is wrong with the first.

    Exit code: 0 if all are clean; else that of the worst, which is 2 for one that cannot be read (or bad usage),
    then 1 for one with errors, then 3 for one that was given up within its budget.
    """
    run = _Run(paths, request, form, exclude, jobs, baseline, write_baseline)
    if not watch:
        sys.exit(run.once())
    if any(path == STDIN or is_remote(path) for path in paths):
        raise click.UsageError("--watch sees changes of files only, not of standard input or a URL")
    watching(run.once, lambda: [path for path, _ in run.models()])


@frozen
class _Run:
    """One run over all models that its paths stand for."""

    paths: tuple[str, ...]
    request: Request
    form: str
    exclude: tuple[str, ...]
    jobs: int
    baseline: str | None
    target: str | None

    def once(self) -> int:
        """Check all models, write the reports, and return the exit code."""
        models = list(self.models())
        several = len(set(self.paths)) > 1 or names_several(self.paths[0])
        tally = Tally(self.request.settings.fail_on)
        record: dict[str, tuple[Diagnostic, ...]] = {}
        reports = self._without_known(self._reports(models), record)

        def counted() -> Iterator[tuple[str, Report]]:
            for path, report in with_progress(reports, len(models)):
                tally.add(report)
                yield name_of(path) if self.form == "text" else path, report

        style = paint() if self.form == "text" else plain
        for chunk in FORMATS[self.form](counted(), several=several, paint=style):
            write(chunk)
        if self.form in _FOR_PEOPLE:
            self._close(tally, several)
        if self.target is not None:
            self._record(self.target, record)
        return tally.worst.exit_code

    def models(self) -> Iterator[Found]:
        """Every model that the paths stand for."""
        excludes: Callable[[str], bool] = self.request.settings.excludes
        if self.exclude:
            excludes = lambda path: matches(self.exclude, path, None)  # noqa: E731
        return models_in(dict.fromkeys(self.paths), excludes)

    def _reports(self, models: list[Found]) -> Iterator[tuple[str, Report]]:
        if self.jobs == 1 or len(models) < 2:
            return each(self.request.check, models, None)
        from shapeinfer.batch.processes import each_on_processes

        # Standard input is this process's own.
        here = [(path, self.request.check(path) if path == STDIN else fault) for path, fault in models]
        return each_on_processes(self.request.check_apart, here, self.jobs, self.request.rules)

    def _without_known(
        self, reports: Iterator[tuple[str, Report]], record: dict[str, tuple[Diagnostic, ...]]
    ) -> Iterator[tuple[str, Report]]:
        """The reports without what a baseline knows; where one is to be written, all that is found is known."""
        held = None if self.baseline is None else _read(self.baseline)
        for path, report in reports:
            if self.target is not None:
                record[path] = report.diagnostics
            if held is not None:
                report = held.without_known(report, path, partial(self.request.wants, path))
            if self.target is not None:
                now = known.recorded([(path, record[path])], Path(self.target).parent)
                report = now.without_known(report, path, lambda _code: False)
            yield path, report
        for name in held.gone() if held is not None else ():
            write(f"note: {shown(str(self.baseline))} knows {shown(name)}, which is no longer there\n", err=True)

    def _record(self, target: str, record: dict[str, tuple[Diagnostic, ...]]) -> None:
        save(target, known.written(known.recorded(record.items(), Path(target).parent)))

    @staticmethod
    def _close(tally: Tally, several: bool) -> None:
        if several:
            write(f"\n{tally.text}\n")
        elif tally.suppressed:
            write(f"{tally.suppressed_text.removeprefix('; ')}\n")


def _read(file: str) -> known.Baseline:
    try:
        return known.read(Path(file))
    except known.BaselineError as error:
        raise Failure(str(error)) from None
