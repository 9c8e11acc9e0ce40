"""Layers are nodes, outputs are values ``LAYER:INDEX``, and what does not fit is said with its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from shapeinfer import Dim, Report, check
from tests.ir import layer, net, parameter, result
from tests.models import contract, texts


def found(report: Report) -> list[str]:
    """Each diagnostic as ``code @ line``."""
    return [f"{d.code.name} @ {d.node.line if d.node else '-'}" for d in report.diagnostics]


def values(model: bytes, shapes: Mapping[str, Sequence[int]] | None = None) -> dict[str, str]:
    report = check(model, shapes=shapes)
    assert found(report) == [], [d.text for d in report.diagnostics]
    return texts(report)


RELU = (parameter("x"), layer("y", "ReLU", "x", out="FP32 -1,8"), result("y"))


def test_values_are_named_by_layer_and_output() -> None:
    assert values(net(*RELU)) == {"x:0": "f32[x.0, 8]", "y:0": "f32[x.0, 8]"}


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("?,8", "f32[x.0, 8]"),
        ("-1, 8", "f32[x.0, 8]"),
        ("2..8,1..", "f32[x.0, x.1]"),
        ("3..3", "f32[3]"),
        ("", "f32[]"),
        ("...", "f32[...]"),
    ],
)
def test_a_parameter_has_the_shape_that_it_declares(shape: str, text: str) -> None:
    assert values(net(parameter("x", shape), result("x"))) == {"x:0": text}


def test_an_interval_bounds_the_symbol() -> None:
    shape = check(net(parameter("x", "2..8,..4,1.."), result("x"))).values["x:0"].shape or ()
    assert [d.bounds() for d in shape if isinstance(d, Dim)] == [(2, 8), (0, 4), (1, None)]


@pytest.mark.parametrize("shape", ["8..2", "a", "1,,2", "2..b", "-3"])
def test_a_shape_that_cannot_be_read_is_said(shape: str) -> None:
    report = check(net(parameter("x", shape), result("x")))
    assert found(report) == ["malformed-layer @ 3"]
    assert texts(report) == {"x:0": "?[...]"}


@pytest.mark.parametrize("name", ["x", "data"])
def test_inputs_are_given_by_the_name_of_layer_or_tensor(name: str) -> None:
    model = net(parameter("x", names="data,other"), result("x"))
    assert values(model, {name: (2, 8)}) == {"x:0": "f32[2, 8]"}


def test_a_name_that_is_no_input_is_refused_with_those_that_are() -> None:
    (fault,) = check(net(parameter("x", names="data"), result("x")), shapes={"ids": (2, 8)}).diagnostics
    assert fault.message == "ids is not an input; the inputs are x"


STATIC = net(
    parameter("x", "1,8", names="data"),
    parameter("w", "1,8"),
    layer("y", "ReLU", "x", out="FP32 1,8"),
    layer("z", "Add", "y", "w", out="FP32 1,8"),
    result("z"),
)


@pytest.mark.parametrize("name", ["x", "data"])
def test_an_input_can_be_reshaped_and_the_ports_claim_nothing_then(name: str) -> None:
    assert values(STATIC, {name: (4, 8)})["z:0"] == "f32[4, 8]"


def test_what_does_not_go_with_another_shape_is_said() -> None:
    assert found(check(STATIC, shapes={"x": (4, 9)})) == ["not-broadcastable @ 6"]
    assert found(check(STATIC, shapes={"x": (2, 3, 8)})) == []


def test_the_same_shape_leaves_the_claims() -> None:
    wrong = STATIC.replace(b'<port id="2" precision="FP32"><dim>1</dim>', b'<port id="2" precision="FP32"><dim>7</dim>')
    assert found(check(wrong, shapes={"x": (1, 8)})) == ["declared-shape-mismatch @ 6"]
    assert found(check(wrong, shapes={"x": (4, 8)})) == []


def test_conditions_speak_of_inputs_and_axes() -> None:
    model = net(
        parameter("ids", "?,?"),
        parameter("mask", "?,?"),
        layer("sum", "Add", "ids", "mask", out="FP32 -1,-1", auto_broadcast="none"),
        result("sum"),
    )
    assert contract(check(model)) == ["ids.0 == mask.0", "ids.1 == mask.1"]


def test_layers_may_stand_in_any_order() -> None:
    assert values(net(RELU[2], RELU[1], RELU[0])) == {"x:0": "f32[x.0, 8]", "y:0": "f32[x.0, 8]"}


def test_a_ring_of_layers_is_said() -> None:
    ring = net(layer("a", "Add", "b", "b", out="FP32"), layer("b", "ReLU", "a", out="FP32"), result("b", name="r"))
    assert "cycle @ 3" in found(check(ring))


@pytest.mark.parametrize(
    ("dims", "code"),
    [
        ("FP32 -1,8", []),
        ("FP32 -1,-1", []),
        ("FP32", []),
        ("UNSPECIFIED -1,8", []),
        ("FP32 -1,9", ["declared-shape-mismatch @ 4"]),
        ("FP32 8", ["declared-shape-mismatch @ 4"]),
        ("FP32 2,8", ["declared-shape-mismatch @ 4"]),
        ("FP16 -1,8", ["declared-type-mismatch @ 4"]),
    ],
)
def test_ports_are_held_against_what_is_inferred(dims: str, code: list[str]) -> None:
    report = check(net(parameter("x"), layer("y", "ReLU", "x", out=dims), result("y")))
    assert found(report) == code


def test_a_port_that_contradicts_is_an_error_with_both_sides() -> None:
    (fault,) = check(net(parameter("x"), layer("y", "ReLU", "x", out="FP32 -1,9"), result("y"))).errors
    assert fault.message == "axis 1 of y:0 is declared 9 but is 8"


def test_layers_of_other_opsets_are_taken_as_declared() -> None:
    report = check(net(parameter("x"), layer("y", "Mine", "x", out="FP32 -1,4", version="extension"), result("y")))
    assert found(report) == ["unknown-operator @ 4", "assumed-declaration @ 4"]
    assert report.ok
    assert texts(report)["y:0"] == "f32[y_0_0, 4]"


@pytest.mark.parametrize(
    ("kind", "version", "code"),
    [("Gelu", "opset1", "operator-too-new"), ("Nonsense", "opset1", "unknown-operator")],
)
def test_an_operator_that_its_opset_lacks_is_said(kind: str, version: str, code: str) -> None:
    report = check(net(parameter("x"), layer("y", kind, "x", out="FP32 -1,8", version=version), result("y")))
    assert found(report)[0] == f"{code} @ 4"


def test_the_newest_version_up_to_the_layers_opset_counts() -> None:
    old = net(parameter("x"), layer("y", "ShapeOf", "x", out="I64 2", version="opset2"), result("y"))
    new = net(parameter("x"), layer("y", "ShapeOf", "x", out="I32 2", version="opset9", output_type="i32"), result("y"))
    assert values(old)["y:0"] == "i64[2]"
    assert values(new)["y:0"] == "i32[2]"


def test_an_attribute_that_openvino_reads_past_is_a_warning() -> None:
    report = check(net(parameter("x"), layer("y", "Elu", "x", out="FP32 -1,8", alpha="1.0", axis="1"), result("y")))
    assert found(report) == ["unknown-attribute @ 4"]
    assert report.ok


def test_text_that_is_no_value_of_its_attribute_is_an_error() -> None:
    report = check(net(parameter("x"), layer("y", "Elu", "x", out="FP32 -1,8", alpha="big"), result("y")))
    assert found(report) == ["attribute-type @ 4"]
    assert report.errors[0].message == "attribute alpha of Elu must be float; it is 'big'"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (b'from-layer="0"', b'from-layer="9"', ["broken-edge @ 8", "broken-edge @ 4"]),
        (b'from-port="0"', b'from-port="5"', ["broken-edge @ 8", "broken-edge @ 4"]),
        (b'to-layer="1"', b'to-layer="8"', ["broken-edge @ 8", "broken-edge @ 4"]),
        (b'<edge from-layer="0"', b'<gone from-layer="0"', ["broken-edge @ 4"]),
        (b'id="2" name', b'id="1" name', ["malformed-layer @ 5", "broken-edge @ 9"]),
        (b"<dim>-1</dim>", b"<dim>-2</dim>", ["malformed-layer @ 4"]),
        (b"<dim>-1</dim>", b"<dim>many</dim>", ["malformed-layer @ 4"]),
        (b'element_type="f32"', b'element_type="f31"', ["malformed-layer @ 3"]),
        (b' type="ReLU"', b"", ["malformed-layer @ 4", "broken-edge @ 8", "broken-edge @ 9", "broken-edge @ 5"]),
    ],
)
def test_what_does_not_fit_is_said_with_its_line(old: bytes, new: bytes, code: list[str]) -> None:
    whole = net(*RELU)
    assert old in whole
    assert found(check(whole.replace(old, new, 1))) == code


def test_an_unknown_precision_is_said() -> None:
    report = check(net(parameter("x"), layer("y", "ReLU", "x", out="FP99 -1,8"), result("y")))
    assert found(report) == ["malformed-layer @ 4"]


def test_two_edges_to_one_input_are_one_too_many() -> None:
    edge = b'<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>'
    report = check(net(*RELU).replace(edge, edge + b"\n" + edge))
    assert found(report) == ["broken-edge @ 9"]


def test_layers_of_one_name_are_told_apart() -> None:
    assert values(net(*RELU).replace(b'name="y"', b'name="x"')) == {"x:0": "f32[x.0, 8]", "x (1):0": "f32[x.0, 8]"}


@pytest.mark.parametrize("port", ["0", "7"])
def test_inputs_of_one_id_are_one_fault(port: str) -> None:
    """No edge tells which of them it leads to, so that nothing more is said of what they are given."""
    target = layer("y", "Reshape", "x", "t", out="FP32 -1,8", special_zero="true")
    whole = net(parameter("x"), parameter("t", "2", "i64"), target, result("y")).decode()
    old = '<port id="1" precision="FP32"/>', 'from-layer="1" from-port="0" to-layer="2" to-port="1"'
    new = '<port id="0" precision="FP32"/>', f'from-layer="1" from-port="0" to-layer="2" to-port="{port}"'
    for before, after in zip(old, new):
        assert before in whole
        whole = whole.replace(before, after, 1)
    report = check(whole.encode())
    assert [(d.code.name, d.message) for d in report.errors] == [
        ("malformed-layer", "several input ports have the id 0")
    ]
    assert "y:0" in report.values
