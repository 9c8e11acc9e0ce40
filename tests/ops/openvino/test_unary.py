"""What works on each element alone keeps the shape."""

from __future__ import annotations

import pytest

from shapeinfer.ops.openvino.elementwise.unary import PLAIN
from tests.ops.openvino.spec import agrees_with_openvino, fault, infer

ALONE = [
    *((name, since) for since, names in PLAIN.items() for name in names.split() if name != "Relu"),
    *(("LogicalNot", 1), ("Gelu", 2), ("Swish", 4), ("Round", 5), ("IsFinite", 10), ("IsInf", 10), ("IsNaN", 10)),
    *(("BitwiseNot", 13), ("Identity", 16)),
]


@pytest.mark.parametrize(("op", "since"), ALONE)
def test_the_shape_stays(op: str, since: int) -> None:
    kind = {"LogicalNot": "bool", "BitwiseNot": "i32"}.get(op, "f32")
    made = "bool" if op.startswith("Is") else kind
    assert infer(op, f"{kind}[2, N]", version=since) == f"{made}[2, N]"
    assert infer(op, f"{kind}[...]", version=since) == f"{made}[...]"
    agrees_with_openvino(op, f"{kind}[2, N]", version=since, bindings=[{"N": 0}, {"N": 3}])


def test_some_take_more() -> None:
    assert infer("Clamp", "f32[N]", min=0, max="6.0") == "f32[N]"
    assert infer("Elu", "f32[N]", alpha=1.0) == "f32[N]"
    assert infer("Selu", "f32[N]", "f32[1]", "f32[1]") == "f32[N]"
    assert infer("HardSigmoid", "f32[N]", "f32[]", "f32[]") == "f32[N]"
    assert infer("Swish", "f32[N]", "f32[]", version=4) == "f32[N]"
    assert infer("Gelu", "f32[N]", approximation_mode="tanh", version=7) == "f32[N]"


def test_a_number_that_is_asked_for_has_no_axes() -> None:
    assert fault("Swish", "f32[N]", "f32[1]", version=4) == "rank-mismatch"
    assert fault("HardSigmoid", "f32[N]", "f32[1]", "f32[]") == "rank-mismatch"


def test_what_is_asked_for_must_be_there() -> None:
    assert fault("Clamp", "f32[N]", min=0.0) == "missing-attribute"
    assert fault("Clamp", "f32[N]", min="low", max=1) == "attribute-type"
    assert fault("Clamp", "f32[N]", min=2, max=1) == "invalid-attribute"


def test_known_entries_are_followed() -> None:
    assert infer("Negative", "i64[2]{N, 3}") == "i64[2]{-N, -3}"
    assert infer("Clamp", "i64[3]{-1, 4, 9}", min=0, max=6) == "i64[3]{0, 4, 6}"
    assert infer("Floor", "f32[1]{2.5}") == "f32[1]{2.0}"
    assert infer("Round", "f32[1]{2.5}") == "f32[1]{2.0}"
