"""The commands that print what is known of one model: ``show``, ``contract`` and ``why``."""

from __future__ import annotations

import re
import sys
from typing import cast

import click
from attrs import evolve

from shapeinfer.api.report import Report
from shapeinfer.budget import MEGABYTE
from shapeinfer.cli.options import requested
from shapeinfer.cli.output_files import TooLarge
from shapeinfer.cli.request import Request
from shapeinfer.cli.terminal import PIPED, STDIN, Failure, max_output, name_of, paint, shown, write, write_each
from shapeinfer.cli.verdict import verdict
from shapeinfer.report import contract as in_full
from shapeinfer.report import text
from shapeinfer.report.contract_formats import CONTRACT_FORMATS, ContractFormat, render_contract
from shapeinfer.report.listing import listing
from shapeinfer.report.paint import printable


@click.command(epilog="Example: shapeinfer show model.onnx --bind batch=1")
@click.argument("path", metavar="PATH")
@requested
@click.option("--full", is_flag=True, help="Print full names, each node on one line.")
def show(path: str, request: Request, full: bool) -> None:
    """Print a model's graph with the type of every value.

    Lines fit the terminal, or 120 columns if the output is no terminal; COLUMNS overrides both. Long names are cut in
    the middle; --full prints them whole.

    Findings follow their nodes; those about the model as a whole are printed to standard error. PATH may be - for
    standard input. The exit code is that of check.
    """
    report = request.check(path)
    style = paint(piped=PIPED)
    write_each(listing(report, evolve(style, width=None) if full else style))
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
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *CONTRACT_FORMATS]),
    default="text",
    show_default=True,
    help="Write the contract for people, or for another program.",
)
@click.option(
    "--max-size",
    metavar="SIZE",
    type=click.IntRange(min=1),
    help="Set the greatest size of dims that nothing bounds, for triton (4 by default) and tensorrt (64, or 4 times "
    "the least size).",
)
def contract(path: str, request: Request, all_sizes: bool, form: str, max_size: int | None) -> None:
    """Print the conditions on its inputs under which a model runs.

    Each with the node that requires it, how its sizes follow from the inputs, and the smallest input that violates it,
    with what fails then. PATH may be - for standard input. The exit code is that of check.

    The other formats have every condition, and what --bind, --shape, --range and --assume give: python is a module
    whose check_inputs(inputs) raises ValueError; json-schema a schema of the inputs' shapes; triton a config.pbtxt;
    tensorrt the --minShapes, --optShapes and --maxShapes of trtexec; torch-export the dynamic_shapes of torch.export.
    """
    report = request.check(path)
    if report.errors or report.result is None:
        _print_findings(path, report)
    elif form == "text":
        write_each(in_full.render(name_of(path), report, paint(all_sizes=all_sizes)))
    else:
        _write_contract(path, report, cast("ContractFormat", form), max_size)
    sys.exit(verdict(report).exit_code)


def _write_contract(path: str, report: Report, form: ContractFormat, max_size: int | None) -> None:
    try:
        written = render_contract(report, form, name="model" if path == STDIN else "", max_size=max_size)
    except ValueError as error:
        raise Failure(f"the contract of {shown(name_of(path))} cannot be written as {form}: {error}") from None
    if len(written.encode("utf-8", "replace")) > max_output() * MEGABYTE:
        raise TooLarge(f"the contract of {name_of(path)}")  # what is cut would accept too much
    write(written)


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
