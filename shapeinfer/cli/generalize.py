"""The command ``generalize``: make static input dims symbolic where nothing forbids other sizes."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save_model
from shapeinfer.cli.terminal import STDIN, Failure, name_of, paint, shown, write
from shapeinfer.cli.verdict import verdict
from shapeinfer.diagnostics.errors import ShapeInferError
from shapeinfer.frontends.formats import format_of
from shapeinfer.report import text
from shapeinfer.report.json import pieces
from shapeinfer.report.paint import printable
from shapeinfer.rewrite.generalize import generalize as generalized
from shapeinfer.rewrite.generalized import Generalized


@click.command(epilog="Example: shapeinfer generalize model.onnx -o model.dynamic.onnx")
@click.argument("source", metavar="MODEL")
@click.option("-o", "--output", "out", metavar="OUT", help="Write the model to this file; it may be MODEL.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Write the result in this format.",
)
@requested
def generalize(source: str, out: str | None, form: str, request: Request) -> None:
    """Make static input dims symbolic where nothing forbids it.

    Lists the dims that can have other sizes, the node that blocks each of the others, and the conditions that remain.
    Dims that must be equal get one name. A dim stays static unless inference proves that the model runs with another
    size of it. Types of outputs and value_info are inferred anew; weights are copied unchanged. A model with errors is
    not written; the exit code is that of check.
    """
    data = request.standard_input() if source == STDIN else source
    known = format_of(data)
    target = known if out is None else known.written_as(out)
    try:
        found = generalized(data, options=request.options(source), weights=source == STDIN or target is not known)
    except ShapeInferError as error:
        report = request.judged(Report(error.diagnostics), source)
        write("".join(text.render([(name_of(source), report)], several=False, paint=paint(err=True))), err=True)
        if verdict(report).exit_code == 0:
            raise Failure(f"{name_of(source)} has errors, which the settings suppress") from error
        sys.exit(verdict(report).exit_code)
    except ValueError as error:
        raise Failure(f"{shown(source)} cannot be generalized: {error}") from error
    if out is not None:
        save_model(target, source, out, found.model)
    for piece in (
        pieces(found.to_dict()) if form == "json" else (f"{line}\n" for line in _lines(name_of(source), found))
    ):
        write(piece)


def _lines(name: str, found: Generalized) -> Iterator[str]:
    rows = [(d.input, d.axis, d.size, d.name) for d in found.dims]
    yield from _table(("input", "axis", "size", "free as"), rows)
    stay = [(d.input, d.axis, d.size, d.text) for d in found.blocked]
    yield from _table(("input", "axis", "size", "static because"), stay)
    if found.contract:
        yield "runs only where"
        yield from (f"  {printable(r.condition)}" for r in found.contract)
        yield ""
    count = len(found.dims) + len(found.blocked)
    yield f"{printable(name)}: {len(found.dims)} of {count} static input dims can be free"


def _table(head: tuple[str, ...], rows: list[tuple[str, int, int, str]]) -> Iterator[str]:
    if not rows:
        return
    cells = [head, *((printable(a), str(b), str(c), printable(d)) for a, b, c, d in rows)]
    first, second, third = (max(len(row[i]) for row in cells) for i in range(3))
    for a, b, c, d in cells:
        yield f"{a:<{first}}  {b:>{second}}  {c:>{third}}  {d}"
    yield ""
