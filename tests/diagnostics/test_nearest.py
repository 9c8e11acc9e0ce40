"""Did you mean: the nearest known name, quickly, whatever the names are."""

from __future__ import annotations

import pytest

from shapeinfer import check
from shapeinfer.diagnostics.nearest import FEW, LONGEST, did_you_mean, nearest
from tests.effort import within
from tests.models import checked, floats, made, node


@pytest.mark.parametrize(
    ("word", "known", "found"),
    [
        ("Rellu", ["Relu", "Selu", "Add"], ["Relu"]),
        ("strides_", ["strides", "pads"], ["strides"]),
        ("bacth", ["batch", "seq"], ["batch"]),
        ("seq", ["batch", "past"], []),
        ("x", [], []),
        ("", ["", "a"], []),
    ],
)
def test_the_nearest_name(word: str, known: list[str], found: list[str]) -> None:
    assert nearest(word, known) == found


def test_several_are_joined() -> None:
    assert did_you_mean("hidden_1", ["hidden_2", "hidden_3", "z"], 2) == "; did you mean hidden_3 or hidden_2?"
    assert did_you_mean("hidden", ["z"]) == ""


def test_a_long_name_is_not_compared() -> None:
    long = "a" * (LONGEST + 1)
    assert nearest(long, [long + "b"]) == []
    assert nearest("ab", [long, "abc"]) == ["abc"]


def test_among_many_names_one_that_differs_in_one_place_is_found() -> None:
    names = [f"/model/layers.{i}/output_{i}" for i in range(FEW * 10)]
    assert nearest("/model/layers.77/outputs_77", names) == ["/model/layers.77/output_77"]


@pytest.mark.parametrize("length", [10, LONGEST])
def test_many_names_stay_quick(length: int) -> None:
    names = [f"{i:0{length}}" for i in range(20_000)]
    with within(8_000_000):
        nearest("x" * length, names)


class TestMessages:
    def message(self, text: str) -> str:
        return checked(f"main (float[batch, 3] hidden_states) => (y) {{ {text} }}").diagnostics[0].message

    def test_a_value(self) -> None:
        assert self.message("y = Relu (hidden_state)") == "undefined value hidden_state; did you mean hidden_states?"

    def test_an_attribute(self) -> None:
        assert self.message("y = Flatten <axes = 1> (hidden_states)") == (
            "Flatten 13 has no attribute axes; did you mean axis? It has axis"
        )

    def test_an_attribute_that_became_an_input(self) -> None:
        assert self.message("y = Squeeze <axes = [1]> (hidden_states)") == (
            "Squeeze 13 has no attribute axes; axes is input 1 since opset 13"
        )

    def test_an_operator(self) -> None:
        assert self.message("y = Softmx (hidden_states)").endswith("; did you mean Softmax?")

    def test_a_dim_that_is_given_a_size(self) -> None:
        model = made([node("Relu", "x")], [floats("x", "batch", "seq")])
        (fault,) = check(model, bind={"bacth": 1}).errors
        assert fault.message.endswith("; did you mean batch?")

    def test_nothing_where_nothing_is_near(self) -> None:
        assert self.message("y = Relu (q)") == "undefined value q"
