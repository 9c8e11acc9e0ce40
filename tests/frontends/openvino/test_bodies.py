"""If, Loop and TensorIterator: what a port map brings in, carries on and puts together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shapeinfer import check
from tests.frontends.openvino.test_model import found
from tests.ir import Layer, graph, layer, net, parameter, result, saved
from tests.models import texts


def body(tag: str, *layers: Layer) -> str:
    return f"<{tag}>{graph(*layers)}</{tag}>"


def branches(condition: Layer) -> bytes:
    """The then branch keeps what it is given, the else branch is given a vector."""
    ports = (
        '<then_port_map><input external_port_id="1" internal_layer_id="0"/>'
        '<output external_port_id="3" internal_layer_id="1"/></then_port_map>'
        '<else_port_map><input external_port_id="2" internal_layer_id="0"/>'
        '<output external_port_id="3" internal_layer_id="1"/></else_port_map>'
    )
    kept = (parameter("p", "..."), result("p"))
    return net(
        condition,
        parameter("x", "?,8"),
        parameter("y", "4,8"),
        layer(
            "choice",
            "If",
            condition.name,
            "x",
            "y",
            out="FP32 -1,8",
            version="opset8",
            inner=ports + body("then_body", *kept) + body("else_body", *kept),
        ),
        result("choice"),
    )


def test_branches_are_joined() -> None:
    report = check(branches(parameter("c", "", "boolean")))
    assert found(report) == []
    assert texts(report)["choice:0"] == "f32[If_0, 8]"


@pytest.mark.parametrize(("truth", "text"), [(b"\1", "f32[x.0, 8]"), (b"\0", "f32[4, 8]")])
def test_a_known_condition_chooses(tmp_path: Path, truth: bytes, text: str) -> None:
    known = layer("c", "Const", out="BOOL", element_type="boolean", shape="", offset=0, size=1)
    report = check(saved(tmp_path, branches(known), truth))
    assert texts(report)["choice:0"] == text


LOOP_PORTS = (
    '<port_map><input external_port_id="2" internal_layer_id="0"/>'
    '<input external_port_id="-1" internal_layer_id="1" purpose="current_iteration"/>'
    '<output external_port_id="3" internal_layer_id="5"/>'
    '<output external_port_id="4" internal_layer_id="6" axis="0"/>'
    '<output external_port_id="-1" internal_layer_id="4" purpose="execution_condition"/></port_map>'
    '<back_edges><edge from-layer="5" to-layer="0"/></back_edges>'
)


OUT = ("FP32 2,8", "FP32 -1,8")


def loop(trips: Layer, out: str = "FP32 -1,8") -> bytes:
    """A state that keeps its shape, and a row of it for each pass."""
    inside = body(
        "body",
        parameter("state", "?,8"),
        parameter("i", "", "i64", out="I64"),
        layer("more", "Const", out="BOOL", element_type="boolean", shape="", offset=0, size=1),
        layer("next", "ReLU", "state", out=out),
        result("more", name="goes on"),
        result("next", name="state out"),
        result("next", name="row"),
    )
    return net(
        trips,
        layer("go", "Const", out="BOOL", element_type="boolean", shape="", offset=0, size=1),
        parameter("x", "2,8"),
        layer(
            "l",
            "Loop",
            trips.name,
            "go",
            "x",
            out=("FP32 2,8", "FP32 -1,8"),
            version="opset5",
            inner=LOOP_PORTS + inside,
        ),
        result("l", name="last"),
        result("l:1", name="all"),
    )


def test_a_loop_carries_its_state_and_puts_slices_together() -> None:
    report = check(loop(parameter("n", "", "i64", out="I64")))
    assert [c for c in found(report) if not c.startswith("missing-weights")] == []
    assert texts(report)["l:0"] == "f32[2, 8]"
    assert texts(report)["l:1"].startswith("f32[2*Loop_")


def test_a_known_trip_count_is_the_number_of_slices(tmp_path: Path) -> None:
    count = layer("n", "Const", out="I64", element_type="i64", shape="", offset=1, size=8)
    report = check(saved(tmp_path, loop(count), b"\1" + np.array([5], "<i8").tobytes()))
    assert found(report) == []
    assert (texts(report)["l:0"], texts(report)["l:1"]) == ("f32[2, 8]", "f32[10, 8]")


@pytest.mark.parametrize(
    ("slices", "text"),
    [
        ('axis="1" start="0" end="-1" stride="1" part_size="1"', "f32[x.0, x.1, 8]"),
        ('axis="1" start="-1" end="0" stride="-1" part_size="1"', "f32[x.0, x.1, 8]"),
        ('axis="1"', "f32[x.0, x.1, 8]"),
        ('axis="1" start="2" end="5" stride="1" part_size="1"', "f32[x.0, 4, 8]"),
    ],
)
def test_an_iterator_takes_slices_and_puts_them_together(slices: str, text: str) -> None:
    ports = (
        f'<port_map><input external_port_id="0" internal_layer_id="0" {slices}/>'
        f'<output external_port_id="1" internal_layer_id="2" {slices}/></port_map>'
    )
    inside = body("body", parameter("part", "?,1,8"), layer("y", "ReLU", "part", out="FP32 -1,1,8"), result("y"))
    report = check(
        net(
            parameter("x", "?,?,8"),
            layer("t", "TensorIterator", "x", out="FP32 -1,-1,8", inner=ports + inside),
            result("t"),
        )
    )
    assert found(report) == []
    assert texts(report)["t:0"] == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'external_port_id="2" internal', b'external_port_id="9" internal'),
        (b'internal_layer_id="6"', b'internal_layer_id="3"'),
        (b'internal_layer_id="1" purpose', b'internal_layer_id="77" purpose'),
        (b'edge from-layer="5" to-layer="0"', b'edge from-layer="5" to-layer="3"'),
    ],
)
def test_a_connection_that_leads_nowhere_is_said(old: bytes, new: bytes) -> None:
    whole = loop(parameter("n", "", "i64", out="I64"))
    assert old in whole
    assert "broken-edge @ 6" in found(check(whole.replace(old, new, 1)))


def test_slices_are_numbers() -> None:
    whole = loop(parameter("n", "", "i64", out="I64")).replace(b'axis="0"', b'axis="first"')
    assert "malformed-layer @ 6" in found(check(whole))


def test_a_result_in_a_body_reads_something() -> None:
    row = b'name="row" type="Result" version="opset1">'
    port = b'<input><port id="0" precision="FP32"/></input>'
    whole = loop(parameter("n", "", "i64", out="I64"))
    assert "malformed-layer @ 13" in found(check(whole.replace(row + port, row)))


def test_a_fault_inside_is_said_with_its_line() -> None:
    (fault,) = check(loop(parameter("n", "", "i64", out="I64"), out="FP32 -1,9")).errors
    assert fault.code.name == "declared-shape-mismatch"
    assert fault.node is not None
    assert (fault.node.graph, fault.node.line) == (("l.body",), 10)


def test_a_port_map_without_a_body_is_said() -> None:
    bare = layer("l", "Loop", "n", "c", out="FP32", version="opset5", inner="<port_map/>")
    report = check(net(parameter("n", "", "i64"), parameter("c", "", "boolean"), bare))
    assert found(report) == ["missing-attribute @ 5"]


def test_deep_nesting_ends() -> None:
    inside = graph(parameter("p"), result("p"))
    ports = '<port_map><input external_port_id="0" internal_layer_id="0"/></port_map>'
    for _ in range(60):
        around = layer("t", "TensorIterator", "p", out="FP32", inner=f"{ports}<body>{inside}</body>")
        inside = graph(parameter("p"), around, result("t"))
    report = check(f'<net name="m" version="11">{inside}</net>'.encode())
    assert "nested-too-deep" in {d.code.name for d in report.diagnostics}
