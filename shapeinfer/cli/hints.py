"""The command ``hints``: the Python source of a model with shapes behind its lines."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from shapeinfer import regular
from shapeinfer.budget import MEGABYTE
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.terminal import Failure, name_of, paint, shown, write, write_each
from shapeinfer.cli.verdict import verdict
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.report import text
from shapeinfer.report.json import pieces
from shapeinfer.report.source_hints import NoHints, SourceHints, render, source_hints

MOST_MEGABYTES = 8
"""A longer source is not read: Python's own parser would take minutes and gigabytes."""
FEW_LINES = 8
"""So many changed lines are named."""


@click.command(epilog="Example: shapeinfer hints model.py --model model.onnx")
@click.argument("source", metavar="FILE")
@click.option("--model", required=True, metavar="PATH", help="Show the shapes of this model, exported from FILE.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Write the result in this format.",
)
@requested
def hints(source: str, model: str, form: str, request: Request) -> None:
    """Print a model's Python source with its shapes.

    The model must be exported from FILE by torch.onnx.export with dynamo=True, which records the lines that each node
    came from, or be a function of onnxscript; FILE is not changed. Shapes of a line that runs several times are
    separated by bars where they differ. A line has no shape if it changed since, or if its shape cannot be inferred
    from the model. Findings follow their lines; others are printed to standard error. The exit code is that of check.
    """
    data = _read(source)
    report = request.check(model)
    found = verdict(report)
    try:
        hinted = source_hints(report, str(Path(source).absolute()), data) if report.graph is not None else None
    except NoHints as error:
        raise Failure(f"{shown(name_of(model))} has no hints for {shown(source)}: {error}") from None
    except SyntaxError as error:
        line = "" if error.lineno is None else f":{error.lineno}"
        raise Failure(f"{shown(source)}{line} is not Python: {shown(error.msg)}") from None
    if hinted is None:
        write("".join(text.render([(name_of(model), report)], several=False, paint=paint(err=True))), err=True)
    elif form == "json":
        for piece in pieces(hinted.to_dict()):
            write(piece)
    else:
        write_each(render(hinted, paint()))
        _print_rest(model, report.diagnostics, hinted)
        _print_changed(source, model, hinted)
    sys.exit(found.exit_code)


def _read(source: str) -> bytes:
    try:
        return regular.read(source, MOST_MEGABYTES * MEGABYTE)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Failure(f"cannot read {shown(source)}: {shown(reason)}") from None


def _print_rest(model: str, diagnostics: tuple[Diagnostic, ...], hinted: SourceHints) -> None:
    """Print the findings that stand at no line of the source."""
    placed = {id(d) for _, d in hinted.findings}
    for d in diagnostics:
        if id(d) not in placed and d.severity is not Severity.NOTE:
            write("".join(f"{line}\n" for line in text.block(name_of(model), d, paint(err=True))), err=True)


def _print_changed(source: str, model: str, hinted: SourceHints) -> None:
    """Print how many lines are not those that the model was exported from."""
    changed = hinted.changed
    if changed:
        few = ", ".join(map(str, changed[:FEW_LINES])) + (", ..." if len(changed) > FEW_LINES else "")
        lines = "line" if len(changed) == 1 else "lines"
        write(
            f"{shown(source)} changed since {shown(name_of(model))} was exported, at {lines} {few}; "
            "export the model again for their shapes\n",
            err=True,
        )
