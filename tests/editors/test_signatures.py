"""Signature help: what an operator takes, as it is written."""

from __future__ import annotations

import pytest

from shapeinfer.editors import convert
from shapeinfer.editors.signatures import Help, signature_help
from tests.editors.texts import marked

FUNCTION = '\n<domain: "my"> F <a, b> (k, l) => (m) { m = Relu (k) }'


def helped(statement: str) -> Help | None:
    return signature_help(*marked(f"net (float[N, 3, 8, 8] x, float[4, 3, 2, 2] w) => (y) {{ {statement} }}{FUNCTION}"))


def active(found: Help | None) -> str | None:
    """The text of the parameter that is being written."""
    assert found is not None
    if found.active is None:
        return None
    return found.label[found.parameters[found.active].start : found.parameters[found.active].end]


def test_a_label_has_attributes_with_their_defaults_inputs_and_outputs() -> None:
    found = helped("y = LpPool <|> (x)")
    assert found is not None
    assert found.label == (
        'LpPool <kernel_shape: ints (required), auto_pad: string = "NOTSET", ceil_mode: int = 0, dilations: ints, '
        "p: int = 2, pads: ints, strides: ints> (X: T) => (Y: T)"
    )
    assert found.markdown.startswith("LpPool consumes an input tensor X")


@pytest.mark.parametrize(
    ("statement", "parameter"),
    [
        ("y = Conv (|", "X: T"),
        ("y = Conv (x, |)", "W: T"),
        ("y = Conv <group = 1> (x, w, |)", "B?: T"),
        ("y = Conv (x, w, w, |)", None),
        ("y = Concat <axis = 0> (x, x, x|)", "inputs...: T"),
        ("y = Conv <|> (x, w)", None),
        ("y = Conv <group|> (x, w)", "group: int = 1"),
        ("y = Conv <group = 1, kernel_shape = [3, |] > (x, w)", "kernel_shape: ints"),
        ("y = Conv (x, w) <pads = [1, 1], group = |>", "group: int = 1"),
        ("y = my.F <b = |> (x, x)", "b"),
        ("y = my.F (x, |)", "l"),
    ],
)
def test_the_parameter_being_written_is_the_active_one(statement: str, parameter: str | None) -> None:
    assert active(helped(statement)) == parameter


def test_an_input_names_the_types_that_it_takes_and_what_it_is_given() -> None:
    found = helped("y = Conv (x, w|)")
    assert found is not None
    assert found.active is not None
    documented = found.parameters[found.active].markdown
    assert documented.startswith("T: float16, float32, float64\n\nThe weight tensor")
    assert documented.endswith("here `f32[4, 3, 2, 2]`")


@pytest.mark.parametrize(
    "statement", ["y = Relu (x) |", "y = Nothing (|)", "|y = Relu (x)", "y = Relu (x) # Relu (|\n"]
)
def test_elsewhere_there_is_none(statement: str) -> None:
    assert helped(statement) is None


def test_offsets_are_counted_as_the_protocol_does_and_texts_serve_as_well() -> None:
    found = signature_help(*marked('net (float[N] x) => () { y = F (|) }\nF ("\U0001f600", k) => (m) { m = Relu (k) }'))
    assert found is not None
    spans = [p.label for p in convert.signature(found, with_offsets=True).signatures[0].parameters or ()]
    assert spans == [(3, 5), (7, 8)]
    texts = [p.label for p in convert.signature(found, with_offsets=False).signatures[0].parameters or ()]
    assert texts == ["\U0001f600", "k"]
