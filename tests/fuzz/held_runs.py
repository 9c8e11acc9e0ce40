"""Hold the models of a generator against runs, one after the other, and say how many were judged wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from tests.fuzz.oracle import Judge, Sample
from tests.fuzz.runtime import Runtime
from tests.numbered import Tally


def held_runs(
    drawn: Callable[[int], Sample | None],
    runtime: Runtime,
    numbers: Iterable[int],
    sizes: int,
    show: bool = False,
    reasons: bool = False,
) -> None:
    """Judge models by their numbers, print what is wrong, and end the process: with 1 where anything was.

    With ``reasons``, also print what the runtime refused for unforeseen, the commonest first.
    """
    found = Tally()
    judge = Judge(runtime, sizes)
    for number in numbers:
        sample = drawn(number)
        if sample is None:
            continue
        tried = judge.tried(sample)
        found.models += 1
        found.kinds += tried.ended
        if tried.wrong is not None:
            found.wrong += 1
            print(tried.wrong, flush=True)
        if show:
            print(sample.text, flush=True)
        if found.models % 500 == 0:
            print(summary(found), file=sys.stderr, flush=True)
    for why, count in judge.unforeseen.most_common() if reasons else ():
        print(f"{count:5} not foretold  {why}")
    print(summary(found))
    sys.exit(1 if found.wrong else 0)


def summary(found: Tally) -> str:
    """Return one line: how many models and bindings, what became of them, and what share of refusals was foretold."""
    kinds = found.kinds
    refused = sum(n for kind, n in kinds.items() if "foretold" in kind)
    unforeseen = sum(n for kind, n in kinds.items() if "not foretold" in kind)
    foretold = f"{100 - 100 * unforeseen / refused:.1f}%" if refused else "none"
    each = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
    bindings = f"{kinds.total()} bindings ({each})"
    return f"{found.models} models, {bindings}, {foretold} of refusals foretold: {found.wrong} misjudged"
