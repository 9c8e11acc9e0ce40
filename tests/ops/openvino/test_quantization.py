"""FakeQuantize and FakeConvert keep shape and type."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer

AXIS = "auto_broadcast.auto_broadcast_axis"


@pytest.mark.parametrize(
    ("limits", "attributes"),
    [
        (("f32[1, 3, 1]", "f32[1, 3, 1]", "f32[]", "f32[1]"), {}),
        (("f32[N, 3, 4]",) * 4, {"auto_broadcast": "none"}),
        (("f32[3]",) * 4, {"auto_broadcast": "pdpd", AXIS: 1}),
        (("f32[...]", "f16[]", "f32[]", "f32[]"), {}),
    ],
)
def test_limits_are_broadcast_onto_the_data(limits: tuple[str, ...], attributes: dict[str, Any]) -> None:
    assert infer("FakeQuantize", "f32[N, 3, 4]", *limits, levels=256, **attributes) == "f32[N, 3, 4]"


@pytest.mark.parametrize(
    ("limit", "attributes", "code"),
    [
        ("f32[2]", {}, "not-broadcastable"),
        ("f32[2, 3, 4]", {}, "not-broadcastable"),
        ("f32[1, 1, 3, 4]", {}, "rank-mismatch"),
        ("f32[1, 3, 1]", {"auto_broadcast": "none"}, "dim-mismatch"),
        ("i64[]", {}, "element-type-not-allowed"),
    ],
)
def test_limits_that_do_not_fit(limit: str, attributes: dict[str, Any], code: str) -> None:
    others = ("f32[1, 3, 4]",) * 3
    assert fault("FakeQuantize", "f32[1, 3, 4]", limit, *others, levels=2, **attributes) == code


def test_openvino_broadcasts_limits_both_ways() -> None:
    limits = ("f32[2, 3, 4]", "f32[]", "f32[]", "f32[]")
    assert infer("FakeQuantize", "f32[1, 3, 4]", *limits[1:], "f32[]", levels=2) == "f32[1, 3, 4]"
    assert fault("FakeQuantize", "f32[1, 3, 4]", *limits, levels=2) == "not-broadcastable"


def test_the_number_of_levels_must_be_set() -> None:
    assert fault("FakeQuantize", "f32[2]", *("f32[]",) * 4) == "missing-attribute"


def test_fake_quantize_agrees_with_openvino() -> None:
    limits = ("f32[1, 3, 1]", "f32[1, 3, 1]", "f32[]", "f32[1]")
    sizes = [{"N": 0}, {"N": 1}, {"N": 2}]
    agrees_with_openvino("FakeQuantize", "f32[N, 3, 4]", *limits, version=1, levels=256, bindings=sizes)


def test_scale_and_shift_are_broadcast_onto_the_data() -> None:
    assert infer("FakeConvert", "f16[N, 3]", "f16[3]", "f16[3]", version=13) == "f16[N, 3]"
    assert infer("FakeConvert", "f32[N, 3]", "f32[]", version=13, destination_type="f8e5m2") == "f32[N, 3]"
    assert fault("FakeConvert", "f32[2, 3]", "f32[4]", version=13) == "not-broadcastable"
    assert fault("FakeConvert", "f32[2, 3]", "f32[5, 2, 3]", version=13) == "rank-mismatch"
    assert fault("FakeConvert", "f32[2, 3]", "f32[]", version=13, destination_type="f16") == "invalid-attribute"
    assert fault("FakeConvert", "i32[2, 3]", "i32[]", version=13) == "element-type-not-allowed"
    sizes = [{"N": 0}, {"N": 1}]
    agrees_with_openvino("FakeConvert", "f32[N, 3]", "f32[3]", version=13, bindings=sizes)
