"""The command ``report``: one model as a page for a browser."""

from __future__ import annotations

import sys

import click

from shapeinfer.api.report import Report
from shapeinfer.cli.arguments import no_model
from shapeinfer.cli.options import choosing, requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save
from shapeinfer.cli.terminal import name_of, paint, shown, write
from shapeinfer.cli.verdict import verdict
from shapeinfer.cost import Cost
from shapeinfer.report import text


@click.command(epilog="Example: shapeinfer report model.onnx -o report.html")
@click.argument("path", metavar="PATH")
@requested
@choosing
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    callback=no_model,
    help="Write the page to this file, such as report.html.",
)
def report(path: str, request: Request, output: str) -> None:
    """Write a model's shapes, findings and cost as an HTML page.

    The page is one file that needs no network. It has the graph, the contract and a search, and computes all shapes for
    sizes entered in it. PATH may be - for standard input. The exit code is that of check.
    """
    found = request.check(path)
    judged = verdict(found)
    if found.result is None:
        write("".join(text.render([(name_of(path), found)], several=False, paint=paint(err=True))), err=True)
        sys.exit(judged.exit_code)
    from shapeinfer.report import page

    save(output, page.render(name_of(path), found, _cost(found)).encode())
    write(f"{shown(output)} shows {shown(name_of(path))}\n")
    sys.exit(judged.exit_code)


def _cost(found: Report) -> Cost | None:
    """The cost of a run; a model with errors has none."""
    return None if found.errors else found.cost()
