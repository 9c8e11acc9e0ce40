"""Element-wise operators keep or broadcast shapes, as ``auto_broadcast`` says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

AXIS = "auto_broadcast.auto_broadcast_axis"


@pytest.mark.parametrize(
    ("a", "b", "attributes", "output"),
    [
        ("f32[2, N, 4]", "f32[4]", {}, "f32[2, N, 4]"),
        ("f32[N, 1]", "f32[1, M]", {"auto_broadcast": "numpy"}, "f32[N, M]"),
        ("f32[N, M]", "f32[N, M]", {"auto_broadcast": "none"}, "f32[N, M]"),
        ("f32[...]", "f32[N, M]", {"auto_broadcast": "none"}, "f32[N, M]"),
        ("f32[...]", "f32[N, M]", {"auto_broadcast": "numpy"}, "f32[...]"),
        ("f32[2, 3, 4, 5]", "f32[3, 4]", {"auto_broadcast": "pdpd", AXIS: 1}, "f32[2, 3, 4, 5]"),
        ("f32[2, 3, 4]", "f32[3, 4]", {"auto_broadcast": "pdpd", AXIS: "-1"}, "f32[2, 3, 4]"),
        ("f32[2, 3]", "f32[2]", {"auto_broadcast": "pdpd"}, "f32[2, 3]"),
        ("f32[2, N]", "f32[3, 1, 1]", {"auto_broadcast": "PDPD", AXIS: 1}, "f32[2, 3]"),
        ("?[N]", "f16[N]", {}, "f16[N]"),
    ],
)
def test_two_operands_are_broadcast(a: str, b: str, attributes: dict[str, Any], output: str) -> None:
    assert infer("Add", a, b, **attributes) == output


@pytest.mark.parametrize(
    ("op", "a", "b", "attributes", "code"),
    [
        ("Add", "f32[2]", "f32[3]", {}, "not-broadcastable"),
        ("Add", "f32[2]", "f32[3]", {"auto_broadcast": "none"}, "dim-mismatch"),
        ("Add", "f32[2, 1]", "f32[1]", {"auto_broadcast": "none"}, "rank-mismatch"),
        ("Add", "f32[2, 3]", "f32[2]", {"auto_broadcast": "pdpd", AXIS: 1}, "not-broadcastable"),
        ("Add", "f32[2, 3]", "f32[3, 2]", {"auto_broadcast": "pdpd", AXIS: 1}, "rank-mismatch"),
        ("Add", "f32[2]", "f32[2]", {"auto_broadcast": "both"}, "invalid-attribute"),
        ("Add", "f32[2]", "f32[2]", {AXIS: "first"}, "attribute-type"),
        ("Add", "f32[2]", "i64[2]", {}, "element-type-mismatch"),
        ("Add", "bool[2]", "bool[2]", {}, "element-type-not-allowed"),
        ("Multiply", "str[2]", "str[2]", {}, "element-type-not-allowed"),
        ("LogicalAnd", "f32[2]", "f32[2]", {}, "element-type-not-allowed"),
        ("BitwiseAnd", "f32[2]", "f32[2]", {}, "element-type-not-allowed"),
    ],
)
def test_what_cannot_be_broadcast(op: str, a: str, b: str, attributes: dict[str, Any], code: str) -> None:
    assert fault(op, a, b, **attributes) == code


def test_comparisons_give_truths_of_any_type() -> None:
    assert infer("Equal", "str[N]", "str[1]") == "bool[N]"
    assert infer("LogicalXor", "bool[N, 1]", "bool[2]") == "bool[N, 2]"


@pytest.mark.parametrize(
    ("op", "a", "b", "output"),
    [
        ("Subtract", "i64[1]{N}", "i64[]{1}", "i64[1]{N - 1}"),
        ("Divide", "i64[1]{N}", "i64[]{2}", "i64[1]{N//2}"),
        ("Divide", "i64[1]{-7}", "i64[]{2}", "i64[1]{-4}"),
        ("Mod", "i64[2]{-7, 7}", "i64[]{2}", "i64[2]{-1, 1}"),
        ("FloorMod", "i64[2]{-7, 7}", "i64[]{2}", "i64[2]{1, 1}"),
        ("NotEqual", "i64[2]{N, N}", "i64[2]{N, -1}", "bool[2]{False, True}"),
        ("SquaredDifference", "i64[1]{7}", "i64[]{2}", "i64[1]{25}"),
        ("Maximum", "i64[1]{N}", "i64[]{-1}", "i64[1]{N}"),
    ],
)
def test_known_entries_are_followed(op: str, a: str, b: str, output: str) -> None:
    assert infer(op, a, b) == output


def test_division_of_integers_may_round_toward_zero() -> None:
    assert infer("Divide", "i64[1]{-7}", "i64[]{2}", m_pythondiv="false") == "i64[1]{-3}"


def test_entries_laid_along_an_axis_are_not_followed() -> None:
    assert outline("Add", "i64[2]{1, 2}", "i64[1]{1}", auto_broadcast="pdpd") == "i64[2]"


@pytest.mark.parametrize("op", ["Add", "Less", "Power"])
def test_what_is_broadcast_agrees_with_openvino(op: str) -> None:
    sizes = [{"N": 0, "M": 1}, {"N": 1, "M": 4}, {"N": 3, "M": 2}]
    agrees_with_openvino(op, "f32[N, 1]", "f32[1, M]", version=1, bindings=sizes)
    mode: dict[str, Any] = {"auto_broadcast": "pdpd", AXIS: 1}
    agrees_with_openvino(op, "f32[2, N, M]", "f32[N]", version=1, bindings=sizes, **mode)


@pytest.mark.parametrize("operator", ["Divide", "FloorMod", "Mod"])
def test_integers_divided_by_what_may_be_zero_are_not_known(operator: str) -> None:
    """OpenVINO goes on with what the machine makes of it: on a processor of Intel's the least integer."""
    assert infer(operator, "i64[1]{N}", "i64[1]{M}") == "i64[1]"
    assert infer(operator, "i64[1]{N}", "i64[1]{0}") == "i64[1]"
    assert infer(operator, "i64[1]{N}", "i64[1]{M + 1}") != "i64[1]"
