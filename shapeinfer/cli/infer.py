"""The command ``infer``: write a model with inferred types."""

from __future__ import annotations

import sys
from typing import Any, get_args

import click

from shapeinfer.api import annotated_model
from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save_model
from shapeinfer.cli.terminal import STDIN, Failure, name_of, paint, shown, write
from shapeinfer.cli.verdict import Verdict, verdict
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.frontends.formats import OutputDims, format_of
from shapeinfer.report import text


@click.command(epilog="Example: shapeinfer infer model.onnx -o model.typed.onnx")
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "out", required=True, metavar="OUT", help="Write this file; it may be IN.")
@click.option(
    "--output-dims",
    type=click.Choice(get_args(OutputDims)),
    default="keep",
    show_default=True,
    help="Keep an ONNX model's own names for output dims, replace them by expressions of input dims, or keep them and "
    "write the expressions to value_info.",
)
@requested
def infer(source: str, out: str, output_dims: OutputDims, request: Request) -> None:
    """Write a model with the inferred types of all values.

    Of an ONNX model only value_info, outputs and the input sizes that --bind, --shape and --assume fix are written; of
    an OpenVINO IR the dims of all ports. OUT may be ONNX text (.onnxtxt), which keeps neither comments nor layout.
    Findings are printed to standard error. A model with errors is written as far as it could be inferred, with exit
    code 1.
    """
    data = request.standard_input() if source == STDIN else source
    target = format_of(data).written_as(out)
    weights = source == STDIN or target is not format_of(data)
    model: Any = None
    try:
        options = request.options(source)
        model, report = annotated_model(data, options=options, weights=weights, output_dims=output_dims)
    except ModelError as error:
        report = Report(error.diagnostics)
    except ValueError as error:
        raise Failure(f"{shown(out)} was not written: {error}") from error
    report = request.judged(report, source)
    found = verdict(report)
    if any(d.severity is not Severity.NOTE for d in report.diagnostics):
        write("".join(text.render([(name_of(source), report)], several=False, paint=paint(err=True))), err=True)
    if model is None or found is Verdict.UNUSABLE:
        sys.exit(found.exit_code)
    save_model(target, source, out, model)
    sys.exit(found.exit_code)
