"""Bounds that rules rely on are found, and none takes long to look for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shapeinfer.dims import (
    Dim,
    Size,
    broadcast,
    ceildiv,
    evaluate,
    floordiv,
    less_equal,
    maximum,
    minimum,
    sub,
    symbol,
    text_of,
    total,
)
from tests.effort import within

H, P = symbol("H"), symbol("P")
K = symbol("K", low=1)
R = symbol("R", low=2, high=9)
L = symbol("L", low=None)
E = symbol("E", low=None, high=-1)


@pytest.mark.parametrize(
    ("size", "low", "high"),
    [
        (H + 1, 1, None),
        (H - P, None, None),
        (-H, None, 0),
        (-H * P, None, 0),
        (H * R, 0, None),
        (E * E, 1, None),
        (L * L, 0, None),
        (E * H, None, 0),
        (R * R, 4, 81),
        (R - 3, -1, 6),
        (R // 2, 1, 4),
        (R % 4, 0, 3),
        (H % 4, 0, 3),
        (L % 4, 0, 3),
        (H - H // 2, 0, None),
        (H // 2 - H, None, 0),
        (ceildiv(H, 2) - H // 2, 0, 1),
        (H // 2 + (H + 1) // 2 - H, 0, 0),
        (H // K, 0, None),
        (R // K, 0, 9),
        (E // K, None, -1),
        (H // P, 0, None),
        (maximum(H, 3), 3, None),
        (minimum(H, 3), 0, 3),
        (maximum(H, P) - H, 0, None),
        (minimum(H, P) - H, None, 0),
        (H - maximum(H, P), None, 0),
        (maximum(H, P) - minimum(H, P), 0, None),
        (broadcast(H, P), 0, None),
        (broadcast(symbol("a", high=5), symbol("b", high=7)), 0, 7),
        (maximum(H - 2, 0) // 2, 0, None),
    ],
    ids=lambda value: text_of(value) if isinstance(value, (int, Dim)) else str(value),
)
def test_bounds(size: Dim, low: int | None, high: int | None) -> None:
    assert (size.low, size.high) == (low, high)


@pytest.mark.parametrize(
    ("size", "divisor"),
    [
        (4 * H + 6, 2),
        (4 * H * P, 4),
        (symbol("D", divisor=6) * 4, 24),
        (symbol("D", divisor=6) + 4 * H, 2),
        (maximum(4 * H, 6 * P), 2),
        (broadcast(4 * H, 6 * P), 4),
        (H // 2, 1),
    ],
    ids=text_of,
)
def test_divisors(size: Dim, divisor: int) -> None:
    assert size.divisor == divisor


def selections(x: Size, y: Size) -> Size:
    return floordiv(maximum(x, y), 2) + maximum(x, y - 1) - minimum(x, y) // 3


def remainders(x: Size, y: Size) -> Size:
    return x % (y + 1)


def halves(x: Size, y: Size) -> Size:
    return x + x // 2


def broadcasts(x: Size, y: Size) -> Size:
    return (broadcast(x, y) + maximum(x, y - 1)) // 3


@pytest.mark.parametrize("step", [selections, remainders, halves, broadcasts])
def test_bounds_of_eight_nested_layers_are_quick(step: Callable[[Size, Size], Size]) -> None:
    def make(run: int) -> None:
        x: Size = symbol(f"x{run}")
        for layer in range(8):
            x = step(x, symbol(f"y{run}.{layer}"))
        assert isinstance(x, Dim)
        assert x.low is None or x.low <= 1000
        assert x.divisor >= 1

    with within(200_000):
        make(99)


@pytest.mark.parametrize("choose", [broadcast, maximum, minimum])
def test_forty_operands_are_quick(choose: Callable[..., Size]) -> None:
    def make(run: int) -> None:
        left = choose(*(symbol(f"a{run}.{n}") for n in range(40)))
        right = choose(*(symbol(f"b{run}.{n}") for n in range(40)))
        less_equal(left, right)
        difference = sub(left, right)
        assert isinstance(difference, Dim)
        assert difference.low is None

    with within(200_000):
        make(99)


def test_a_sum_of_many_selections_is_quick() -> None:
    def make(run: int) -> None:
        pairs = [(symbol(f"a{run}.{n}"), symbol(f"b{run}.{n}")) for n in range(30)]
        size = total(broadcast(a, b) + maximum(a, b) - a // 3 for a, b in pairs)
        assert isinstance(size, Dim)
        assert size.high is None

    with within(200_000):
        make(99)


def test_an_expression_that_shares_its_parts_is_handled_in_the_size_it_is_stored_in() -> None:
    """Written out it would have more terms than could ever be written."""
    with within(3_000_000):
        x: Size = symbol("n")
        y: Size = symbol("n")
        for n in range(30):
            x, y = x + (x + n) // 2, y + (y + n) // 2
        assert isinstance(x, Dim)
        assert x is y
        assert x.low == 0 or x.low is None or x.low > 0
        number = 7
        for n in range(30):
            number += (number + n) // 2
        assert evaluate(x, {"n": 7}) == number
        assert len(text_of(x)) < 100
        assert text_of(x) != text_of(x + 1)
