"""The commands that read one model for somebody: ``show``, ``contract`` and ``why``."""

from __future__ import annotations

import re
import sys

import click

from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.terminal import name_of, paint, write, write_each
from shapeinfer.cli.verdict import verdict
from shapeinfer.infer.diagnosis.why import NoSuchAxis
from shapeinfer.infer.diagnosis.why import why as derivation
from shapeinfer.report import contract as in_full
from shapeinfer.report import text
from shapeinfer.report.listing import listing
from shapeinfer.report.paint import printable


@click.command()
@click.argument("path", metavar="PATH")
@requested
def show(path: str, request: Request) -> None:
    """Print a model's graph with the type of every value beside it.

    Findings stand below their nodes; those of the model as a whole are written to standard error. PATH may be - for
    standard input. The exit code is that of check.
    """
    report = request.check(path)
    write_each(listing(report, paint()))
    for diagnostic in report.diagnostics:
        if diagnostic.node is None or diagnostic.node.index < 0:
            write("".join(f"{line}\n" for line in text.block(name_of(path), diagnostic, paint(err=True))), err=True)
    sys.exit(verdict(report).exit_code)


@click.command()
@click.argument("path")
@requested
@click.option("--all-sizes", is_flag=True, help="List every condition, also those that only sizes 0 and 1 break.")
def contract(path: str, request: Request, all_sizes: bool) -> None:
    """Print the conditions on its inputs under which a model runs.

    Each with the node that needs it, the way of its lengths from the inputs, and a smallest input that breaks it,
    with what happens then. The exit code is that of check.
    """
    report = request.check(path)
    if report.errors:
        _tell(path, report)
    else:
        write_each(in_full.render(name_of(path), report, paint(all_sizes=all_sizes)))
    sys.exit(verdict(report).exit_code)


@click.command()
@click.argument("path")
@click.argument("axis", metavar="VALUE[AXIS]")
@requested
def why(path: str, axis: str, request: Request) -> None:
    """Tell where the length of an axis comes from, such as that of 'logits[1]'."""
    found = re.fullmatch(r"(.+)\[(-?[0-9]{1,3})\]", axis)
    if found is None:
        message = f"{axis!r} is not of the form VALUE[AXIS], such as logits[1]"
        raise click.BadParameter(message, param_hint="VALUE[AXIS]")
    report = request.check(path)
    if report.result is None:
        _tell(path, report)
        sys.exit(verdict(report).exit_code)
    try:
        write_each(map(printable, derivation(report.result, found[1], int(found[2]))))
    except NoSuchAxis as error:
        raise click.BadParameter(printable(str(error)), param_hint="VALUE[AXIS]") from None


def _tell(path: str, report: Report) -> None:
    """Say on standard error what is wrong."""
    write("".join(text.render([(name_of(path), report)], several=False, paint=paint(err=True))), err=True)
