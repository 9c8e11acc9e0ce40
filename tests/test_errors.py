"""What the message of an error says is there as data, too."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import shapeinfer
from shapeinfer import (
    AttributeValueError,
    AxisError,
    BroadcastError,
    ElementTypeError,
    Operand,
    ShapeInferError,
    Tensor,
    broadcast_shapes,
    infer_op,
)
from shapeinfer.dims import parse
from tests.models import checked


def test_an_axis_and_those_there_are() -> None:
    with pytest.raises(AxisError) as caught:
        infer_op("Flatten", [Tensor("f32", [2, 3])], {"axis": 4})
    assert (caught.value.value, caught.value.range) == (4, range(-2, 3))


@pytest.mark.parametrize(
    ("call", "value", "axes"),
    [
        (("Transpose", [Tensor("f32", [2, 3])], {"perm": [0, 0]}), 0, range(2)),
        (("Transpose", [Tensor("f32", [2, 3])], {"perm": [0, 2]}), 2, range(2)),
        (("Transpose", [Tensor("f32", [2, 3])], {"perm": [0]}), None, range(2)),
        (("Unsqueeze", [Tensor("f32", [2]), Tensor("i64", [2], [0, -3])]), -3, range(-3, 3)),
    ],
)
def test_an_axis_in_a_list(call: tuple[Any, ...], value: int | None, axes: range) -> None:
    with pytest.raises(AxisError) as caught:
        infer_op(*call)
    assert (caught.value.value, caught.value.range) == (value, axes)


def test_the_types_that_are_allowed() -> None:
    with pytest.raises(ElementTypeError) as caught:
        infer_op("Flatten", [Tensor("bool", [2, 3])], version=1)
    assert caught.value.allowed == ("float16", "float32", "float64")
    with pytest.raises(ElementTypeError) as caught:
        infer_op("Det", [Tensor("i64", [2, 2])])
    assert "float32" in caught.value.allowed


@pytest.mark.parametrize(
    ("op", "attributes", "attribute", "value", "allowed"),
    [
        ("Conv", {"group": 0}, "group", 0, ()),
        ("Conv", {"auto_pad": "ALL"}, "auto_pad", "ALL", ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")),
        ("Conv", {"grup": 1}, "grup", 1, ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")),
        ("Conv", {"strides": 2}, "strides", 2, ()),
        ("Conv", {"strides": [1, 0]}, "strides", (1, 0), ()),
        ("Concat", {}, "axis", None, ()),
        ("ScatterND", {"reduction": "sum"}, "reduction", "sum", ("none", "add", "mul", "max", "min")),
    ],
)
def test_the_attribute(op: str, attributes: dict[str, Any], attribute: str, value: Any, allowed: Any) -> None:
    inputs = [Tensor("f32", [1, 3, 8, 8]), Tensor("f32", [4, 3, 3, 3])]
    inputs = [inputs[0], Tensor("i64", [1]), inputs[1]] if op == "ScatterND" else inputs
    with pytest.raises(ShapeInferError) as caught:
        infer_op(op, inputs, attributes)
    assert isinstance(caught.value, AttributeValueError)
    assert (caught.value.attribute, caught.value.value) == (attribute, value)
    assert set(caught.value.allowed) == set(allowed)


def test_an_input_that_is_absent() -> None:
    with pytest.raises(shapeinfer.ArityError) as caught:
        infer_op("Add", [Tensor("f32", [2])])
    assert caught.value.diagnostic.operands == (Operand("B", "", ""),)
    assert caught.value.diagnostic.port == "B"


def test_both_types_of_a_value_that_is_declared_otherwise() -> None:
    (found,) = checked("g (float[N, 3] x) => (float[N, 4] y) { y = Relu(x) }").diagnostics
    assert found.operands == (
        Operand("declared", "y", "f32[N, 4]", 1, dim=4),
        Operand("inferred", "y", "f32[N, 3]", 1, dim=3),
    )
    report = checked("g (float[N, 3] x) => (int64[N, 3] y) { y = Relu(x) }")
    with pytest.raises(shapeinfer.DeclarationError) as caught:
        report.raise_for_errors()
    assert caught.value.lhs == Operand("declared", "y", "i64[N, 3]")
    assert caught.value.rhs == Operand("inferred", "y", "f32[N, 3]")


def test_an_entry_and_where_it_came_from() -> None:
    report = checked(
        "g (float[2, 3] x) => (float[a, b] y) <int64[2] to = {2, 5}> "
        "{ one = Constant<value_ints = [3, 3]>() h = Expand(x, to) y = Expand(x, one) }"
    )
    first, second = (d.operands[1] for d in report.errors)
    assert (first.port, first.value, first.entry, first.dim) == ("shape", "to", 1, 5)
    assert first.origin == "5: entry 1 of initializer to"
    assert second.origin == "3: computed by Constant (node 0)"


def test_errors_of_data_survive_pickling() -> None:
    with pytest.raises(AxisError) as caught:
        infer_op("Flatten", [Tensor("f32", ["N", 3])], {"axis": 4})
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.range, again.diagnostics) == (range(-2, 3), caught.value.diagnostics)
    with pytest.raises(BroadcastError) as broken:
        broadcast_shapes(("N + 4",), (3,))
    assert pickle.loads(pickle.dumps(broken.value)).lhs == broken.value.lhs


def test_the_error_has_lengths_and_axes_as_data() -> None:
    with pytest.raises(BroadcastError) as caught:
        broadcast_shapes(("N + 4", 3), (9, 2, 3))
    error = caught.value
    assert (error.lhs, error.rhs) == (
        Operand("shape 0", "shape 0", "[N + 4, 3]", 0, dim=parse("N + 4")),
        Operand("shape 1", "shape 1", "[9, 2, 3]", 1, dim=2),
    )
    assert (error.axis, error.output_axis) == (0, 1)
    assert "axis 0 of shape 0 is N + 4 and axis 1 of shape 1 is 2, both axis 1 of the output" in str(error)
