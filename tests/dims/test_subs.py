"""Sizes in place of symbols, as callers give them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeinfer import Dim, symbol, symbols
from shapeinfer.dims import AtMost, evaluate, substitute
from shapeinfer.dims.conditions.condition import NEVER
from tests.dims.test_laws import RANGES, SYMBOLS, Tree, Undefined, number, sized, trees

N, M, X = symbols("N", "M", "X")
D = symbol("D", divisor=8)
R = symbol("R", low=2, high=9)
assert isinstance(R, Dim)


def test_numbers_dims_and_text() -> None:
    both = N * M
    assert isinstance(both, Dim)
    assert both.subs({"N": 2, "M": 3}) == both.subs({N: 2, M: 3}) == both.subs(N=2, M=3) == 6
    assert both.subs(N=2) is 2 * M
    assert both.subs(N=X + 1) is X * M + M
    assert both.subs(N="X + 1") is X * M + M
    assert both.subs(K=7) is both
    assert both.subs("N", 2) is both.subs(N, 2) is 2 * M
    assert (N <= 8).subs("N", M) is (M <= 8)
    with pytest.raises(TypeError, match="a symbol and a size, not 3 arguments"):
        both.subs("N", 2, 3)  # type: ignore[call-overload]


def test_all_at_once() -> None:
    assert (N - 2 * M).subs({N: M, M: N}) is M - 2 * N  # type: ignore[union-attr]


def test_a_name_in_text_is_the_symbol_of_the_dim() -> None:
    positive = symbol("M", low=1)
    size = N + positive
    assert isinstance(size, Dim)
    assert size.subs(N="M - 1") is 2 * positive - 1
    assert size.subs(N=M - 1) is M + positive - 1, "a Dim is that dim"


@given(trees, st.dictionaries(st.sampled_from(sorted(SYMBOLS)), st.integers(0, 20), max_size=3))
def test_numbers_in_place_of_some_symbols(tree: Tree, some: dict[str, int]) -> None:
    size = sized(tree)
    env = {name: values[-1] for name, values in RANGES.items()}
    some = {name: n for name, n in some.items() if n in RANGES[name]}
    try:
        expected = number(tree, env | some)
    except Undefined:
        return
    if isinstance(size, Dim):
        assert evaluate(size.subs(some), env) == expected


@pytest.mark.parametrize(
    ("size", "passed", "message"),
    [
        (N, -1, "N is -1; a dim cannot be negative"),
        (N, 1.5, "N is 1.5; a dim is a whole number"),
        (N, "2 +", r"N is '2 \+', which is not a dim"),
        (D, 9, "D cannot be 9: it is a multiple of 8"),
        (R, 1, "R cannot be 1: it is at least 2"),
        (R, "X + 10", r"R cannot be X \+ 10: it is at most 9"),
    ],
)
def test_what_is_no_size_or_never_in_range_is_refused(size: Dim, passed: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        size.subs({size: passed})


def test_what_may_be_in_range_is_taken() -> None:
    assert isinstance(R, Dim)
    assert R.subs(R=X) is X
    assert D.subs(D=X) is X


def test_a_division_by_zero_is_refused() -> None:
    size = N // (M - X)
    assert isinstance(size, Dim)
    assert substitute(size, {X: M}) is size, "as it is for the rules, which know that no such size runs"
    with pytest.raises(ZeroDivisionError, match=r"^N//\(M - X\) divides by M - X, which is 0 where X = M$"):
        size.subs(X=M)


class TestConditions:
    def test_conditions_too(self) -> None:
        assert (N <= 8).subs(N="2*M") is AtMost(2 * M, 8)
        assert ((N <= 8) & (M >= N)).subs(N=3) is (AtMost(3, 8) & (M >= 3))

    def test_a_comparison_of_what_has_no_value_does_not_hold(self) -> None:
        size = N // M
        assert isinstance(size, Dim)
        share = size <= 5
        assert share.subs(M=0) is NEVER
        assert (share | (N >= 1)).subs(M=0) is (N >= 1)
        assert (share & (N >= 1)).subs(M=0) is NEVER
