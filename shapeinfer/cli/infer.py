"""The command ``infer``: write a model with its types filled in."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click
from onnx import ModelProto

from shapeinfer.api import Report, annotated
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save, save_all
from shapeinfer.cli.terminal import STDIN, Failure, name_of, paint, shown, write
from shapeinfer.cli.verdict import Verdict, verdict
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.errors import ModelError
from shapeinfer.frontends.onnx.external import external_files
from shapeinfer.frontends.onnx.read import rewritten
from shapeinfer.report import text


@click.command()
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "out", required=True, metavar="OUT", help="The file to write; it may be IN.")
@requested
def infer(source: str, out: str, request: Request) -> None:
    """Write a model with the types of all values filled in.

    Nothing else in the model changes. What is wrong with it is told on standard error; what is known is written
    all the same, and the exit code is 1.
    """
    data = sys.stdin.buffer.read() if source == STDIN else source
    sizes = request.sizes(source)
    try:
        model, report = annotated(data, **sizes, weights=source == STDIN)
    except ModelError as error:
        model, report = None, Report(error.diagnostics)
    report = request.judged(report, source)
    found = verdict(report)
    if any(d.severity is not Severity.NOTE for d in report.diagnostics):
        write("".join(text.render([(name_of(source), report)], several=False, paint=paint(err=True))), err=True)
    if model is None or found is Verdict.UNUSABLE:
        sys.exit(found.exit_code)
    if source == STDIN:
        save(out, _serialized(model, out))
    else:
        _rewrite(source, out, model, sizes)
    weights = external_files(model)
    if weights and not _beside(source, out):
        names = ", ".join(map(shown, weights[:3])) + (", ..." if len(weights) > 3 else "")
        message = f"warning: {shown(out)} reads its weights from files beside it ({names}); bring them along\n"
        write(message, err=True)
    sys.exit(found.exit_code)


def _rewrite(source: str, out: str, model: ModelProto, sizes: dict[str, Any]) -> None:
    """Write the types into what the file holds, whose weights are copied from it as they are."""
    with rewritten(source, model) as pieces:
        if pieces is not None:
            save_all(out, pieces)
            return
    save(out, _serialized(annotated(source, **sizes)[0], out))


def _serialized(model: ModelProto, out: str) -> bytes:
    try:
        return bytes(model.SerializeToString())
    except Exception as error:
        raise Failure(f"{shown(out)} was not written: the model does not fit into one file ({error})") from error


def _beside(source: str, out: str) -> bool:
    """Whether two files are in one directory, so that what is named relative to it is the same file."""
    here = Path.cwd() if source == STDIN else Path(os.path.realpath(source)).parent
    return here == Path(os.path.realpath(out)).parent
