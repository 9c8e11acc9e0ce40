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

MOST_TOLD = 20
"""After so many models that are judged wrong the run ends."""


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
    kinds: Counter[str] = Counter()
    wrong = models = 0
    for number in range(first, first + count):
        here, said = judged(number, sizes)
        kinds += here
        models += 1
        if said is not None:
            wrong += 1
            print(said, flush=True)
        if models % 500 == 0:
            print(f"{models} models, {wrong} judged wrong, {dict(kinds)}", file=sys.stderr, flush=True)
        if wrong == MOST_TOLD:
            break
    print(f"{models} models, {kinds.total()} bindings ({dict(kinds)}): {wrong} judged wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
