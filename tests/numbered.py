"""Judge random models by their numbers, one after the other, until too many are wrong."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

from attrs import define, field

MOST_TOLD = 20
"""After so many models that are judged wrong the run ends."""


@define
class Tally:
    """How many models were judged, what became of each of their runs, and how many models were wrong."""

    models: int = 0
    kinds: Counter[str] = field(factory=Counter)
    wrong: int = 0


def judge_all(judge: Callable[[int], tuple[Counter[str], str | None]], first: int, count: int) -> Tally:
    """Judge models and print what is wrong with them. ``judge`` says of one what became of it, and what is wrong."""
    found = Tally()
    for number in range(first, first + count):
        here, said = judge(number)
        found.kinds += here
        found.models += 1
        if said is not None:
            found.wrong += 1
            print(said, flush=True)
        if found.models % 500 == 0:
            text = f"{found.models} models, {found.wrong} judged wrong, {dict(found.kinds)}"
            print(text, file=sys.stderr, flush=True)
        if found.wrong == MOST_TOLD:
            break
    return found
