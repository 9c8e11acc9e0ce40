"""Non-maximum suppression keeps the best of boxes that overlap."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer, outline

SIZES = [{"N": 1, "B": 10, "C": 1, "M": 3}, {"N": 2, "B": 4, "C": 5, "M": 0}]
BOXES = ("f32[N, B, 4]", "f32[N, C, B]")
LIMITS = ("i64[]{3}", "f32[]{0.5}", "f32[]{0.5}")


@pytest.mark.parametrize(("version", "rows"), [(1, "min(3*C, B)"), (3, "min(3*C, B)"), (4, "C*N*min(3, B)")])
def test_up_to_version_4_there_are_as_many_rows_as_may_be_kept(version: int, rows: str) -> None:
    given: dict[str, Any] = {} if version == 1 else {"output_type": "i32"}
    made = infer("NonMaxSuppression", *BOXES, *LIMITS, version=version, **given)
    assert made == f"{'i32' if given else 'i64'}[{rows}, 3]"
    agrees_with_openvino("NonMaxSuppression", *BOXES, *LIMITS, version=version, bindings=SIZES, **given)


def test_without_a_limit_nothing_is_kept() -> None:
    assert infer("NonMaxSuppression", "f32[2, 10, 4]", "f32[2, 5, 10]", version=1) == "i64[0, 3]"
    assert outline("NonMaxSuppression", "f32[2, 10, 4]", "f32[2, 5, 10]", "i64[]", version=1) == "i64[min(10, 5*?), 3]"
    agrees_with_openvino("NonMaxSuppression", *BOXES, version=1, bindings=SIZES)


@pytest.mark.parametrize("version", [5, 9])
def test_from_version_5_on_the_number_kept_is_unknown(version: int) -> None:
    inputs = (*BOXES, *LIMITS, "f32[1]{0.0}")
    given = {"box_encoding": "CENTER", "output_type": "i32"}
    made = outline("NonMaxSuppression", *inputs, version=version, outputs=3, **given)
    assert made == ["i32[?, 3]", "f32[?, 3]", "i32[1]"]
    agrees_with_openvino("NonMaxSuppression", *inputs, version=version, outputs=3, bindings=SIZES, **given)


def test_rotated_boxes_have_an_angle() -> None:
    inputs = ("f16[N, B, 5]", "f16[N, C, B]", "i64[]{3}", "f16[]{0.5}", "f16[]{0.5}")
    made = outline("NMSRotated", *inputs, version=13, outputs=3, clockwise=False)
    assert made == ["i64[?, 3]", "f32[?, 3]", "i64[1]"]
    agrees_with_openvino("NMSRotated", *inputs, version=13, outputs=3, bindings=SIZES, clockwise=False)
    assert fault("NMSRotated", "f32[1, 2, 4]", "f32[1, 1, 2]", *LIMITS, version=13) == "dim-mismatch"


@pytest.mark.parametrize(
    ("op", "version", "inputs"),
    [
        ("MatrixNms", 8, BOXES),
        ("MulticlassNms", 8, BOXES),
        ("MulticlassNms", 9, BOXES),
        ("MulticlassNms", 9, ("f32[C, B, 4]", "f32[C, B]", "i64[N]")),
    ],
)
def test_the_best_of_all_classes(op: str, version: int, inputs: tuple[str, ...]) -> None:
    given: dict[str, Any] = {"output_type": "i32", "nms_top_k": 4, "keep_top_k": 3}
    made = outline(op, *inputs, version=version, outputs=3, **given)
    assert made == ["f32[?, 6]", "i32[?, 1]", "i32[N]"]
    agrees_with_openvino(op, *inputs, version=version, outputs=3, bindings=SIZES, **given)


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "code"),
    [
        ("NonMaxSuppression", ("f32[2, 10, 4]", "f32[2, 5, 9]"), {}, "dim-mismatch"),
        ("NonMaxSuppression", ("f32[2, 10, 4]", "f32[3, 5, 10]"), {}, "dim-mismatch"),
        ("NonMaxSuppression", ("f32[2, 10]", "f32[2, 5, 10]"), {}, "rank-mismatch"),
        ("NonMaxSuppression", ("f32[2, 10, 4]", "f32[2, 5, 10]", "i64[2]"), {}, "length-mismatch"),
        ("NonMaxSuppression", ("f32[2, 10, 4]", "f32[2, 5, 10]"), {"box_encoding": "corners"}, "invalid-attribute"),
        ("NonMaxSuppression", ("f32[2, 10, 4]", "f32[2, 5, 10]"), {"output_type": "f32"}, "invalid-attribute"),
        ("MulticlassNms", ("f32[5, 10, 4]", "f32[2, 5, 10]", "i64[2]"), {}, "rank-mismatch"),
    ],
)
def test_what_does_not_fit(op: str, inputs: tuple[str, ...], attributes: dict[str, Any], code: str) -> None:
    assert fault(op, *inputs, version=9, **attributes) == code
