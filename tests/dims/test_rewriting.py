"""Equations as rules: what they put in the place of a length is as long, wherever they hold."""

from __future__ import annotations

import itertools

import pytest

from shapeinfer.dims import Equal, Size, evaluate, parse, rewritten, rules_of

EQUATIONS = (
    ("(H + 1)//2", "2*((H + 3)//4)"),
    ("(W + 1)//2", "2*((W + 3)//4)"),
    ("min(H, 3)", "W//2 + 1"),
    ("max(H, W)", "max(W, 2)"),
    ("H*W", "W//2"),
)
LENGTHS = ("((H + 1)//2)*((W + 1)//2)", "min(H, 3)*max(H, W)", "(H + 1)//2 + W//2", "min(H, 3)//2 + H*W", "H*W")


def size(text: str) -> Size:
    return parse(text)


@pytest.mark.parametrize("count", range(1, len(EQUATIONS) + 1))
def test_a_length_is_as_long_wherever_the_equations_hold(count: int) -> None:
    for chosen in itertools.combinations(EQUATIONS, count):
        equations = [Equal(size(a), size(b)) for a, b in chosen]
        rules = rules_of(equations)
        for text, (h, w) in itertools.product(LENGTHS, itertools.product(range(9), repeat=2)):
            env = {"H": h, "W": w}
            if all(evaluate(e.a, env) == evaluate(e.b, env) for e in equations):
                assert evaluate(rewritten(size(text), rules), env) == evaluate(size(text), env), (chosen, text, env)


def test_parts_of_a_product_are_found() -> None:
    rules = rules_of([Equal(size(a), size(b)) for a, b in EQUATIONS[:2]])
    assert rewritten(size(LENGTHS[0]), rules) is size("4*((H + 3)//4)*((W + 3)//4)")


def test_symbols_are_no_left_sides() -> None:
    """What is known of those the solver has put in already."""
    assert rules_of([Equal(size("H"), size("2*W"))]) == ()
