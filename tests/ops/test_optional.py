"""Optionals: what holds of the value, if there is one."""

from __future__ import annotations

import onnx
import pytest

from shapeinfer import OptionalType, SequenceType, Tensor, Unknown, infer_op
from shapeinfer.facts import Fact
from tests.ops.spec import fault, infer

FLOATS = Tensor("f32", ("N", 3))


@pytest.mark.parametrize("value", [FLOATS, SequenceType(FLOATS, 2)])
def test_a_value_is_wrapped_and_unwrapped(value: Fact) -> None:
    (wrapped,) = infer_op("Optional", [value])
    assert wrapped == OptionalType(value)
    assert infer_op("OptionalGetElement", [wrapped]) == [value]


def test_an_empty_optional_has_a_type() -> None:
    kind = onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None)
    assert infer("Optional", type=kind) == "optional(f32[...])"
    assert fault("Optional") == "missing-input"


def test_whether_there_is_a_value() -> None:
    assert infer("OptionalHasElement", "optional(f32[N])") == "bool[]"
    assert infer("OptionalHasElement", "f32[N]") == "bool[]{True}"
    assert infer("OptionalHasElement", "seq(f32[N])") == "bool[]{True}"
    assert infer("OptionalHasElement", "") == "bool[]{False}"
    assert infer_op("OptionalHasElement", [Unknown()])[0].text == "bool[]"


def test_from_opset_18_any_value_may_stand_for_an_optional() -> None:
    assert infer("OptionalGetElement", "f32[N]") == "f32[N]"
    assert fault("OptionalGetElement", "f32[N]", version=15) == "element-type-not-allowed"
    assert fault("OptionalHasElement", "", version=15) == "missing-input"


def test_nothing_is_known_of_the_value_of_an_unknown_optional() -> None:
    assert infer_op("OptionalGetElement", [Unknown()]) == [Unknown()]
