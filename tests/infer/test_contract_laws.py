"""The contract is the whole truth: random models run inside it, and fail outside, as checks of bound models say."""

from __future__ import annotations

import itertools
import re
from random import Random

import onnx
from hypothesis import given, note

from shapeinfer import check
from tests.infer.differences import copies_by_zero
from tests.infer.graphs import drawn, for_each, randoms
from tests.infer.laws import Judged, bindings, tried
from tests.infer.patterns import STEPS

BINDINGS = 6


@for_each(50)
@given(randoms)
def test_a_model_runs_inside_its_contract_and_nowhere_else(random: Random) -> None:
    found = drawn(random, STEPS)
    note(onnx.printer.to_text(found.model))
    judged = Judged(found.model)
    for sizes in bindings(random, judged.sizes_of(found.sample), BINDINGS):
        assert tried(judged, sizes).wrong is None, sizes


@for_each(40)
@given(randoms)
def test_the_sizes_that_are_named_to_break_a_condition_break_it(random: Random) -> None:
    found = drawn(random, STEPS)
    note(onnx.printer.to_text(found.model))
    judged = Judged(found.model)
    contract = judged.report.contract if judged.report.ok else ()
    for condition, witness in ((r.condition, r.witness) for r in contract):
        if witness is not None:
            bound = check(found.model, bind=judged.sizes_of(found.sample) | dict(witness))
            assert not bound.ok or copies_by_zero(found.model, bound), condition


@for_each(40)
@given(randoms)
def test_a_range_is_proved_or_refuted_by_sizes_that_fail(random: Random) -> None:
    found = drawn(random, STEPS, most=4)
    judged = Judged(found.model)
    base = judged.sizes_of(found.sample)
    ranges = {name: (max(0, n - random.randint(0, 2)), n + random.randint(0, 3)) for name, n in base.items()}
    note(f"{onnx.printer.to_text(found.model)}\n{ranges}")
    report = check(found.model, ranges=ranges)
    corners = [dict(zip(ranges, ends)) for ends in itertools.islice(itertools.product(*ranges.values()), 8)]
    inside = {name: random.randint(low, high) for name, (low, high) in ranges.items()}
    if report.ok:
        for sizes in (*corners, inside):
            trial = tried(judged, sizes)
            assert trial.kind in ("inside", "open", "accepted", "too large"), sizes
            assert trial.wrong is None, sizes
        return
    for error in report.errors:
        if error.code.name != "range-fails":
            # No size of the ranges will do.
            assert all(not check(found.model, bind=sizes).ok for sizes in (*corners, inside)), error.text
        elif named := re.search(r" fails for (.*), which", error.message):
            sizes = {name: int(n) for name, n in (part.split(" = ") for part in named[1].split(", "))}
            assert all(ranges[name][0] <= n <= ranges[name][1] for name, n in sizes.items()), error.text
            others = {name: ends for name, ends in ranges.items() if name not in sizes}
            bound = check(found.model, bind=sizes, ranges=others)
            assert not bound.ok or copies_by_zero(found.model, bound), error.text
