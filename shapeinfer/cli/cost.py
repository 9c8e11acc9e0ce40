"""The command ``cost``: parameters, multiply-adds and peak memory of a model."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Literal, cast

import click
from attrs import frozen

from shapeinfer.api.report import Report
from shapeinfer.cli.options import requested
from shapeinfer.cli.request import Request
from shapeinfer.cli.saving import save
from shapeinfer.cli.terminal import Failure, name_of, paint, shown, write, write_each
from shapeinfer.cli.verdict import verdict
from shapeinfer.config.reading import read_range
from shapeinfer.cost import Cost
from shapeinfer.report import cost as table
from shapeinfer.report import text
from shapeinfer.report.json import pieces


@frozen
class Plot:
    """The value of ``--plot``: a dim and its least and greatest size."""

    dim: str
    low: int
    high: int


def _plot(_ctx: click.Context, param: click.Parameter, value: str | None) -> Plot | None:
    if value is None:
        return None
    name, _, ends = value.rpartition("=")
    try:
        low, high = read_range(ends)
    except ValueError:
        name, low, high = "", 0, None
    if not name.strip() or high is None:
        raise click.BadParameter(f"{value!r} is not of the form {param.metavar}, such as seq=1..4096", param=param)
    if low > high:
        raise click.BadParameter(f"{low}..{high} is an empty range; LOW must be at most HIGH", param=param)
    return Plot(name.strip(), low, high)


def _picture(_ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and Path(value).suffix.lower() not in (".png", ".svg"):
        raise click.BadParameter(f"{shown(value)} must end in .png or .svg", param=param)
    return value


@click.command(epilog="Example: shapeinfer cost model.onnx --bind batch=1")
@click.argument("path", metavar="PATH")
@requested
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Write the result in this format.",
)
@click.option(
    "--plot",
    metavar="NAME=LOW..HIGH",
    callback=_plot,
    help="Plot the cost over a range of sizes of a dim to the file of -o.",
)
@click.option("-o", "--output", metavar="FILE", callback=_picture, help="Write the plot to this file, .png or .svg.")
def cost(path: str, request: Request, form: str, plot: Plot | None, output: str | None) -> None:
    """Print a model's parameters, multiply-adds and peak memory.

    They are formulas of the input dims, and numbers for dims that --bind fixes. The table lists the nodes that read
    weights or multiply, --format json all nodes. PATH may be - for standard input. The exit code is that of check; a
    model with errors has no cost.
    """
    if (plot is None) != (output is None):
        raise click.UsageError("--plot NAME=LOW..HIGH and -o FILE must be used together")
    report = request.check(path)
    found = verdict(report)
    if report.errors or report.result is None:
        write("".join(text.render([(name_of(path), report)], several=False, paint=paint(err=True))), err=True)
        sys.exit(found.exit_code)
    counted = report.cost()
    if plot is not None and output is not None:
        save(output, _drawn(path, report, counted, plot, output))
    elif form == "json":
        for piece in pieces(counted.to_dict()):
            write(piece)
    else:
        write_each(table.render(name_of(path), counted, paint()))
    sys.exit(found.exit_code)


def _drawn(path: str, report: Report, counted: Cost, plot: Plot, output: str) -> bytes:
    """Return the picture. Raises Failure where it cannot be drawn."""
    from shapeinfer.cost.curve import curve
    from shapeinfer.report.plot import render

    inputs = report.graph.inputs if report.graph else ()
    dims = sorted({s.name for name in inputs for s in report.values[name].symbols})
    if plot.dim not in dims:
        raise Failure(
            f"{shown(plot.dim)} is not a symbolic dim of an input; those are {', '.join(map(shown, dims)) or 'none'}"
        )
    try:
        points = curve(counted, report.contract, plot.dim, plot.low, plot.high)
    except ValueError as error:
        raise Failure(f"the cost of {shown(name_of(path))} was not drawn: {error}") from None
    form = cast("Literal['png', 'svg']", Path(output).suffix.lower()[1:])
    _load_matplotlib()
    try:
        return render(name_of(path), plot.dim, points, form)
    except ImportError:
        raise Failure("--plot needs matplotlib; install it with pip install 'shapeinfer[plot]'") from None


def _load_matplotlib() -> None:
    """Import matplotlib, if there is one, elsewhere: it reads the ``matplotlibrc`` of the working directory."""
    with contextlib.suppress(ImportError, FileNotFoundError):  # in a directory that is gone there is nothing to read
        here = Path.cwd()
        try:
            os.chdir(Path(__file__).parent)
            import matplotlib  # noqa: F401 - so that it is there
        finally:
            os.chdir(here)
