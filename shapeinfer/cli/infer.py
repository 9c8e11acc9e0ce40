"""The command ``infer``: write a model with its types filled in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import click
from onnx import ModelProto

from shapeinfer.api import annotated, annotated_ir
from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save, save_onnx
from shapeinfer.cli.terminal import STDIN, Failure, name_of, paint, shown, write
from shapeinfer.cli.verdict import Verdict, verdict
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.frontends.formats import is_ir, is_text
from shapeinfer.frontends.onnx.write import OutputDims
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
    options = request.options(source)
    model: ModelProto | bytes | None
    try:
        if is_ir(data):
            model, report = annotated_ir(data, options=options)
        else:
            weights = source == STDIN or is_text(out)
            model, report = annotated(data, options=options, weights=weights, output_dims=output_dims)
    except ModelError as error:
        model, report = None, Report(error.diagnostics)
    except ValueError as error:
        raise Failure(f"{shown(out)} was not written: {error}") from error
    report = request.judged(report, source)
    found = verdict(report)
    if any(d.severity is not Severity.NOTE for d in report.diagnostics):
        write("".join(text.render([(name_of(source), report)], several=False, paint=paint(err=True))), err=True)
    if model is None or found is Verdict.UNUSABLE:
        sys.exit(found.exit_code)
    if isinstance(model, bytes):
        save(out, model)
        _report_bin(source, out)
    else:
        save_onnx(source, out, model)
    sys.exit(found.exit_code)


def _report_bin(source: str, out: str) -> None:
    """An IR reads the .bin of its own name."""
    theirs, ours = Path(source).with_suffix(".bin"), Path(out).with_suffix(".bin")
    if source != STDIN and theirs.exists() and not (ours.exists() and ours.samefile(theirs)):
        message = (
            f"warning: {shown(out)} reads its constants from {shown(ours.name)}; copy {shown(theirs.name)} to it\n"
        )
        write(message, err=True)
