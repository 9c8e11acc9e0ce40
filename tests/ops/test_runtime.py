"""SimplifiedLayerNormalization, which only onnxruntime has: shapes stay, deviations lose the normalized axes."""

from __future__ import annotations

import pytest

from tests.ops.spec import fault, infer

OPERATOR = "SimplifiedLayerNormalization"


@pytest.mark.parametrize(
    ("x", "scale", "axis", "deviations"),
    [
        ("[B, S, 64]", "[64]", -1, "[B, S, 1]"),
        ("[B, S, 64]", "[S, 64]", 1, "[B, 1, 1]"),
        ("[B, S, 64]", "[1]", 2, "[B, S, 1]"),
        ("[B, S, 64]", "[...]", -1, "[B, S, 1]"),
    ],
)
def test_it_keeps_the_shape(x: str, scale: str, axis: int, deviations: str) -> None:
    assert infer(OPERATOR, f"f32{x}", f"f32{scale}", axis=axis, outputs=2) == [f"f32{x}", f"f32{deviations}"]


def test_an_unknown_rank_stays_unknown() -> None:
    assert infer(OPERATOR, "f32[...]", "f32[64]") == "f32[...]"


def test_it_has_the_type_of_the_scale() -> None:
    assert infer(OPERATOR, "f16[2, 4]", "f32[4]") == "f32[2, 4]"
    assert infer(OPERATOR, "f16[2, 4]", "f16[4]", outputs=2) == ["f16[2, 4]", "f32[2, 1]"]


def test_what_does_not_fit() -> None:
    assert fault(OPERATOR, "f32[2, 3, 4]", "f32[3]") == "not-broadcastable"
    assert fault(OPERATOR, "f32[2, 3, 4]", "f32[4]", axis=3) == "axis-out-of-range"
