"""What a model asks not to be told is set apart, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import onnx
import pytest

from shapeinfer import check
from tests.models import fault, faults, made, node, parsed

BROKEN = """main (float[N, 64] a, float[N, 32] c, float[N, 128] b) => (y, z) {
    t = Relu (b)
    y = Add (a, t)
    z = Sub (a, c)
}"""
FIRST, SECOND = "error not-broadcastable @ 1", "error not-broadcastable @ 2"


def note(where: onnx.NodeProto | onnx.ValueInfoProto | onnx.TensorProto, text: str) -> None:
    where.metadata_props.add(key="shapeinfer.ignore", value=text)


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({}, [FIRST, SECOND]),
        ({"shapeinfer.ignore": "not-broadcastable"}, []),
        ({"shapeinfer.ignore": " cycle ,not-broadcastable,"}, []),
        ({"shapeinfer.ignore": "cycle"}, [FIRST, SECOND]),
        ({"shapeinfer.ignore": "not-broad"}, [FIRST, SECOND]),
        ({"shapeinfer.ignore.y": "not-broadcastable"}, [SECOND]),
        ({"shapeinfer.ignore.t": "not-broadcastable"}, [SECOND]),
        ({"shapeinfer.ignore.a": "not-broadcastable"}, []),
        ({"shapeinfer.ignore.y": "cycle"}, [FIRST, SECOND]),
        ({"shapeinfer.ignore.q": "not-broadcastable"}, [FIRST, SECOND]),
    ],
)
def test_the_model_may_say_so(metadata: Mapping[str, str], told: list[str]) -> None:
    built = parsed(BROKEN)
    onnx.helper.set_model_props(built, dict(metadata))
    report = check(built)
    assert faults(report) == told
    assert len(report.suppressed) == 2 - len(told)


def test_a_node_may_say_so() -> None:
    built = parsed(BROKEN)
    note(built.graph.node[2], "not-broadcastable")
    assert faults(check(built)) == [FIRST]


@pytest.mark.parametrize(("where", "told"), [("output", [SECOND]), ("value_info", [SECOND]), ("input", [FIRST])])
def test_a_value_may_say_so(where: str, told: list[str]) -> None:
    built = parsed(BROKEN)
    built.graph.value_info.add(name="t")
    values = {"output": built.graph.output[0], "value_info": built.graph.value_info[0], "input": built.graph.input[1]}
    note(values[where], "not-broadcastable")
    assert faults(check(built)) == told


def test_an_input_or_an_initializer_may_say_so_of_what_no_node_has_to_do_with() -> None:
    built = parsed("main (float[N] x, z, w) => (y) <float[2] c = {1.0, 2.0}, float d = {1.0}> { y = Relu (x) }")
    told = ["warning untyped-input", "note unused-input", "note unused-initializer"]
    assert [fault(d) for d in check(built).diagnostics] == ["warning untyped-input", *told]
    note(built.graph.input[1], "untyped-input, unused-input")
    note(built.graph.initializer[0], "unused-initializer")
    report = check(built)
    assert [fault(d) for d in report.diagnostics] == told
    assert [fault(d) for d in report.suppressed] == told
    assert [d.message for d in report.diagnostics[1:]] == [f"{n} is never used" for n in ("input w", "initializer d")]


def test_an_error_that_is_ignored_leaves_the_model_ok() -> None:
    built = parsed(BROKEN)
    onnx.helper.set_model_props(built, {"shapeinfer.ignore": "not-broadcastable"})
    report = check(built)
    assert report.ok
    assert [d.code.name for d in report.suppressed] == ["not-broadcastable"] * 2


def test_a_node_of_a_subgraph_may_say_so() -> None:
    text = "main (bool c, float[2] a, float[3] b) => (y) { y = If (c) <then_branch = t () => (p) { p = Add (a, b) }, "
    built = parsed(text + "else_branch = e () => (q) { q = Sub (a, b) }> }")
    (then,) = [a.g for a in built.graph.node[0].attribute if a.name == "then_branch"]
    note(then.node[0], "not-broadcastable")
    assert faults(check(built)) == ["error not-broadcastable @ If_0.else_branch / 0"]


def test_a_node_of_a_function_may_say_so() -> None:
    built = parsed(
        """<ir_version: 9, opset_import: ["" : 20, "d" : 1]>
        main (float[2] a, float[3] b) => (y) { y = d.f (a, b) }
        <domain: "d", opset_import: ["" : 20]> f (a, b) => (y) { y = Add (a, b) }"""
    )
    assert faults(check(built)) == ["error not-broadcastable @ d::f / 0"]
    note(built.functions[0].node[0], "not-broadcastable")
    assert faults(check(built)) == []


def test_what_the_caller_got_wrong_is_told_whatever_the_model_says() -> None:
    built = parsed(BROKEN)
    onnx.helper.set_model_props(built, {"shapeinfer.ignore": "unknown-binding"})
    assert "error unknown-binding" in faults(check(built, bind={"Q": 1}))


def test_metadata_that_is_no_text_says_nothing() -> None:
    relu = node("Relu", "x")
    note(relu, "cycle")
    data = made([relu]).SerializeToString().replace(b"cycle", b"\xff\xff\xff\xff\xff")
    assert faults(check(data)) == ["error undefined-value @ 0"]
