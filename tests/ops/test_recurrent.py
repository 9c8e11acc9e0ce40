"""Recurrent layers: the last axes are the layer's, the others the input's."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ops.claims import asks
from tests.ops.spec import agrees_with_a_run, fault, infer

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
VERSIONS = [
    *(("RNN", v) for v in (1, 7, 14, 22)),
    *(("GRU", v) for v in (1, 3, 7, 14, 22)),
    *(("LSTM", v) for v in (1, 7, 14, 22)),
]


def _weights(operator: str, directions: int = 1, hidden: int = 4) -> list[str]:
    rows = GATES[operator] * hidden
    return [f"f32[{directions}, {rows}, 3]", f"f32[{directions}, {rows}, {hidden}]"]


def _states(operator: str, all_states: str, last: str) -> list[str]:
    return [all_states, last, last] if operator == "LSTM" else [all_states, last]


@pytest.mark.parametrize(("operator", "version"), VERSIONS)
def test_every_version_gives_all_states_and_the_last(operator: str, version: int) -> None:
    count = 3 if operator == "LSTM" else 2
    call = (operator, "f32[S, B, 3]", *_weights(operator))
    made = infer(*call, version=version, hidden_size=4, outputs=count)
    assert made == _states(operator, "f32[S, 1, B, 4]", "f32[1, B, 4]")
    if (operator, version) != ("GRU", 1):
        assert infer(*call, version=version, outputs=1) == "f32[S, 1, B, 4]"


@pytest.mark.parametrize("operator", GATES)
@pytest.mark.parametrize(("direction", "count"), [("forward", 1), ("reverse", 1), ("bidirectional", 2)])
def test_a_direction_has_weights_of_its_own(operator: str, direction: str, count: int) -> None:
    outputs = 3 if operator == "LSTM" else 2
    call = (operator, "f32[S, B, 3]", *_weights(operator, count))
    made = infer(*call, direction=direction, outputs=outputs)
    assert made == _states(operator, f"f32[S, {count}, B, 4]", f"f32[{count}, B, 4]")
    wrong = (operator, "f32[S, B, 3]", *_weights(operator, 3 - count))
    assert fault(*wrong, direction=direction) == "dim-mismatch"


@pytest.mark.parametrize("operator", GATES)
def test_the_batch_may_come_first(operator: str) -> None:
    outputs = 3 if operator == "LSTM" else 2
    made = infer(operator, "f32[B, S, 3]", *_weights(operator), layout=1, outputs=outputs)
    assert made == _states(operator, "f32[B, S, 1, 4]", "f32[B, 1, 4]")


@pytest.mark.parametrize(
    ("inputs", "attributes", "out"),
    [
        (["f32[...]", "f32[1, 16, 3]", "f32[1, 16, 4]"], {}, "f32[LSTM_0, 1, LSTM_1, 4]"),
        (["f32[S, B, 3]", "f32[...]", "f32[...]"], {"hidden_size": 4}, "f32[S, 1, B, 4]"),
        (["f32[S, B, 3]", "f32[...]", "f32[1, 4*H, H]"], {}, "f32[S, 1, B, H]"),
        (["f32[S, B, 3]", "f32[...]", "f32[...]"], {}, "f32[S, 1, B, LSTM_0]"),
        (["?[S, B, 3]", "?[1, 16, 3]", "?[1, 16, 4]"], {}, "?[S, 1, B, 4]"),
        (["f32[0, 0, I]", "f32[D, R, 3]", "f32[D, R, 4]"], {}, "f32[0, 1, 0, 4]"),
    ],
)
def test_what_is_known_as_less_is_known_of_the_inputs(inputs: list[str], attributes: dict[str, Any], out: str) -> None:
    assert infer("LSTM", *inputs, outputs=1, **attributes) == out


def test_a_batch_is_learned_from_the_states() -> None:
    call = ("LSTM", "f32[...]", "f32[1, 16, 3]", "f32[1, 16, 4]", "", "i32[B]")
    assert infer(*call, outputs=1) == "f32[LSTM_0, 1, B, 4]"


@pytest.mark.parametrize(
    ("port", "given", "code"),
    [
        (0, "f32[5, 2]", "rank-mismatch"),
        (0, "f32[5, 2, 7]", "dim-mismatch"),
        (1, "f32[1, 15, 3]", "dim-mismatch"),
        (1, "f32[2, 16, 3]", "dim-mismatch"),
        (2, "f32[1, 16, 5]", "dim-mismatch"),
        (2, "f32[1, 12, 4]", "dim-mismatch"),
        (3, "f32[1, 16]", "dim-mismatch"),
        (4, "i32[3]", "dim-mismatch"),
        (5, "f32[1, 3, 4]", "dim-mismatch"),
        (6, "f32[2, 2, 4]", "dim-mismatch"),
        (6, "f32[2, 4]", "rank-mismatch"),
        (7, "f32[1, 16]", "dim-mismatch"),
    ],
)
def test_an_operand_that_does_not_fit_the_layer(port: int, given: str, code: str) -> None:
    inputs = [
        "f32[5, 2, 3]",
        "f32[1, 16, 3]",
        "f32[1, 16, 4]",
        "f32[1, 32]",
        "i32[2]",
        "f32[1, 2, 4]",
        "f32[1, 2, 4]",
        "f32[1, 12]",
    ]
    assert infer("LSTM", *inputs, hidden_size=4, outputs=1) == "f32[5, 1, 2, 4]"
    inputs[port] = given
    assert fault("LSTM", *inputs, hidden_size=4) == code


@pytest.mark.parametrize(("operator", "rows", "biases"), [("RNN", 4, 8), ("GRU", 12, 24)])
def test_biases_are_as_long_as_both_weights(operator: str, rows: int, biases: int) -> None:
    call = (operator, "f32[S, B, 3]", f"f32[1, {rows}, 3]", f"f32[1, {rows}, 4]")
    assert infer(*call, f"f32[1, {biases}]", outputs=1) == "f32[S, 1, B, 4]"
    assert fault(*call, "f32[1, 5]") == "dim-mismatch"


def test_what_symbols_need() -> None:
    call = ("LSTM", "f32[S, B, I]", "f32[1, R, 3]", "f32[1, 16, H]", "", "i32[M]")
    assert asks(*call, hidden_size=4) == [
        "dim-mismatch: B == M",
        "dim-mismatch: H == 4",
        "dim-mismatch: I == 3",
        "dim-mismatch: R == 16",
    ]


@pytest.mark.parametrize("attributes", [{"direction": "backward"}, {"layout": 2}])
def test_attributes_that_mean_nothing(attributes: dict[str, Any]) -> None:
    assert fault("RNN", "f32[S, B, 3]", *_weights("RNN"), **attributes) == "invalid-attribute"


def test_the_first_gru_misspells_its_default() -> None:
    call = ("GRU", "f32[S, B, 3]", *_weights("GRU"))
    made = ["f32[S, 1, B, 4]", "f32[1, B, 4]"]
    assert infer(*call, version=1) == made
    assert infer(*call, version=1, direction="forward") == made


@pytest.mark.parametrize("operator", GATES)
@pytest.mark.parametrize(("direction", "count"), [("forward", 1), ("bidirectional", 2)])
def test_it_agrees_with_a_run(operator: str, direction: str, count: int) -> None:
    agrees_with_a_run(
        operator,
        "f32[S, B, 3]",
        *_weights(operator, count),
        # The runtime ends the process over an empty batch.
        bindings=[{"S": 1, "B": 1}, {"S": 5, "B": 2}],
        outputs=3 if operator == "LSTM" else 2,
        version=14,
        direction=direction,
        hidden_size=4,
    )
