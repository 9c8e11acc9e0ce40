"""``FloorDiv`` and ``Broadcast`` as sympy functions: numbers, assumptions, rewriting, printing, derivatives."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from sympy.printing.pycode import PythonCodePrinter

from shapeinfer.dims import Dim, broadcast, floordiv, symbol
from shapeinfer.dims.notation.sympified.functions import Broadcast, FloorDiv

n, m = sympy.symbols("n m", integer=True, nonnegative=True)
p, q = sympy.symbols("p q", integer=True, positive=True)
x = sympy.Symbol("x")


def in_python(expression: Any) -> str:
    return str(PythonCodePrinter().doprint(expression))


class TestFloorDiv:
    def test_numbers_are_divided_and_rounded_down_exactly(self) -> None:
        for a, b in itertools.product(range(-9, 10), [-4, -3, -1, 1, 2, 5]):
            assert FloorDiv(a, b) == a // b
            assert FloorDiv(n, b).subs(n, a) == FloorDiv(x, b).subs(x, a) == a // b
            assert FloorDiv(sympy.Rational(a, 2), b) == a // (2 * b)
        assert FloorDiv(10**40 + 1, 2) == 10**40 // 2
        assert FloorDiv(7.0, 2) == FloorDiv(sympy.pi, 1) == 3
        assert FloorDiv(sympy.oo, 2) is sympy.oo

    def test_by_zero_there_is_no_value(self) -> None:
        assert FloorDiv(n, 0) is FloorDiv(0, 0) is FloorDiv(n, m).subs(m, 0) is sympy.nan
        assert FloorDiv(n, m).subs(n, 0) == FloorDiv(0, m), "which has none for m == 0"

    def test_what_is_divided_exactly_leaves_the_division(self) -> None:
        assert FloorDiv(4 * n + m, 2) == 2 * n + FloorDiv(m, 2)
        assert FloorDiv(n * p + 2, p) == n + FloorDiv(2, p)
        assert FloorDiv(n, 2).subs(n, 2 * m) == m
        assert FloorDiv(n, -2) == FloorDiv(-n, 2)
        assert FloorDiv(n * m, m).has(FloorDiv), "m may be 0"
        assert FloorDiv(2 * x, 2).has(FloorDiv), "x may be a fraction"

    def test_laws_hold_for_all_numbers(self) -> None:
        for a in (3 * n + m, 4 * n - 2 * m + 1, n * p + m, p * q - p + n):
            for b in (1, 2, 4, -2, p, p + q):
                divided = FloorDiv(a, b)
                for values in itertools.product([0, 1, 5], [0, 2, 7], [1, 3], [1, 4]):
                    known = dict(zip((n, m, p, q), map(sympy.Integer, values)))
                    assert divided.xreplace(known) == sympy.floor((a / b).xreplace(known)), (a, b, known)

    def test_assumptions(self) -> None:
        half = FloorDiv(n, 2)
        assert half.is_integer
        assert half.is_nonnegative
        assert half.is_finite
        assert half.is_positive is None
        assert FloorDiv(n + 2, 2).is_positive
        assert FloorDiv(-p, 2).is_negative
        assert FloorDiv(n, n + 1).is_zero
        assert FloorDiv(n, m).is_integer is None, "it has no value for m == 0"
        assert FloorDiv(x, 2).is_integer is None

    def test_it_is_rewritten_as_floor(self) -> None:
        assert FloorDiv(n + m, 2).rewrite(sympy.floor) == sympy.floor((n + m) / 2)
        assert Dim.from_sympy(FloorDiv(n, 2).rewrite(sympy.floor)) is floordiv(symbol("n"), 2)

    def test_a_derivative_is_left_open(self) -> None:
        assert sympy.diff(FloorDiv(n * n, 2) + n, n) == sympy.Derivative(FloorDiv(n * n, 2), n) + 1
        assert FloorDiv(n, 2).diff(m) == 0

    def test_it_is_printed_in_brackets_where_it_must_be(self) -> None:
        half = FloorDiv(n, 2)
        for expression, text in (
            (half, "n//2"),
            (-half, "-(n//2)"),
            (2 * half, "2*(n//2)"),
            (half**2, "(n//2)**2"),
            (FloorDiv(n + m, p + q), "(m + n)//(p + q)"),
            (FloorDiv(half, m), "(n//2)//m"),
            (FloorDiv(n, p * q), "n//(p*q)"),
            (FloorDiv(-n, 3), "(-n)//3"),
        ):
            assert [str(expression), in_python(expression)] == [text, text]

    def test_what_is_printed_has_its_value(self) -> None:
        values = {"n": 7, "m": 4, "p": 2, "q": 3}
        known = {s: values[s.name] for s in (n, m, p, q)}
        a, b = FloorDiv(n - m * q, p), FloorDiv(m, q)
        every: list[Any] = [a, -a, a - b, a * b, a**2, -2 * a * b, sympy.Mod(a, 3), FloorDiv(a, b + 2), FloorDiv(-b, 2)]
        for expression in every:
            expected = expression.subs(known)
            assert eval(in_python(expression), {}, values) == expected
            assert eval(str(expression), {"Mod": sympy.Mod}, values) == expected
            assert sympy.sympify(str(expression), locals=values) == expected

    def test_latex_and_pretty_printing(self) -> None:
        assert sympy.latex(2 * FloorDiv(n, 2) ** 2) == r"2 \left\lfloor{\frac{n}{2}}\right\rfloor^{2}"
        assert "⌊" in sympy.pretty(FloorDiv(n, 2), use_unicode=True)


class TestBroadcast:
    def test_it_is_the_first_that_is_not_one(self) -> None:
        values = [0, 1, 2, 5]
        for a, b, c in itertools.product(values, repeat=3):
            first = next((v for v in (a, b, c) if v != 1), 1)
            assert Broadcast(a, b, c) == first
            assert Broadcast(n, m, p).subs({n: a, m: b, p: c}) == first
            assert Broadcast(n, m, p).rewrite(sympy.Piecewise).subs({n: a, m: b, p: c}) == first

    def test_what_never_counts_is_left_out(self) -> None:
        assert Broadcast(n, 1) == Broadcast(n, n) == Broadcast(n) == n
        assert Broadcast() == Broadcast(1, 1) == 1
        assert Broadcast(n, 5, m) == Broadcast(n, 5)
        assert Broadcast(Broadcast(n, m), p) == Broadcast(n, m, p)

    def test_assumptions(self) -> None:
        assert Broadcast(n, p).is_integer
        assert Broadcast(n, p).is_nonnegative
        assert Broadcast(n, p).is_positive is None
        assert Broadcast(p, q).is_positive
        assert Broadcast(n, x).is_integer is None

    def test_it_is_rewritten_as_a_piecewise_and_read_back(self) -> None:
        a, b, c = (symbol(name) for name in "abc")
        size = broadcast(a, b, c)
        assert isinstance(size, Dim)
        assert Dim.from_sympy(size.expr.rewrite(sympy.Piecewise)) is size

    def test_a_derivative_is_left_open(self) -> None:
        assert sympy.diff(m * Broadcast(n, m), n) == m * sympy.Derivative(Broadcast(n, m), n)

    def test_latex(self) -> None:
        assert sympy.latex(Broadcast(n, m)) == r"\operatorname{broadcast}\left(n, m\right)"
        assert sympy.latex(Broadcast(n, m) ** 2) == r"\operatorname{broadcast}^{2}\left(n, m\right)"


class TestLambdify:
    SIZE: Any = FloorDiv(n - m, 2) * Broadcast(m, n) + FloorDiv(m, 3)

    @pytest.mark.parametrize("modules", ["math", "numpy", "mpmath", None])
    def test_numbers(self, modules: str | None) -> None:
        compute = sympy.lambdify([n, m], self.SIZE, modules)
        for a, b in itertools.product([0, 1, 2, 9], repeat=2):
            assert compute(a, b) == self.SIZE.subs({n: a, m: b})

    def test_arrays_stay_integers(self) -> None:
        compute = sympy.lambdify([n, m], self.SIZE)
        a, b = (v.ravel() for v in np.meshgrid([0, 1, 2, 2**31], [0, 1, 9]))
        found = compute(a, b)
        assert found.dtype == np.int64
        assert found.tolist() == [int(self.SIZE.subs({n: int(i), m: int(j)})) for i, j in zip(a, b)]


C = """#include <stdio.h>
int main(void) {
    for (long n = -7; n < 8; n++) for (long m = 1; m < 5; m++) printf("%%ld ", (long)(%s));
}
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler for C")
def test_c_computes_the_same(tmp_path: Path) -> None:
    a, b = sympy.symbols("n m", integer=True)
    size = FloorDiv(a, b) * 100 + FloorDiv(a - b, 3) - FloorDiv(a, -b) + Broadcast(b, a)
    source = tmp_path / "size.c"
    source.write_text(C % sympy.ccode(size), "utf-8")
    subprocess.run(["cc", "-o", str(tmp_path / "size"), str(source)], check=True)
    printed = subprocess.run([str(tmp_path / "size")], capture_output=True, text=True, check=True).stdout
    compute = sympy.lambdify([a, b], size, "math")
    assert [*map(int, printed.split())] == [compute(i, j) for i in range(-7, 8) for j in range(1, 5)]
    assert sympy.ccode(FloorDiv(n, p)) == "((n)/(p))"
