"""The command ``check``: report what is wrong with models."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial

import click
from attrs import frozen

from shapeinfer.api.report import Report
from shapeinfer.batch.files import Found, models_in, names_several
from shapeinfer.batch.many import each
from shapeinfer.batch.progress import with_progress
from shapeinfer.batch.remote import is_remote
from shapeinfer.cli.arguments import no_model
from shapeinfer.cli.baseline_filter import BaselineFilter
from shapeinfer.cli.options import choosing, requested
from shapeinfer.cli.output_files import Output, OutputFiles, read_outputs
from shapeinfer.cli.request import Request
from shapeinfer.cli.terminal import STDIN, OutputEnds, make_room, name_of, paint, write
from shapeinfer.cli.verdict import Tally
from shapeinfer.cli.watch import watch as watching
from shapeinfer.config.globs import fault_of, matches
from shapeinfer.report import FORMATS, WITH_CONTRACT
from shapeinfer.report.paint import Paint


def _excluded(_ctx: click.Context, param: click.Parameter, globs: tuple[str, ...]) -> tuple[str, ...]:
    for glob in globs:
        fault = fault_of(glob)
        if fault is not None:
            raise click.BadParameter(f"{glob!r} is not a glob: {fault}", param=param)
    return globs


@click.command(epilog="Example: shapeinfer check models/ --range batch=1..8 --fail-on warning")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@requested
@choosing
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="Write the findings in this format.",
)
@click.option(
    "--output-file",
    "outputs",
    metavar="[FORMAT=]FILE",
    multiple=True,
    callback=read_outputs,
    help="Write the findings to a file too, whatever --format prints; the suffix says in which format: .sarif, .json, "
    ".xml (junit), .md (markdown) or .txt (text).",
)
@click.option(
    "--exclude",
    metavar="GLOB",
    multiple=True,
    callback=_excluded,
    help="Skip matching files when searching directories and globs.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Number of processes; 0 for one per core.",
)
@click.option("--baseline", metavar="FILE", callback=no_model, help="Report only findings that are not in this file.")
@click.option(
    "--write-baseline", metavar="FILE", callback=no_model, help="Write the findings to a file for --baseline."
)
@click.option(
    "--all-sizes", is_flag=True, help="Print every condition, including those that only sizes 0 and 1 violate."
)
@click.option("--notes", is_flag=True, help="Show notes too, which text and concise only count.")
@click.option("--watch", is_flag=True, help="Check again whenever a model changes, until Ctrl-C.")
def check(
    paths: tuple[str, ...],
    request: Request,
    form: str,
    outputs: tuple[Output, ...],
    exclude: tuple[str, ...],
    jobs: int,
    baseline: str | None,
    write_baseline: str | None,
    notes: bool,
    all_sizes: bool,
    watch: bool,
) -> None:
    """Report what is wrong with models.

    A PATH is a model file (.onnx, ONNX text, or the .xml of an OpenVINO IR), a directory (every model below it), a
    glob, a URL that fsspec reads (s3://, gs://, ...) or - for standard input.

    Exit code: that of the worst model, which is, from best to worst, 0 for one without errors, 3 for one that exceeded
    its time or memory, 1 for one with errors, 2 for one that cannot be read (or bad usage).
    """
    known = BaselineFilter(request, baseline, write_baseline)
    run = _Run(paths, request, form, OutputFiles(outputs), exclude, jobs, known, notes, all_sizes)
    if not watch:
        sys.exit(run.once())
    if any(path == STDIN or is_remote(path) for path in paths):
        raise click.UsageError("--watch works with files only, not with standard input or a URL")
    watching(run.once, lambda: [path for path, _ in run.models()])


@frozen(repr=False)
class _Run:
    """One run over all models that its paths stand for."""

    paths: tuple[str, ...]
    request: Request
    form: str
    files: OutputFiles
    exclude: tuple[str, ...]
    jobs: int
    known: BaselineFilter
    notes: bool
    all_sizes: bool

    def once(self) -> int:
        """Check all models, write the reports, and return the exit code."""
        models = list(self.models())
        self.files.refuse(path for path, _ in models)
        self.files.clear()
        make_room(len(models))
        several = len(set(self.paths)) > 1 or names_several(self.paths[0])
        tally = Tally(self.request.settings.fail_on)
        reports = self._counted(with_progress(self.known.without(self._reports(models)), len(models)), tally)
        try:
            self._print(reports, several)
        except OutputEnds:
            for _ in reports:  # the files get what no longer fits here
                pass
            self._save_files(tally, several)
            raise
        if self.form == "text":
            write(self._closing(tally, several))
        self._save_files(tally, several)
        self.known.save()
        return tally.worst.exit_code

    def _counted(self, reports: Iterable[tuple[str, Report]], tally: Tally) -> Iterator[tuple[str, Report]]:
        """Yield the reports as they are printed; count each, and keep it for the files."""
        for path, report in reports:
            tally.add(report)
            self.files.add(path, report)
            yield path if self.form == "json" else name_of(path), report

    def _print(self, reports: Iterable[tuple[str, Report]], several: bool) -> None:
        how = paint(notes=self.notes, all_sizes=self.all_sizes)
        for chunk in FORMATS[self.form](reports, several=several, paint=how):
            write(chunk, commands=self.form == "github")

    def _save_files(self, tally: Tally, several: bool) -> None:
        how = Paint(notes=self.notes, all_sizes=self.all_sizes)
        self.files.save(several=several, paint=how, closing=self._closing(tally, several))

    def models(self) -> Iterator[Found]:
        """Every model that the paths stand for."""
        return models_in(dict.fromkeys(self.paths), self._excludes)

    def _excludes(self, path: str) -> bool:
        return matches(self.exclude, path, None) if self.exclude else self.request.settings.excludes(path)

    def _reports(self, models: list[Found]) -> Iterator[tuple[str, Report]]:
        if self.jobs == 1 or len(models) < 2:
            return each(self.request.check, models, None)
        from shapeinfer.batch.processes import each_on_processes

        # Standard input is this process's own.
        here = [(path, self.request.check(path) if path == STDIN else fault) for path, fault in models]
        check = partial(self.request.check_apart, contract=self.form in WITH_CONTRACT or self.files.with_contract)
        return each_on_processes(check, here, self.jobs, self.request.rules)

    @staticmethod
    def _closing(tally: Tally, several: bool) -> str:
        if several:
            return f"\n{tally.text}\n"
        return f"{tally.suppressed_text.removeprefix('; ')}\n" if tally.suppressed else ""
