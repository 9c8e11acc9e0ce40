"""Nodes whose order is wrong: each fault is named once, at its node, and all else is inferred."""

from __future__ import annotations

import onnx
import pytest

from shapeinfer import check
from tests.effort import within
from tests.models import checked, fault, faults, floats, made, node, texts


def test_a_value_that_a_later_node_makes() -> None:
    report = checked("g (float[N] x) => (float[] y) { y = Relu(h) h = Neg(x) }")
    assert faults(report) == ["error used-before-made @ 0"]
    assert report.diagnostics[0].message == "the node reads h before node 1 computes it; sort the nodes topologically"
    assert texts(report) == {"x": "f32[N]", "h": "f32[N]", "y": "f32[N]"}


def test_a_value_that_nothing_makes() -> None:
    report = checked("g (float[N] x) => (float[] y, float[] z) { y = Relu(q) w = Add(q, x) z = Neg(x) }")
    assert faults(report) == ["error undefined-value @ 0"]
    assert report.diagnostics[0].message == "undefined value q"
    assert [fault(d) for d in report.diagnostics[0].related] == ["error undefined-value @ 1"]
    assert texts(report)["z"] == "f32[N]"


def test_a_cycle_is_one_fault() -> None:
    report = checked("""g (float[N] x) => (float[] y) {
        z = Relu(x) a = Add(x, c) b = Neg(a) c = Abs(b) y = Relu(c)
    }""")
    assert faults(report) == ["error cycle @ 1"]
    assert (
        report.diagnostics[0].message
        == "the node reads c, which depends on the node's own output through node 3 and node 2"
    )
    assert texts(report)["z"] == "f32[N]"


def test_a_node_that_reads_its_own_output() -> None:
    report = checked("g (float[N] x) => (float[] y) { y = Add(x, y) }")
    assert faults(report) == ["error cycle @ 0"]
    assert report.diagnostics[0].message == "the node reads its own output y"


def test_two_cycles_are_two_faults() -> None:
    report = checked("""g (float[N] x) => (float[] y) {
        a = Add(x, b) b = Neg(a) c = Add(x, d) d = Neg(c) y = Relu(x)
    }""")
    assert faults(report) == ["error cycle @ 0", "error cycle @ 2"]


def test_a_value_made_twice_keeps_its_first_maker() -> None:
    report = checked("g (float[N] x) => (float[] y) { h = Relu(x) h = Flatten(x) y = Neg(h) }")
    assert faults(report) == ["error made-twice @ 1"]
    assert texts(report)["y"] == "f32[N]"


def test_a_node_that_makes_an_input_or_an_initializer() -> None:
    report = checked("g (float[N] x) => (float[] y) <float[2] w = {1, 2}> { x = Relu(w) w = Neg(x) y = Abs(w) }")
    assert faults(report) == ["error made-twice @ 0", "error made-twice @ 1"]
    assert texts(report)["y"] == "f32[2]"


def test_outputs_left_out_are_no_names() -> None:
    report = check(made([node("Dropout", "x", "y _"), node("Dropout", "y", "z _")], [floats("x", "N")], ["z"]))
    assert faults(report) == []


def test_an_output_that_nothing_makes() -> None:
    report = checked("g (float[N] x) => (float[] y, float[] z) { y = Relu(x) }")
    assert faults(report) == ["error missing-output"]
    assert "z" in report.diagnostics[0].message


@pytest.mark.parametrize("text", ["float[N] x", "float[N] w = {1.0}"])
def test_an_input_may_be_an_output(text: str) -> None:
    name = text.split("] ")[1][0]
    assert faults(checked(f"g (float[N] x) => (float[N] {name}) <float[1] w = {{1.0}}> {{ }}")) == []


def test_a_body_reads_what_a_later_node_around_it_makes() -> None:
    report = checked("""g (float[N] x, bool c) => (float[] y) {
        y = If(c) <then_branch = t () => (a) { a = Relu(h) }, else_branch = e () => (b) { b = Neg(x) }>
        h = Abs(x)
    }""")
    assert faults(report) == ["error used-before-made @ 0"]
    assert texts(report)["y"] == "f32[N]"


@pytest.mark.parametrize("branch", ["{ a = Relu(q) }", "{ a = Relu(q) c = Relu(q) }", "{ }"])
def test_a_body_reads_or_gives_what_nothing_makes(branch: str) -> None:
    name = "q" if branch == "{ }" else "a"
    report = checked(f"""g (float[N] x, bool c) => (float[] y, float[] z) {{
        y = If(c) <then_branch = t () => ({name}) {branch}, else_branch = e () => (b) {{ b = Neg(x) }}>
        z = Abs(x)
    }}""")
    assert [f for f in faults(report) if f.startswith("error")] == ["error undefined-value @ 0"]
    assert texts(report)["z"] == "f32[N]"


def test_a_cycle_inside_a_body_stays_there() -> None:
    report = checked("""g (float[N] x, bool c) => (float[] y) {
        y = If(c) <then_branch = t () => (a) { a = Relu(a) }, else_branch = e () => (b) { b = Neg(x) }>
    }""")
    assert faults(report) == ["warning cycle @ If_0.then_branch / 0"]


def test_a_wrong_order_three_graphs_deep() -> None:
    report = checked("""g (float[N] x, bool c) => (float[] y) {
        y = If(c) <else_branch = e () => (b) { b = Neg(x) }, then_branch = t () => (a) {
            a = If(c) <else_branch = f () => (d) { d = Neg(x) }, then_branch = u () => (g) { g = Relu(h) }>
        }>
        h = Abs(x)
    }""")
    assert faults(report) == ["error used-before-made @ 0"]
    assert texts(report)["y"] == "f32[N]"


def test_what_nodes_in_the_wrong_order_said_is_said_once() -> None:
    """Names, lengths and conditions of the first attempt are forgotten."""
    wrong = "g (float[A, 7] x, float[B] u, float[C] v) => (int64[2, NZ] n, float[] z) { n = NonZero(x) s = Add(u, v) "
    report = checked(wrong + "z = Relu(q) q = Abs(x) }")
    assert faults(report) == ["error used-before-made @ 2"]
    assert texts(report)["n"] == "i64[2, NZ]"
    right = checked(wrong + "q = Abs(x) z = Relu(q) }")
    assert texts(right) == texts(report)
    assert right.contract == report.contract


def test_a_long_chain_is_quick_in_any_order() -> None:
    """5,000 nodes, in order or backwards, stay far from the limit of recursion and cost in proportion."""
    count = 5_000
    nodes = [node("Relu", f"x{i}", f"x{i + 1}") for i in range(count)]
    for order in (nodes, nodes[::-1]):
        model = made(order, [floats("x0", "N")], [f"x{count}"])
        with within(200 * count):
            report = check(model)
        assert texts(report)[f"x{count}"] == "f32[N]"


def test_a_long_cycle_is_one_fault() -> None:
    count = 5_000
    nodes = [node("Relu", f"x{i}", f"x{(i + 1) % count}") for i in range(count)]
    model = made(nodes, [], ["x0"])
    with within(200 * count):
        report = check(model)
    assert faults(report) == ["error cycle @ 0"]


def nested(depth: int) -> onnx.ModelProto:
    """An If inside an If, and so on."""
    model = made([], [floats("x", "N"), onnx.helper.make_tensor_value_info("c", 9, [])], ["y0"])
    graph = model.graph
    for level in range(depth):
        choice = graph.node.add(op_type="If", input=["c"], output=[f"y{level}"])
        other = choice.attribute.add(name="else_branch", type=onnx.AttributeProto.GRAPH).g
        other.node.append(node("Relu", "x", f"e{level}"))
        other.output.add(name=f"e{level}")
        graph = choice.attribute.add(name="then_branch", type=onnx.AttributeProto.GRAPH).g
        graph.output.add(name=f"y{level + 1}")
    graph.node.append(node("Neg", "x", f"y{depth}"))
    return model


@pytest.mark.parametrize("depth", [1, 20, 40])
def test_nested_bodies_are_entered(depth: int) -> None:
    report = check(nested(depth))
    assert faults(report) == []
    assert texts(report)["y0"] == "f32[N]"


@pytest.mark.parametrize("depth", [41, 60, 400, 2000])
def test_bodies_nested_too_deep_are_reported(depth: int) -> None:
    report = check(nested(depth))
    codes = [d.code.name for d in report.diagnostics]
    assert codes == ["nested-too-deep"]
    place = report.diagnostics[0].node
    assert place is not None
    assert len(place.graph) == 40
    assert texts(report)["y0"] == "?"


@pytest.mark.parametrize("depth", [30, 400])
def test_a_wrong_order_around_nested_bodies_is_no_deeper(depth: int) -> None:
    model = nested(depth)
    model.graph.node.extend([node("Abs", "late", "z"), node("Abs", "x", "late")])
    assert "error used-before-made @ 1" in faults(check(model))


def test_functions_nested_too_deep_are_reported() -> None:
    depth = 60
    imports = [onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid("f", 1)]
    model = made([node("F0", "x", domain="f")], [floats("x", "N")], opsets={"": 20, "f": 1})
    for i in range(depth):
        inner = node("Relu", "a", "b") if i == depth - 1 else node(f"F{i + 1}", "a", "b", domain="f")
        model.functions.append(onnx.helper.make_function("f", f"F{i}", ["a"], ["b"], [inner], imports))
    report = check(model)
    assert [d.code.name for d in report.diagnostics] == ["nested-too-deep"]


def test_functions_that_call_the_next_twice_do_not_take_twice_as_long_each() -> None:
    depth = 30
    imports = [onnx.helper.make_opsetid("", 20), onnx.helper.make_opsetid("f", 1)]
    model = made([node("F0", "x", domain="f")], [floats("x", "N")], opsets={"": 20, "f": 1})
    for i in range(depth):
        op, domain = ("Relu", "") if i == depth - 1 else (f"F{i + 1}", "f")
        body = [node(op, "a", "m", domain=domain), node(op, "m", "b", domain=domain)]
        model.functions.append(onnx.helper.make_function("f", f"F{i}", ["a"], ["b"], body, imports))
    with within(50_000):
        report = check(model)
    assert texts(report)["y"] == "f32[N]"
