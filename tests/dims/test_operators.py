"""What dims and conditions do by themselves, with Python's operators."""

from __future__ import annotations

import doctest
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shapeinfer import Condition, Dim, Shape, maximum, minimum, symbol, symbols
from shapeinfer.dims import AllOf, AnyOf, AtMost, Divides, Equal, Size, evaluate
from shapeinfer.dims.conditions import logic
from shapeinfer.dims.conditions.condition import ALWAYS, NEVER
from shapeinfer.dims.terms import operators
from shapeinfer.shapes import standalone
from tests.dims.test_laws import Tree, defined, sized, trees

N, M = symbols("N", "M")
P = symbol("P", low=1)


class TestArithmetic:
    """The annotations are checked, too: mypy reads this file."""

    def test_a_dim_plus_or_minus_a_number_is_a_dim(self) -> None:
        more: Dim = N + 1
        less: Dim = N - 1
        turned: Dim = 3 - N
        opposite: Dim = -N
        assert [str(d) for d in (more, less, turned, opposite, +N)] == ["N + 1", "N - 1", "-N + 3", "-N", "N"]

    @given(trees, st.integers(-9, 9))
    def test_it_is_one_whatever_the_dim(self, tree: Tree, number: int) -> None:
        size = sized(tree)
        assume(isinstance(size, Dim))
        assert all(isinstance(s, Dim) for s in (size + number, number + size, size - number, number - size, -size))

    def test_what_may_be_a_number_is_a_size(self) -> None:
        sizes: Shape = (N + M, N - N, N * 0, N // 2, N % 2, N**2, abs(N))
        assert [str(s) for s in sizes] == ["M + N", "0", "0", "N//2", "N - 2*(N//2)", "N**2", "N"]

    def test_it_is_written_in_columns(self) -> None:
        sizes: Shape = (N + M, 7)
        assert [f"{size:>6}|{size:<6}" for size in sizes] == [" M + N|M + N ", "     7|7     "]
        assert f"{N <= 8:>8}|{N}" == "  N <= 8|N"

    def test_powers(self) -> None:
        assert (N + 1) ** 2 is N * N + 2 * N + 1
        assert (N**0, N**1) == (1, N)
        for exponent in (-1, 17):
            with pytest.raises(ValueError, match=rf"to the power {exponent}: it must be a number from 0 to 16"):
                N**exponent
        with pytest.raises(TypeError, match="to the power M: it must be a number"):
            N**M  # type: ignore[operator]

    def test_quotient_and_remainder_at_once(self) -> None:
        assert divmod(N, 4) == (N // 4, N % 4)
        assert divmod(7, P) == (7 // P, 7 % P)

    @given(trees)
    def test_the_absolute_value(self, tree: Tree) -> None:
        size = sized(tree)
        for env, (n,) in defined(tree, most=12):
            assert evaluate(abs(size), env) == abs(n), env

    def test_numbers_of_numpy_are_numbers(self) -> None:
        three = np.int64(3)
        assert N + int(three) is three + N
        assert (three < N) is (N > 3) is AtMost(4, N)


class TestComparisons:
    def test_they_are_conditions(self) -> None:
        assert (N <= 8) is AtMost(N, 8)
        assert (N >= 8) is AtMost(8, N)
        assert (N < 8) is AtMost(N, 7)
        assert (N > 8) is AtMost(9, N)
        assert (N < M) is AtMost(N + 1, M)
        assert (N < 8) is not (N <= 8)
        assert N.equals(M) is Equal(N, M)
        assert N.divisible_by(8) is Divides(8, N)
        assert str(N.divisible_by(8)) == "N % 8 == 0"

    def test_equality_is_that_of_expressions(self) -> None:
        assert N + M - M == N
        assert (N == M) is False
        assert ((N % 8) == 0) is False
        assert {N + 1: "a"}[1 + N] == "a"

    @pytest.mark.parametrize("other", ["8", 8.0, None])
    def test_what_is_no_size_is_refused(self, other: object) -> None:
        for compare in (N.__lt__, N.__ge__):
            assert compare(other) is NotImplemented  # type: ignore[arg-type]
        for method in (N.equals, N.divisible_by):
            with pytest.raises(TypeError, match=rf"{method.__name__}\(\) takes an int or a Dim, not "):
                method(other)  # type: ignore[arg-type]


class TestTruth:
    def test_of_what_is_decided(self) -> None:
        assert bool(N >= 0)
        assert not bool(N < 0)
        assert max(N, N + 1) is N + 1
        assert ALWAYS
        assert not NEVER

    def test_of_what_is_open_is_refused_with_what_to_use(self) -> None:
        expected = r"whether N <= 7 depends on N: call \.evaluate\(\) with sizes, or \.answer\(\) .* by & and \|"
        with pytest.raises(TypeError, match=expected):
            bool(N < 8)
        with pytest.raises(TypeError, match="not by 'and', 'or' or a < b < c"):
            assert 0 < N < 8

    def test_a_long_condition_is_shortened(self) -> None:
        long = sum((symbol(f"name{i}") for i in range(100)), start=N)
        with pytest.raises(TypeError) as caught:
            bool(long <= 3)
        assert "…" in str(caught.value)


class TestJunctions:
    SMALL, LARGE = N <= 3, M >= 5

    def test_they_join_without_brackets_or_repetition(self) -> None:
        assert (self.SMALL & self.LARGE) is AllOf((self.SMALL, self.LARGE))
        assert (self.SMALL | self.LARGE) is AnyOf((self.SMALL, self.LARGE))
        assert (self.SMALL & self.LARGE & self.SMALL) is self.SMALL & self.LARGE
        assert str((self.SMALL | self.LARGE) & (N >= 1)) == "(N <= 3 or M >= 5) and N >= 1"

    def test_with_what_a_comparison_of_numbers_gives(self) -> None:
        both: Condition = (2 < 3) & self.SMALL
        assert both is self.SMALL
        assert (self.SMALL & False) is NEVER
        assert (self.SMALL | True) is ALWAYS
        assert (False | self.SMALL) is self.SMALL

    def test_nothing_else_joins(self) -> None:
        with pytest.raises(TypeError, match="unsupported operand"):
            self.SMALL & 1  # type: ignore[operator]


class TestWhatPythonCannotDo:
    @pytest.mark.parametrize(
        ("divide", "named"),
        [
            (lambda: N / 2, "N by 2"),  # type: ignore[operator]
            (lambda: 2 / N, "2 by N"),  # type: ignore[operator]
            (lambda: (N + 1) / M, r"N \+ 1 by M"),  # type: ignore[operator]
            (lambda: N / 2.5, "N by 2.5"),  # type: ignore[operator]
            (lambda: N / np.int64(2), "N by 2"),
        ],
    )
    def test_a_fraction_is_refused_with_what_to_write(self, divide: Callable[[], object], named: str) -> None:
        with pytest.raises(TypeError, match=f"cannot divide {named}: a size is a whole number; use //"):
            divide()

    def test_what_is_no_number_says_itself_what_it_cannot_do(self) -> None:
        with pytest.raises(TypeError, match="unsupported operand"):
            N / "2"  # type: ignore[operator]

    @pytest.mark.parametrize("choose", [max, min])
    def test_the_largest_of_two_is_refused_with_what_to_write(self, choose: Callable[..., object]) -> None:
        with pytest.raises(TypeError, match=r"instead of max\(\) and min\(\) use shapeinfer.maximum\(\)"):
            choose(N, 3)
        assert str(maximum(N, 3, 2)) == "max(3, N)"
        assert minimum("N + 1", N) is N
        assert maximum(2, 5) == 5
        with pytest.raises(ValueError, match="size 1 is None"):
            maximum(N, None)  # type: ignore[arg-type]


def test_what_is_listed_of_an_object_is_what_callers_use() -> None:
    listed = {name for name in dir(N) if not name.startswith("__")}
    assert listed == {
        *("bounds", "divisible_by", "divisor", "equals", "evaluate", "expr", "from_sympy", "high", "is_fresh"),
        *("is_symbol", "low", "name", "subs", "symbols", "text"),
    }
    of_condition = {name for name in dir(N <= 3) if not name.startswith("__")}
    assert of_condition == {"answer", "evaluate", "expr", "from_sympy", "subs", "symbols", "text"}
    assert all(hasattr(N, name) for name in listed)
    assert all(hasattr(N <= 3, name) for name in of_condition)


class TestNames:
    def test_one_name_is_one_symbol_and_several_are_a_tuple(self) -> None:
        assert symbols("N") is symbol("N")
        assert symbols("N M") == symbols("N, M") == symbols("N", "M") == (N, M)

    def test_each_has_the_range(self) -> None:
        assert [s.bounds() for s in symbols("a b", low=1, high=8)] == [(1, 8), (1, 8)]
        assert [s.divisor for s in symbols("a", "b", divisor=8)] == [8, 8]
        assert symbol("a", divisor=8) is symbols("a", divisor=8)
        assert symbol("a", 1, 8) is symbol("a", low=1, high=8) is symbol("a", min=1, max=8)

    @pytest.mark.parametrize("text", ["2*N", "N+1", "`N", "9"])
    def test_what_is_no_name_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"is no name such as N .* symbol\(\) takes any text"):
            symbols(text)

    @pytest.mark.parametrize("given", [["N", "M"], 3])
    def test_what_is_no_text_is_refused(self, given: Any) -> None:
        with pytest.raises(ValueError, match=r"takes names as text, such as symbols\('N C H W'\), not"):
            symbols(given)

    def test_no_name_is_refused(self) -> None:
        with pytest.raises(ValueError, match="needs a name"):
            symbols(" , ")


@pytest.mark.parametrize("module", [operators, logic, standalone], ids=lambda m: m.__name__)
def test_the_examples_of_the_documentation_run(module: ModuleType) -> None:
    known = {"symbol": symbol, "symbols": symbols, "N": N, "M": M, "np": np}
    results = doctest.testmod(module, extraglobs=known)
    assert results.attempted
    assert not results.failed


def test_an_expression_of_many_levels_is_no_depth_of_calls() -> None:
    size: Size = N
    for i in range(1000):
        size = maximum(size // 2 + M, i)
    assert isinstance(size, Dim)
    assert size.evaluate(N=5, M=7) == max(13, 999)
    assert size.evaluate(N=[5, 6], M=7).tolist() == [999, 999]
    assert (size <= 1000).evaluate(N=5, M=7)


def test_no_inference_loads_what_only_programs_use() -> None:
    code = "import sys, shapeinfer.api, shapeinfer.ops; print('substitution' in str(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "False\n"
