"""``shapeinfer cost``."""

from __future__ import annotations

import json

from shapeinfer import check
from shapeinfer.report.cost import render
from shapeinfer.report.paint import Paint
from tests.command import BAD, Shell
from tests.models import parsed

MODEL = """<ir_version: 10, opset_import: ["" : 20]>
main (float[N, 4] x) => (float[N, 8] y) <float[4, 8] w = ["location": "w.bin"], float[8] b = ["location": "w.bin"]> {
    h = MatMul (x, w)
    a = Abs (h)
    y = Add (a, b)
}"""


def test_a_table_of_the_nodes_that_have_weights_and_the_sums(shell: Shell) -> None:
    ended = shell("cost", shell.save("m.onnx", MODEL))
    assert ended.out.splitlines() == [
        "node    parameters  multiply-adds  output bytes",
        "MatMul  32          32*N           32*N",
        "Add     8           0              32*N",
        "",
        "m.onnx takes",
        "  parameters:    40 (160 bytes)",
        "  multiply-adds: 32*N",
        "  peak memory:   80*N bytes of activations",
    ]
    assert (ended.code, ended.err) == (0, "")


def test_where_a_table_is_too_wide_the_numbers_stand_below_their_node() -> None:
    cost = check(parsed(MODEL)).cost()
    assert list(render("m.onnx", cost, Paint(width=46)))[:4] == [
        "node",
        "    parameters  multiply-adds  output bytes",
        "MatMul",
        "    32          32*N           32*N",
    ]


def test_numbers_for_sizes_and_all_nodes_for_programs(shell: Shell) -> None:
    found = json.loads(shell("cost", shell.save("m.onnx", MODEL), "--bind", "N=2", "--format", "json").out)
    assert (found["multiply_adds"], found["peak_bytes"], found["parameters"]) == (64, 160, 40)
    assert [n["node"]["op_type"] for n in found["nodes"]] == ["MatMul", "Abs", "Add"]


def test_what_is_not_known_is_reported(shell: Shell) -> None:
    model = MODEL.replace("Abs (h)", "my.Op (h)").replace('"" : 20', '"" : 20, "my" : 1')
    ended = shell("cost", shell.save("m.onnx", model))
    assert "  multiply-adds: ?" in ended.out.splitlines()
    assert "  note: the multiply-adds of my::Op are unknown" in ended.out.splitlines()


def test_a_long_formula_is_not_written_out(shell: Shell) -> None:
    terms = ", ".join(f"float[N{i}, 4] x{i}" for i in range(20))
    sums = " ".join(f"y{i} = MatMul (x{i}, w)" for i in range(20))
    outputs = ", ".join(f"float[N{i}, 8] y{i}" for i in range(20))
    model = f"""<ir_version: 10, opset_import: ["" : 20]>
    main ({terms}) => ({outputs}) <float[4, 8] w = ["location": "w.bin"]> {{ {sums} }}"""
    assert (
        "  multiply-adds: (a long formula; use --bind for numbers)"
        in shell("cost", shell.save("m.onnx", model)).out.splitlines()
    )


def test_of_a_model_with_errors_nothing_is_counted(shell: Shell) -> None:
    ended = shell("cost", shell.save("bad.onnx", BAD))
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error[not-broadcastable]")


def test_a_file_that_is_not_there(shell: Shell) -> None:
    ended = shell("cost", "absent.onnx")
    assert (ended.code, ended.out) == (2, "")
    assert "no such file" in ended.err


def test_an_ir_is_counted_too(shell: Shell) -> None:
    (shell.folder / "m.xml").write_text(IR, encoding="utf-8")
    ended = shell("cost", "m.xml")
    assert (ended.code, ended.err) == (0, "")
    assert "  peak memory:   24 bytes of activations" in ended.out.splitlines()


IR = """<?xml version="1.0"?><net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="y" type="Result" version="opset1">
<input><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></net>"""
