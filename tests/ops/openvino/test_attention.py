"""Attention weighs values by how keys meet queries."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer

OP = "ScaledDotProductAttention"
Q, K, V = "f32[N, 8, L, 16]", "f32[N, 8, S, 16]", "f32[N, 8, S, 24]"
SIZES = [{"N": 1, "L": 5, "S": 7}, {"N": 2, "L": 1, "S": 0}]


@pytest.mark.parametrize(
    ("inputs", "output"),
    [
        ((Q, K, V), "f32[N, 8, L, 24]"),
        ((Q, "f32[1, 8, S, 16]", "f32[8, S, 24]"), "f32[N, 8, L, 24]"),
        ((Q, K, V, "f32[N, 1, L, S]"), "f32[N, 8, L, 24]"),
        ((Q, K, V, "bool[1, S]"), "f32[N, 8, L, 24]"),
        ((Q, K, V, "f32[]", "f32[1]"), "f32[N, 8, L, 24]"),
        (("f32[8, L, 16]", "f32[8, S, 16]", "f32[8, S, 24]", "f32[N, 8, L, S]"), "f32[N, 8, L, 24]"),
    ],
)
def test_the_axes_before_the_last_two_broadcast(inputs: tuple[str, ...], output: str) -> None:
    assert infer(OP, *inputs, version=13, causal=False) == output
    agrees_with_openvino(OP, *inputs, version=13, bindings=SIZES, causal=False)


def test_a_causal_attention_does_not_read_its_mask() -> None:
    assert infer(OP, Q, K, V, "f32[3, 3, 3, 3]", version=13, causal=True) == "f32[N, 8, L, 24]"
    agrees_with_openvino(OP, Q, K, V, "f32[3, 3, 3, 3]", version=13, bindings=SIZES, causal=True)


def test_nothing_is_known_without_ranks() -> None:
    assert infer(OP, "f32[...]", K, V, version=13, causal=False) == "f32[...]"


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        (("f32[5, 16]", "f32[7, 16]", "f32[7, 24]"), "rank-mismatch"),
        (("f32[8, 5, 15]", "f32[8, 7, 16]", "f32[8, 7, 24]"), "inner-dim-mismatch"),
        (("f32[8, 5, 16]", "f32[8, 7, 16]", "f32[8, 9, 24]"), "inner-dim-mismatch"),
        (("f32[8, 5, 16]", "f32[2, 7, 16]", "f32[8, 7, 24]"), "not-broadcastable"),
        (("f32[8, 5, 16]", "f32[8, 7, 16]", "f32[8, 7, 24]", "f32[8, 4, 7]"), "not-broadcastable"),
        (("f32[8, 5, 16]", "f32[8, 7, 16]", "f32[8, 7, 24]", "f32[7]"), "rank-mismatch"),
        (("f32[8, 5, 16]", "f32[8, 7, 16]", "f32[8, 7, 24]", "f32[5, 7]", "f32[2]"), "length-mismatch"),
        (("f32[8, 5, 16]", "f32[8, 7, 16]", "f32[8, 7, 24]", "f32[5, 7]", "f32[1, 1]"), "rank-mismatch"),
        (("i32[8, 5, 16]", "i32[8, 7, 16]", "i32[8, 7, 24]"), "element-type-not-allowed"),
    ],
)
def test_what_does_not_fit(inputs: tuple[str, ...], code: str) -> None:
    given: dict[str, Any] = {"causal": "false"}
    assert fault(OP, *inputs, version=13, **given) == code
