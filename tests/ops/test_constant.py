"""Tensors made of attributes or of a shape: Constant, ConstantOfShape, Shape, Size."""

from __future__ import annotations

from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from shapeinfer import SparseTensor, Tensor, infer_op
from tests.ops.spec import agrees_with_a_run, fault, infer, outline


def tensor(dtype: int, dims: list[int], values: list[Any]) -> onnx.TensorProto:
    return helper.make_tensor("value", dtype, dims, values)


@pytest.mark.parametrize(
    ("attribute", "value", "output"),
    [
        ("value", tensor(TensorProto.INT64, [2], [-1, 3]), "i64[2]{-1, 3}"),
        ("value", tensor(TensorProto.FLOAT, [], [0.5]), "f32[]{0.5}"),
        ("value", tensor(TensorProto.BFLOAT16, [0, 3], []), "bf16[0, 3]"),
        ("value_int", 7, "i64[]{7}"),
        ("value_ints", [7, 8], "i64[2]{7, 8}"),
        ("value_float", 0.5, "f32[]{0.5}"),
        ("value_floats", [0.5, 1.0], "f32[2]{0.5, 1.0}"),
        ("value_string", "a", "str[]{a}"),
        ("value_strings", ["a", "b", "c"], "str[3]{a, b, c}"),
    ],
)
def test_a_constant_holds_one_attribute(attribute: str, value: Any, output: str) -> None:
    assert infer("Constant", **{attribute: value}) == output


def test_a_sparse_constant_is_the_dense_tensor_it_stands_for() -> None:
    values = tensor(TensorProto.FLOAT, [1], [2.0])
    indices = tensor(TensorProto.INT64, [1], [4])
    sparse = helper.make_sparse_tensor(values, indices, [3, 4])
    (made,) = infer_op("Constant", [], {"sparse_value": sparse})
    assert not isinstance(made, SparseTensor)
    assert made.text == "f32[3, 4]"


def test_a_constant_is_given_exactly_once() -> None:
    assert fault("Constant") == "missing-attribute"
    assert fault("Constant", value_int=1, value_float=1.0) == "conflicting-arguments"
    assert fault("Constant", version=9) == "missing-attribute"
    assert fault("Constant", value_int=1, version=11) == "unknown-attribute"


ONE = tensor(TensorProto.INT64, [1], [1])


@pytest.mark.parametrize(
    ("shape", "attributes", "output"),
    [
        ("i64[2]{2, 3}", {}, "f32[2, 3]{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}"),
        ("i64[1]{3}", {"value": ONE}, "i64[3]{1, 1, 1}"),
        ("i64[0]", {"value": ONE}, "i64[]{1}"),
        ("i64[1]{0}", {"value": ONE}, "i64[0]"),
        ("i64[2]{N, 2}", {"value": ONE}, "i64[N, 2]"),
        ("i64[2]{N, ?}", {}, "f32[N, ?]"),
        ("i64[2]", {}, "f32[?, ?]"),
        ("i64[K]", {"value": ONE}, "i64[...]"),
        ("i64[...]", {}, "f32[...]"),
    ],
)
def test_a_shape_is_filled_with_one_value(shape: str, attributes: dict[str, Any], output: str) -> None:
    assert outline("ConstantOfShape", shape, **attributes) == output


@pytest.mark.parametrize(
    ("shape", "attributes", "code"),
    [
        ("i64[1]{-1}", {}, "negative-length"),
        ("i64[]{3}", {}, "rank-mismatch"),
        ("i64[1]{3}", {"value": tensor(TensorProto.FLOAT, [2], [1.0, 2.0])}, "invalid-attribute"),
        ("i64[1]{3}", {"value": tensor(TensorProto.FLOAT, [], [1.0])}, "invalid-attribute"),
        ("i64[1]{3}", {"value": tensor(TensorProto.FLOAT, [1, 1], [1.0])}, "invalid-attribute"),
        ("i64[1]{3}", {"value": tensor(TensorProto.STRING, [1], [b"a"])}, "invalid-attribute"),
        ("i32[1]{3}", {}, "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_filled(shape: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("ConstantOfShape", shape, **attributes) == code


def test_filling_agrees_with_a_run() -> None:
    agrees_with_a_run("ConstantOfShape", "i64[2]{N, 3}", value=ONE, bindings=[{"N": 0}, {"N": 1}, {"N": 4}])


@pytest.mark.parametrize(
    ("attributes", "output"),
    [
        ({}, "i64[3]{2, N, 4}"),
        ({"start": -1}, "i64[1]{4}"),
        ({"end": -1}, "i64[2]{2, N}"),
        ({"start": 1, "end": 2}, "i64[1]{N}"),
        ({"start": -9, "end": 9}, "i64[3]{2, N, 4}"),
        ({"start": 2, "end": 1}, "i64[0]"),
    ],
)
def test_the_shape_is_known_entry_by_entry(attributes: dict[str, Any], output: str) -> None:
    assert infer("Shape", "f32[2, N, 4]", **attributes) == output


def test_the_shape_of_a_tensor_of_unknown_rank() -> None:
    assert outline("Shape", "f32[...]") == "i64[?]"
    assert outline("Shape", "f32[...]", version=13) == "i64[?]"
    assert fault("Shape", "f32[2]", start=0, version=13) == "unknown-attribute"
    assert infer("Shape", "f32[]", version=1) == "i64[0]"


@pytest.mark.parametrize(
    ("data", "output"),
    [("f32[2, N, 4]", "i64[]{8*N}"), ("f32[]", "i64[]{1}"), ("f32[0, N]", "i64[]{0}"), ("f32[...]", "i64[]")],
)
def test_the_size_is_the_product(data: str, output: str) -> None:
    assert infer("Size", data) == output


@pytest.mark.parametrize("op", ["Shape", "Size"])
def test_the_shape_agrees_with_a_run(op: str) -> None:
    agrees_with_a_run(op, "f32[N, 3]", bindings=[{"N": 0}, {"N": 5}])


def test_entries_are_those_of_a_run() -> None:
    (made,) = infer_op("Constant", [], {"value": helper.make_tensor("v", TensorProto.DOUBLE, [2], [0.1, 1e300])})
    assert isinstance(made, Tensor)
    assert made.value == (0.1, 1e300)
