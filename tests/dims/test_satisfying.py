"""Sizes that satisfy conditions: the smallest, and the nearest to some."""

from __future__ import annotations

import pytest

from shapeinfer.dims import Condition, parse_condition, symbol
from shapeinfer.dims.conditions.satisfying import satisfying


def conditions(*texts: str) -> list[Condition]:
    names = {n: symbol(n) for n in "HWNPST"}
    return [parse_condition(text, names) for text in texts]


@pytest.mark.parametrize(
    ("texts", "sizes"),
    [
        (["H % 32 == 0", "W >= 65"], {"H": 32, "W": 65}),
        (["P + S == T"], {"P": 1, "S": 1, "T": 2}),
        (["H == 1 or H == 3", "H >= 2"], {"H": 3}),
        (["H//N == 7"], {"H": 7, "N": 1}),
        (["H <= N", "N <= W", "W <= 2", "H >= 2"], {"H": 2, "N": 2, "W": 2}),
        ([], {}),
    ],
)
def test_the_smallest_sizes_of_at_least_one(texts: list[str], sizes: dict[str, int]) -> None:
    assert satisfying(conditions(*texts)) == sizes


def test_the_nearest_sizes() -> None:
    found = satisfying(conditions("H % 32 == 0", "P + S == T"), near={"H": 225, "P": 3, "S": 4, "T": 9})
    assert found == {"H": 224, "P": 3, "S": 4, "T": 7}


@pytest.mark.parametrize("texts", [["H >= 3", "H <= 2"], ["H*H == 7"], ["H < 1"]])
def test_none_where_none_are_found(texts: list[str]) -> None:
    assert satisfying(conditions(*texts)) is None
