"""Hold random programs on shape tensors against onnxruntime: ``python -m tests.fuzz.programs --count 10000``.

Each program has a number, and the same number makes the same one: ``--start N --count 1`` tries one of them again.
"""

from __future__ import annotations

import click

from tests.fuzz.held_runs import held_runs
from tests.fuzz.programs.drawn import drawn
from tests.fuzz.runtime import Runtime


@click.command(help=__doc__)
@click.option("--start", default=0, show_default=True, help="The number of the first.")
@click.option("--count", default=10_000, show_default=True, help="How many programs.")
@click.option("--sizes", default=5, show_default=True, help="How many bindings of each.")
@click.option("--show", is_flag=True, help="Print the programs too.")
@click.option("--reasons", is_flag=True, help="Print what the runtime refuses for unforeseen.")
def main(start: int, count: int, sizes: int, show: bool, reasons: bool) -> None:
    with Runtime() as runtime, Runtime() as grower:
        held_runs(lambda number: drawn(number, grower), runtime, range(start, start + count), sizes, show, reasons)


if __name__ == "__main__":
    main()
