"""The page of laws, each row proved: on a grid, by z3, by the kernel, and by sympy where the row says so."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
import sympy
import z3

from shapeinfer import dims
from shapeinfer.dims import Answer, equal, follows, implies, less_equal, parse_condition, symbol
from tests.benchmarks.equality import alike, formulas, recognised
from tests.dims import in_z3
from tests.dims.laws import BOUNDS, DIVISIONS, IDENTITIES, IMPLICATIONS, LEAST, choices_of, letters_of
from tests.dims.test_simplify import SIMPLEST, read
from tests.each import each

INTEGERS: dict[str, Any] = {"max": max, "min": min, "ceil": lambda a, n: -(-a // n)}
KERNEL: dict[str, Any] = {"max": dims.maximum, "min": dims.minimum, "ceil": dims.ceildiv}
SYMPY: dict[str, Any] = {"max": sympy.Max, "min": sympy.Min, "ceil": lambda a, n: -(-a // n)}
Z3: dict[str, Any] = {"max": in_z3.largest, "min": in_z3.smallest, "ceil": in_z3.ceil}

SMALL = {None: (-7, -3, -1, 0, 1, 2, 5, 16), 0: (0, 1, 2, 3, 7, 8, 24), 1: (1, 2, 3, 5, 8, 12)}
"""Values of letters by their least."""

LETTERS: dict[str, Any] = {letter: symbol(letter, low=low) for letter, low in LEAST.items()}


def sides(statement: str, values: Mapping[str, Any], functions: Mapping[str, Any]) -> tuple[Any, Any]:
    left, right = statement.split(" == " if " == " in statement else " <= ")
    names = {"__builtins__": {}, **functions, **values}
    return eval(left, dict(names)), eval(right, dict(names))


@each([law for law, _ in (*IDENTITIES, *BOUNDS)])
def test_a_law_holds_on_a_grid(law: str) -> None:
    letters = [letter for letter in letters_of(law) if letter in LEAST]
    for numbers in choices_of(law):
        for values in itertools.product(*(SMALL[LEAST[letter]] for letter in letters)):
            at = numbers | dict(zip(letters, values, strict=True))
            left, right = sides(law, at, INTEGERS)
            assert left == right if " == " in law else left <= right, at


@each([law for law, _ in (*IDENTITIES, *BOUNDS)])
def test_z3_proves_a_law_for_all_integers(law: str) -> None:
    letters = [letter for letter in letters_of(law) if letter in LEAST]
    ranges = [z3.Int(letter) >= LEAST[letter] for letter in letters if LEAST[letter] is not None]
    variables = {letter: in_z3.Number(z3.Int(letter)) for letter in letters}
    for numbers in choices_of(law):
        left, right = (in_z3.term(side) for side in sides(law, variables | numbers, Z3))
        assert in_z3.counterexample(left == right if " == " in law else left <= right, *ranges) == "none", numbers


@each(IDENTITIES)
def test_the_kernel_knows_an_identity(law: str, known: str) -> None:
    found = set()
    for numbers in choices_of(law):
        left, right = sides(law, LETTERS | numbers, KERNEL)
        assert equal(left, right).is_yes, numbers
        found.add("form" if left is right or isinstance(left, int) else "cases")
    assert known.split()[0] == ("cases" if "cases" in found else "form")


@each(BOUNDS)
def test_the_kernel_knows_a_bound(law: str, known: str) -> None:
    assert known == "cases"
    for numbers in choices_of(law):
        left, right = sides(law, LETTERS | numbers, KERNEL)
        assert less_equal(left, right).is_yes, numbers


@each([law for law, known in IDENTITIES if "sympy" in known])
def test_sympy_proves_an_identity(law: str) -> None:
    known: dict[int | None, dict[str, bool]] = {None: {}, 0: {"nonnegative": True}, 1: {"positive": True}}
    variables = {x: sympy.Symbol(x, integer=True, **known[least]) for x, least in LEAST.items()}
    for numbers in choices_of(law):
        values = {letter: sympy.Integer(n) for letter, n in numbers.items()}
        left, right = sides(law, variables | values, SYMPY)
        assert sympy.expand(left - right) == 0, numbers


CLOSE_TO_LAWS = [
    "(a + n)//n == a//n",
    "(a*n + b)//n == a + b//n + 1",
    "(a//m)//n == a//(m + n)",
    "max(a, b)//n == max(a//n, b)",
    "(x//n)*n == x",
    "a*max(b, c) == max(a*b, a*c)",
    "max(x, x*y) == x*y",
    "x//n + y//n == (x + y)//n",
    "min(k*(x//k), x) == x",
]


@each(CLOSE_TO_LAWS)
def test_what_is_no_law_is_refuted_by_z3_and_left_open_by_the_kernel(statement: str) -> None:
    letters = [letter for letter in letters_of(statement) if letter in LEAST]
    ranges = [z3.Int(letter) >= LEAST[letter] for letter in letters if LEAST[letter] is not None]
    variables = {letter: in_z3.Number(z3.Int(letter)) for letter in letters}
    for numbers in choices_of(statement):
        left, right = (in_z3.term(side) for side in sides(statement, variables | numbers, Z3))
        assert in_z3.counterexample(left == right, *ranges) == "some"
        assert not equal(*sides(statement, LETTERS | numbers, KERNEL)).is_yes


@each(IMPLICATIONS)
def test_an_implication_is_found_and_proved_by_z3(given: str, wanted: str) -> None:
    known, condition = (parse_condition(text, LETTERS) for text in (given, wanted))
    assert implies(known, condition)
    assert follows([known], condition)
    assert in_z3.refuted(condition, [known]) == "none"


LEFT_OPEN = {
    "(K*P + S) % K == 0",
    "16*B*((H + 3)//4)*((K + 3)//4) == B*H*K",
    "6*((H + 1)//2)*((K + 2)//3) <= H*K",
}
"""Of these conditions z3 has no proof within the effort, and no counterexample."""


@each(SIMPLEST)
def test_z3_proves_that_a_condition_and_its_simplest_form_are_one(text: str, simple: str) -> None:
    before, after = read(text), dims.simplest(read(text))
    found = {in_z3.refuted(after, [before]), in_z3.refuted(before, [after])}
    assert found == {"none"} or (text in LEFT_OPEN and "some" not in found)


def test_lengths_that_operators_compute_in_two_ways_are_recognised() -> None:
    _, _, left = recognised(formulas())
    assert left == []


def test_most_random_sizes_of_equal_values_are_recognised() -> None:
    same, found, left = recognised(alike(count=2000))
    assert same + found >= 0.97 * (same + found + len(left)), left


def test_the_page_has_each_law_once() -> None:
    statements = [law for law, _ in (*IDENTITIES, *BOUNDS)]
    assert len(set(statements)) == len(statements)
    assert DIVISIONS[0][0] == "(a + n)//n == a//n + 1"


@pytest.mark.parametrize("answer", [equal(LETTERS["x"], LETTERS["y"]), less_equal(LETTERS["x"], LETTERS["y"])])
def test_two_sizes_are_not_related_by_being_sizes(answer: Answer) -> None:
    assert answer.is_maybe
