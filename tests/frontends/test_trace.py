"""The line of the user's program, from the Python stack that torch's exporter leaves at a node."""

from __future__ import annotations

import pickle

import onnx
import pytest

from shapeinfer import check
from shapeinfer.diagnostics.diagnostic import Diagnostic, Origin, SourceLine
from shapeinfer.frontends.onnx.model import graph_of
from shapeinfer.frontends.onnx.read import load
from shapeinfer.frontends.onnx.trace import CLASSES, JAX_CALL, JAX_TRACE, OPERATION, SCOPES, TRACE, own_line
from shapeinfer.graph import Node
from shapeinfer.graph.program import Module, Operation
from shapeinfer.infer.result import infer_graph
from tests.models import floats, made, node

OWN = """File "/home/me/train.py", line 30, in main
    out = net(x)
  File "net.py", line 7, in forward
    return self.fc(x) + self.bias
  File "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)"""


def test_it_is_the_innermost_frame_of_no_installed_package() -> None:
    assert own_line(OWN) == SourceLine("net.py", 7, "return self.fc(x) + self.bias")


@pytest.mark.parametrize(
    "library",
    [
        "/usr/lib/python3/dist-packages/torch/nn/functional.py",
        "site-packages/transformers/models/bert/modeling_bert.py",
        "C:\\\\venv\\\\Lib\\\\site-packages\\\\torch\\\\fx\\\\graph.py",
        "/usr/lib/python3.12/contextlib.py",
        "/home/me/pytorch/torch/nn/modules/conv.py",
        "torch/fx/passes/runtime_assert.py",
        "<eval_with_key>.12",
    ],
)
def test_a_stack_of_libraries_only_has_no_line(library: str) -> None:
    assert own_line(f'File "{library}", line 24, in forward\n    pass') is None


@pytest.mark.parametrize(
    ("trace", "line"),
    [
        ('File "a.py", line 3, in f', SourceLine("a.py", 3)),
        ('File "a.py", line 3, in f\n', SourceLine("a.py", 3)),
        ('File "a.py", line 3, in f\n    x = 1\n        ^^^^^', SourceLine("a.py", 3, "x = 1")),
        (
            'File "a.py", line 3, in f\n    say(\'File "b.py", line 4, in g\')',
            SourceLine("a.py", 3, "say('File \"b.py\", line 4, in g')"),
        ),
        ('File "a.py", line 3, in f\n  File "torch/b.py", line 4, in g', SourceLine("a.py", 3)),
        ('File "torchless/a.py", line 3, in f', SourceLine("torchless/a.py", 3)),
        ('File "a.py", line 0, in f', None),
        ('File "a.py", line 99999999999, in f', None),
        ("", None),
        ("no stack at all", None),
    ],
)
def test_what_is_no_usual_stack(trace: str, line: SourceLine | None) -> None:
    assert own_line(trace) == line


def add(name: str = "", trace: str | bytes = OWN) -> onnx.NodeProto:
    made = node("Add", "a b", name=name)
    made.metadata_props.add(key="namespace", value="whatever")
    if isinstance(trace, str):
        made.metadata_props.add(key=TRACE, value=trace)
    else:
        entry = onnx.StringStringEntryProto(key=TRACE, value="????")
        made.MergeFromString(
            onnx.NodeProto(metadata_props=[entry]).SerializeToString().replace(b"????", trace.ljust(4)[:4])
        )
    return made


def broken(add: onnx.NodeProto) -> onnx.ModelProto:
    return made([add], [floats("a", 2), floats("b", 3)])


def only(model: onnx.ModelProto) -> Diagnostic:
    (diagnostic,) = check(model).diagnostics
    return diagnostic


def test_a_diagnostic_points_at_it() -> None:
    assert only(broken(add())).source == SourceLine("net.py", 7, "return self.fc(x) + self.bias")


def test_a_node_without_a_stack_has_none() -> None:
    assert only(broken(node("Add", "a b"))).source is None


def test_a_stack_that_is_no_text_is_no_fault() -> None:
    assert only(broken(add(trace=b"\xff\xfe"))).source is None


def test_a_report_with_it_can_be_sent_to_another_process() -> None:
    found = only(broken(add()))
    assert pickle.loads(pickle.dumps(found)) == found


def branch(name: str, trace: str) -> onnx.GraphProto:
    inner = node("Add", "a b", "y", name="sum")
    inner.metadata_props.add(key=TRACE, value=trace)
    return onnx.helper.make_graph([inner], name, [], [onnx.ValueInfoProto(name="y")])


def test_a_node_in_a_subgraph_has_its_own() -> None:
    traces = {"then_branch": 'File "a.py", line 1, in f', "else_branch": 'File "a.py", line 2, in f'}
    choose = node("If", "c", **{name: branch(name, trace) for name, trace in traces.items()})
    condition = onnx.helper.make_tensor_value_info("c", onnx.TensorProto.BOOL, [])
    found = check(made([choose], [condition, floats("a", 2), floats("b", 3)])).errors
    assert {
        (d.node.graph[0].partition(".")[2], d.source and d.source.line) for d in found if d.node and d.node.graph
    } == {
        ("then_branch", 1),
        ("else_branch", 2),
    }


def test_graphs_of_one_name_that_tell_of_two_lines_tell_of_none() -> None:
    choices = [
        node(
            "If",
            "c",
            f"y{i}",
            name="choose",
            then_branch=branch("t", f'File "a.py", line {i}, in f'),
            else_branch=branch("e", OWN),
        )
        for i in (1, 2)
    ]
    condition = onnx.helper.make_tensor_value_info("c", onnx.TensorProto.BOOL, [])
    model = made(choices, [condition, floats("a", 2), floats("b", 3)], ["y1", "y2"])
    lines = {(d.node.graph[0], d.source and d.source.line) for d in check(model).errors if d.node}
    assert lines == {("choose.then_branch", None), ("choose.else_branch", 7)}


def test_a_format_that_has_lines_gives_the_line_in_the_model_file() -> None:
    graph = graph_of(load(broken(node("Add", "a b"))))
    graph.origin = lambda _node: Origin(line=12)
    (diagnostic,) = infer_graph(graph).diagnostics
    assert (diagnostic.line, diagnostic.source) == (12, None)


def scoped(scopes: str, classes: str = "", printed: str = "") -> onnx.NodeProto:
    found = add()
    for key, value in {SCOPES: scopes, CLASSES: classes, OPERATION: printed}.items():
        found.metadata_props.add(key=key, value=value)
    return found


def test_a_diagnostic_names_the_module() -> None:
    found = only(broken(scoped("['', 'blocks.0', 'blocks.0.mlp', 'add_3']")))
    assert found.module == "blocks.0.mlp"
    assert found.program_place == "in blocks.0.mlp, net.py:7: return self.fc(x) + self.bias"


@pytest.mark.parametrize(
    "scopes",
    [
        "",
        "[]",
        "['add_3']",
        "['', 'add_3']",
        "['_empty_nn_module_stack_from_metadata_hook', 'add_3']",
        "no list at all",
        "['blocks",
    ],
)
def test_an_operation_outside_of_modules_has_none(scopes: str) -> None:
    assert only(broken(scoped(scopes))).program_place == "net.py:7: return self.fc(x) + self.bias"


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("/encoder/layer.0/attention/Add", "encoder.layer.0.attention"),
        ("/encoder/layer.0/attention/Add_12", "encoder.layer.0.attention"),
        ("/mlp/mlp.0/Add", "mlp.0"),  # the names of a Sequential's parts repeat its own
        ("/mlp/mlp.0/mlp.0.1/Add", "mlp.0.1"),
        ("/stages.1/layers.0/layer/layer.1/norm/Add", "stages.1.layers.0.layer.1.norm"),
        ("/Add_1", ""),
        ("/encoder/Mul_1", ""),
        ("/encoder/Add_", ""),
        ("/encoder/Add_1/x", ""),
        ("encoder/Add", ""),
        ("/", ""),
        ("Add", ""),
        ("", ""),
    ],
)
def test_the_exporter_of_torchscript_writes_the_module_into_the_name(name: str, module: str) -> None:
    assert only(broken(node("Add", "a b", name=name))).module == module


LINEAR = "%linear_1 : [num_users=2] = call_function[target=torch.ops.aten.linear.default](args = (%x, [%n, 3], %w, %x))"


def operation(found: onnx.NodeProto) -> Operation | None:
    graph = graph_of(load(broken(found)))
    assert graph.operation is not None
    return graph.operation(graph.nodes[0])


def test_the_operation_has_its_operands_its_stack_and_its_modules() -> None:
    found = operation(scoped("['', 'fc', 'linear_1']", "['net.Net', 'torch.nn.Linear', 'aten.linear.default']", LINEAR))
    assert found is not None
    assert (found.name, found.operator, found.operands) == ("linear_1", "aten.linear.default", ("x", "n", "w"))
    assert [frame.line for frame in found.stack] == [30, 7, 134]
    assert found.modules == (Module("", "net.Net"), Module("fc", "torch.nn.Linear"))


def test_modules_without_their_classes_have_none() -> None:
    found = operation(scoped("['', 'fc', 'linear_1']", "['net.Net', 'aten.linear.default']", LINEAR))
    assert found is not None
    assert found.modules == (Module("", ""), Module("fc", ""))


def test_an_operation_on_numbers_of_python_has_no_operator() -> None:
    found = operation(
        scoped("", "", "%mul : [num_users=1] = call_function[target=operator.mul](args = (%n, 2), kwargs = {})")
    )
    assert found is not None
    assert (found.name, found.operator, found.operands) == ("mul", "", ("n",))


@pytest.mark.parametrize(
    "printed",
    ["", "no operation", "%x : [num_users=1] = placeholder[target=x]", "%y : [num_users=1] = call_function[target="],
)
def test_what_is_no_call_is_no_operation(printed: str) -> None:
    assert operation(scoped("", "", printed)) is None


def test_it_is_read_for_nodes_with_diagnostics_only() -> None:
    model = broken(add())
    model.graph.node.insert(0, node("Relu", "a", "r"))
    graph = graph_of(load(model))
    asked: list[str] = []

    def origin(what: Node | str | None) -> Origin:
        assert isinstance(what, Node)
        asked.append(what.call.op_type)
        return Origin()

    graph.origin = origin
    infer_graph(graph)
    assert asked == ["Add"]


TRACED = """/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py(134): forward
net.py(7): forward
/opt/venv/lib/python3.11/site-packages/torch/jit/_trace.py(131): wrapper
/home/me/train.py(30): <module>
"""


@pytest.mark.parametrize(
    ("doc", "line"),
    [
        (TRACED, SourceLine("net.py", 7)),
        (TRACED.replace("net.py", "C:\\net (1).py"), SourceLine("C:\\net (1).py", 7)),
        ("net.py(0): forward\n", None),
        ("net.py(7): forward and\nmore", SourceLine("net.py", 7)),
        ("The sum of a (1) and b: no stack", None),
        ("", None),
    ],
)
def test_a_doc_string_of_the_torchscript_exporter_has_it_without_its_text(doc: str, line: SourceLine | None) -> None:
    made = add(trace="")
    del made.metadata_props[:]
    made.doc_string = doc
    assert only(broken(made)).source == line


def test_a_stack_of_jax2onnx_has_it() -> None:
    made = add(trace="")
    del made.metadata_props[:]
    made.metadata_props.add(key=JAX_CALL, value="Mlp.__call__:8")
    found = only(broken(made))
    assert (found.source, found.module) == (None, "Mlp.__call__:8")
    stack = (
        "/venv/lib/python3.11/site-packages/jax/_src/core.py:713 (bind)\nnet.py:8 (Mlp.__call__)\nrun.py:3 (<module>)"
    )
    made.metadata_props.add(key=JAX_TRACE, value=stack)
    assert only(broken(made)).source == SourceLine("net.py", 8)


def test_metadata_override_the_doc_string() -> None:
    made = add()
    made.doc_string = TRACED.replace("net.py", "other.py")
    assert only(broken(made)).source == SourceLine("net.py", 7, "return self.fc(x) + self.bias")
