"""The Dims of torch.export, by a stand-in for them; ``consumers.py`` runs torch itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.contract_formats.modules import StandIn, contract, dynamic_shapes
from tests.report.contract_formats.test_python import PAST, PATCHES

RELU = "g (float[n, k] x) => (y) { y = Relu (x) }"


@pytest.fixture
def shapes(monkeypatch: pytest.MonkeyPatch) -> Any:
    def found(text: str, **options: Any) -> dict[str, Any]:
        return dynamic_shapes(contract(text, "torch-export", **options), monkeypatch)

    return found


def comments(text: str, **options: Any) -> list[str]:
    return [line for line in contract(text, "torch-export", **options).splitlines() if line.startswith("#")]


def test_a_dim_has_a_range_and_a_number_none(shapes: Any) -> None:
    height, width = StandIn("height", 16, 64), StandIn("width", 16)
    assert shapes(PATCHES, ranges={"height": (16, 64)}) == {"image": (StandIn("batch"), None, height, width)}


def test_a_multiple_is_a_dim_times_a_number(shapes: Any) -> None:
    assert shapes(RELU, assume=["n % 8 == 0", "n >= 12", "n <= 100"])["x"][0] == StandIn("n8", 2, 12, 8)
    assert shapes(RELU, assume=["(n + 3) % 4 == 0", "n % 3 == 0"])["x"][0] == StandIn("n12", 0, None, 12, 9)


def test_equal_dims_are_one(shapes: Any) -> None:
    n, k = shapes(RELU, assume=["n == k", "k >= 2"])["x"]
    assert n == k
    assert n.min == 2
    n, k = shapes(RELU, assume=["n == 2*k + 1", "n <= 9"])["x"]
    assert (n, k) == (StandIn("k", 0, 4, 2, 1), StandIn("k", 0, 4))
    n, k = shapes(RELU, assume=["n == 2*k - 3"])["x"]
    assert (n, k) == (StandIn("k", 2, None, 2, -3), StandIn("k", 2)), "n is at least 0"


def test_a_dim_of_one_size_is_static(shapes: Any) -> None:
    assert shapes(RELU, assume=["n == 4"])["x"] == (None, StandIn("k"))
    assert shapes(RELU, assume=["n % 8 == 0", "n <= 15", "n >= 1"])["x"] == (None, StandIn("k"))


def test_what_dims_cannot_express_is_in_a_comment(shapes: Any) -> None:
    assert comments(PAST) == ["# not expressed: total == past + seq or past + seq == 1 or total == 1"]
    assert comments(RELU, assume=["n == 1 or n == 7"]) == ["# not expressed: n == 1 or n == 7"]
    assert comments(RELU, assume=["n*n == 4*n"]) == ["# not expressed: n == 0 or n == 4"]
    assert comments(PATCHES) == []
    assert shapes(PAST)["old"] == (StandIn("past"), None)


def test_a_formula_of_one_dim_is_that_dim_and_any_other_a_dim_of_its_own(shapes: Any) -> None:
    options = {"shapes": {"x": ["2*m + 1", "m*p"]}}
    assert shapes(RELU, **options)["x"] == (StandIn("m", 0, None, 2, 1), StandIn("x_1"))
    assert comments(RELU, **options) == ["# not expressed: axis 1 of x == m*p"]


def test_values_without_axes(shapes: Any) -> None:
    text = "g (float x, float[] y, seq(float[n]) s) => (z) { z = Relu (y) }"
    assert shapes(text) == {"x": (), "y": None, "s": None}
    assert comments(text) == ["# not expressed: y is f32[...]", "# not expressed: s is seq(f32[n])"]
