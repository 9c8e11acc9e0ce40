"""The command ``cost``: what a run of a model takes."""

from __future__ import annotations

import json
import sys

import click

from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.terminal import Failure, name_of, paint, shown, write
from shapeinfer.cli.verdict import verdict
from shapeinfer.report import cost as table
from shapeinfer.report import text


@click.command()
@click.argument("path", metavar="PATH")
@requested
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def cost(path: str, request: Request, form: str) -> None:
    """Tell the parameters, multiply-adds and peak memory of an ONNX model.

    They are formulas of the dims of its inputs, and numbers for those given with --bind. The table has the nodes that
    read weights or multiply, json has all. PATH may be - for standard input. The exit code is that of check; of a
    model with errors nothing is counted.
    """
    report = request.check(path)
    found = verdict(report)
    if report.errors or report.result is None:
        write("".join(text.render([(name_of(path), report)], several=False, paint=paint(err=True))), err=True)
        sys.exit(found.exit_code)
    try:
        counted = report.cost()
    except ValueError as error:
        raise Failure(f"{shown(path)} was not counted: {error}") from None
    if form == "json":
        write(json.dumps(counted.to_dict(), indent=2) + "\n")
    else:
        write("".join(f"{line}\n" for line in table.render(name_of(path), counted, paint())))
    sys.exit(found.exit_code)
