"""Matrix products: the inner axes agree, the outer ones broadcast, the rest stays."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer

PRODUCTS = [
    ("[2, 3]", "[3, 4]", "[2, 4]"),
    ("[M, K]", "[K, N]", "[M, N]"),
    ("[3]", "[3, 4]", "[4]"),
    ("[2, 3]", "[3]", "[2]"),
    ("[3]", "[3]", "[]"),
    ("[5, 2, 3]", "[3]", "[5, 2]"),
    ("[3]", "[5, 3, 4]", "[5, 4]"),
    ("[B, H, S, D]", "[B, H, D, T]", "[B, H, S, T]"),
    ("[B, 1, S, 3]", "[7, 3, 4]", "[B, 7, S, 4]"),
    ("[B, S, 3]", "[C, 3, 4]", "[broadcast(B, C), S, 4]"),
    ("[0, 3]", "[3, 0]", "[0, 0]"),
    ("[2, 0]", "[0, 4]", "[2, 4]"),
    ("[1, 2, 3]", "[0, 3, 4]", "[0, 2, 4]"),
    ("[...]", "[3, 4]", "[...]"),
]
MISMATCHES = [
    ("[2, 3]", "[4, 5]", "inner-dim-mismatch"),
    ("[3]", "[4]", "inner-dim-mismatch"),
    ("[1]", "[4]", "inner-dim-mismatch"),
    ("[3]", "[3, 3, 4, 5]", "inner-dim-mismatch"),
    ("[N, 3]", "[5, M]", "inner-dim-mismatch"),
    ("[2, 4, 3]", "[5, 3, 4]", "not-broadcastable"),
    ("[]", "[3, 4]", "rank-mismatch"),
    ("[3, 4]", "[]", "rank-mismatch"),
]


@pytest.mark.parametrize(("a", "b", "out"), PRODUCTS)
@pytest.mark.parametrize("version", [1, 9, 13])
def test_it_multiplies_as_numpy_does(version: int, a: str, b: str, out: str) -> None:
    assert infer("MatMul", f"f32{a}", f"f32{b}", version=version) == f"f32{out}"


@pytest.mark.parametrize(("a", "b", "code"), MISMATCHES)
def test_what_cannot_be_multiplied(a: str, b: str, code: str) -> None:
    assert fault("MatMul", f"f32{a}", f"f32{b}") == code


def test_a_length_known_on_one_side_serves_both() -> None:
    assert infer("MatMul", "f32[N, K]", "f32[64, 10]") == "f32[N, 10]"
    assert infer("MatMul", "?[N, 3]", "?[3, 4]") == "?[N, 4]"


def test_what_a_product_needs() -> None:
    assert asks("MatMul", "f32[N, K]", "f32[64, 10]") == ["inner-dim-mismatch: K == 64"]
    assert asks("MatMul", "f32[B, N, K]", "f32[1, K, 10]") == []
    assert asks("MatMul", "f32[B, N, 3]", "f32[7, 3, 10]") == ["not-broadcastable: B == 7 or B == 1"]
    assert asks("Gemm", "f32[K, M]", "f32[64, N]", "f32[N]", transA=1) == ["inner-dim-mismatch: K == 64"]
    assert asks("Gemm", "f32[2, 3]", "f32[3, 4]", "f32[C]") == ["not-broadcastable: C == 4 or C == 1"]
    assert asks("Det", "f32[N, M]") == ["dim-mismatch: N == M"]


@pytest.mark.parametrize(("a", "b", "out"), PRODUCTS)
def test_integers_of_8_bits_multiply_to_32_bits(a: str, b: str, out: str) -> None:
    assert infer("MatMulInteger", f"u8{a}", f"i8{b}") == f"i32{out}"


@pytest.mark.parametrize(
    ("b", "a_zero_point", "b_zero_point", "code"),
    [
        ("[3, 4]", "u8[]", "i8[4]", ""),
        ("[3, 4]", "u8[1]", "i8[1]", ""),
        ("[3, 4]", "u8[2]", "i8[1, 4]", ""),
        ("[3, 4]", "u8[N]", "", ""),
        ("[3, 4]", "u8[2, 1]", "", ""),
        ("[5, 3, 4]", "u8[2]", "i8[5, 1, 4]", ""),
        ("[3, 4]", "u8[3]", "", "dim-mismatch"),
        ("[3, 4]", "", "i8[3]", "dim-mismatch"),
        ("[3, 4]", "", "i8[3, 1]", "dim-mismatch"),
        ("[5, 3, 4]", "", "i8[4]", "dim-mismatch"),
        ("[5, 3, 4]", "", "i8[1, 4]", "rank-mismatch"),
    ],
)
def test_zero_points_are_for_all_or_for_each_row_or_column(
    b: str, a_zero_point: str, b_zero_point: str, code: str
) -> None:
    call = ("MatMulInteger", "u8[2, 3]", f"i8{b}", a_zero_point, b_zero_point)
    if code:
        assert fault(*call) == code
    else:
        assert infer(*call) == ("i32[2, 4]" if b == "[3, 4]" else "i32[5, 2, 4]")


@pytest.mark.parametrize("version", [10, 21])
def test_quantized_matrices(version: int) -> None:
    def call(b_scale: str = "f32[]", y_zero_point: str = "i8[]", b: str = "u8[3, 4]") -> tuple[str, ...]:
        left, right = ("u8[N, 3]", "f32[]", "u8[]"), (b, b_scale, "u8[]")
        return ("QLinearMatMul", *left, *right, "f32[]", y_zero_point)

    assert infer(*call(), version=version) == "i8[N, 4]"
    assert infer(*call(b_scale="f32[4]"), version=version) == "i8[N, 4]"
    assert fault(*call(b_scale="f32[3]"), version=version) == "dim-mismatch"
    assert fault(*call(y_zero_point="i8[2]"), version=version) == "dim-mismatch"
    assert fault(*call(b="u8[4, 4]"), version=version) == "inner-dim-mismatch"


# Gemm


@pytest.mark.parametrize(
    ("a", "b", "transposed", "out"),
    [
        ("[M, K]", "[K, N]", {}, "[M, N]"),
        ("[K, M]", "[K, N]", {"transA": 1}, "[M, N]"),
        ("[M, K]", "[N, K]", {"transB": 1}, "[M, N]"),
        ("[K, M]", "[N, K]", {"transA": 1, "transB": 1}, "[M, N]"),
        ("[M, K]", "[64, N]", {}, "[M, N]"),
        ("[...]", "[3, 4]", {}, "[Gemm_0, Gemm_1]"),
        ("[0, 3]", "[3, 4]", {}, "[0, 4]"),
    ],
)
def test_gemm_multiplies_matrices_that_may_be_transposed(a: str, b: str, transposed: dict[str, Any], out: str) -> None:
    assert infer("Gemm", f"f32{a}", f"f32{b}", **transposed) == f"f32{out}"


@pytest.mark.parametrize("version", [7, 9, 11, 13])
@pytest.mark.parametrize(
    ("c", "code"),
    [
        ("[2, 4]", ""),
        ("[4]", ""),
        ("[1]", ""),
        ("[]", ""),
        ("[2, 1]", ""),
        ("[1, 4]", ""),
        ("[...]", ""),
        ("[M, N]", ""),
        ("[2]", "not-broadcastable"),
        ("[3, 4]", "not-broadcastable"),
        ("[1, 2, 4]", "rank-mismatch"),
    ],
)
def test_the_addend_is_broadcast_onto_the_product(version: int, c: str, code: str) -> None:
    call = ("Gemm", "f32[2, 3]", "f32[3, 4]", f"f32{c}")
    if code:
        assert fault(*call, version=version) == code
    else:
        assert infer(*call, version=version) == "f32[2, 4]"


@pytest.mark.parametrize("version", [1, 6])
def test_the_addend_had_the_products_shape_unless_broadcast_was_set(version: int) -> None:
    call = ("Gemm", "f32[2, 3]", "f32[3, N]")
    assert infer(*call, "f32[2, 4]", version=version) == "f32[2, 4]"
    assert fault(*call, "f32[4]", version=version) == "rank-mismatch"
    assert fault(*call, "f32[1, 4]", version=version) == "dim-mismatch"
    assert infer(*call, "f32[4]", version=version, broadcast=1) == "f32[2, N]"
    assert fault(*call, "f32[3, 4]", version=version, broadcast=1) == "not-broadcastable"


def test_the_addend_was_required_before_opset_11() -> None:
    assert fault("Gemm", "f32[2, 3]", "f32[3, 4]", version=9) == "missing-input"
    assert infer("Gemm", "f32[2, 3]", "f32[3, 4]", version=11) == "f32[2, 4]"


@pytest.mark.parametrize(
    ("a", "b", "code"),
    [
        ("[2, 3]", "[4, 5]", "inner-dim-mismatch"),
        ("[3]", "[3, 4]", "rank-mismatch"),
        ("[1, 2, 3]", "[3, 4]", "rank-mismatch"),
    ],
)
def test_what_gemm_does_not_multiply(a: str, b: str, code: str) -> None:
    assert fault("Gemm", f"f32{a}", f"f32{b}") == code


# Det


@pytest.mark.parametrize("version", [11, 22])
def test_a_determinant_for_each_square_matrix(version: int) -> None:
    assert infer("Det", "f32[3, 3]", version=version) == "f32[]"
    assert infer("Det", "f32[B, C, N, N]", version=version) == "f32[B, C]"
    assert infer("Det", "f32[...]", version=version) == "f32[...]"
    assert fault("Det", "f32[2, 3]", version=version) == "dim-mismatch"
    assert fault("Det", "f32[3]", version=version) == "rank-mismatch"


# Runs

SIZES = [{"B": 1, "M": 1, "K": 3, "N": 4}, {"B": 2, "M": 1, "K": 1, "N": 1}, {"B": 5, "M": 2, "K": 1, "N": 0}]
EMPTY = [{"B": 1, "M": 0, "K": 3, "N": 4}, {"B": 2, "M": 1, "K": 0, "N": 1}, {"B": 0, "M": 2, "K": 1, "N": 0}]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("[M, K]", "[K, N]"),
        ("[K]", "[K, N]"),
        ("[M, K]", "[K]"),
        ("[K]", "[K]"),
        ("[B, M, K]", "[K, N]"),
        ("[B, 1, M, K]", "[3, K, N]"),
        ("[B, M, K]", "[K]"),
        ("[K]", "[B, K, N]"),
    ],
)
def test_matmul_agrees_with_a_run(a: str, b: str) -> None:
    agrees_with_a_run("MatMul", f"f32{a}", f"f32{b}", bindings=SIZES)


@pytest.mark.parametrize(("a", "b"), [("[M, K]", "[K, N]"), ("[K]", "[K, N]"), ("[K]", "[K]"), ("[B, M, K]", "[K, N]")])
def test_empty_matrices_agree_with_a_run(a: str, b: str) -> None:
    # The runtime departs from numpy for empty stacks times vectors or other stacks.
    agrees_with_a_run("MatMul", f"f32{a}", f"f32{b}", bindings=EMPTY)


@pytest.mark.parametrize("c", ["", "f32[N]", "f32[M, 1]", "f32[]"])
def test_gemm_agrees_with_a_run(c: str) -> None:
    agrees_with_a_run("Gemm", "f32[M, K]", "f32[N, K]", c, bindings=SIZES + EMPTY, transB=1)


def test_integer_products_and_determinants_agree_with_a_run() -> None:
    agrees_with_a_run("MatMulInteger", "u8[B, M, K]", "u8[K, N]", bindings=SIZES)
    agrees_with_a_run("Det", "f32[B, K, K]", bindings=SIZES)
