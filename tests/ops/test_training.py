"""Steps of optimizers give new tensors and states; gradients are alike their inputs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.spec import fault, infer

DOMAIN = "ai.onnx.preview.training"
MOMENTUM: dict[str, Any] = {"alpha": 0.9, "beta": 0.1, "mode": "standard", "norm_coefficient": 0.0}


@pytest.mark.parametrize(
    ("operator", "states", "attributes"), [("Adagrad", 1, {}), ("Momentum", 1, MOMENTUM), ("Adam", 2, {})]
)
def test_a_step_gives_new_tensors_and_states(operator: str, states: int, attributes: dict[str, Any]) -> None:
    def call(*tensors: str) -> tuple[str, ...]:
        return (operator, "f32[]", "i64[]", *tensors)

    one = call(*["f32[N, 3]"] * (states + 2))
    assert infer(*one, domain=DOMAIN, outputs=states + 1, **attributes) == ["f32[N, 3]"] * (states + 1)
    two = call(*["f32[...]", "f32[4]"], *["f32[N]", "f32[4]"] * (states + 1))
    assert infer(*two, domain=DOMAIN, outputs=2 * states + 2, **attributes) == ["f32[N]", "f32[4]"] * (states + 1)
    assert (
        fault(*call("f32[2]", "f32[2]", "f32[3]", "f32[2]")[: states + 5], domain=DOMAIN, **attributes)
        == "dim-mismatch"
    )
    assert (
        fault(*call("f32[2]", "f32[1, 2]", "f32[2]", "f32[2]")[: states + 5], domain=DOMAIN, **attributes)
        == "rank-mismatch"
    )
    assert fault(*call(*["f32[2]"] * 5), domain=DOMAIN, **attributes) == "length-mismatch"


def test_a_gradient_for_each_input_asked_for() -> None:
    attributes: dict[str, Any] = {"xs": ["A", "B"], "zs": ["C"], "y": "Y"}
    made = infer("Gradient", "f32[N, 3]", "f64[...]", "f32[7]", domain=DOMAIN, outputs=2, **attributes)
    assert made == ["f32[N, 3]", "f64[...]"]
    assert fault("Gradient", "f32[N]", domain=DOMAIN, **attributes) == "length-mismatch"
