"""The command ``diff``: which callers of an old model a new one breaks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.terminal import PIPED, STDIN, name_of, paint, shown, write, write_each
from shapeinfer.cli.verdict import Verdict, verdict
from shapeinfer.compare.diff import diff as compared
from shapeinfer.compare.difference import Change, Difference
from shapeinfer.report import text
from shapeinfer.report.json import pieces
from shapeinfer.report.paint import Paint, columns, legible, printable
from shapeinfer.report.short_names import ShortNames

_STYLES = {"breaking": "bold red", "narrower": "bold yellow", "wider": "bold green", "changed": "bold cyan"}

_HEAD = ("value", "before", "after")
_VALUE = "value "
"""The prefix of ``Change.about`` for intermediate values."""


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
        write_each(_lines(found, f"{name_of(old)} -> {name_of(new)}", paint(piped=PIPED)))
    sys.exit(Verdict.ERRORS.exit_code if found.breaking else 0)


def _refuse_unusable(path: str, report: Report) -> None:
    if verdict(report) is Verdict.UNUSABLE or report.graph is None:
        write("".join(text.render([(name_of(path), report)], several=False, paint=paint(err=True))), err=True)
        sys.exit(Verdict.UNUSABLE.exit_code)


def _lines(found: Difference, names: str, style: Paint) -> Iterator[str]:
    for heading, changes in found.by_effect():
        yield style(_STYLES[heading], heading)
        yield from _messages([c for c in changes if not c.about.startswith(_VALUE)], style)
        yield from _types([c for c in changes if c.about.startswith(_VALUE)], style)
        yield ""
    yield f"{shown(names)}: {style('bold red' if found.breaking else 'bold green', found.summary)}"


def _messages(changes: list[Change], style: Paint) -> Iterator[str]:
    """Yield the changes of inputs, outputs and the contract, one message each."""
    abouts = [legible(c.about) for c in changes]
    widest = max(map(columns, abouts), default=0)
    for about, change in zip(abouts, changes):
        padded = about + " " * (widest - columns(about))
        yield from style.folded(f"{padded}  {printable(change.message)}", "  ")


def _types(changes: list[Change], style: Paint) -> Iterator[str]:
    """Yield a table of the values whose type changed; a row that is too wide is split into one line per cell."""
    if not changes:
        return
    names = [c.about.removeprefix(_VALUE) for c in changes]
    short = ShortNames(names, style.width)
    rows = [tuple(map(printable, (short(name), c.before, c.after))) for name, c in zip(names, changes)]
    sizes = [tuple(map(columns, row)) for row in (_HEAD, *rows)]
    widths = sizes[0]
    for row in sorted(sizes, key=sum):  # widen the columns for as many rows as fit, shortest first
        wider = tuple(map(max, widths, row))
        widths = wider if style.width is None or sum(wider) + 6 <= style.width else widths
    yield style("dim", _row(_HEAD, widths))
    for name, before, after in rows:
        if all(columns(cell) <= width for cell, width in zip((name, before, after), widths)):
            yield _row((name, before, after), widths)
        else:
            yield f"  {name}"
            yield from style.folded(f"before  {before}", "    ", " " * 12)
            yield from style.folded(f"after   {after}", "    ", " " * 12)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  " + "  ".join(cell + " " * (width - columns(cell)) for cell, width in zip(cells, widths)).rstrip()
