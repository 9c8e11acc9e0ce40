"""Hold random models against onnxruntime: ``python -m tests.infer.random_graphs --count 20000``.

Each model has a number, and the same number makes the same model: ``--first N --count 1`` tries one of them again.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import click
import onnx

from tests.infer.graphs import Drawn, drawn
from tests.infer.laws import Judged, bindings, tried
from tests.infer.patterns import STEPS
from tests.numbered import judge_all


def made(number: int) -> tuple[Drawn, Random]:
    """Return the model of a number, and the source of the choices that are left to make."""
    random = Random(number)
    return drawn(random, STEPS), random


def judged(number: int, sizes_each: int) -> tuple[Counter[str], str | None]:
    """Try one model under several bindings: how many ended in what way, and what is wrong with our judgement."""
    found, random = made(number)
    kinds: Counter[str] = Counter()
    judged = Judged(found.model)
    for sizes in bindings(random, judged.sizes_of(found.sample), sizes_each):
        trial = tried(judged, sizes)
        kinds[trial.kind] += 1
        if trial.wrong is not None:
            return kinds, f"model {number} at {sizes}: {trial.wrong}\n{onnx.printer.to_text(found.model)}"
    return kinds, None


@click.command(help=__doc__)
@click.option("--count", default=20_000, show_default=True, help="How many models.")
@click.option("--first", default=0, show_default=True, help="The number of the first.")
@click.option("--sizes", default=4, show_default=True, help="How many bindings of each.")
def main(count: int, first: int, sizes: int) -> None:
    found = judge_all(lambda number: judged(number, sizes), first, count)
    runs = f"{found.kinds.total()} bindings ({dict(found.kinds)})"
    print(f"{found.models} models, {runs}: {found.wrong} judged wrong")
    sys.exit(1 if found.wrong else 0)


if __name__ == "__main__":
    main()
