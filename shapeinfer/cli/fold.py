"""The command ``fold``: simplify a model using its inferred shapes."""

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


@click.command(epilog="Example: shapeinfer fold model.onnx -o model.folded.onnx")
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "out", required=True, metavar="OUT", help="Write this file; it may be IN.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Write the result in this format.",
)
@requested
def fold(source: str, out: str, form: str, request: Request) -> None:
    """Simplify an ONNX model using its inferred shapes.

    Shape computations become constants; nodes that copy their input, compute what an earlier node computes, or have
    unused outputs are removed. For inputs that meet the model's contract, every remaining node computes the same
    values, bit for bit. Types are written as inferred, with the sizes that --bind, --shape and --assume fix; --range
    and --assume must hold when the model runs. Weights are copied unchanged. A model with errors is not written; the
    exit code is that of check.
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
            raise Failure(f"{shown(out)} was not written: the model has errors, which the settings suppress")
        sys.exit(found.exit_code)
    save_model(target, source, out, result.model)
    if form == "json":
        for piece in pieces(result.to_dict()):
            write(piece)
    else:
        lines = table.render(name_of(source), result.counts, REWRITES, result.before, result.after)
        write("".join(f"{line}\n" for line in lines))
    sys.exit(found.exit_code)
