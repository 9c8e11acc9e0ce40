"""A message that speaks of sizes tells what the caller said of them."""

from __future__ import annotations

from typing import Any

import pytest

from shapeinfer import check
from tests.models import parsed

ADD = "main (float[past] a, float[seq] b, float[9] c) => (y) { t = Concat <axis = 0> (a, b)  y = Add (t, c) }"
MUL = "main (float[N, M] a, float[N, M] b) => (y) { y = MatMul (a, b) }"


def notes(model: str, **given: Any) -> list[str]:
    """The notes of the only diagnostic, but for the sizes that run, see ``test_nearest_sizes``."""
    (diagnostic,) = check(parsed(model), **given).diagnostics
    return [note for note in diagnostic.notes if not note.startswith("nearest sizes that run: ")]


@pytest.mark.parametrize(
    ("model", "given", "note"),
    [
        (MUL, {"bind": {"N": 3, "M": 4}}, "with M = 4, N = 3 (given)"),
        (MUL, {"shapes": {"a": [3, 4], "b": [3, 4]}}, "with M = 4, N = 3 (given)"),
        (MUL, {"ranges": {"N": (1, 3), "M": (4, None)}}, "with 4 <= M, 1 <= N <= 3 (given)"),
        (MUL, {"bind": {"N": 3}, "ranges": {"M": (4, 9)}}, "with 4 <= M <= 9, N = 3 (given)"),
        (ADD, {"bind": {"past": 4, "seq": 3}}, "with past = 4, seq = 3 (given)"),
        (ADD, {"bind": {"past": 4}, "ranges": {"seq": (2, 4)}}, "with past = 4, 2 <= seq <= 4 (given)"),
        ("main (float[N] a) => (float[3] y) { y = Relu (a) }", {"bind": {"N": 4}}, "with N = 4 (given)"),
        (
            "main (float[N, M] a) => (y) <int64[2] s = {7, -1}> { y = Reshape (a, s) }",
            {"bind": {"N": 3, "M": 2}},
            "with M = 2, N = 3 (given)",
        ),
        (
            "main (float[N] a) => (y) { y = Relu (a) }",
            {"ranges": {"N": (2, 4)}, "assume": ["N >= 9"]},
            "with 2 <= N <= 4 (given)",
        ),
    ],
)
def test_what_the_caller_said_is_noted(model: str, given: dict[str, Any], note: str) -> None:
    assert notes(model, **given) == [note]


def test_a_range_that_a_condition_breaks_is_told() -> None:
    model = "main (float[N] a) => (y) <int64[2] s = {4, -1}> { y = Reshape (a, s) }"
    (diagnostic, *_) = check(parsed(model), ranges={"N": (1, 8)}).diagnostics
    assert diagnostic.code.name == "range-fails"
    assert diagnostic.notes[-1] == "with 1 <= N <= 8 (given)"


def test_what_does_not_matter_is_not_told() -> None:
    model = "main (float[N, 3] a, float[N, 4] b) => (y) { y = Add (a, b) }"
    assert notes(model, bind={"N": 2}) == []


def test_nothing_given_is_nothing_told() -> None:
    assert notes("main (float[2] a, float[3] b) => (y) { y = Add (a, b) }") == []


def test_what_was_learned_is_told_besides() -> None:
    model = "main (float[1, N] a, float[4, 2] b, float[5, 2] c) => (x, y) { x = MatMul (a, b)  y = MatMul (a, c) }"
    fault, *_ = check(parsed(model), ranges={"N": (2, 9)}).diagnostics
    assert fault.notes == ("N is 4: N == 4, required by MatMul (node 0)", "with 2 <= N <= 9 (given)")
