"""Sizes that a caller gives and that fail: a note names the nearest that run, and they do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from shapeinfer import Report
from tests.command import Shell
from tests.models import checked

EVEN = """g (float[n] x, float[m] z) => (y, w) {
    s = Constant <value_ints = [-1, 32]> ()
    y = Reshape (x, s)
    w = Reshape (z, s)
}"""
TIED = "g (float[batch, seq] ids, float[batch, length] mask) => (y) { y = Add (ids, mask) }"
NEVER = "g (float[n, 4] x, float[n, 5] z) => (y) { y = Add (x, z) }"


def nearest(report: Report) -> list[str]:
    """What is said of sizes that run."""
    return [n for d in report.diagnostics for n in d.notes if n.startswith("nearest sizes that run: ")]


def sizes_of(note: str) -> dict[str, int]:
    return {name: int(size) for name, size in re.findall(r"(\w+) = (\d+)", note)}


@pytest.mark.parametrize(
    ("model", "bind", "expected"),
    [
        (EVEN, {"n": 225, "m": 64}, {"n": 224, "m": 64}),
        (EVEN, {"n": 230, "m": 250}, {"n": 224, "m": 256}),
        (EVEN, {"n": 7}, {"n": 32}),
        (TIED, {"seq": 7, "length": 5}, {"seq": 5, "length": 5}),
    ],
)
def test_they_are_named_and_run_clean(model: str, bind: Mapping[str, int], expected: Mapping[str, int]) -> None:
    report = checked(model, bind=bind)
    assert not report.ok
    (note,) = nearest(report)
    assert sizes_of(note) == expected
    assert checked(model, bind=expected).ok


def test_shapes_count_as_their_dims_do() -> None:
    report = checked(EVEN, shapes={"x": [225], "z": [32]})
    assert nearest(report) == ["nearest sizes that run: n = 224, m = 32"]


def test_the_first_error_has_it_and_no_other() -> None:
    report = checked(EVEN, bind={"n": 225, "m": 33})
    assert len(report.errors) == 2
    assert [len(nearest(Report((d,)))) for d in report.errors] == [1, 0]


def test_all_errors_of_one_size_are_one() -> None:
    two = "s = Constant <value_ints = [-1, 32]> () a = Reshape (x, s) b = Abs (x) c = Reshape (b, s) d = Reshape (z, s)"
    report = checked(f"g (float[n] x, float[m] z) => (a, c, d) {{ {two} }}", bind={"n": 225, "m": 33})
    assert [(d.node and d.node.index, len(d.related)) for d in report.errors] == [(1, 1), (4, 0)]
    assert [len(checked(EVEN, bind={"n": 225, "m": m}).errors) for m in (32, 33)] == [1, 2]


def test_no_node_is_to_be_edited_where_the_sizes_are_at_fault() -> None:
    joined = "g (float[1, n, m] x, float[1, 4, m] z) => (y) { y = Concat <axis = 2> (x, z) }"
    assert nearest(checked(joined, bind={"n": 3, "m": 5})) == ["nearest sizes that run: n = 4"]
    assert [d.fix for d in checked(joined, bind={"n": 3, "m": 5}).errors] == [None]


@pytest.mark.parametrize(
    ("model", "bind"),
    [
        pytest.param(NEVER, {"n": 3}, id="a model that runs for no sizes"),
        pytest.param(EVEN, {"n": 64}, id="sizes that run"),
        pytest.param(EVEN, {"k": 64}, id="a dim that no input has"),
        pytest.param('g (float["2*k"] x) => (y) { y = Relu (x) }', {"2*k": 3}, id="a formula"),
    ],
)
def test_nothing_is_said_of(model: str, bind: Mapping[str, int]) -> None:
    assert nearest(checked(model, bind=bind)) == []


@pytest.mark.parametrize("shapes", [{"x": [2, 2]}, {"x": [32], "gone": [1]}, {"x": 3}, {"x": [-1]}, {"x": ["a"]}])
def test_shapes_that_no_input_has_are_refused_as_they_are(shapes: Any) -> None:
    assert nearest(checked(EVEN, shapes=shapes)) == []


def test_the_command_line_prints_it(shell: Shell) -> None:
    text = '<ir_version: 9, opset_import: ["" : 20]>\n' + EVEN
    ended = shell("check", shell.save("m.onnx", text), "--bind", "n=225")
    assert "  note: nearest sizes that run: n = 224\n" in ended.out
