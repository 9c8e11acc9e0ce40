"""ConvertPromoteTypes gives two tensors one element type."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, infer

TYPES = "bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64"


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [
        ("i8", "f32", "f32"),
        ("i32", "u8", "i32"),
        ("f16", "i64", "f16"),
        ("i8", "u8", "i16"),
        ("i16", "u32", "i64"),
        ("f16", "bf16", "f32"),
        ("u64", "i8", "f32"),
        ("bool", "u8", "u8"),
        ("u8", "u64", "u64"),
        ("?", "f32", "?"),
    ],
)
def test_the_narrowest_type_that_holds_both(a: str, b: str, common: str) -> None:
    made = infer("ConvertPromoteTypes", f"{a}[N]", f"{b}[2, M]", version=14, outputs=2)
    assert made == [f"{common}[N]", f"{common}[2, M]"]


def test_there_is_a_type_for_what_64_bits_do_not_hold() -> None:
    target = {"u64_integer_promotion_target": "f64"}
    assert infer("ConvertPromoteTypes", "i64[]", "u64[]", version=14, outputs=2, **target) == ["f64[]", "f64[]"]


@pytest.mark.parametrize(
    ("a", "b", "output"),
    [
        ("i64[]", "u8[2]", ["u8[]", "u8[2]"]),
        ("f16[2]", "f64[]", ["f16[2]", "f16[]"]),
        ("f16[]", "i8[2]", ["f16[]", "f16[2]"]),
        ("i64[]", "i8[]", ["i64[]", "i64[]"]),
        ("i64[...]", "i8[2]", ["?[...]", "?[2]"]),
    ],
)
def test_what_has_axes_may_decide(a: str, b: str, output: list[str]) -> None:
    made = infer("ConvertPromoteTypes", a, b, version=14, outputs=2, pytorch_scalar_promotion=True)
    assert made == output


def test_promotion_agrees_with_openvino() -> None:
    for a, b in combinations_with_replacement(TYPES.split(), 2):
        how: dict[str, Any] = {"promote_unsafe": True, "outputs": 2}
        agrees_with_openvino("ConvertPromoteTypes", f"{a}[N]", f"{b}[2]", version=14, bindings=[{"N": 0}], **how)
        scalar = {**how, "pytorch_scalar_promotion": True}
        agrees_with_openvino("ConvertPromoteTypes", f"{a}[]", f"{b}[N]", version=14, bindings=[{"N": 1}], **scalar)
