"""The page of a report: its data and its bytes; ``test_browser.py`` looks at it in a browser."""

from __future__ import annotations

import html
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
from shapeinfer.report.page.contents import contents
from shapeinfer.report.page.graphs import CAPTURED, INITIALIZER, INPUT
from shapeinfer.report.page.kinds import KINDS, kind_of
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


def names(graph: dict[str, Any]) -> list[str]:
    return [value[0] for value in graph["values"]]


def calls(data: dict[str, Any], number: int = 0) -> list[tuple[str, list[str], list[str]]]:
    """The nodes of a graph: operator, what it reads and what it computes."""
    graph = data["graphs"][number]
    known = [*names(graph), ""]
    return [
        (data["operators"][operator][0], [known[v] for v in inputs], [known[v] for v in outputs])
        for operator, _, inputs, outputs, *_ in graph["nodes"]
    ]


def test_nodes_with_what_they_read_and_make() -> None:
    data = shown("g (float[N, 4] x) => (y) <float[4] w = {1, 2, 3, 4}> { h = Mul(x, w) y = Relu(h) }")
    (graph,) = data["graphs"]
    assert calls(data) == [("Mul", ["x", "w"], ["h"]), ("Relu", ["h"], ["y"])]
    assert [(name, data["types"][number][0], *role) for name, number, *role in graph["values"]] == [
        ("x", "f32", INPUT),
        ("w", "f32", INITIALIZER),
        ("h", "f32"),
        ("y", "f32"),
    ]
    assert graph["parts"] == [0, 1]


def test_equal_types_and_attributes_are_written_once() -> None:
    lines = "".join(f"y{i} = Transpose <perm = [0, 1]> (x) " for i in range(9))
    data = shown(f"g (float[N, 4] x) => (y8) {{ {lines} }}")
    assert (len(data["types"]), data["attributes"]) == (1, [[], ["perm: ints = [0, 1]"]])


def test_bodies_are_graphs_of_their_own() -> None:
    data = shown("""g (bool c, float[N] x) => (y) <float[1] w = {2}> {
        y = If(c) <then_branch = t () => (a) { a = Relu(x) }, else_branch = e () => (b) { b = Mul(x, w) }>
    }""")
    assert [g["title"] for g in data["graphs"]] == ["g", "If_0.then_branch", "If_0.else_branch"]
    assert [g["name"] for g in data["graphs"]] == ["", "then_branch", "else_branch"]
    assert data["graphs"][0]["nodes"][0][9] == [1, 2]
    assert [g["parent"] for g in data["graphs"]] == [None, [0, 0], [0, 0]]
    assert [v[0] for v in data["graphs"][2]["values"] if v[2:] == [CAPTURED]] == ["x", "w"]
    assert data["types"][data["graphs"][2]["values"][1][1]] == ["f32", [1], ["2.0"]]


def test_a_constant_is_written_at_its_readers() -> None:
    data = shown("g (float[2] x) => (y) { c = Constant<value_ints = [1, 2]>() y = Reshape(x, c) }")
    (graph,) = data["graphs"]
    assert graph["parts"] == [1]
    assert data["types"][graph["values"][1][1]][2] == ["1", "2"]


ARITHMETIC = """g (float[N, 4] x) => (y) {
    s = Shape(x) i = Constant<value_ints = [0]>() n = Gather(s, i) m = Constant<value_ints = [-1]>()
    t = Concat<axis = 0>(n, m) h = Reshape(x, t) y = Relu(h)
}"""


def hidden(data: dict[str, Any]) -> list[str]:
    nodes = data["graphs"][0]["nodes"]
    return [call[0] for call, node in zip(calls(data), nodes) if len(node) > 5 and node[5] and call[0] != "Constant"]


def test_what_computes_known_shapes_is_hidden_and_its_formulas_stand_at_the_reader() -> None:
    data = shown(ARITHMETIC)
    assert hidden(data) == ["Shape", "Gather", "Concat"]
    (reshape,) = [n for n, call in zip(data["graphs"][0]["nodes"], calls(data)) if call[0] == "Reshape"]
    first, second = data["types"][data["graphs"][0]["values"][reshape[2][1]][1]][2]
    assert (data["dims"][-1 - first][0], second) == ("N", "-1")


def test_a_weight_that_is_moved_stands_at_its_reader() -> None:
    data = shown("""g (float[N, 4] x) => (y) <float[8, 4] w = ["location": "w"]> {
        t = Transpose<perm = [1, 0]>(w) h = MatMul(x, t) y = Transpose<perm = [1, 0]>(h)
    }""")
    assert hidden(data) == ["Transpose"]
    assert data["graphs"][0]["parts"][1:] == [1, 2]


def test_what_a_model_returns_and_what_has_a_finding_is_not_hidden() -> None:
    assert hidden(shown("g (float[N, 4] x) => (s) { s = Shape(x) }")) == []
    data = shown("g (float[N, 4] x) => (y) { s = Shape(x) i = Constant<value_ints = [7]>() y = Gather(s, i) }")
    assert [found["place"] for found in data["findings"]] == [[0, 2]]
    assert hidden(data) == ["Shape"]


def test_modules_and_lines_of_the_program() -> None:
    report = check(ROOT / "examples" / "source" / "model.onnx")
    data = contents("m", report, None)
    records = data["graphs"][0]["nodes"]
    modules = {data["modules"][node[6]] for node in records if len(node) > 6}
    sources = {data["sources"][node[7]] for node in records if len(node) > 7}
    assert any(module.count(".") for module in modules)
    assert any(source.startswith("model.py:") for source in sources)
    assert set(data["classes"].values()) >= {"torch.nn.modules.linear.Linear", "model.Block"}


def test_an_operator_with_the_names_of_its_inputs() -> None:
    (conv,) = shown("g (float[N, 3, 8, 8] x, float[4, 3, 3, 3] w) => (y) { y = Conv(x, w) }")["operators"]
    assert conv[:4] == ["Conv", KINDS.index("convolution, linear"), ["X", "W", "B"], 0]
    assert conv[4].startswith("Slide the weights")


@pytest.mark.parametrize(
    ("kind", "operators"),
    [
        ("convolution, linear", "Conv ConvTranspose QLinearConv MatMulNBits Gemm GroupQueryAttention LSTM Einsum"),
        ("activation", "Relu LeakyRelu PRelu Gelu Softmax HardSwish Sigmoid QLinearSigmoid Clip Celu Elu"),
        ("normalization", "BatchNormalization LayerNormalization SkipSimplifiedLayerNormalization LRN LpNormalization"),
        ("pooling, reduction", "MaxPool GlobalAveragePool ReduceMean ArgMax"),
        ("data movement", "Reshape Transpose Concat Gather Slice Split Resize Cast DequantizeLinear QuantizeLinear"),
        ("shape arithmetic", "Shape Size Range ConstantOfShape ShapeOf"),
        ("control flow", "If Loop Scan TensorIterator"),
        ("arithmetic", "Add Mul QLinearAdd Sqrt Where Sign NoSuchOperator"),
    ],
)
def test_kinds_of_operators(kind: str, operators: str) -> None:
    assert {name: KINDS[kind_of(name)] for name in operators.split()} == dict.fromkeys(operators.split(), kind)


def test_a_finding_with_the_way_that_its_lengths_came() -> None:
    data = shown(BAD)
    (found,) = data["findings"]
    assert (found["severity"], found["code"], found["place"]) == ("error", "not-broadcastable", [0, 1])
    assert [names(data["graphs"][0])[value] for value in found["chain"]] == ["a", "t", "b"]


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
    for name, number, *_ in data["graphs"][0]["values"]:
        fact, lengths = report.values.get(name), data["types"][number][1]
        for size, shown_as in zip(fact.shape or () if isinstance(fact, Tensor) else (), lengths or ()):
            if isinstance(size, int) or any(s.is_fresh for s in size.symbols):
                continue
            try:
                expected: int | None = evaluate(size, sizes)
            except ZeroDivisionError:
                expected = None
            assert numbers[data["dims"][-1 - shown_as][1]] == expected


# The colors of the drawing, which no tool looks at


def luminance(color: str) -> float:
    """Of a color such as ``#1c2430``, as WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_what_is_drawn_can_be_read_in_light_and_dark() -> None:
    style = (Path(page.__file__).parent / "page.css").read_text(encoding="utf-8")
    light, dark, chosen_dark = (
        dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in re.findall(r":root[^{]*\{([^}]*)\}", style)
    )
    assert dark == chosen_dark
    grounds = [f"kind-{i}" for i in range(len(KINDS))] + ["box", "end", "frame", "page", "error-fill", "warning-fill"]
    pairs = [("text", ground, 4.5) for ground in grounds]
    pairs += [
        ("quiet", "end", 4.5),
        ("quiet", "page", 4.5),
        ("error", "error-fill", 4.5),
        ("warning", "warning-fill", 4.5),
    ]
    pairs += [(line, ground, 3) for line in ("line", "chain", "accent") for ground in ("page", "frame")]
    for colors in (light, dark):
        assert [(a, b) for a, b, least in pairs if contrast(colors[a], colors[b]) < least] == []


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
    namespace = '"http://www.w3.org/2000/svg"'  # a name that nothing is asked for
    assert not re.search(r"https?:|src=|@import|url\(", rendered.replace(namespace, ""))
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
