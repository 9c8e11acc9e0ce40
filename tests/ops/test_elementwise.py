"""Element-wise operators: shapes broadcast, entries are computed one by one."""

from __future__ import annotations

from typing import Any

import onnx.defs
import pytest

from tests.each import each
from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer

UNARY = (
    "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Clip Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish "
    "Hardmax LeakyRelu Log LogSoftmax LpNormalization Mish Neg Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin "
    "Sinh Softmax Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu"
)
ARITHMETIC = "Add Div Mul Pow Sub"
COMPARISON = "Equal Greater GreaterOrEqual Less LessOrEqual"
LOGIC = "And Or Xor"
BITS = "BitwiseAnd BitwiseOr BitwiseXor"
VARIADIC = "Max Mean Min Sum"


def _versions(names: str, since: int = 1, before: int = 1000) -> list[tuple[str, int]]:
    """Every version of the operators that is in force somewhere between two opsets."""
    schemas = onnx.defs.get_all_schemas_with_history()
    chosen = {(s.name, s.since_version) for s in schemas if not s.domain and s.name in names.split()}
    return sorted((name, version) for name, version in chosen if since <= version < before)


@each(_versions(UNARY), name="{0[0]} {0[1]}".format)
def test_a_function_of_one_tensor_keeps_its_shape(operator: str, version: int) -> None:
    assert infer(operator, "f32[N, 3, 4]", version=version) == "f32[N, 3, 4]"
    assert infer(operator, "f32[...]", version=version) == "f32[...]"
    assert infer(operator, "f32[0, N]", version=version) == "f32[0, N]"


def test_an_unknown_type_stays_unknown_unless_there_is_but_one() -> None:
    assert infer("Relu", "?[N]") == "?[N]"
    assert infer("Celu", "?[N]", version=12) == "f32[N]"


@pytest.mark.parametrize(("operator", "version"), _versions("IsNaN IsInf"))
def test_a_question_of_each_number_is_answered_in_its_shape(operator: str, version: int) -> None:
    assert infer(operator, "f32[N, 3]", version=version) == "bool[N, 3]"
    assert infer(operator, "?[...]", version=version) == "bool[...]"


def test_not_and_bitwise_not_keep_shape_and_type() -> None:
    assert infer("Not", "bool[N]") == "bool[N]"
    assert infer("BitwiseNot", "i32[N]") == "i32[N]"
    assert fault("Not", "f32[N]") == "element-type-not-allowed"


# Both ways: the examples of ONNX's "Multidirectional Broadcasting", and as little as may be known.

BOTH_WAYS = [
    ("[2, 3, 4, 5]", "[]", "[2, 3, 4, 5]"),
    ("[2, 3, 4, 5]", "[5]", "[2, 3, 4, 5]"),
    ("[4, 5]", "[2, 3, 4, 5]", "[2, 3, 4, 5]"),
    ("[1, 4, 5]", "[2, 3, 1, 1]", "[2, 3, 4, 5]"),
    ("[3, 4, 5]", "[2, 1, 1, 1]", "[2, 3, 4, 5]"),
    ("[0, 3]", "[1, 3]", "[0, 3]"),
    ("[]", "[]", "[]"),
    ("[N, 1]", "[1, M]", "[N, M]"),
    ("[N, 3]", "[N, 3]", "[N, 3]"),
    ("[N]", "[7]", "[7]"),
    ("[N, 4]", "[M, 4]", "[broadcast(M, N), 4]"),
    ("[N + 1]", "[1]", "[N + 1]"),
    ("[...]", "[3]", "[...]"),
]


@pytest.mark.parametrize(("a", "b", "out"), BOTH_WAYS)
def test_shapes_broadcast_both_ways(a: str, b: str, out: str) -> None:
    assert infer("Add", f"f32{a}", f"f32{b}") == f"f32{out}"
    assert infer("Add", f"f32{b}", f"f32{a}") == f"f32{out}"


@pytest.mark.parametrize(
    ("a", "b", "asked"),
    [
        ("[N]", "[7]", ["not-broadcastable: N == 7 or N == 1"]),
        ("[N]", "[M]", ["not-broadcastable: N == M or N == 1 or M == 1"]),
        ("[N]", "[N]", []),
        ("[N]", "[1]", []),
        ("[N + 2]", "[4]", ["not-broadcastable: N + 2 == 4"]),
    ],
)
def test_what_two_shapes_need_to_broadcast(a: str, b: str, asked: list[str]) -> None:
    assert asks("Add", f"f32{a}", f"f32{b}") == asked


@pytest.mark.parametrize(("operator", "version"), _versions(ARITHMETIC + " Mod", since=7))
def test_arithmetic_broadcasts_from_opset_7(operator: str, version: int) -> None:
    attributes: dict[str, Any] = {"fmod": 1} if operator == "Mod" else {}
    assert infer(operator, "f32[N, 1, 5]", "f32[4, 1]", version=version, **attributes) == "f32[N, 4, 5]"
    assert fault(operator, "f32[2, 3]", "f32[2, 4]", version=version, **attributes) == "not-broadcastable"


@pytest.mark.parametrize(("operator", "version"), _versions(COMPARISON, since=9) + _versions(LOGIC, since=7))
def test_comparison_and_logic_broadcast_and_give_truth(operator: str, version: int) -> None:
    kind = "bool" if operator in LOGIC else "i64" if version < 11 else "f32"
    assert infer(operator, f"{kind}[N, 1, 5]", f"{kind}[4, 1]", version=version) == "bool[N, 4, 5]"
    assert fault(operator, f"{kind}[2]", f"{kind}[3]", version=version) == "not-broadcastable"


@pytest.mark.parametrize(("operator", "version"), _versions(BITS + " BitShift"))
def test_operations_on_bits_broadcast(operator: str, version: int) -> None:
    attributes: dict[str, Any] = {"direction": "LEFT"} if operator == "BitShift" else {}
    assert infer(operator, "u32[N, 1]", "u32[4]", version=version, **attributes) == "u32[N, 4]"


@pytest.mark.parametrize(("operator", "version"), _versions(VARIADIC, since=8))
def test_any_number_of_tensors_broadcast_from_opset_8(operator: str, version: int) -> None:
    assert infer(operator, "f32[N]", version=version) == "f32[N]"
    assert infer(operator, "f32[N, 1]", "f32[1, 1]", "f32[5]", "f32[]", version=version) == "f32[N, 5]"
    assert infer(operator, "f32[N]", "f32[...]", version=version) == "f32[...]"
    assert fault(operator, "f32[2, 3]", "f32[1, 3]", "f32[5]", version=version) == "not-broadcastable"


@pytest.mark.parametrize(("operator", "version"), _versions(VARIADIC, before=8))
def test_any_number_of_tensors_share_one_shape_before_opset_8(operator: str, version: int) -> None:
    assert infer(operator, "f32[N, 3]", version=version) == "f32[N, 3]"
    assert infer(operator, "f32[N, 3]", "f32[2, M]", "f32[2, 3]", version=version) == "f32[2, 3]"
    assert fault(operator, "f32[2, 3]", "f32[1, 3]", version=version) == "dim-mismatch"
    assert fault(operator, "f32[2, 3]", "f32[3]", version=version) == "rank-mismatch"


@pytest.mark.parametrize("version", [9, 16])
def test_where_broadcasts_the_condition_too(version: int) -> None:
    assert infer("Where", "bool[N, 1, 1]", "f32[4, 1]", "f32[5]", version=version) == "f32[N, 4, 5]"
    assert fault("Where", "bool[2]", "f32[3]", "f32[]", version=version) == "not-broadcastable"


def test_a_power_has_the_type_of_its_base() -> None:
    assert infer("Pow", "f32[N]", "i64[1]") == "f32[N]"
    assert fault("Pow", "f32[N]", "i64[1]", version=7) == "element-type-not-allowed"


# Along an axis: the first form of broadcasting, until opset 6.

ALONG = [
    ("[]", None),
    ("[1, 1]", None),
    ("[5]", None),
    ("[4, 5]", None),
    ("[3, 4]", 1),
    ("[2]", 0),
]


@pytest.mark.parametrize(("b", "axis"), ALONG)
@pytest.mark.parametrize(("operator", "version"), _versions("Add Div Mul Sub", before=7))
def test_with_broadcast_the_second_lies_along_the_first(operator: str, version: int, b: str, axis: int | None) -> None:
    attributes: dict[str, Any] = {"broadcast": 1} | ({} if axis is None else {"axis": axis})
    assert infer(operator, "f32[2, 3, 4, 5]", f"f32{b}", version=version, **attributes) == "f32[2, 3, 4, 5]"


@pytest.mark.parametrize(("operator", "version"), _versions("Pow Equal Greater Less And Or Xor", before=7))
def test_comparison_logic_and_powers_lie_along_the_first_too(operator: str, version: int) -> None:
    given = {"Equal": "i32", "And": "bool", "Or": "bool", "Xor": "bool"}.get(operator, "f32")
    made = "f32" if operator == "Pow" else "bool"
    call = (operator, f"{given}[N, 3, 4]", f"{given}[3]")
    assert infer(*call, version=version, broadcast=1, axis=1) == f"{made}[N, 3, 4]"
    assert fault(*call, version=version) == "rank-mismatch"


@pytest.mark.parametrize(
    ("b", "attributes", "code"),
    [
        ("[2, 3, 4]", {}, "rank-mismatch"),
        ("[2, 4]", {}, "dim-mismatch"),
        ("[2]", {"broadcast": 1}, "not-broadcastable"),
        ("[3]", {"broadcast": 1, "axis": 0}, "not-broadcastable"),
        ("[2, 3]", {"broadcast": 1, "axis": 1}, "rank-mismatch"),
    ],
)
def test_what_does_not_lie_along_the_first(b: str, attributes: dict[str, Any], code: str) -> None:
    assert fault("Add", "f32[2, 3]", f"f32{b}", version=6, **attributes) == code


# Axes, slopes, bounds


@pytest.mark.parametrize(("operator", "version"), _versions("Softmax LogSoftmax Hardmax LpNormalization"))
def test_an_axis_must_be_one_of_the_tensor(operator: str, version: int) -> None:
    assert infer(operator, "f32[N, 3]", axis=-2, version=version) == "f32[N, 3]"
    assert fault(operator, "f32[N, 3]", axis=2, version=version) == "axis-out-of-range"
    assert fault(operator, "f32[]", version=version) == "axis-out-of-range"


def test_the_default_axis_of_softmax_became_the_last_one() -> None:
    assert infer("Softmax", "f32[3]", version=13) == "f32[3]"
    assert fault("Softmax", "f32[3]", version=11) == "axis-out-of-range"


@pytest.mark.parametrize("version", [7, 9, 16])
def test_a_slope_is_broadcast_onto_the_tensor(version: int) -> None:
    assert infer("PRelu", "f32[N, 3, 4, 4]", "f32[3, 1, 1]", version=version) == "f32[N, 3, 4, 4]"
    assert infer("PRelu", "f32[N, 3]", "f32[...]", version=version) == "f32[N, 3]"
    assert fault("PRelu", "f32[1, 3, 4, 4]", "f32[5, 1, 1]", version=version) == "not-broadcastable"
    assert fault("PRelu", "f32[3]", "f32[1, 3]", version=version) == "rank-mismatch"


@pytest.mark.parametrize("version", [1, 6])
def test_a_slope_belonged_to_a_channel(version: int) -> None:
    assert infer("PRelu", "f32[N, 3, 4]", "f32[3]", version=version) == "f32[N, 3, 4]"
    assert infer("PRelu", "f32[N, 3, 4]", "f32[1]", version=version) == "f32[N, 3, 4]"
    assert fault("PRelu", "f32[N, 3, 4]", "f32[4]", version=version) == "dim-mismatch"


@pytest.mark.parametrize("version", [11, 12, 13])
def test_bounds_are_scalars(version: int) -> None:
    assert infer("Clip", "f32[N, 3]", "", "f32[]", version=version) == "f32[N, 3]"
    assert infer("Clip", "f32[N, 3]", "f32[1]", "f32[...]", version=version) == "f32[N, 3]"
    assert fault("Clip", "f32[N, 3]", "f32[3]", version=version) == "rank-mismatch"
    assert fault("Clip", "f32[N, 3]", "", "f32[1, 1]", version=version) == "rank-mismatch"


def test_swiglu_broadcasts_nothing() -> None:
    assert infer("SwiGLU", "f32[N, 3]", "f32[N, 3]") == "f32[N, 3]"
    assert fault("SwiGLU", "f32[2, 3]", "f32[1, 3]") == "dim-mismatch"


# Entries


@pytest.mark.parametrize(
    ("operator", "a", "b", "entries"),
    [
        ("Add", "N, 2, ?", "3", "N + 3, 5, ?"),
        ("Sub", "N, 2, M", "N, 5, 1", "0, -3, M - 1"),
        ("Mul", "N, 2, M", "2, 3, N", "2*N, 6, M*N"),
        ("Div", "N, 7, 4*M", "2, 2, 4", "N//2, 3, M"),
        ("Div", "-7, 7, N", "2, -2, ?", "-3, -3, ?"),
        ("Mod", "N, -7, 7", "4, 2, -2", "N - 4*(N//4), 1, -1"),
        ("Pow", "N, 2, 3", "2, 10, 0", "N**2, 1024, 1"),
        ("Pow", "N, 2, 3", "-1, 3, M", "?, 8, ?"),
        ("Max", "N, 2, -1", "1, 3, 0", "max(1, N), 3, 0"),
        ("Min", "N, 2, M", "100, 3, M", "min(100, N), 2, M"),
    ],
)
def test_integers_are_computed_exactly_or_not_at_all(operator: str, a: str, b: str, entries: str) -> None:
    size = 1 if "," not in b else 3
    assert infer(operator, f"i64[3]{{{a}}}", f"i64[{size}]{{{b}}}") == f"i64[3]{{{entries}}}"


def test_division_of_the_least_number_is_toward_zero_too() -> None:
    least = -(2**63)
    assert infer("Div", f"i64[2]{{{least}, {least}}}", "i64[2]{7, -7}") == (
        "i64[2]{-1317624576693539401, 1317624576693539401}"
    )
    assert infer("Div", f"i64[2]{{{least}, 8}}", "i64[2]{-1, 2}") == "i64[2]{?, 4}"


def test_powers_are_followed_as_far_as_doubles_hold_them() -> None:
    assert infer("Pow", "i64[2]{10, -3}", "i64[2]{15, 33}") == "i64[2]{1000000000000000, -5559060566555523}"
    assert infer("Pow", "i64[2]{10, 2}", "i64[2]{20, 2}") == "i64[2]{?, 4}"
    assert infer("Pow", "i32[2]{2, 2}", "i64[2]{31, 2}") == "i32[2]{?, 4}"


def test_of_roots_those_are_followed_that_are_whole_numbers() -> None:
    assert infer("Pow", "f32[2]{16, 196}", "f32[]{0.5}") == "f32[2]{4.0, 14.0}"
    assert infer("Pow", "f32[]{2}", "f32[]{0.5}") == "f32[]"
    assert infer("Pow", "f32[]{-4}", "f32[]{0.5}") == "f32[]"


@pytest.mark.parametrize(
    ("operator", "a", "b", "entries"),
    [
        ("Equal", "N, 2, N + 1", "N, 3, N", "True, False, False"),
        ("Less", "N, 2, -1", "M, 3, N", "?, True, True"),
        ("LessOrEqual", "0, N, N", "N, N, 5", "True, True, ?"),
        ("Greater", "N + 1, N, 1", "N, -1, 1", "True, True, False"),
        ("GreaterOrEqual", "N, N, 0", "0, N + 1, 1", "True, False, False"),
    ],
)
def test_comparisons_are_answered_where_every_binding_agrees(operator: str, a: str, b: str, entries: str) -> None:
    assert infer(operator, f"i64[3]{{{a}}}", f"i64[3]{{{b}}}") == f"bool[3]{{{entries}}}"


@pytest.mark.parametrize(
    ("operator", "entries"),
    [
        ("And", "True, False, False, ?"),
        ("Or", "True, True, ?, True"),
        ("Xor", "False, True, ?, ?"),
    ],
)
def test_logic_may_not_need_both_sides(operator: str, entries: str) -> None:
    made = infer(operator, "bool[4]{True, False, False, True}", "bool[4]{True, True, ?, ?}")
    assert made == f"bool[4]{{{entries}}}"


@pytest.mark.parametrize(
    ("operator", "given", "entries"),
    [
        ("Abs", "i64[4]{N, -3, 2, -N}", "i64[4]{N, 3, 2, N}"),
        ("Neg", "i64[2]{N, -3}", "i64[2]{-N, 3}"),
        ("Sign", "i64[4]{N + 1, -3, 0, N}", "i64[4]{1, -1, 0, ?}"),
        ("Relu", "i64[3]{N, -3, N - 4}", "i64[3]{N, 0, max(0, N - 4)}"),
        ("Not", "bool[3]{True, False, ?}", "bool[3]{False, True, ?}"),
        ("BitwiseNot", "i64[1]{5}", "i64[1]{-6}"),
        ("Floor", "f32[2]{1.5, -1.5}", "f32[2]{1.0, -2.0}"),
        ("Ceil", "f32[2]{1.5, -1.5}", "f32[2]{2.0, -1.0}"),
        ("Round", "f32[3]{0.5, 1.5, 2.5}", "f32[3]{0.0, 2.0, 2.0}"),
        ("Sqrt", "f32[2]{9.0, 0.25}", "f32[2]{3.0, 0.5}"),
        ("Reciprocal", "f32[2]{4.0, 0.5}", "f32[2]{0.25, 2.0}"),
        ("IsNaN", "f32[2]{1.0, N}", "bool[2]{False, False}"),
        ("IsInf", "f32[2]{1.0, N}", "bool[2]{False, False}"),
    ],
)
def test_entries_of_functions_of_one_number(operator: str, given: str, entries: str) -> None:
    assert infer(operator, given) == entries


def test_halves_of_lengths_are_exact_and_other_fractions_round() -> None:
    half = "f32[]{0.5}"
    assert infer("Mul", "f32[1]{N}", half) == "f32[1]{(N)/2}"
    assert infer("Mul", "f32[1]{2*N}", half) == "f32[1]{N}"
    assert infer("Mul", "f32[1]{N}", "f32[]{0.1}") == "f32[1]{f32(f32(0.1)*N)}"
    assert infer("Mul", "f64[1]{N}", "f64[]{0.1}") == "f64[1]{f64(f64(0.1)*N)}"
    assert infer("Div", "f32[1]{N}", "f32[]{4.0}") == "f32[1]{(N)/4}"
    assert infer("Div", "f32[1]{N}", "f32[]{3.0}") == "f32[1]{f32(N/3)}"


def test_where_picks_entries() -> None:
    condition = "bool[4]{True, False, ?, ?}"
    assert infer("Where", condition, "i64[4]{N, 1, 7, N}", "i64[4]{2, M, 7, 1}") == "i64[4]{N, M, 7, ?}"


@pytest.mark.parametrize(
    ("low", "high", "entries"),
    [
        ("i64[]{0}", "i64[]{9}", "min(9, N), 0, 9"),
        ("", "i64[]{9}", "min(9, N), -3, 9"),
        ("i64[]{1}", "", "max(1, N), 1, 12"),
        ("", "", "N, -3, 12"),
        ("i64[]{5}", "i64[]{1}", "1, 1, 1"),
    ],
)
def test_clip_is_a_maximum_and_a_minimum(low: str, high: str, entries: str) -> None:
    assert infer("Clip", "i64[3]{N, -3, 12}", low, high) == f"i64[3]{{{entries}}}"


def test_clip_had_its_bounds_as_attributes() -> None:
    assert infer("Clip", "f32[2]{N, -3.0}", min=0.0, max=4.0, version=6) == "f32[2]{min(4, N), 0.0}"
    assert infer("Clip", "f32[2]{N, -3.0}", version=6) == "f32[2]{N, -3.0}"


def test_a_sum_of_one_tensor_is_that_tensor() -> None:
    for operator in ("Sum", "Max", "Min"):
        assert infer(operator, "f32[2]{N, 1.0}") == "f32[2]{N, 1.0}"
    assert infer("Sum", "f32[1]{N}", "f32[1]{2.0}", "f32[]{M}") == "f32[1]{M + N + 2}"


def test_the_sign_of_a_remainder() -> None:
    assert infer("Mod", "i64[2]{-7, 7}", "i64[2]{2, -2}") == "i64[2]{1, -1}"
    assert infer("Mod", "i64[2]{-7, 7}", "i64[2]{2, -2}", fmod=1) == "i64[2]{-1, 1}"
    assert infer("Mod", "i64[2]{N, N - 9}", "i64[1]{4}", fmod=1) == "i64[2]{N - 4*(N//4), ?}"
    assert infer("Mod", "i64[3]{-1, N, N - 1}", "i64[3]{N, N, 4}") == "i64[3]{N - 1, 0, N - 4*((N + 3)//4) + 3}"
    assert infer("Mod", "i64[2]{-1, N}", "i64[2]{N, N - 1}") == "i64[2]{N - 1, ?}"


def test_bits_shift_within_the_type() -> None:
    assert infer("BitShift", "u32[2]{5, N}", "u32[1]{2}", direction="LEFT") == "u32[2]{20, 4*N}"
    assert infer("BitShift", "u32[2]{5, N}", "u32[1]{1}", direction="RIGHT") == "u32[2]{2, N//2}"
    assert infer("BitShift", "u32[1]{5}", "u32[1]{32}", direction="LEFT") == "u32[1]"
    assert infer("BitwiseAnd", "i64[1]{6}", "i64[1]{3}") == "i64[1]{2}"


def test_narrow_types_are_followed_as_numbers_only() -> None:
    assert infer("Add", "u8[1]{255}", "u8[1]{1}") == "u8[1]{0}"
    assert infer("Add", "u8[1]{N}", "u8[1]{1}") == "u8[1]"


# Runs

SIZES = [{"N": 0, "M": 1}, {"N": 1, "M": 1}, {"N": 3, "M": 2}]


@pytest.mark.parametrize(
    ("operator", "inputs"),
    [
        ("Add", ["f32[N, 1, 4]", "f32[M, 1]"]),
        ("Where", ["bool[N, 1]", "f32[M]", "f32[1, 1]"]),
        ("Max", ["f32[N, 1]", "f32[M]", "f32[]"]),
        ("Mean", ["f32[N, M]"]),
        ("PRelu", ["f32[N, M, 2]", "f32[M, 1]"]),
        ("Clip", ["f32[N, M]", "f32[]", "f32[]"]),
        ("Equal", ["i64[N]", "i64[1]"]),
        ("Pow", ["f32[N, 1]", "i64[M]"]),
        ("Gelu", ["f32[N, M]"]),
        ("Softmax", ["f32[N, M]"]),
        ("BitwiseXor", ["i32[N, 1]", "i32[M]"]),
    ],
)
def test_it_agrees_with_a_run(operator: str, inputs: list[str]) -> None:
    agrees_with_a_run(operator, *inputs, bindings=SIZES)


# By 0 no integer is divided: a runtime stops there, or ends the process.


@pytest.mark.parametrize("operator", ["Div", "Mod"])
@pytest.mark.parametrize(
    ("a", "b", "asked"),
    [
        ("i64[1]{12}", "i64[1]{N}", ["N >= 1"]),
        ("i64[]{M}", "i64[]{N}", ["N >= 1"]),
        ("i64[2]{M, N}", "i64[2]{2, N + 1}", []),
        ("i64[2]{M, 5}", "i64[2]{N, 4*M}", ["4*M >= 1", "N >= 1"]),
        ("i64[1]{7}", "i64[1]{N - 3}", ["N - 3 >= 1 or N - 3 <= -1"]),
        ("i64[K]", "i64[1]{N}", ["N >= 1 or K == 0"]),
        ("i64[0]", "i64[1]{N}", []),
        ("i64[2]", "i64[2]{?, 0}", None),
    ],
)
def test_integers_ask_that_nothing_is_divided_by_zero(operator: str, a: str, b: str, asked: list[str] | None) -> None:
    if asked is None:
        assert fault(operator, a, b) == "division-by-zero"
    else:
        assert asks(operator, a, b) == [f"division-by-zero: {condition}" for condition in asked]


def test_floats_divided_by_what_may_be_zero_are_not_reduced() -> None:
    assert infer("Div", "f32[1]{4*N}", "f32[1]{N}") == "f32[1]{f32((4*N)/N)}"
    assert infer("Div", "f32[1]{4*N + 4}", "f32[1]{N + 1}") == "f32[1]{4.0}"
    assert infer("Mod", "f32[1]{N}", "f32[1]{N}", fmod=1) == "f32[1]"
    assert asks("Div", "f32[1]{4*N}", "f32[1]{N}") == []
