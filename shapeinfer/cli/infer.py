"""The command ``infer``: write a model with its types filled in."""

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


@click.command()
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "out", required=True, metavar="OUT", help="The file to write; it may be IN.")
@click.option(
    "--output-dims",
    type=click.Choice(get_args(OutputDims)),
    default="keep",
    show_default=True,
    help="What becomes of the names that an ONNX model gives dims of its outputs: keep them, put the formula in their "
    "place, or keep them and write the formula to value_info.",
)
@requested
def infer(source: str, out: str, output_dims: OutputDims, request: Request) -> None:
    """Write a model with the types of all values filled in, in an IR the dims of all ports.

    Nothing else in an ONNX model changes, but that its inputs get the sizes that --bind, --shape and --assume give. OUT
    may be text (.onnxtxt), which keeps neither comments nor layout. What is wrong with the model is told on standard
    error; what is known is written all the same, and the exit code is 1.
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
