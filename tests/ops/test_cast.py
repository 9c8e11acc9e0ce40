"""Cast and CastLike change the element type; entries follow where every runtime agrees on them."""

from __future__ import annotations

import pytest
from onnx import TensorProto

from shapeinfer import DType, Tensor, infer_op
from shapeinfer.dims import parse
from tests.ops.spec import agrees_with_a_run, fault, infer


@pytest.mark.parametrize("given", ["f32[N, 3]", "f32[...]", "?[N, 3]", "f32[]"])
def test_the_shape_stays(given: str) -> None:
    shape = given.partition("[")[2]
    assert infer("Cast", given, to=TensorProto.INT8) == f"i8[{shape}"
    assert infer("CastLike", given, "i8[...]") == f"i8[{shape}"


def test_what_is_not_known_of_the_type_stays_unknown() -> None:
    assert infer("CastLike", "f32[N]", "?[2]") == "?[N]"


def test_the_type_was_a_name_in_version_1() -> None:
    assert infer("Cast", "f32[N]", to="INT64", version=1) == "i64[N]"
    assert fault("Cast", "f32[N]", to="INTEGER", version=1) == "invalid-attribute"


@pytest.mark.parametrize(
    ("to", "version"),
    [(0, 25), (99, 25), (-1, 25), (TensorProto.BFLOAT16, 9), (TensorProto.STRING, 6), (TensorProto.INT4, 19)],
)
def test_the_type_is_one_that_the_version_knows(to: int, version: int) -> None:
    assert fault("Cast", "f32[N]", to=to, version=version) == "invalid-attribute"


@pytest.mark.parametrize(
    ("given", "to", "output"),
    [
        ("i64[3]{1, -2, N}", TensorProto.FLOAT, "f32[3]{1.0, -2.0, N}"),
        ("i64[2]{N, 2}", TensorProto.INT32, "i32[2]{N, 2}"),
        ("i64[2]{N, 2}", TensorProto.UINT64, "u64[2]{N, 2}"),
        ("i64[2]{N - 5, 2}", TensorProto.UINT64, "u64[2]{?, 2}"),
        ("f32[4]{1.5, -1.5, 0.0, 3e9}", TensorProto.INT32, "i32[4]{1, -1, 0, ?}"),
        ("f32[3]{1.5, 0.0, -1.0}", TensorProto.BOOL, "bool[3]{True, False, True}"),
        ("i64[4]{N, N + 1, 0, 2}", TensorProto.BOOL, "bool[4]{?, True, False, True}"),
        ("bool[2]{True, False}", TensorProto.INT64, "i64[2]{1, 0}"),
        ("bool[2]{True, False}", TensorProto.FLOAT, "f32[2]{1.0, 0.0}"),
        ("i64[2]{300, -1}", TensorProto.UINT8, "u8[2]{44, 255}"),
        ("i64[1]{16777217}", TensorProto.FLOAT, "f32[1]{16777216.0}"),
        ("i64[2]{N, 4}", TensorProto.INT8, "i8[2]{?, 4}"),
        ("i64[2]{N, 4}", TensorProto.FLOAT16, "f16[2]{?, 4.0}"),
        ("f64[1]{1e300}", TensorProto.FLOAT, "f32[1]"),
        ("i64[1]{4}", TensorProto.BFLOAT16, "bf16[1]"),
        ("i64[1]{4}", TensorProto.STRING, "str[1]"),
        ("str[1]{4}", TensorProto.INT64, "i64[1]"),
    ],
)
def test_entries_follow(given: str, to: int, output: str) -> None:
    assert infer("Cast", given, to=to) == output
    assert infer("CastLike", given, f"{DType(to).text}[1]") == output


@pytest.mark.parametrize(
    ("given", "to", "output"),
    [
        ("i64[3]{N*M, N + 1, 70000*N}", TensorProto.INT32, "i32[3]{?, N + 1, ?}"),
        ("i64[3]{N*M, N + 1, 5000*N}", TensorProto.FLOAT, "f32[3]{f32(M*N), N + 1, f32(5000*N)}"),
        ("i64[3]{N*M, N*M*K, 70000*N}", TensorProto.DOUBLE, "f64[3]{M*N, K*M*N, 70000*N}"),
        ("i64[2]{4900000000, -2147483649}", TensorProto.INT32, "i32[2]{605032704, 2147483647}"),
        ("i32[1]{16801801}", TensorProto.FLOAT, "f32[1]{16801800.0}"),
    ],
)
def test_products_of_lengths_are_not_assumed_to_fit_32_bits(given: str, to: int, output: str) -> None:
    assert infer("Cast", given, to=to) == output


def test_what_32_bits_may_not_hold_is_not_known_after_arithmetic() -> None:
    assert infer("Mul", "i32[2]{N, N}", "i32[2]{M, 4}") == "i32[2]{?, 4*N}"
    assert infer("Mul", "f32[2]{N, N}", "f32[2]{M, 4}") == "f32[2]{f32(M*N), 4*N}"
    assert infer("Mul", "i64[2]{N, N}", "i64[2]{M, 4}") == "i64[2]{M*N, 4*N}"
    assert infer("Mul", "i64[2]{N, 3}", "i64[2]{1099511627776, 4}") == "i64[2]{?, 12}"
    assert infer("Sub", "u64[2]{N, N + 1}", "u64[1]{1}") == "u64[2]{?, N}"
    assert infer("ReduceProd", "i32[3]{N, M, 2}", "i64[1]{0}", keepdims=0) == "i32[]"


def test_the_ends_of_indices_wrap_too() -> None:
    positions = [Tensor("i64", [], [v]) for v in (0, parse("N"), 1)]
    (indices,) = infer_op("Range", positions)
    for to, ends in ((TensorProto.INT32, (0, parse("N - 1"))), (TensorProto.UINT8, None)):
        (cast,) = infer_op("Cast", [indices], {"to": to})
        assert isinstance(cast, Tensor)
        assert cast.value_range == ends


def test_halves_are_rounded_toward_zero() -> None:
    n = parse("N")
    (half,) = infer_op("Mul", [Tensor("f32", [], [n]), Tensor("f32", [], [0.5])])
    assert [f.value for f in infer_op("Cast", [half], {"to": TensorProto.INT64})] == [(parse("N//2"),)]  # type: ignore[union-attr]
    assert [f.value for f in infer_op("Cast", [half], {"to": TensorProto.DOUBLE})] == [half.value]  # type: ignore[union-attr]


@pytest.mark.parametrize(("given", "to"), [("f32[N, 2]", TensorProto.INT64), ("i64[N]", TensorProto.BOOL)])
def test_it_agrees_with_a_run(given: str, to: int) -> None:
    agrees_with_a_run("Cast", given, to=to, bindings=[{"N": 0}, {"N": 3}])
    agrees_with_a_run("CastLike", given, f"{DType(to).text}[1]", bindings=[{"N": 0}, {"N": 3}])
