"""Conditions are read in the form in which they print."""

from __future__ import annotations

import pytest

from shapeinfer.dims import AllOf, AnyOf, AtMost, Condition, Dim, DimSyntaxError, Divides, Equal, add, parse_condition
from shapeinfer.dims import symbol as size

NAMES = {name: size(name) for name in ("a", "b", "c", "x.or.y", "d or e")}
A, B, C, DOTTED, QUOTED = NAMES.values()
ONE, TWO, THREE = Equal(A, 1), Equal(B, 2), Divides(8, C)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("a == 1", ONE),
        ("(a == 1)", ONE),
        ("c % 8 == 0", THREE),
        ("(a + b) % (c) == 0", Divides(C, add(A, B))),
        ("(a) <= (b)", AtMost(A, B)),
        ("a == 1 and b == 2", AllOf((ONE, TWO))),
        ("a == 1 or b == 2", AnyOf((ONE, TWO))),
        ("a == 1 or b == 2 and c % 8 == 0", AnyOf((ONE, AllOf((TWO, THREE))))),
        ("(a == 1 or b == 2) and c % 8 == 0", AllOf((AnyOf((ONE, TWO)), THREE))),
        ("((a == 1) or (b == 2))", AnyOf((ONE, TWO))),
        ("x.or.y == 1", Equal(DOTTED, 1)),
        ("`d or e` + 1 == a", Equal(add(QUOTED, 1), A)),
    ],
)
def test_a_condition_is_read(text: str, condition: Condition) -> None:
    assert parse_condition(text, NAMES) == condition


@pytest.mark.parametrize(
    "condition", [ONE, THREE, AnyOf((ONE, TWO)), AnyOf((AllOf((ONE, TWO)), THREE)), AllOf((AnyOf((ONE, TWO)), THREE))]
)
def test_what_prints_reads_back(condition: Condition) -> None:
    assert parse_condition(condition.text, NAMES) == condition


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no condition such as 'seq % 8 == 0' or 'H >= 32'"),
        ("a", "'a' is no condition"),
        ("a == 1 or", "'' is no condition"),
        ("or", "'' is no condition"),
        ("a = 1", "'a = 1' is no condition"),
        ("(a == 1", "expected ')'"),
        ("a == 1)", "unexpected ')'"),
        ("a == 1 or seq == 2", "'seq' is no known dim; known are a, b, c, d or e, x.or.y"),
        ("(" * 300 + "a == 1" + ")" * 300, "unexpected ')'"),
        ("a == 1 and " * 1000, "a condition of 11000 characters is too long to be read"),
    ],
)
def test_what_is_no_condition_is_refused(text: str, message: str) -> None:
    with pytest.raises(DimSyntaxError) as error:
        parse_condition(text, NAMES)
    assert message in str(error.value)


def test_names_are_symbols() -> None:
    assert all(isinstance(s, Dim) for s in NAMES.values())
