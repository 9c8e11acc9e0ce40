"""``fold``: a model is written without what its shapes make useless, whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from shapeinfer.frontends import files
from shapeinfer.rewrite.folded import REWRITES
from tests.command import BAD, BAD_LINE, Shell, model_bytes
from tests.rewrite.runs import ops

ROOT = Path(__file__).parents[2]
TEXT = """<ir_version: 10, opset_import: ["" : 20]>
main (float[N, 3, 4] x) => (float[N, 12] y) <int64[1] w = {12}> {
    n = Shape<start=0, end=1>(x)
    t = Concat<axis = 0>(n, w)
    h = Identity(x)
    y = Reshape (h, t)
}"""
TABLE = """\
rewrite         nodes  description
copy                1  the output is an input entry for entry, so that is read in its place
reshape-target      1  the computed target of a Reshape becomes a constant with 0 and -1
unused              2  output is never used

m.onnx: 4 nodes before, 1 after
"""


def written(shell: Shell, name: str = "out.onnx") -> onnx.ModelProto:
    model = onnx.load(shell.folder / name, load_external_data=False)
    onnx.checker.check_model(model, full_check=True)
    return model


def test_it_writes_the_model_and_tells_what_was_done(shell: Shell) -> None:
    ended = shell("fold", shell.save("m.onnx", TEXT), "-o", "out.onnx")
    assert (ended.code, ended.out, ended.err) == (0, TABLE, "")
    assert ops(written(shell).graph) == ["Reshape"]


def test_it_tells_so_as_json(shell: Shell) -> None:
    told = json.loads(shell("fold", shell.save("m.onnx", TEXT), "-o", "out.onnx", "--format", "json").out)
    assert (told["before"], told["after"]) == (4, 1)
    assert told["counts"] == {"copy": 1, "reshape-target": 1, "unused": 2}
    assert told["rewrites"][0] == {"rewrite": "copy", "op_type": "Identity", "name": "", "output": "h", "graph": []}


def test_it_may_write_onto_the_input_and_again(shell: Shell) -> None:
    path = shell.folder / shell.save("m.onnx", TEXT)
    assert shell("fold", "m.onnx", "-o", "m.onnx").code == 0
    once = path.read_bytes()
    assert shell("fold", "m.onnx", "-o", "m.onnx").out == "m.onnx: 1 nodes before, 1 after\n"
    assert path.read_bytes() == once


def test_sizes_are_bound(shell: Shell) -> None:
    shell("fold", shell.save("m.onnx", TEXT), "-o", "out.onnx", "--bind", "N=2")
    assert onnx.helper.printable_value_info(written(shell).graph.input[0]) == "%x[FLOAT, 2x3x4]"


def test_standard_input_is_read(shell: Shell) -> None:
    ended = shell("fold", "-", "-o", "out.onnx", stdin=model_bytes(TEXT))
    assert ended.out.endswith("<stdin>: 4 nodes before, 1 after\n")


class TestRefused:
    @pytest.fixture(autouse=True)
    def nothing_is_written(self, shell: Shell) -> object:
        yield
        assert not (shell.folder / "out.onnx").exists()

    def test_a_model_with_errors(self, shell: Shell) -> None:
        ended = shell("fold", shell.save("bad.onnx", BAD), "-o", "out.onnx")
        assert ended.err.startswith(BAD_LINE)
        assert (ended.code, ended.out) == (1, "")

    def test_a_model_whose_errors_nobody_wants_to_hear_of(self, shell: Shell) -> None:
        (shell.folder / "shapeinfer.toml").write_text('ignore = ["not-broadcastable"]\n')
        ended = shell("fold", shell.save("bad.onnx", BAD), "-o", "out.onnx")
        assert "the model has errors, which the settings suppress" in ended.err
        assert ended.code == 2

    def test_no_model(self, shell: Shell) -> None:
        (shell.folder / "m.onnx").write_bytes(b"hello, world")
        ended = shell("fold", "m.onnx", "-o", "out.onnx")
        assert "error[not-a-model]" in ended.err
        assert ended.code == 2

    def test_an_ir(self, shell: Shell) -> None:
        (shell.folder / "m.xml").write_text("<net/>")
        ended = shell("fold", "m.xml", "-o", "out.onnx")
        assert "this is an OpenVINO IR, not an ONNX model" in ended.err
        assert ended.code == 2

    def test_a_missing_directory(self, shell: Shell) -> None:
        ended = shell("fold", shell.save("m.onnx", TEXT), "-o", "no/out.onnx")
        assert ended.err == "Error: no/out.onnx was not written: the directory no does not exist\n"
        assert ended.code == 2


def heavy(shell: Shell) -> onnx.ModelProto:
    """A model whose weights are heavy, in the main graph and in a branch that is always taken."""
    weight = np.arange(300 * 300, dtype=np.float32).reshape(300, 300)
    constant = onnx.helper.make_node("Constant", [], ["k"], value=onnx.numpy_helper.from_array(weight + 1))
    result = onnx.helper.make_tensor_value_info("r", 1, [None, 300])
    then = onnx.helper.make_graph([constant, onnx.helper.make_node("MatMul", ["h", "k"], ["r"])], "then", [], [result])
    then.initializer.append(onnx.numpy_helper.from_array(weight + 2, "v"))
    then.node.append(onnx.helper.make_node("MatMul", ["r", "v"], ["r2"]))
    then.output[0].name = "r2"
    other = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["h"], ["e"])], "else", [], [onnx.helper.make_empty_tensor_value_info("e")]
    )
    model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["" : 20]>
    g (float[N, 300] x) => (float[A, B] y) <int64[1] wide = {300}> {
        h = MatMul(x, w) s = Shape<start=1>(x) c = Equal(s, wide) y = Relu(h)
    }""")
    model.graph.node.insert(3, onnx.helper.make_node("If", ["c"], ["i"], then_branch=then, else_branch=other))
    model.graph.node[4].input[0] = "i"
    model.graph.initializer.append(onnx.numpy_helper.from_array(weight, "w"))
    (shell.folder / "m.onnx").write_bytes(model.SerializeToString())
    return model


def test_weights_of_a_large_file_are_copied_and_not_read(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    heavy(shell)
    assert shell("fold", "m.onnx", "-o", "whole.onnx").code == 0
    monkeypatch.setattr(files, "LARGE", 0)
    assert shell("fold", "m.onnx", "-o", "out.onnx").code == 0
    folded = written(shell)
    assert ops(folded.graph) == ["MatMul", "Constant", "MatMul", "MatMul", "Relu"]
    assert folded == written(shell, "whole.onnx")


def test_the_bytes_do_not_depend_on_the_process(tmp_path: Path) -> None:
    found = set()
    for seed in ("1", "2"):
        out = tmp_path / f"{seed}.onnx"
        subprocess.run(
            [sys.executable, "-m", "shapeinfer", "fold", "examples/models/llama_kv.onnx", "-o", str(out)],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
        )
        found.add(out.read_bytes())
    assert len(found) == 1


def test_it_lists_the_rewrites_and_explains_each(shell: Shell) -> None:
    listed = shell("fold", "--rewrites")
    assert listed.code == 0
    assert [line.split()[0] for line in listed.out.splitlines()] == list(REWRITES)
    assert "(with --approximate)" in listed.out
    page = shell("explain", "add-zero")
    assert (page.code, page.out.splitlines()[0]) == (0, "add-zero")


def test_rewrites_are_chosen_by_name(shell: Shell) -> None:
    source = shell.save("m.onnx", TEXT)
    assert "reshape-target" not in shell("fold", source, "-o", "out.onnx", "--skip", "reshape-target").out
    assert "m.onnx: 4 nodes before, 3 after" in shell("fold", source, "-o", "out.onnx", "--only", "copy,unused").out
    refused = shell("fold", source, "-o", "out.onnx", "--only", "copi")
    assert (refused.code, "unknown rewrite copi; did you mean copy?" in refused.err) == (2, True)


def test_it_writes_the_types_of_all_values_where_it_is_asked_to(shell: Shell) -> None:
    text = TEXT.replace("y = Reshape (h, t)", "r = Reshape (h, t) y = Neg (r)")
    assert shell("fold", shell.save("m.onnx", text), "-o", "out.onnx", "--infer", "--bind", "N=2").code == 0
    assert [onnx.helper.printable_value_info(v) for v in written(shell).graph.value_info] == ["%r[FLOAT, 2x12]"]
