"""The command ``diff``: which callers of an old model a new one breaks."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.terminal import STDIN, name_of, paint, shown, write, write_each
from shapeinfer.cli.verdict import Verdict, verdict
from shapeinfer.compare.diff import diff as compared
from shapeinfer.compare.difference import Difference
from shapeinfer.report import text
from shapeinfer.report.json import pieces
from shapeinfer.report.paint import Paint, printable

_STYLES = {"breaking": "bold red", "narrower": "bold yellow", "wider": "bold green", "changed": "bold cyan"}


@click.command(epilog="Example: shapeinfer diff old.onnx new.onnx")
@click.argument("old")
@click.argument("new")
@requested
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Write the result in this format.",
)
def diff(old: str, new: str, request: Request, form: str) -> None:
    """Compare two models and report what can break their callers.

    Inputs, outputs, conditions and intermediate shapes are compared by meaning: renaming a dim is no change.

    Exit code: 0 if every call that OLD accepts works with NEW, 1 if not, 2 if a model cannot be read.
    """
    if old == new == STDIN:
        raise click.UsageError("only one of the models can come from standard input")
    reports = [request.check(path) for path in (old, new)]
    for path, report in zip((old, new), reports):
        _refuse_unusable(path, report)
    found = compared(*reports)
    if form == "json":
        for piece in pieces(found.to_dict()):
            write(piece)
    else:
        write_each(_lines(found, f"{name_of(old)} -> {name_of(new)}", paint()))
    sys.exit(Verdict.ERRORS.exit_code if found.breaking else 0)


def _refuse_unusable(path: str, report: Report) -> None:
    if verdict(report) is Verdict.UNUSABLE or report.graph is None:
        write("".join(text.render([(name_of(path), report)], several=False, paint=paint(err=True))), err=True)
        sys.exit(Verdict.UNUSABLE.exit_code)


def _lines(found: Difference, names: str, style: Paint) -> Iterator[str]:
    for heading, lines in found.sections():
        yield style(_STYLES[heading], heading)
        yield from (f"  {printable(line)}" for line in lines)
        yield ""
    counts = [_count(len(found.breaking), "breaking change")]
    others = len(found.changes) - len(found.breaking)
    counts += [_count(others, "other change")] if others else []
    counts += [f"{_count(len(found.new), 'value')} new"] if found.new else []
    counts += [f"{_count(len(found.gone), 'value')} gone"] if found.gone else []
    summary = style("bold red" if found.breaking else "bold green", ", ".join(counts))
    yield f"{shown(names)}: {summary}"


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
