"""What sympy computes from dims is sympy's, and comes back as a dim."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import sympy

from shapeinfer import Dim
from shapeinfer.dims import (
    AllOf,
    AnyOf,
    AtMost,
    Condition,
    Divides,
    Equal,
    Size,
    broadcast,
    floordiv,
    maximum,
    minimum,
    mod,
    parse_condition,
    symbol,
)
from shapeinfer.dims.notation.sympified.functions import FloorDiv

N: Any = symbol("n")
M: Any = symbol("m")
P: Any = symbol("p", low=1)
n, m, p = N.expr, M.expr, P.expr


def back(expression: object) -> Size:
    return Dim.from_sympy(expression)


class TestFunctionsOfSympy:
    def test_factor_and_expand(self) -> None:
        size = N * M + N * 3
        assert sympy.factor(size) == n * (m + 3)
        assert back(sympy.factor(size)) is size
        assert back(sympy.expand((N + 1) * (M + 2))) is (N + 1) * (M + 2)
        assert back(sympy.simplify(size)) is size
        assert back(sympy.cancel((n**2 - m**2) / (n - m))) is N + M

    def test_diff(self) -> None:
        assert back(sympy.diff(N * N * M + N, N)) is 2 * N * M + 1
        assert back((N * N).expr.diff(n)) is 2 * N
        assert sympy.diff(N // 2, N) == sympy.Derivative((N // 2).expr, n)

    def test_solve_and_solveset(self) -> None:
        assert sympy.solve(3 * N - 12, N) == sympy.solve(3 * N - 12, n) == [4]
        assert [back(s) for s in sympy.solve(sympy.Eq(n - 2 * m, 3), n)] == [2 * M + 3]
        assert sympy.solveset(N * N - 4, n, sympy.S.Naturals0) == {2}
        assert sympy.solve(Equal(N, 7), N) == [7]

    def test_poly(self) -> None:
        size = N * N + N * M + 1
        assert sympy.Poly(size, n).degree() == 2
        assert back(sympy.Poly(size, n, m).as_expr()) is size

    def test_subs(self) -> None:
        size: Any = floordiv(N + 1, 2) * broadcast(N, M)
        assert size.expr.subs(N, 7).subs(M, 1) == 28
        assert back(size.expr.subs(N, M * 2)) is floordiv(2 * M + 1, 2) * broadcast(2 * M, M)
        assert size.expr.subs({n: 10**30, m: 10**30}) == 10**60 // 2

    def test_lambdify(self) -> None:
        size = maximum(N, M) - mod(N, 4) + broadcast(N, P)
        compute = sympy.lambdify([N, M, P], size)
        sweep = np.arange(12)
        assert compute(5, 1, 1) == 9
        assert compute(sweep, np.full(12, 3), 1).tolist() == [max(i, 3) - i % 4 + i for i in range(12)]

    def test_printers(self) -> None:
        size = 2 * floordiv(N + 1, 2)
        assert sympy.latex(size) == r"2 \left\lfloor{\frac{n + 1}{2}}\right\rfloor"
        assert sympy.latex(AtMost(N, 8)) == r"n \leq 8"
        assert sympy.pycode(size) == "2*((n + 1)//2)"
        assert sympy.ccode(size) == "2*((n + 1)/(2))"
        assert sympy.pretty(N + 1) == "n + 1"
        assert sympy.sstr([size, N]) == "[2*((n + 1)//2), n]"


class TestOperators:
    def test_a_dim_and_an_expression_give_an_expression(self) -> None:
        k = sympy.Symbol("n")
        for found in (N + k, k + N, N - k, N * k, k * N, N // k, k // N, N % k, k % N, k**N, N + sympy.Integer(1)):
            assert isinstance(found, sympy.Expr)
        assert N + n == n + N == 2 * n
        assert N - n == n - N == 0
        assert back(N + k) is back(k + N) is 2 * N, "both are our symbol of that name"
        assert back(N // m) is N // M
        assert back(n % M) is N % M

    def test_they_compare(self) -> None:
        assert n == N
        assert m != N
        assert (m < N) == (m < n)
        assert Condition.from_sympy(m <= N) is AtMost(M, N)


EXACT: list[tuple[Any, Size]] = [
    (sympy.Integer(7), 7),
    (n * (n - 1) / 2, floordiv(N * N - N, 2)),
    (n * (n + 1) * (n + 2) / 6, floordiv(N * (N + 1) * (N + 2), 6)),
    (n * (n + 1) / 2 * m + n, floordiv(N * M * (N + 1), 2) + N),
    (sympy.Symbol("e", even=True, nonnegative=True) / 2, floordiv(symbol("e", divisor=2), 2)),
    (symbol("t", divisor=12).expr / 4, floordiv(symbol("t", divisor=12), 4)),
    (sympy.floor(n / 2 + m / 3), floordiv(3 * N + 2 * M, 6)),
    (sympy.floor(n / m), N // M),
    (sympy.floor(n / 2) / sympy.floor(1.5), N // 2),
    (sympy.ceiling(n / 4), (N + 3) // 4),
    (sympy.ceiling(n / p), (N + P - 1) // P),
    (sympy.ceiling(n / m), -(-N // M)),
    (sympy.Mod(n, 4), N % 4),
    (sympy.Mod(-n, m), -N % M),
    (sympy.Max(n, m, 3), maximum(N, M, 3)),
    (sympy.Min(n, 3 * m), minimum(N, 3 * M)),
    (sympy.Abs(n - m), maximum(N - M, M - N)),
    ((n * p + p) / p, N + 1),
    ((n + 1) ** 3, (N + 1) * (N + 1) * (N + 1)),
    (sympy.UnevaluatedExpr(n) + 1, N + 1),
]


@pytest.mark.parametrize(("expression", "size"), EXACT, ids=[str(e) for e, _ in EXACT])
def test_what_is_an_integer_for_all_sizes_is_a_dim(expression: Any, size: Size) -> None:
    found = back(expression)
    assert found is size or found == size
    if isinstance(found, Dim):
        for values in itertools.product([0, 1, 3, 8], repeat=2):
            known = {s.expr: sympy.Integer((v or s.low or 0) * s.divisor) for s, v in zip(found.symbols, values)}
            here = found.expr.subs(known)
            assert here is sympy.nan or expression.subs(known).doit() == here


k = sympy.Symbol("k")
NO_DIMS: list[tuple[Any, str]] = [
    (n / 2 + 1, r"n/2 \+ 1 is not an integer for all values of its symbols"),
    (n * n / 2, r"n\*\*2/2 is not an integer"),
    (sympy.Max(n / 2, m), r"^n/2 is not an integer"),
    (sympy.Rational(1, 2), "^1/2 is not an integer"),
    (sympy.Float(2), r"2\.0+ is a float; a dim is an integer"),
    (n + 0.5, r"0\.50* is a float"),
    (n / m, "n/m may be a fraction, or be divided by 0"),
    ((n + n * m) / n, "may be a fraction, or be divided by 0"),
    (2 * sympy.pi + n, "^pi is no integer"),
    (sympy.I * n, "^I is no integer"),
    (sympy.nan, "nan is no integer"),
    (sympy.oo, "oo is no integer"),
    (sympy.sqrt(n) + m, r"sqrt\(n\) is no dim: an exponent must be a whole number up to"),
    (2**n, r"2\*\*n is no dim"),
    (n ** (10**9), "is no dim: an exponent must be"),
    (1 + sympy.Function("f")(n), r"^f\(n\) is no dim"),
    (sympy.sin(n), r"sin\(n\) is no dim"),
    (sympy.Derivative(n**2, n, evaluate=False), "is no dim"),
    (sympy.Piecewise((n, n > 1), (m, True)), "Piecewise.* is no dim"),
    (sympy.Piecewise((n, sympy.Ne(n, 1)), (3, True)), "Piecewise.* is no dim"),
    (sympy.floor(n / 0.1), "is a float"),
    (sympy.Symbol("x", negative=True), "the symbol x is assumed to be negative or 0"),
    (sympy.Symbol("x", nonpositive=True), "the symbol x is assumed to be negative or 0"),
    (sympy.Symbol("x", integer=False) + n, "the symbol x is assumed to be no integer"),
    (sympy.Symbol("x", imaginary=True), "the symbol x is assumed to be no integer"),
    (sympy.Symbol("x", commutative=False), "the symbol x"),
    (sympy.Dummy("x"), "_x is a Dummy, which has no name of its own"),
    (sympy.Wild("x"), "x_ is a Wild"),
    (sympy.Mod(n, 0, evaluate=False), "divides by 0"),
    (sympy.floor(n / FloorDiv(1, p + 2, evaluate=False)), r"1/\(1//\(p \+ 2\)\) divides by 0"),
]


@pytest.mark.parametrize(("expression", "says"), NO_DIMS, ids=[str(e)[:40] for e, _ in NO_DIMS])
def test_what_is_no_size_is_refused_by_the_part_that_is_none(expression: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        back(expression)


@pytest.mark.parametrize("passed", ["n", 2.0, True, None, sympy.true, sympy.Eq(n, 2), sympy.Matrix([n]), sympy.S.Reals])
def test_what_is_no_expression_of_numbers_is_a_type_error(passed: object) -> None:
    with pytest.raises(TypeError, match="is no sympy expression of numbers"):
        back(passed)


class TestSymbols:
    def test_a_users_symbol_is_ours_of_that_name(self) -> None:
        assert back(sympy.Symbol("n")) is back(sympy.Symbol("n", integer=True)) is back(n) is N
        assert back(sympy.Symbol("p", positive=True)) is back(sympy.Symbol("p", positive=True, integer=True)) is P
        assert back(sympy.Symbol("e", even=True, positive=True)) is symbol("e", low=2, divisor=2)
        assert back(sympy.Symbol("r", real=True)) is symbol("r")

    def test_its_name_is_never_read_as_an_expression(self) -> None:
        for name in ("a + 1", "__import__('os')", "a`b", "``", "lambda", ""):
            found = back(sympy.Symbol(name)) if name else symbol(name)
            assert isinstance(found, Dim)
            assert found.is_symbol
            assert found.name == name
            assert back(found.expr) is found

    def test_a_fresh_symbol_is_not_the_named_one(self) -> None:
        made = symbol("n", fresh=True)
        assert isinstance(made, Dim)
        assert made.expr != n
        assert back(made.expr + n) is made + N


CONDITIONS: list[tuple[Any, str]] = [
    (n < 3, "n < 3"),
    (n >= 2, "n >= 2"),
    (sympy.Eq(n, m), "n == m"),
    (sympy.Ne(n, 0), "n >= 1"),
    (sympy.Ne(n, m), "n - m >= 1 or n - m <= -1"),
    (sympy.Eq(sympy.Mod(n, 8), 0), "n % 8 == 0"),
    (sympy.Eq(sympy.Mod(n, m), 0), "n % m == 0"),
    (sympy.Eq(sympy.Mod(n, 8), 3), "n - 8*(n//8) == 3"),
    (sympy.Eq(n / 2, m), "n == 2*m"),
    (n / 2 < m / 3, "3*n < 2*m"),
    (sympy.And(n < 3, m < 4), "m < 4 and n < 3"),
    (sympy.Not(sympy.And(n < 3, m < 4)), "m >= 4 or n >= 3"),
    (sympy.Implies(n < 3, m < 4), "m < 4 or n >= 3"),
    (sympy.Interval(0, 3).contains(n), "n <= 3"),
]


@pytest.mark.parametrize(("expression", "text"), CONDITIONS, ids=[str(e) for e, _ in CONDITIONS])
def test_relationals_and_booleans_are_conditions(expression: Any, text: str) -> None:
    assert Condition.from_sympy(expression) is parse_condition(text, {"n": N, "m": M})


def test_what_always_or_never_holds() -> None:
    assert Condition.from_sympy(sympy.true) is Condition.from_sympy(n < sympy.oo) is AllOf(())
    assert Condition.from_sympy(sympy.false) is Condition.from_sympy(sympy.Eq(n, sympy.oo)) is AnyOf(())


@pytest.mark.parametrize(
    ("expression", "fault", "says"),
    [
        (True, TypeError, "use sympy.Eq"),
        (n, TypeError, "n is no condition; give a relational"),
        ("n < 3", TypeError, "give a relational"),
        (sympy.And(n < 3, sympy.Symbol("b")), TypeError, "b is no condition"),
        (sympy.Q.even(n), ValueError, "is no condition on sizes"),
        (sympy.Eq(n / m, 2), ValueError, "n/m may be a fraction"),
        (n < 3.5, ValueError, "is a float"),
        (sympy.sin(n) < 1, ValueError, r"sin\(n\) is no dim"),
    ],
    ids=str,
)
def test_what_is_no_condition_is_refused(expression: Any, fault: type[Exception], says: str) -> None:
    with pytest.raises(fault, match=says):
        Condition.from_sympy(expression)


def test_divisibility_by_what_may_be_zero() -> None:
    condition = Divides(M, N)
    assert Condition.from_sympy(condition.expr) is condition
    for a, b in itertools.product(range(5), repeat=2):
        assert bool(condition.expr.subs({n: a, m: b})) is (a % b == 0 if b else a == 0)


class TestNotebooks:
    def test_dims_and_conditions_show_their_formula(self) -> None:
        assert N._repr_latex_() == r"$\displaystyle n$"
        assert (N // 2 + 1)._repr_latex_() == r"$\displaystyle \left\lfloor{\frac{n}{2}}\right\rfloor + 1$"
        assert AtMost(2, N)._repr_latex_() == r"$\displaystyle n \geq 2$"

    def test_a_name_of_a_model_is_no_command(self) -> None:
        for name in (r"\href{javascript:alert(1)}{x}", "x$<script>", "{a}_b^c~", "a\nb"):
            own = symbol(name)
            assert isinstance(own, Dim)
            shown = own._repr_latex_()
            assert shown is not None
            inside = shown.removeprefix(r"$\displaystyle \mathtt{").removesuffix("}$")
            assert not {"<", ">", "\n", r"\href"} & {*inside, inside[:5]}
            assert "\\h" not in inside
            for special in "{}$_":
                assert inside.count(special) == inside.count(f"\\{special}"), (name, inside)

    def test_what_is_too_large_shows_as_text(self) -> None:
        large: Any = N
        for i in range(40):
            large = large + (large + i) // 2
        assert large._repr_latex_() is None
