"""Bags of embeddings are sums or means of rows of a table."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES = [{"N": 0, "B": 1, "D": 2}, {"N": 4, "B": 3, "D": 0}]
BY_OFFSET = ("f32[5, D, 3]", "i64[N]", "i64[B]")


@pytest.mark.parametrize(
    ("op", "version", "inputs", "attributes", "output"),
    [
        ("EmbeddingBagOffsetsSum", 3, BY_OFFSET, {}, "f32[B, D, 3]"),
        ("EmbeddingBagOffsetsSum", 3, (*BY_OFFSET, "i64[]{0}", "f32[N]"), {}, "f32[B, D, 3]"),
        ("EmbeddingBagOffsets", 15, BY_OFFSET, {"reduction": "MEAN"}, "f32[B, D, 3]"),
        ("EmbeddingBagPackedSum", 3, ("f32[5]", "i32[B, N]", "f32[B, N]"), {}, "f32[B]"),
        ("EmbeddingBagPacked", 15, ("f32[5, D]", "i32[B, N]"), {"reduction": "mean"}, "f32[B, D]"),
        ("EmbeddingSegmentsSum", 3, ("f32[5, D]", "i64[N]", "i64[N]", "i64[]{B}"), {}, "f32[B, D]"),
        (
            "EmbeddingSegmentsSum",
            3,
            ("f32[5, D]", "i64[N]", "i64[N]", "i64[]{7}", "i64[]{0}", "f32[N]"),
            {},
            "f32[7, D]",
        ),
    ],
)
def test_each_bag_is_a_row(
    op: str, version: int, inputs: tuple[str, ...], attributes: dict[str, Any], output: str
) -> None:
    assert infer(op, *inputs, version=version, **attributes) == output
    agrees_with_openvino(op, *inputs, version=version, bindings=SIZES, **attributes)


def test_a_number_of_segments_that_is_unknown() -> None:
    assert outline("EmbeddingSegmentsSum", "f32[5, D]", "i64[N]", "i64[N]", "i64[]", version=3) == "f32[?, D]"


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "code"),
    [
        ("EmbeddingBagOffsets", (*BY_OFFSET, "i64[]", "f32[N]"), {"reduction": "mean"}, "invalid-attribute"),
        ("EmbeddingBagOffsets", BY_OFFSET, {"reduction": "max"}, "invalid-attribute"),
        ("EmbeddingBagOffsets", ("f32[5]", "i64[4]", "i32[3]"), {}, "element-type-mismatch"),
        ("EmbeddingBagOffsets", ("f32[]", "i64[4]", "i64[3]"), {}, "rank-mismatch"),
        ("EmbeddingBagOffsets", ("f32[5]", "i64[4]", "i64[3]", "i64[1]"), {}, "rank-mismatch"),
        ("EmbeddingBagOffsets", ("f32[5]", "i64[4]", "i64[3]", "i64[]", "f32[3]"), {}, "dim-mismatch"),
        ("EmbeddingBagPacked", ("f32[5]", "i64[3, 2]", "f32[3, 1]"), {}, "dim-mismatch"),
        ("EmbeddingSegmentsSum", ("f32[5]", "i64[4]", "i64[3]", "i64[]"), {}, "dim-mismatch"),
        ("EmbeddingSegmentsSum", ("f32[5]", "i64[4]", "i64[4]", "i64[]{-1}"), {}, "negative-length"),
        ("EmbeddingSegmentsSum", ("f32[5]", "i64[4]", "i64[4]", "i64[1]"), {}, "rank-mismatch"),
    ],
)
def test_what_does_not_fit(op: str, inputs: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert fault(op, *inputs, version=15, **attributes) == code
