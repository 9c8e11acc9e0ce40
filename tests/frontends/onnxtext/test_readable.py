"""A model as text to be read: no weights, short lines, the program's lines, and the same shapes and findings."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import shapeinfer
from shapeinfer.frontends.onnxtext.readable import LONGEST, readable_text
from shapeinfer.text import check_text, text_of_file
from tests.command import Shell

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "tests" / "data" / "programs" / "model.onnx"
MODELS = [ROOT / "examples" / "models" / f"{name}.onnx" for name in ("patches", "resnet", "unet")]
FLOAT = onnx.TensorProto.FLOAT


def net(*nodes: onnx.NodeProto, initializers: tuple[onnx.TensorProto, ...] = (), output: str = "y") -> onnx.ModelProto:
    """A model of some nodes, from ``x`` of 3 columns."""
    x, y = (helper.make_tensor_value_info(name, FLOAT, ["N", 3]) for name in ("x", output))
    graph = helper.make_graph(list(nodes), "net", [x], [y], list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def tensor(name: str, dtype: str, *dims: int) -> onnx.TensorProto:
    return numpy_helper.from_array(np.zeros(dims, dtype), name)


def at(node: onnx.NodeProto, line: int, module: str = "", code: str = "y = relu(x)") -> onnx.NodeProto:
    """A node with what torch's exporter records of the line that it came from."""
    scopes = f"['{module}', 'relu']" if module else ""
    node.metadata_props.add(key="pkg.torch.onnx.stack_trace", value=f'File "/me/net.py", line {line}, in f\n    {code}')
    node.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=scopes)
    return node


@pytest.mark.parametrize("path", [*MODELS, PROGRAM], ids=lambda p: p.stem)
def test_its_shapes_and_findings_are_the_model_s(path: Path) -> None:
    report, text = shapeinfer.check(path), text_of_file(str(path))
    read = check_text(text).report
    assert {n: str(t) for n, t in read.values.items()} == {n: str(t) for n, t in report.values.items()}
    assert [d.code for d in read.diagnostics] == [d.code for d in report.diagnostics]


def test_long_data_is_said_to_be_in_the_file_and_short_data_is_there() -> None:
    heavy = (tensor("wide", "float32", 4, 5), tensor("few", "float32", 3), tensor("table", "int64", 1024))
    lines = readable_text(net(*relus("x", "y"), initializers=heavy), "net.onnx").split("\n")
    assert '      float[4,5] wide = ["location": "net.onnx"],' in lines
    assert "      float[3] few =  {0,0,0}," in lines
    (table,) = [line for line in lines if "table" in line]
    assert table.count("0") > 1000, "shapes may be computed from integers, as far as those are followed"


def test_data_in_another_file_stays_there() -> None:
    elsewhere = onnx.TensorProto(name="w", data_type=FLOAT, dims=[64], data_location=onnx.TensorProto.EXTERNAL)
    elsewhere.external_data.add(key="location", value="weights.bin")
    assert '["location": "weights.bin"]' in readable_text(net(*relus("x", "y"), initializers=(elsewhere,)), "net.onnx")


def test_data_of_attributes_and_in_subgraphs_is_left_out_too() -> None:
    inner = helper.make_graph(
        [helper.make_node("Identity", ["w"], ["z"])], "inner", [], [], [tensor("w", "float32", 99)]
    )
    inner.output.append(helper.make_tensor_value_info("z", FLOAT, [99]))
    constant = helper.make_node("Constant", [], ["c"], value=tensor("", "float32", 77))
    chosen = helper.make_node("If", ["b"], ["i"], then_branch=inner, else_branch=inner)
    text = readable_text(net(*relus("x", "y"), constant, chosen), "net.onnx")
    assert text.count('["location": "net.onnx"]') == 3


def body(text: str) -> list[str]:
    """The lines of the nodes, without their types of attributes."""
    lines = [line.strip() for line in text.split("\n")]
    return lines[next(i for i, line in enumerate(lines) if line.endswith("{")) + 1 : -1]


def relus(*names: str) -> list[onnx.NodeProto]:
    return [helper.make_node("Relu", [a], [b]) for a, b in itertools.pairwise(names)]


def test_the_program_s_line_stands_before_its_nodes_where_it_changes() -> None:
    first, same, unknown, other = relus("x", "a", "b", "c", "y")
    model = net(at(first, 7, "blocks.0.mlp"), at(same, 7, "blocks.0.mlp"), unknown, at(other, 9))
    assert body(readable_text(model, "net.onnx")) == [
        "# in blocks.0.mlp, net.py:7: y = relu(x)",
        "a = Relu (x)",
        "b = Relu (a)",
        "c = Relu (b)",
        "# net.py:9: y = relu(x)",
        "y = Relu (c)",
    ]


def test_lines_of_a_program_are_comments_whatever_they_say() -> None:
    (node,) = relus("x", "y")
    comment, relu = body(readable_text(net(at(node, 1, code=f"a\x1b[31m\u2028b{'c' * 500}")), "net.onnx"))
    assert comment.startswith("# net.py:1: a\\x1b[31m\\u2028bccc")
    assert len(comment) == LONGEST
    assert relu == "y = Relu (x)"


@pytest.mark.parametrize("name", ["a\x1b[2J", "a\nb", 'a"b', "a\\b", "a\u2028b", "</script>", "ünïcode", "# a"])
def test_any_name_is_one_that_a_terminal_and_the_reader_bear(name: str) -> None:
    (node,) = relus("x", name)
    text = readable_text(net(node, output=name), "net.onnx")
    assert all(line.isprintable() for line in text.split("\n"))
    assert check_text(text).report.diagnostics == ()


def test_many_inputs_have_a_line_each() -> None:
    model = net(*relus("x", "y"))
    for i in range(9):
        model.graph.input.append(helper.make_tensor_value_info(f"past_key_values.{i}.key", FLOAT, ["batch", 2, "past"]))
    assert '      float[batch,2,past] "past_key_values.3.key",' in readable_text(model, "net.onnx").split("\n")


def test_declared_types_of_weights_are_not_repeated() -> None:
    model = net(*relus("x", "y"), initializers=(tensor("w", "float32", 5),))
    model.graph.value_info.append(helper.make_tensor_value_info("w", FLOAT, [5]))
    assert readable_text(model, "net.onnx").count("float[5] w") == 1


def test_the_command_prints_it(shell: Shell) -> None:
    (shell.folder / "net.onnx").write_bytes(net(*relus("x", "y")).SerializeToString())
    ended = shell("text", "net.onnx")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == text_of_file(str(shell.folder / "net.onnx")) + "\n"


def test_the_command_says_what_is_no_onnx_model(shell: Shell) -> None:
    (shell.folder / "net.onnx").write_bytes(b"no model")
    for name, message in (("net.onnx", "not an ONNX model"), ("none.onnx", "no such file")):
        ended = shell("text", name)
        assert (ended.code, ended.out) == (2, "")
        assert message in ended.err
