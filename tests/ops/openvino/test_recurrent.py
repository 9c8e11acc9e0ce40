"""Recurrent layers give the next state, or those of every step."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.openvino.spec import agrees_with_openvino, fault, infer

SIZES = [{"N": 1, "T": 0}, {"N": 3, "T": 5}]


def _cell(gates: int, biases: int, states: int) -> tuple[str, ...]:
    weights = (f"f32[{8 * gates}, 3]", f"f32[{8 * gates}, 8]", f"f32[{8 * biases}]")
    return ("f32[N, 3]", *("f32[N, 8]",) * states, *weights)


def _sequence(gates: int, biases: int, states: int, d: int) -> tuple[str, ...]:
    weights = (f"f32[{d}, {8 * gates}, 3]", f"f32[{d}, {8 * gates}, 8]", f"f32[{d}, {8 * biases}]")
    return ("f32[N, T, 3]", *(f"f32[N, {d}, 8]",) * states, "i64[N]", *weights)


@pytest.mark.parametrize(
    ("op", "version", "inputs", "attributes"),
    [
        ("RNNCell", 1, _cell(1, 1, 1), {}),
        ("GRUCell", 3, _cell(3, 3, 1), {}),
        ("GRUCell", 3, _cell(3, 4, 1), {"linear_before_reset": True}),
        ("LSTMCell", 1, _cell(4, 4, 2), {"weights_format": "ifco"}),
        ("LSTMCell", 1, (*_cell(4, 4, 2), "f32[24]"), {"input_forget": "true"}),
        ("LSTMCell", 4, _cell(4, 4, 2), {"clip": 1.0, "activations": "sigmoid,tanh,tanh"}),
    ],
)
def test_a_cell_gives_the_next_state(
    op: str, version: int, inputs: tuple[str, ...], attributes: dict[str, Any]
) -> None:
    outputs = 2 if op == "LSTMCell" else 1
    made = infer(op, *inputs, version=version, hidden_size=8, outputs=outputs, **attributes)
    assert made == (["f32[N, 8]"] * 2 if outputs == 2 else "f32[N, 8]")
    agrees_with_openvino(op, *inputs, version=version, bindings=SIZES, outputs=outputs, hidden_size=8, **attributes)


@pytest.mark.parametrize("direction", ["forward", "reverse", "BIDIRECTIONAL"])
@pytest.mark.parametrize(
    ("op", "gates", "biases", "states", "attributes"),
    [
        ("RNNSequence", 1, 1, 1, {}),
        ("GRUSequence", 3, 3, 1, {}),
        ("GRUSequence", 3, 4, 1, {"linear_before_reset": True}),
        ("LSTMSequence", 4, 4, 2, {}),
    ],
)
def test_a_sequence_gives_the_state_of_every_step(
    op: str, gates: int, biases: int, states: int, attributes: dict[str, Any], direction: str
) -> None:
    d = 2 if direction == "BIDIRECTIONAL" else 1
    inputs, given = _sequence(gates, biases, states, d), {**attributes, "hidden_size": 8, "direction": direction}
    expected = [f"f32[N, {d}, T, 8]", *[f"f32[N, {d}, 8]"] * states]
    assert infer(op, *inputs, version=5, outputs=1 + states, **given) == expected
    agrees_with_openvino(op, *inputs, version=5, outputs=1 + states, bindings=SIZES, **given)


def test_weights_tell_what_the_states_do_not() -> None:
    inputs = ("f32[...]", "f32[N, 1, 8]", "f32[...]", "i64[...]", "f32[...]", "f32[...]", "f32[...]")
    made = infer("LSTMSequence", *inputs, version=5, outputs=3, hidden_size=8)
    assert made == ["f32[N, 1, LSTMSequence_0, 8]", "f32[N, 1, 8]", "f32[N, 1, 8]"]


@pytest.mark.parametrize(
    ("index", "instead", "attributes", "code"),
    [
        (0, "f32[N, T]", {}, "rank-mismatch"),
        (0, "f32[N, T, 4]", {}, "dim-mismatch"),
        (1, "f32[N, 2, 8]", {}, "dim-mismatch"),
        (1, "f32[N, 1, 9]", {}, "dim-mismatch"),
        (2, "i64[N, 1]", {}, "rank-mismatch"),
        (2, "f32[N]", {}, "element-type-not-allowed"),
        (3, "f32[1, 25, 3]", {}, "dim-mismatch"),
        (5, "f32[1, 32]", {}, "dim-mismatch"),
        (0, "f32[N, T, 3]", {"direction": "sideways"}, "invalid-attribute"),
        (0, "f32[N, T, 3]", {"hidden_size": "many"}, "attribute-type"),
    ],
)
def test_what_does_not_fit(index: int, instead: str, attributes: dict[str, Any], code: str) -> None:
    inputs = [*_sequence(3, 3, 1, 1)]
    inputs[index] = instead
    assert fault("GRUSequence", *inputs, version=5, **{"hidden_size": 8, "direction": "forward", **attributes}) == code
