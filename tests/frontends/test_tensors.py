"""A constant is its dims and element type; its entries are read where they are few, and never from a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

from shapeinfer import Tensor, check
from shapeinfer.budget import LINUX
from shapeinfer.facts import MAX_CONTENTS, DType, Fact
from shapeinfer.frontends.onnx.tensors import sparse_fact, tensor_fact
from tests.models import checked, faults, floats, made, node, outlines, parsed, texts

D = TensorProto.DataType


def proto(dtype: int, dims: list[int], **fields: Any) -> TensorProto:
    return TensorProto(name="t", data_type=dtype, dims=dims, **fields)


def value(fact: Fact) -> object:
    assert isinstance(fact, Tensor)
    return fact.value


@pytest.mark.parametrize(
    ("stored", "text", "entries"),
    [
        (proto(D.INT64, [2], raw_data=np.array([3, -1]).tobytes()), "i64[2]", (3, -1)),
        (proto(D.INT64, [2], int64_data=[3, -1]), "i64[2]", (3, -1)),
        (proto(D.INT32, [3], int32_data=[1, 2, 3]), "i32[3]", (1, 2, 3)),
        (proto(D.INT8, [2], int32_data=[-1, 7]), "i8[2]", (-1, 7)),
        (proto(D.UINT8, [2], raw_data=b"\x01\xff"), "u8[2]", (1, 255)),
        (proto(D.UINT64, [1], uint64_data=[2**63]), "u64[1]", (2**63,)),
        (proto(D.BOOL, [2], int32_data=[1, 0]), "bool[2]", (True, False)),
        (proto(D.FLOAT, [2], float_data=[0.5, 2]), "f32[2]", (0.5, 2.0)),
        (proto(D.FLOAT, [1], raw_data=np.float32(1.5).tobytes()), "f32[1]", (1.5,)),
        (proto(D.DOUBLE, [], double_data=[0.1]), "f64[]", (0.1,)),
        (proto(D.FLOAT16, [1], int32_data=[0x3C00]), "f16[1]", (1.0,)),
        (proto(D.BFLOAT16, [2], raw_data=b"\x80\x3f\x00\x40"), "bf16[2]", (1.0, 2.0)),
        (proto(D.INT64, [], int64_data=[7]), "i64[]", (7,)),
        (proto(D.INT64, [0]), "i64[0]", ()),
        (proto(D.INT64, [0, 3], raw_data=b""), "i64[0, 3]", ()),
        (proto(D.INT64, [2, 2], int64_data=[1, 2, 3, 4]), "i64[2, 2]", (1, 2, 3, 4)),
    ],
    ids=lambda v: v.text if isinstance(v, Tensor) else None,
)
def test_entries_of_every_storage_form(stored: TensorProto, text: str, entries: tuple[object, ...]) -> None:
    fact = tensor_fact(stored)
    assert fact.text == text
    assert value(fact) == entries


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        (proto(D.STRING, [2], string_data=[b"a", b"\xff"]), "str[2]"),
        (proto(D.INT4, [3], raw_data=b"\x21\x03"), "i4[3]"),
        (proto(D.UINT4, [3], int32_data=[0x21, 3]), "u4[3]"),
        (proto(D.FLOAT8E4M3FN, [2], raw_data=b"\x00\x01"), "f8_e4m3fn[2]"),
        (proto(D.FLOAT4E2M1, [2], raw_data=b"\x21"), "f4_e2m1[2]"),
        (proto(D.COMPLEX64, [1], float_data=[1, 2]), "c64[1]"),
    ],
)
def test_types_that_steer_no_shape_are_dims_and_type_only(stored: TensorProto, text: str) -> None:
    assert tensor_fact(stored).text == text
    assert value(tensor_fact(stored)) is None


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        (proto(99, [2], int32_data=[1, 2]), "?[2]"),
        (proto(D.INT64, [-1, 2], int64_data=[1, 2]), "i64[...]"),
        (proto(D.INT64, [-2, -1], int64_data=[1, 2]), "i64[...]"),
        (proto(D.INT64, [3], int64_data=[1, 2]), "i64[3]"),
        (proto(D.INT64, [3], raw_data=b"\x01"), "i64[3]"),
        (proto(D.INT64, [2**40, 2**40]), f"i64[{2**40}, {2**40}]"),
        (proto(D.INT64, [1], int64_data=[1], segment=TensorProto.Segment(begin=0, end=1)), "i64[1]"),
        (proto(D.UNDEFINED, [2]), "?[2]"),
    ],
)
def test_a_broken_constant_says_what_can_be_said(stored: TensorProto, text: str) -> None:
    assert tensor_fact(stored).text == text
    assert value(tensor_fact(stored)) is None


@pytest.mark.parametrize(
    ("dtype", "most"), [(D.INT64, MAX_CONTENTS), (D.INT32, MAX_CONTENTS), (D.BOOL, MAX_CONTENTS), (D.FLOAT, 64)]
)
def test_only_so_many_entries_are_read(dtype: int, most: int) -> None:
    kind = DType(dtype).numpy()
    assert value(tensor_fact(numpy_helper.from_array(np.ones(most, kind)))) is not None
    assert value(tensor_fact(numpy_helper.from_array(np.ones(most + 1, kind)))) is None


def test_sparse_constants() -> None:
    values = numpy_helper.from_array(np.array([1.0], np.float32), "w")
    indices = numpy_helper.from_array(np.array([2]), "w_indices")
    sparse = onnx.SparseTensorProto(dims=[3, 4], values=values, indices=indices)
    assert sparse_fact(sparse).text == "sparse f32[3, 4]"
    sparse.dims[0] = -1
    assert sparse_fact(sparse).text == "sparse f32[...]"


def test_a_sparse_initializer_is_used_as_a_dense_tensor() -> None:
    model = made([node("MatMul", "x w")], [floats("x", "N", 3)])
    values = numpy_helper.from_array(np.array([1.0], np.float32), "w")
    indices = numpy_helper.from_array(np.array([2]), "w_indices")
    model.graph.sparse_initializer.append(onnx.SparseTensorProto(dims=[3, 4], values=values, indices=indices))
    assert texts(check(model))["y"] == "f32[N, 4]"


def external(dtype: int, dims: list[int], **entries: str) -> TensorProto:
    stored = proto(dtype, dims, data_location=TensorProto.EXTERNAL)
    for key, said in entries.items():
        stored.external_data.add(key=key, value=said)
    return stored


def with_shape_from(stored: TensorProto) -> onnx.ModelProto:
    return made([node("Reshape", "x t")], [floats("x", "N", 6)], initializers=[stored])


@pytest.mark.parametrize("location", ["there.bin", "absent.bin", "../there.bin", "/dev/zero", ""])
def test_external_data_is_never_opened(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    (tmp_path / "there.bin").write_bytes(np.array([2, 3]).tobytes())
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.onnx"
    path.write_bytes(with_shape_from(external(D.INT64, [2], location=location)).SerializeToString())
    opened.clear()
    report = check(path)
    assert outlines(report)["y"] == "f32[?, ?]"
    assert [name for name in opened if not name.endswith("model.onnx") and name != LINUX] == []
    unsafe, absent = ("../there.bin", "/dev/zero"), ("",)
    wrong = ["unsafe-external-data"] * (location in unsafe) + ["invalid-external-data"] * (location in absent)
    assert [d.code.name for d in report.errors] == wrong


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were opened for reading, by the ways that Python has."""
    import builtins
    import io

    names: list[str] = []

    def watched(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(file: Any, *rest: Any, **keywords: Any) -> Any:
            names.append(str(file))
            return original(file, *rest, **keywords)

        return call

    monkeypatch.setattr(builtins, "open", watched(open))
    monkeypatch.setattr(io, "open", watched(io.open))
    return names


def test_external_weights_give_their_shape() -> None:
    model = made([node("MatMul", "x t")], [floats("x", "N", 3)], initializers=[external(D.FLOAT, [3, 5], location="w")])
    assert texts(check(model))["y"] == "f32[N, 5]"


OVERRIDABLE = """<ir_version: {ir}, opset_import: ["" : 20]>
g (float[N, 6] x, int64[2] s = {{3, 2}}) => (float[] y) {{ y = Reshape(x, s) }}"""


def test_a_default_that_a_caller_may_override_is_not_trusted() -> None:
    report = checked(OVERRIDABLE.format(ir=9))
    assert outlines(report)["y"] == "f32[?, ?]"
    assert texts(report)["s"] == "i64[2]"


def test_before_ir_version_4_initializers_had_to_be_inputs_and_are_constants() -> None:
    model = made(
        [node("Reshape", "x s")],
        [floats("x", "N", 6), onnx.helper.make_tensor_value_info("s", D.INT64, [2])],
        initializers=[numpy_helper.from_array(np.array([3, -1]), "s")],
        opsets={"": 8},
        ir_version=3,
    )
    assert texts(check(model))["y"] == "f32[3, 2*N]"
    model.ir_version = 4
    assert texts(check(model))["y"] != "f32[3, 2*N]"


def test_an_initializer_that_is_no_input_is_a_constant() -> None:
    report = checked("g (float[N, 6] x) => (float[] y) <int64[2] s = {3, -1}> { y = Reshape(x, s) }")
    assert texts(report)["y"] == "f32[3, 2*N]"
    assert "s" not in texts(report)


def test_the_text_syntax_puts_defaults_where_these_tests_think() -> None:
    model = parsed(OVERRIDABLE.format(ir=9))
    assert [i.name for i in model.graph.input] == ["x", "s"]
    assert [i.name for i in model.graph.initializer] == ["s"]


def test_a_constant_of_a_wrong_size_is_as_good_as_unknown() -> None:
    report = check(with_shape_from(proto(D.INT64, [2], int64_data=[1])))
    assert faults(report) == ["error invalid-tensor"]
    assert outlines(report)["y"] == "f32[?, ?]"
