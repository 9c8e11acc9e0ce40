"""The command ``generalize``: it lists what can be free and what blocks the rest, and writes the model whole."""

from __future__ import annotations

import json

import onnx
import pytest

from tests.command import BAD, Shell

TEXT = """<ir_version: 10, opset_import: ["" : 20]>
main (float[1, 8] x, float[1, 4] m) => (float[1, 8] y, float[1, 4] n) <int64[2] s = {1, 4}> {
    y = Relu (x)
    n = Reshape (m, s)
}"""
TABLE = """\
input  axis  size  free as
x         0     1  batch
x         1     8  x_1

input  axis  size  static because
m         0     1  cannot reshape [m_0, 4] (4*m_0 elements) to [1, 4] (4 elements), at Reshape (node 1)
m         1     4  must be 4: cannot reshape [1, m_1] (m_1 elements) to [1, 4] (4 elements), at Reshape (node 1)

m.onnx: 2 of 4 static input dims can be free
"""


def test_it_writes_the_model_and_lists_the_dims(shell: Shell) -> None:
    ended = shell("generalize", shell.save("m.onnx", TEXT), "-o", "out.onnx")
    assert (ended.code, ended.out, ended.err) == (0, TABLE, "")
    model = onnx.load(shell.folder / "out.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert [d.dim_param for d in model.graph.output[0].type.tensor_type.shape.dim] == ["batch", "x_1"]


def test_without_a_file_to_write_it_only_lists(shell: Shell) -> None:
    ended = shell("generalize", shell.save("m.onnx", TEXT))
    assert (ended.code, ended.out) == (0, TABLE)
    assert [p.name for p in shell.folder.iterdir()] == ["m.onnx"]


def test_it_lists_them_as_json(shell: Shell) -> None:
    found = json.loads(shell("generalize", shell.save("m.onnx", TEXT), "--format", "json").out)
    assert found["dims"][0] == {"input": "x", "axis": 0, "size": 1, "name": "batch"}
    assert [(b["input"], b["axis"], b["size"], b["node"]["op_type"]) for b in found["blocked"]] == [
        ("m", 0, 1, "Reshape"),
        ("m", 1, 4, "Reshape"),
    ]
    assert found["contract"] == []


def test_conditions_of_the_new_dims_are_listed(shell: Shell) -> None:
    text = TEXT.replace("{1, 4}", "{-1, 2}")
    assert "runs only where\n  (m_0*m_1) % 2 == 0\n" in shell("generalize", shell.save("m.onnx", text)).out


def test_a_model_with_errors_is_not_written(shell: Shell) -> None:
    ended = shell("generalize", shell.save("bad.onnx", BAD), "-o", "out.onnx")
    assert ended.code == 1
    assert "error[" in ended.err
    assert not (shell.folder / "out.onnx").exists()


def test_a_file_that_is_no_model_is_told_so(shell: Shell) -> None:
    (shell.folder / "m.onnx").write_bytes(b"no model")
    ended = shell("generalize", "m.onnx")
    assert (ended.code, ended.out) == (2, "")
    assert "Traceback" not in ended.err


def test_what_cannot_be_written_leaves_nothing_behind(shell: Shell) -> None:
    ended = shell("generalize", shell.save("m.onnx", TEXT), "-o", "no/out.onnx")
    assert ended.code == 2
    assert "was not written: the directory no does not exist" in ended.err


def test_its_help_ends_with_an_example(shell: Shell) -> None:
    *_, last = shell("generalize", "--help").out.split("\n\n")
    assert " ".join(last.split()) == "Example: shapeinfer generalize model.onnx -o model.dynamic.onnx"


@pytest.mark.parametrize("suffix", ["onnxtxt"])
def test_a_text_is_written_as_one(shell: Shell, suffix: str) -> None:
    (shell.folder / f"m.{suffix}").write_text(TEXT)
    assert shell("generalize", f"m.{suffix}", "-o", f"out.{suffix}").code == 0
    assert "float[batch,x_1] x" in (shell.folder / f"out.{suffix}").read_text().replace(", ", ",")
