"""The commands that print what is known of one model: ``show``, ``contract`` and ``why``."""

from __future__ import annotations

import re
import sys

import click

from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.terminal import name_of, paint, write, write_each
from shapeinfer.cli.verdict import verdict
from shapeinfer.report import contract as in_full
from shapeinfer.report import text
from shapeinfer.report.listing import listing
from shapeinfer.report.paint import printable


@click.command(epilog="Example: shapeinfer show model.onnx --bind batch=1")
@click.argument("path", metavar="PATH")
@requested
def show(path: str, request: Request) -> None:
    """Print a model's graph with the type of every value.

    Findings follow their nodes; those about the model as a whole are printed to standard error. PATH may be - for
    standard input. The exit code is that of check.
    """
    report = request.check(path)
    write_each(listing(report, paint()))
    for diagnostic in report.diagnostics:
        if diagnostic.node is None or diagnostic.node.index < 0:
            write("".join(f"{line}\n" for line in text.block(name_of(path), diagnostic, paint(err=True))), err=True)
    sys.exit(verdict(report).exit_code)


@click.command(epilog="Example: shapeinfer contract model.onnx")
@click.argument("path")
@requested
@click.option(
    "--all-sizes", is_flag=True, help="Print every condition, including those that only sizes 0 and 1 violate."
)
def contract(path: str, request: Request, all_sizes: bool) -> None:
    """Print the conditions on its inputs under which a model runs.

    Each with the node that requires it, how its sizes follow from the inputs, and the smallest input that violates it,
    with what fails then. PATH may be - for standard input. The exit code is that of check.
    """
    report = request.check(path)
    if report.errors:
        _print_findings(path, report)
    else:
        write_each(in_full.render(name_of(path), report, paint(all_sizes=all_sizes)))
    sys.exit(verdict(report).exit_code)


@click.command(epilog="Example: shapeinfer why model.onnx 'logits[1]'")
@click.argument("path")
@click.argument("axis", metavar="VALUE[AXIS]")
@requested
def why(path: str, axis: str, request: Request) -> None:
    """Explain how the size of an axis was derived.

    PATH may be - for standard input.
    """
    found = re.fullmatch(r"(.+)\[(-?[0-9]{1,3})\]", axis)
    if found is None:
        message = f"{axis!r} is not of the form VALUE[AXIS], such as logits[1]"
        raise click.BadParameter(message, param_hint="VALUE[AXIS]")
    report = request.check(path)
    if report.result is None:
        _print_findings(path, report)
        sys.exit(verdict(report).exit_code)
    try:
        trace = report.trace(found[1], int(found[2]))
    except ValueError as error:
        raise click.BadParameter(printable(str(error)), param_hint="VALUE[AXIS]") from None
    write_each(map(printable, trace.lines))


def _print_findings(path: str, report: Report) -> None:
    """Print the findings to standard error."""
    write("".join(text.render([(name_of(path), report)], several=False, paint=paint(err=True))), err=True)
