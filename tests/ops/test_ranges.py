"""Range counts, EyeLike makes a diagonal, Trilu keeps a triangle."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from shapeinfer import Tensor, infer_op
from shapeinfer.dims import parse
from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer, outline


def scalars(dtype: str, *values: object) -> list[str]:
    return [f"{dtype}[]{{{v}}}" for v in values]


@pytest.mark.parametrize(
    ("start", "limit", "delta", "output"),
    [
        (3, 9, 3, "i64[2]{3, 6}"),
        (10, 4, -2, "i64[3]{10, 8, 6}"),
        (0, 0, 1, "i64[0]"),
        (5, 1, 1, "i64[0]"),
        (0, "N", 1, "i64[N]"),
        (1, "N", 1, "i64[max(0, N - 1)]"),
        ("P", "P + S", 1, "i64[S]"),
        ("P", "P + 2", 1, "i64[2]{P, P + 1}"),
        (0, "N", 2, "i64[(N + 1)//2]"),
        ("N", 0, -1, "i64[N]"),
        (0, 10, "N + 1", "i64[9//(N + 1) + 1]"),
        (0, 10, "N", "i64[?]"),
        (0, "?", 1, "i64[?]"),
        ("?", 4, 1, "i64[?]"),
    ],
)
def test_integers_are_counted(start: object, limit: object, delta: object, output: str) -> None:
    assert outline("Range", *scalars("i64", start, limit, delta)) == output


@pytest.mark.parametrize(
    ("dtype", "numbers"),
    [
        (np.float32, (0, 1, 0.1)),
        (np.float32, (0, 0.3, 0.1)),
        (np.float32, (1, -1, -0.3)),
        (np.float64, (0, 1, 0.1)),
        (np.float64, (0, 0.3, 0.1)),
        (np.float32, (0.5, 5, 1.5)),
        (np.int32, (-3, 8, 4)),
        (np.int16, (9, -9, -5)),
    ],
)
def test_numbers_are_counted_as_a_run_does(dtype: Any, numbers: tuple[float, ...]) -> None:
    facts = [Tensor(dtype, [], [dtype(n).item()]) for n in numbers]
    (made,) = infer_op("Range", facts)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    node = helper.make_node("Range", ["a", "b", "c"], ["y"])
    given = [helper.make_tensor_value_info(n, kind, []) for n in "abc"]
    graph = helper.make_graph([node], "g", given, [helper.make_tensor_value_info("y", kind, None)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (real,) = session.run(None, {k: np.array(n, dtype) for k, n in zip("abc", numbers)})
    assert made.shape == real.shape
    assert made.value is None or np.array_equal(np.array(made.value, dtype), real)  # type: ignore[union-attr]


def test_floats_that_hold_lengths_are_counted() -> None:
    n = parse("N")
    (half,) = infer_op("Mul", [Tensor("f32", [], [n]), Tensor("f32", [], [0.5])])
    zero, one = Tensor("f32", [], [0.0]), Tensor("f32", [], [1.0])
    assert infer_op("Range", [zero, half, one])[0].text == "f32[(N + 1)//2]"
    assert infer_op("Range", [zero, Tensor("f32", [], [n]), Tensor("f32", [], [0.5])])[0].text == "f32[2*N]"


@pytest.mark.parametrize("odd", [float("inf"), float("nan")])
def test_a_number_that_its_type_cannot_hold_counts_nothing(odd: float) -> None:
    inputs = [Tensor("i64", [], [value]) for value in (0, odd, 1)]
    (out,) = infer_op("Range", inputs)
    assert isinstance(out, Tensor)
    assert out.rank == 1
    assert not isinstance(out.dims[0], int)


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (scalars("i64", 0, 5, 0), "invalid-value"),
        (scalars("f32", 0.0, 5.0, 0.0), "invalid-value"),
        (["i64[1, 1]{0}", "i64[]{5}", "i64[]{1}"], "rank-mismatch"),
        (["i64[2]", "i64[]{5}", "i64[]{1}"], "length-mismatch"),
        (["i64[]{0}", "f32[]{5}", "i64[]{1}"], "element-type-mismatch"),
    ],
)
def test_what_cannot_be_counted(inputs: list[str], code: str) -> None:
    assert fault("Range", *inputs) == code


def test_numbers_may_be_lists_of_one() -> None:
    assert infer("Range", "i64[1]{0}", "i64[1]{3}", "i64[1]{1}") == "i64[3]{0, 1, 2}"
    assert outline("Range", "i64[...]", "i64[1]{3}", "i64[1]{1}") == "i64[?]"
    assert infer("Range", *scalars("i64", 0, 3, 1), version=27) == "i64[3]{0, 1, 2}"


def test_half_precision_counts_where_no_difference_rounds() -> None:
    """From -1 to 256 it is 257, which bfloat16 rounds to 256."""
    assert infer("Range", *scalars("bf16", 1, 5, 1.5), version=27) == "bf16[3]"
    assert infer("Range", *scalars("bf16", 0, 256, 1), version=27) == "bf16[256]"
    assert outline("Range", *scalars("bf16", -1, 256, 1), version=27) == "bf16[?]"


def test_a_length_that_is_counted_by_must_not_be_0() -> None:
    assert asks("Range", *scalars("i64", 0, "N", "M")) == ["invalid-value: M >= 1"]
    assert asks("Range", *scalars("i64", 0, "N", "M - 4")) == ["invalid-value: M - 4 >= 1 or M - 4 <= -1"]
    assert asks("Range", *scalars("i64", 0, "N", "M + 1")) == []
    assert asks("Range", *scalars("i64", 0, "N", "?")) == []


def test_range_agrees_with_a_run() -> None:
    bindings = [{"N": 0, "P": 3}, {"N": 1, "P": 0}, {"N": 7, "P": 2}]
    agrees_with_a_run("Range", *scalars("i64", 0, "N", 2), bindings=bindings)
    agrees_with_a_run("Range", *scalars("i64", "P", "N", 1), bindings=bindings)
    agrees_with_a_run("Range", *scalars("i64", "N", "P", -3), bindings=bindings)


@pytest.mark.parametrize(
    ("given", "attributes", "output"),
    [
        ("f32[2, 2]", {}, "f32[2, 2]{1.0, 0.0, 0.0, 1.0}"),
        ("i64[2, 3]", {"k": 1}, "i64[2, 3]{0, 1, 0, 0, 0, 1}"),
        ("f32[N, M]", {"dtype": TensorProto.BOOL}, "bool[N, M]"),
        ("f32[...]", {"dtype": TensorProto.INT64}, "i64[?, ?]"),
        ("?[N, 2]", {}, "?[N, 2]"),
    ],
)
def test_a_diagonal_has_the_shape_of_its_model(given: str, attributes: dict[str, Any], output: str) -> None:
    assert outline("EyeLike", given, **attributes) == output
    assert outline("EyeLike", given, version=9, **attributes) == output


def test_a_diagonal_has_two_axes_and_a_type_that_is_allowed() -> None:
    assert fault("EyeLike", "f32[2]") == "rank-mismatch"
    assert fault("EyeLike", "f32[2, 2]", dtype=TensorProto.STRING) == "invalid-attribute"
    assert fault("EyeLike", "f32[2, 2]", dtype=TensorProto.BFLOAT16, version=9) == "invalid-attribute"


@pytest.mark.parametrize(
    ("inputs", "attributes", "output"),
    [
        (["f32[B, N, M]"], {}, "f32[B, N, M]"),
        (["f32[...]"], {}, "f32[...]"),
        (["i64[2, 2]{1, 2, N, 4}"], {}, "i64[2, 2]{1, 2, 0, 4}"),
        (["i64[2, 2]{1, 2, N, 4}"], {"upper": 0}, "i64[2, 2]{1, 0, N, 4}"),
        (["i64[2, 3]{1, 2, 3, 4, 5, 6}", "i64[]{1}"], {}, "i64[2, 3]{0, 2, 3, 0, 0, 6}"),
        (["i64[2, 3]{1, 2, 3, 4, 5, 6}", "i64[1]{-1}"], {"upper": 0}, "i64[2, 3]{0, 0, 0, 4, 0, 0}"),
        (["bool[1, 2]{True, True}"], {"upper": 0}, "bool[1, 2]{True, False}"),
        (["i64[1, 2]{1, 2}", "i64[]"], {}, "i64[1, 2]"),
    ],
)
def test_a_triangle_has_the_shape_of_its_input(inputs: list[str], attributes: dict[str, Any], output: str) -> None:
    assert infer("Trilu", *inputs, **attributes) == output


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (["f32[2]"], "rank-mismatch"),
        (["f32[2, 2]", "i64[2]"], "length-mismatch"),
        (["f32[2, 2]", "i64[1, 1]"], "rank-mismatch"),
    ],
)
def test_what_has_no_triangle(inputs: list[str], code: str) -> None:
    assert fault("Trilu", *inputs) == code


def test_matrices_agree_with_a_run() -> None:
    bindings = [{"N": 0, "M": 2}, {"N": 3, "M": 1}]
    agrees_with_a_run("EyeLike", "f32[N, M]", bindings=bindings)
    agrees_with_a_run("Trilu", "f32[N, M, 3]", "i64[]{1}", bindings=bindings)
