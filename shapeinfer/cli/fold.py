"""The command ``fold``: simplify a model using its inferred shapes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save_model
from shapeinfer.cli.terminal import STDIN, Failure, name_of, paint, shown, write
from shapeinfer.cli.verdict import verdict
from shapeinfer.diagnostics.errors import ShapeInferError
from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.frontends.formats import format_of
from shapeinfer.report import fold as table
from shapeinfer.report import text
from shapeinfer.report.json import pieces
from shapeinfer.rewrite.choice import MAX_GROWTH
from shapeinfer.rewrite.fold import fold as folded
from shapeinfer.rewrite.folded import REWRITES, Folded
from shapeinfer.rewrite.rules import RULES

READ_WHOLE = 256_000_000
"""Weights of larger files, in bytes, are not read, so nothing is computed from them."""


def _names(_ctx: click.Context, _param: click.Parameter, values: Iterable[str]) -> tuple[str, ...]:
    """Return the names of rewrites in comma-separated values. Raises BadParameter for an unknown one."""
    names = tuple(name.strip() for value in values for name in value.split(",") if name.strip())
    for name in names:
        if name not in REWRITES:
            raise click.BadParameter(f"unknown rewrite {shown(name)}{did_you_mean(name, REWRITES)}")
    return names


def _list_rewrites(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted:
        width = max(map(len, REWRITES))
        approximate = {rule.name for rule in RULES if not rule.is_exact}
        for name, sentence in REWRITES.items():
            note = " (with --approximate)" if name in approximate else ""
            write(f"{name:{width}}  {sentence}{note}\n")
        ctx.exit(0)


def _is_small(source: str) -> bool:
    return Path(source).is_file() and Path(source).stat().st_size <= READ_WHOLE


@click.command(epilog="Example: shapeinfer fold model.onnx -o model.folded.onnx")
@click.argument("source", metavar="IN")
@click.option("-o", "--output", "out", required=True, metavar="OUT", help="Write this file; it may be IN.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Write the result in this format.",
)
@click.option("--only", metavar="NAME,...", multiple=True, callback=_names, help="Apply only these rewrites.")
@click.option("--skip", metavar="NAME,...", multiple=True, callback=_names, help="Skip these rewrites.")
@click.option("--approximate", is_flag=True, help="Apply approximate rewrites too, which may change last bits.")
@click.option(
    "--max-growth",
    type=click.FloatRange(min=0),
    default=MAX_GROWTH * 100,
    show_default=True,
    metavar="PERCENT",
    help="Limit the growth of the model by folded constants.",
)
@click.option("--infer", is_flag=True, help="Write the types of all values, not only of those that declare one.")
@click.option(
    "--rewrites", is_flag=True, is_eager=True, expose_value=False, callback=_list_rewrites, help="List the rewrites."
)
@requested
def fold(
    source: str,
    out: str,
    form: str,
    only: Sequence[str],
    skip: Sequence[str],
    approximate: bool,
    max_growth: float,
    infer: bool,
    request: Request,
) -> None:
    """Simplify an ONNX model using its inferred shapes.

    Constant expressions, shape computations among them, are folded; nodes that copy their input, compute what an
    earlier node computes, or have unused outputs are removed, and some are merged. --rewrites lists all rewrites, and
    `shapeinfer explain NAME` explains one. For inputs that meet the model's contract, the outputs are the same,
    bit for bit. Types are written as inferred, with the sizes that --bind, --shape and --assume fix; --range and
    --assume must hold when the model runs. In files larger than 256 MB, weights are copied but not folded. A model with
    errors is not written; the exit code is that of check.
    """
    data = request.standard_input() if source == STDIN else source
    target = format_of(data).written_as(out)
    weights = source == STDIN or target is not format_of(data) or _is_small(source)
    result: Folded | None = None
    try:
        result = folded(
            data,
            options=request.options(source),
            weights=weights,
            only=only or None,
            skip=skip,
            approximate=approximate,
            max_growth=max_growth / 100,
            infer=infer,
        )
        report = Report(result.diagnostics)
    except ShapeInferError as error:
        report = Report(error.diagnostics)
    except ValueError as error:
        raise Failure(f"{shown(out)} was not written: {error}") from error
    report = request.judged(report, source)
    found = verdict(report)
    if result is None:
        write("".join(text.render([(name_of(source), report)], several=False, paint=paint(err=True))), err=True)
        if found.exit_code == 0:
            raise Failure(f"{shown(out)} was not written: the model has errors, which the settings suppress")
        sys.exit(found.exit_code)
    save_model(target, source, out, result.model)
    if form == "json":
        for piece in pieces(result.to_dict()):
            write(piece)
    else:
        lines = table.render(name_of(source), result.counts, REWRITES, result.before, result.after)
        write("".join(f"{line}\n" for line in lines))
    sys.exit(found.exit_code)
