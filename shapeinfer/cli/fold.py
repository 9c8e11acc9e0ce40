"""The command ``fold``: write a model without what is not needed once its shapes are known."""

from __future__ import annotations

import sys

import click

from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save_model
from shapeinfer.cli.terminal import STDIN, Failure, name_of, paint, shown, write
from shapeinfer.cli.verdict import verdict
from shapeinfer.diagnostics.errors import ShapeInferError
from shapeinfer.frontends.formats import format_of
from shapeinfer.report import fold as table
from shapeinfer.report import text
from shapeinfer.report.json import pieces
from shapeinfer.rewrite.fold import fold as folded
from shapeinfer.rewrite.folded import REWRITES, Folded


@click.command()
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "out", required=True, metavar="OUT", help="The file to write; it may be IN.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@requested
def fold(source: str, out: str, form: str, request: Request) -> None:
    """Write an ONNX model without what is not needed once its shapes are known, and tell what was done.

    Shape computations become constants, and nodes go that copy what they read or that no output needs. For inputs that
    meet the model's contract every node that remains computes the same, bit for bit. Types are written as inferred,
    with the sizes that --bind, --shape and --assume give; what --range and --assume say must hold. Weights are copied
    as they are. A model with errors is not written; the exit code is that of check.
    """
    data = request.standard_input() if source == STDIN else source
    target = format_of(data).written_as(out)
    result: Folded | None = None
    try:
        result = folded(data, options=request.options(source), weights=source == STDIN or target is not format_of(data))
        report = Report(result.diagnostics)
    except ShapeInferError as error:
        report = Report(error.diagnostics)
    except ValueError as error:
        raise Failure(f"{shown(out)} was not written: {error}") from error
    report = request.judged(report, source)
    found = verdict(report)
    if result is None:
        write("".join(text.render([(name_of(source), report)], several=False, paint=paint(err=True))), err=True)
        if found.exit_code == 0:
            raise Failure(f"{shown(out)} was not written: the model has errors, of which the settings are silent")
        sys.exit(found.exit_code)
    save_model(target, source, out, result.model)
    if form == "json":
        for piece in pieces(result.to_dict()):
            write(piece)
    else:
        lines = table.render(name_of(source), result.counts, REWRITES, result.before, result.after)
        write("".join(f"{line}\n" for line in lines))
    sys.exit(found.exit_code)
