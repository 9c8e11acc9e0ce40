"""The page of a report: its data, its layout and its bytes; ``test_browser.py`` looks at it in a browser."""

from __future__ import annotations

import html
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import onnx
import pytest
from hypothesis import given

from shapeinfer import check
from shapeinfer.dims import evaluate
from shapeinfer.facts import Tensor
from shapeinfer.report import page
from shapeinfer.report.page.contents import INPUT, NODE, contents
from shapeinfer.report.page.layout import MOST_LAYERS, layout
from tests.command import BAD, GOOD, Shell
from tests.infer.graphs import drawn, for_each, randoms
from tests.infer.patterns import STEPS
from tests.models import checked
from tests.report.page.table import results

ROOT = Path(__file__).parents[3]


def shown(model: str | onnx.ModelProto) -> dict[str, Any]:
    """The data of a model's page, as a browser reads it."""
    report = checked(model)
    rendered = page.render("m.onnx", report, report.cost() if report.ok else None)
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', rendered, re.DOTALL)
    found: dict[str, Any] = json.loads(data)
    return found


# The data


def test_nodes_with_what_they_read_and_make() -> None:
    (graph,) = shown("g (float[N, 4] x) => (y) <float[4] w = {1, 2, 3, 4}> { h = Mul(x, w) y = Relu(h) }")["graphs"]
    assert [value[:3] for value in graph["values"]] == [
        ["x", "input", "f32"],
        ["w", "initializer", "f32"],
        ["h", "", "f32"],
        ["y", "", "f32"],
    ]
    assert [node[:4] for node in graph["nodes"]] == [["Mul", "", [0, 1], [2]], ["Relu", "", [2], [3]]]
    assert [(a, b, value) for a, b, value, _ in graph["lines"]] == [(0, 1, 0), (1, 2, 2), (2, 3, 3)]


def test_bodies_are_graphs_of_their_own() -> None:
    data = shown("""g (bool c, float[N] x) => (y) {
        y = If(c) <then_branch = t () => (a) { a = Relu(x) }, else_branch = e () => (b) { b = Abs(x) }>
    }""")
    assert [g["title"] for g in data["graphs"]] == ["g", "If_0.then_branch", "If_0.else_branch"]
    assert data["graphs"][0]["nodes"][0][5] == [1, 2]
    assert [g["parent"] for g in data["graphs"]] == [None, [0, 0], [0, 0]]
    assert [v[:2] for v in data["graphs"][1]["values"]] == [["x", "from around"], ["a", ""]]


def test_a_constant_is_not_drawn() -> None:
    (graph,) = shown("g (float[2] x) => (y) { c = Constant<value_ints = [1, 2]>() y = Reshape(x, c) }")["graphs"]
    assert [(kind, index) for kind, index, *_ in graph["boxes"] if kind in (NODE, INPUT)] == [(INPUT, 0), (NODE, 1)]
    assert graph["values"][1][4] == "{1, 2}"


def test_a_finding_with_the_way_that_its_lengths_came() -> None:
    data = shown(BAD)
    (found,) = data["findings"]
    assert (found["severity"], found["code"], found["place"]) == ("error", "not-broadcastable", [0, 1])
    assert [data["graphs"][0]["values"][value][0] for value in found["chain"]] == ["a", "t", "b"]


def test_conditions_can_be_worked_out() -> None:
    data = shown("g (float[H] x) => (y) { s = Constant<value_ints = [-1, 4]>() y = Reshape(x, s) }")
    (condition,) = data["contract"]
    assert condition[0] == "H % 4 == 0"
    assert [results(data["table"], {"H": h})[condition[1]] for h in (3, 8)] == [False, True]


def test_a_contract_has_three_parts() -> None:
    data = shown("""g (float[A, B, L] x) => (y) {
        p = MaxPool <kernel_shape = [4], strides = [4]> (x)
        s = Constant <value = int64[2] {0, -1}> () y = Reshape (p, s)
    }""")
    assert [row[0] for row in data["contract"]] == ["L >= 4"]
    assert [row[0] for row in data["smallSizes"]] == ["A >= 1"]
    assert (data["smallText"], data["unsimplified"]) == ("A >= 1", [])
    assert ["L", 4] in data["smallest"]
    numbers = results(data["table"], {"A": 0, "B": 1, "L": 4})
    assert [numbers[entry] for entry in data["judged"]].count(False) == 1


def test_a_finding_names_the_other_nodes_of_its_cause_and_what_would_fit() -> None:
    data = shown("g (float[N, 65] x, float[64, 8] w) => (y) { a = MatMul(x, w) b = MatMul(x, w) y = Add(a, b) }")
    (found,) = data["findings"]
    assert found["elsewhere"] == [["MatMul (node 1)", [0, 1]]]
    (found,) = shown("g (float[N, 64] x, float[8, 64] w) => (y) { y = Gemm(x, w) }")["findings"]
    assert found["fix"] == "transB = 1 would fit"


def test_symbols_that_a_reader_may_give() -> None:
    data = shown("g (float[N, M] x) => (y) { i = NonZero(x) y = Cast<to = 1>(i) }")
    assert [(name, where) for name, _, _, _, where in data["symbols"]] == [("N", "axis 0 of x"), ("M", "axis 1 of x")]


def test_a_symbol_stands_where_it_is_no_part_of_a_formula() -> None:
    data = shown("""g (float[batch, "past + seq"] mask, float[batch, seq] ids, float["2*k"] m, float[past] p) => (y) {
        y = Relu(mask)
    }""")
    assert {name: where for name, _, _, _, where in data["symbols"]} == {
        "batch": "axis 0 of mask",
        "past": "axis 0 of p",
        "seq": "axis 1 of ids",
        "2*k": "axis 0 of m",
    }


def test_a_broken_model_does_not_run() -> None:
    assert (shown(BAD)["runs"], shown("g (float[N] x) => (y) { y = Relu(x) }")["runs"]) == (False, True)


def test_what_is_assumed_stands_beside_the_conditions() -> None:
    assert shown("g (float[N] x) => (int64[1, 5] y) { y = NonZero(x) }")["assumed"] == [["axis 1 of y is 5", [0, 0]]]


@for_each(25)
@given(randoms)
def test_every_shape_is_worked_out_as_here(random: Random) -> None:
    found = drawn(random, STEPS, most=10)
    report = check(found.model)
    data = contents("m", report, None)
    sizes = {name: random.randint(1, 9) for name, *_ in data["symbols"]}
    numbers = results(data["table"], sizes)
    for name, _, _, lengths, _ in data["graphs"][0]["values"]:
        fact = report.values.get(name)
        for size, shown_as in zip(fact.shape or () if isinstance(fact, Tensor) else (), lengths or ()):
            if isinstance(size, int) or any(s.is_fresh for s in size.symbols):
                continue
            try:
                expected: int | None = evaluate(size, sizes)
            except ZeroDivisionError:
                expected = None
            assert numbers[data["dims"][-1 - shown_as][1]] == expected


# The layout


def random_lines(random: Random, count: int) -> list[tuple[int, int]]:
    return [(random.randrange(max(0, b - 20), b), b) for b in range(1, count) for _ in range(random.randrange(3))]


@for_each(30)
@given(randoms)
def test_lines_lead_down_and_boxes_do_not_meet(random: Random) -> None:
    count = random.randint(1, 60)
    widths = [random.randint(40, 200) for _ in range(count)]
    lines = random_lines(random, count)
    found = layout(widths, [random.choice((1, 20)) for _ in range(count)], lines)
    for (a, b), bends in zip(lines, found.bends):
        span = found.layers[b] - found.layers[a]
        assert span >= 1
        assert bends is None if span > MOST_LAYERS else bends is not None and len(bends) == span - 1
    for layer in set(found.layers):
        row = sorted((found.middles[i], widths[i]) for i in range(count) if found.layers[i] == layer)
        assert all(x + w / 2 < y - v / 2 for (x, w), (y, v) in itertools.pairwise(row))


def test_a_chain_is_a_straight_line() -> None:
    found = layout([50] * 9, [1] * 9, [(i, i + 1) for i in range(8)])
    assert list(found.layers) == list(range(9))
    assert len(set(found.middles)) == 1


def test_a_line_that_leads_back_is_not_drawn() -> None:
    assert layout([50, 50], [1, 1], [(0, 1), (1, 0)]).bends == [[], None]


def test_nothing_to_draw() -> None:
    assert layout([], [], []).layers == []


# The bytes

HOSTILE = "</script><script>document.title='taken'</script><!-- \u2028 \x1b[31m \ud800"


def hostile() -> onnx.ModelProto:
    """A model whose names try to be more than names."""
    name = HOSTILE.encode("utf-8", "ignore").decode()
    relu = onnx.helper.make_node("Relu", [name], ["</title>"], name)
    mine = onnx.helper.make_node("<b>op</b>", ["</title>"], ["'\"&"], domain="<!--")
    graph = onnx.helper.make_graph(
        [relu, mine],
        name,
        [onnx.helper.make_tensor_value_info(name, 1, ["<img src=x>", 4])],
        [onnx.helper.make_tensor_value_info("'\"&", 1, None)],
    )
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=9)


def test_names_cannot_leave_their_place() -> None:
    report = checked(hostile())
    rendered = page.render(HOSTILE, report, None)
    assert rendered.count("</script") == 2
    assert rendered.count("<script") == 2
    assert "<!--" not in rendered
    assert html.escape("</script>") in rendered
    assert "\x1b" not in rendered
    assert rendered.isascii() or "\u2028" not in rendered


def test_it_asks_for_nothing_from_elsewhere() -> None:
    rendered = page.render("m.onnx", checked(GOOD), None)
    assert not re.search(r"https?:|src=|@import|url\(", rendered)
    assert "default-src 'none'" in rendered


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    models = [str(ROOT / "examples" / "models" / name) for name in ("bert.onnx", "unet.onnx")]
    made = []
    for seed in ("1", "2"):
        for i, model in enumerate(models):
            subprocess.run(
                [sys.executable, "-m", "shapeinfer", "report", model, "-o", str(tmp_path / f"{seed}.{i}.html")],
                env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
                check=True,
                capture_output=True,
            )
        made.append([(tmp_path / f"{seed}.{i}.html").read_bytes() for i in range(len(models))])
    assert made[0] == made[1]


# The command


def test_a_page_is_written(shell: Shell) -> None:
    ended = shell("report", shell.save("m.onnx"), "-o", "m.html")
    assert (ended.code, ended.out, ended.err) == (0, "m.html shows m.onnx\n", "")
    assert (shell.folder / "m.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_of_a_broken_model_too(shell: Shell) -> None:
    ended = shell("report", shell.save("bad.onnx", BAD), "-o", "bad.html")
    assert (ended.code, ended.out) == (1, "bad.html shows bad.onnx\n")
    assert "not-broadcastable" in (shell.folder / "bad.html").read_text(encoding="utf-8")


def test_not_of_a_file_that_is_no_model(shell: Shell) -> None:
    (shell.folder / "m.onnx").write_bytes(b"\x00no model")
    ended = shell("report", "m.onnx", "-o", "m.html")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error[")
    assert not (shell.folder / "m.html").exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "Missing option '-o' / '--output'"),
        (("-o", "absent/m.html"), "absent/m.html was not written: the directory absent does not exist"),
        (("-o", "."), "was not written: it is a directory"),
    ],
)
def test_a_page_that_cannot_be_written(shell: Shell, args: tuple[str, ...], said: str) -> None:
    ended = shell("report", shell.save("m.onnx"), *args)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
