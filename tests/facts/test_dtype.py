"""Element types are ONNX's own, number for number, and are read from every usual spelling."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest

from shapeinfer.facts import DType, dtype_of

ALL = pytest.mark.parametrize("dtype", DType, ids=lambda d: d.name)
NAMED = pytest.mark.parametrize("dtype", [d for d in DType if d], ids=lambda d: d.name)


def test_the_numbers_are_those_of_the_installed_onnx() -> None:
    """Fails when onnx adds a type: add it to DType."""
    assert {d.name: d.value for d in DType} == dict(onnx.TensorProto.DataType.items())


@NAMED
def test_every_spelling_of_a_type_is_read(dtype: DType) -> None:
    spellings = (dtype.name, dtype.name.lower(), dtype.text, dtype.spelled, dtype.onnx, dtype.value, dtype)
    assert {dtype_of(s) for s in spellings} == {dtype}


def test_no_spelling_means_two_types() -> None:
    for spelling in ("text", "spelled", "onnx"):
        assert len({getattr(d, spelling) for d in DType}) == len(DType)


@NAMED
def test_the_onnx_spelling_is_the_one_of_type_strings(dtype: DType) -> None:
    proto = onnx.helper.make_tensor_type_proto(dtype.value, [])
    assert onnx.helper.tensor_dtype_to_string(proto.tensor_type.elem_type).split(".")[-1].lower() == dtype.onnx


@ALL
def test_a_type_with_a_numpy_type_has_onnxs(dtype: DType) -> None:
    own = dtype.numpy()
    if own is not None:
        assert own == onnx.helper.tensor_dtype_to_np_dtype(dtype.value)
        assert dtype_of(own) is dtype
        assert dtype_of(own.type) is dtype


@NAMED
def test_numpy_takes_a_type_for_the_one_that_onnx_uses(dtype: DType) -> None:
    taken = np.dtype(dtype)
    assert taken == onnx.helper.tensor_dtype_to_np_dtype(dtype.value)
    assert np.zeros(3, dtype).dtype == taken
    assert dtype_of(taken) is dtype


def test_numpy_has_no_type_for_an_unknown_one() -> None:
    with pytest.raises(TypeError, match=r"^an unknown element type has no numpy type$"):
        _ = DType.UNDEFINED.dtype
    with pytest.raises(TypeError):
        np.dtype(DType.UNDEFINED)


def test_a_type_that_numpy_lacks_names_the_package_that_adds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    assert np.dtype(DType.FLOAT) == np.float32
    with pytest.raises(TypeError, match=r"^numpy has no float8_e5m2; the package ml_dtypes adds it$"):
        _ = DType.FLOAT8E5M2.dtype


def test_a_type_that_an_older_ml_dtypes_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", SimpleNamespace(__version__="0.4.0"))
    with pytest.raises(TypeError, match=r"^neither numpy nor ml_dtypes 0\.4\.0 has int2$"):
        _ = DType.INT2.dtype


@pytest.mark.parametrize(
    ("dtype", "text"),
    [(DType.FLOAT, "float32"), (DType.BFLOAT16, "bfloat16"), (DType.INT64, "int64"), (DType.STRING, "string")],
)
def test_as_text_it_is_spelled_as_people_write_it(dtype: DType, text: str) -> None:
    assert str(dtype) == f"{dtype}" == text
    assert f"{dtype:>10}" == text.rjust(10)


@pytest.mark.parametrize(
    ("like", "dtype"),
    [
        ("float", DType.FLOAT),
        ("f32", DType.FLOAT),
        ("double", DType.DOUBLE),
        ("f64", DType.DOUBLE),
        ("bf16", DType.BFLOAT16),
        ("i64", DType.INT64),
        ("bool", DType.BOOL),
        ("str", DType.STRING),
        ("string", DType.STRING),
        ("float8_e4m3fn", DType.FLOAT8E4M3FN),
        (np.float32, DType.FLOAT),
        (np.dtype("int8"), DType.INT8),
        (np.dtype("<U7"), DType.STRING),
        (np.dtype(object), DType.STRING),
        (float, DType.DOUBLE),
        (bool, DType.BOOL),
    ],
)
def test_usual_spellings(like: Any, dtype: DType) -> None:
    assert dtype_of(like) is dtype


@pytest.mark.parametrize("like", ["float33", "", "tensor(float)", "?"])
def test_an_unknown_name_is_refused_with_the_known_ones(like: str) -> None:
    with pytest.raises(ValueError, match=r"is not an element type; known ones: bfloat16, bool, .*uint8") as caught:
        dtype_of(like)
    assert str(caught.value).startswith(repr(like))


@pytest.mark.parametrize("number", [-1, 99])
def test_an_unknown_number_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"^{number} is not an element type number of ONNX$"):
        dtype_of(number)


def test_kinds() -> None:
    assert {d.text for d in DType if d.is_integer} == {
        *(f"{s}{n}" for s in "iu" for n in (2, 4, 8, 16, 32, 64)),
    }
    assert DType.BFLOAT16.is_float
    assert DType.FLOAT8E8M0.is_float
    assert not DType.BOOL.is_integer
    assert not DType.COMPLEX64.is_float
    assert not DType.UNDEFINED


@pytest.mark.parametrize(
    ("name", "bits"),
    [("f32", 32), ("bool", 8), ("bfloat16", 16), ("float8_e4m3fn", 8), ("int4", 4), ("complex128", 128), ("string", 0)],
)
def test_how_wide_an_element_is(name: str, bits: int) -> None:
    assert dtype_of(name).bits == bits
