"""Halves and quarters of lengths, against exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from shapeinfer.dims import Dim, Ratio, dyadic, evaluate, ratio, symbol

H = symbol("H")
D = symbol("D", divisor=4)
L = symbol("L", low=None)
NUMBERS: list[float] = [0, 1, -3, 2, 0.5, -0.25, 1.5, 2.0, 0.375]


def fraction(value: Any, n: int) -> Fraction:
    if isinstance(value, Ratio):
        return Fraction(evaluate(value.above, {"H": n, "L": n}), value.below)
    return Fraction(evaluate(value, {"H": n, "L": n}) if isinstance(value, (int, Dim)) else value)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(("k", "c", "below"), [(1, 0, 2), (3, 1, 4), (1, -1, 8), (6, 1, 4)])
def test_arithmetic_with_numbers_is_exact(k: int, c: int, below: int, number: float) -> None:
    value = ratio(k * H + c, below)
    assert isinstance(value, Ratio)
    for n in range(9):
        x, y = Fraction(k * n + c, below), Fraction(number)
        assert fraction(value + number, n) == x + y
        assert fraction(number + value, n) == x + y
        assert fraction(value - number, n) == x - y
        assert fraction(number - value, n) == y - x
        assert fraction(value * number, n) == x * y
        assert fraction(number * value, n) == x * y


def test_arithmetic_with_lengths_and_ratios_is_exact() -> None:
    half: Any = ratio(H, 2)
    quarter = ratio(L + 1, 4)
    for n in range(-4, 9):
        x, y = Fraction(n, 2), Fraction(n + 1, 4)
        assert fraction(half + quarter, n) == x + y
        assert fraction(half - quarter, n) == x - y
        assert fraction(half * quarter, n) == x * y
        assert fraction(half + H, n) == x + n
        assert fraction(H - half, n) == n - x
        assert fraction(half * L, n) == x * n
        assert fraction(half / 4, n) == x / 4
        assert fraction(half / 0.5, n) == x * 2


@pytest.mark.parametrize(("k", "c", "below"), [(1, 0, 2), (3, 1, 4), (-1, 0, 2), (5, -3, 8)])
def test_rounding(k: int, c: int, below: int) -> None:
    value = ratio(k * L + c, below)
    assert isinstance(value, Ratio)
    for n in range(-9, 10):
        x = Fraction(k * n + c, below)
        assert evaluate(value.floor(), {"L": n}) == math.floor(x)
        assert evaluate(value.ceil(), {"L": n}) == math.ceil(x)


def test_truncation_needs_the_sign() -> None:
    positive = ratio(3 * H + 1, 2)
    assert isinstance(positive, Ratio)
    assert positive.trunc() is positive.floor()
    unknown = ratio(L, 2)
    assert isinstance(unknown, Ratio)
    with pytest.raises(ValueError, match=r"the sign of \(L\)/2 is not known"):
        unknown.trunc()


def test_what_is_whole_is_a_length() -> None:
    three, quarter = 3 * H, D // 4
    assert isinstance(three, Dim)
    assert isinstance(quarter, Dim)
    assert ratio(2 * H, 2) is H
    assert ratio(6 * H, 4) == Ratio(three, 2)
    assert ratio(D, 4) is D // 4
    assert ratio(D, 8) == Ratio(quarter, 2)
    assert ratio(8, 4) == 2
    assert ratio(3, 4) == 0.75
    half: Any = ratio(H, 2)
    assert half + half is H
    assert half - half == 0
    assert half * 2 is H
    assert half * 0 == 0
    assert half + 0.5 == Ratio(H + 1, 2)


def test_what_floats_would_round_is_refused() -> None:
    half: Any = ratio(H, 2)
    with pytest.raises(TypeError):
        half / 3
    with pytest.raises(TypeError):
        half / -2
    with pytest.raises(TypeError):
        half + 0.1
    with pytest.raises(TypeError):
        half * math.inf
    with pytest.raises(TypeError):
        half / H
    with pytest.raises(ValueError, match="a denominator of 2048 may round"):
        ratio(H, 2048)


@pytest.mark.parametrize(
    ("number", "parts"),
    [
        (0.5, (1, 2)),
        (-0.75, (-3, 4)),
        (3.0, (3, 1)),
        (0.0, (0, 1)),
        (-0.0, (0, 1)),
        (0.1, None),
        (2.0**-10, (1, 1024)),
        (2.0**-11, None),
        (2.0**20, (1 << 20, 1)),
        (2.0**21, None),
        (math.inf, None),
        (-math.inf, None),
        (math.nan, None),
    ],
)
def test_dyadic(number: float, parts: tuple[int, int] | None) -> None:
    assert dyadic(number) == parts


def test_substitution_and_text() -> None:
    value = ratio(H + 1, 4)
    assert isinstance(value, Ratio)
    assert isinstance(H, Dim)
    assert value.text == "(H + 1)/4"
    assert value.symbols == {H}
    assert value.substitute({H: 3}) == 1
    assert value.substitute({H: 2}) == 0.75
    assert value.substitute({H: 4 * L + 3}) is L + 1
