"""Random sizes and conditions, held against plain integers and z3: ``python -m tests.fuzz.algebra --count 5000``.

What the algebra claims is checked: a size's value, its bounds and divisor, each answer, the simplest form of a
condition, what is implied and what follows, witnesses, and the tables of conditions on one quantity. z3 looks for a
counterexample among all integers; where it finds none within its effort, plain integers alone have spoken.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import click

from shapeinfer.dims import (
    AllOf,
    Answer,
    AnyOf,
    AtMost,
    Condition,
    Dim,
    Divides,
    Equal,
    Size,
    divides,
    equal,
    evaluate,
    follows,
    implies,
    less,
    less_equal,
    simplest,
    witness,
)
from shapeinfer.dims.conditions.periodic import Refused, quantity_of
from tests.dims.in_z3 import refuted
from tests.dims.test_laws import SYMBOLS, Tree, Undefined, built, defined
from tests.dims.test_simplify import holds, truths

EFFORT = 60_000
"""What z3 may spend on a question: most are answered with a tenth of it."""
TWO = ("add", "sub", "mul", "max", "min", "max", "min")
BY_NUMBER = ("floordiv", "mod", "ceildiv")

ANSWERS: list[tuple[Callable[[Size, Size], Answer], Callable[[int, int], bool]]] = [
    (equal, lambda x, y: x == y),
    (less_equal, lambda x, y: x <= y),
    (less, lambda x, y: x < y),
    (divides, lambda x, y: y % x == 0 if x else y == 0),
]


def tree(chance: random.Random, leaves: int, names: str, kinds: Sequence[str]) -> Tree:
    """Return a random expression."""
    if leaves <= 1:
        return chance.choice(names) if chance.random() < 0.7 else chance.randint(-4, 7)
    kind = chance.choice((*kinds, *BY_NUMBER, "divided"))
    if kind in BY_NUMBER:
        return kind, tree(chance, leaves - 1, names, kinds), chance.choice((2, 3, 4, -2, 6, 8))
    left = chance.randint(1, leaves - 1)
    if kind == "divided":
        kind = chance.choice(("floordiv", "mod"))
    return kind, tree(chance, left, names, kinds), tree(chance, leaves - left, names, kinds)


def sizes_and_answers(chance: random.Random) -> None:
    """Check a random pair of sizes against plain integers."""
    kinds = (*TWO, "broadcast")
    left, right = (tree(chance, chance.randint(1, 6), "NMPZSGDEU", kinds) for _ in range(2))
    try:
        a, b = built(left), built(right)
    except Undefined:
        return
    answers = [(decide(a, b), truth) for decide, truth in ANSWERS]
    for env, (x, y) in defined(left, right, most=120):
        assert evaluate(a, env) == x, (a, env)
        if isinstance(a, Dim):
            assert a.low is None or a.low <= x, (a, a.low, env)
            assert a.high is None or x <= a.high, (a, a.high, env)
            assert x % a.divisor == 0, (a, a.divisor, env)
        for answer, truth in answers:
            assert answer.is_maybe or answer.is_yes == truth(x, y), (a, b, answer, env)


def condition(chance: random.Random, names: str) -> Condition:
    """Return a random condition, on sizes that need no condition themselves as those that broadcast do."""
    kind = chance.randrange(6)
    if kind >= 4:
        parts = tuple(condition(chance, names) for _ in range(2))
        return AllOf(parts) if kind == 4 else AnyOf(parts)
    while True:
        try:
            a, b = (built(tree(chance, chance.randint(1, 3), names, TWO)) for _ in range(2))
        except Undefined:
            continue
        if kind < 2:
            return Equal(a, b)
        return AtMost(a, b) if kind == 2 else Divides(chance.choice((2, 3, 4, 6)), a)


def conditions(chance: random.Random) -> None:
    """Check what is said of random conditions against plain integers and z3."""
    names = "".join(chance.sample("NMPSDZ", 2))
    one, other, third = (condition(chance, names) for _ in range(3))
    least = simplest(one)
    for env, (before, after) in truths((one, least), most=12):
        assert before == after, (one.text, least.text, env)
    assert_not_refuted(least, one)
    assert_not_refuted(one, least)
    for given in ((one,), (one, other)):
        if follows(given, third) or (len(given) == 1 and implies(one, third)):
            for env, (*known, wanted) in truths((*given, third), most=12):
                assert wanted or not all(known), ([g.text for g in given], third.text, env)
            assert_not_refuted(third, *given)
    answer = one.answer()
    if not answer.is_maybe:
        for env, (truth,) in truths((one,), most=12):
            assert truth == answer.is_yes, (one.text, env)
        if answer.is_yes:
            assert_not_refuted(one)
    found = witness(one, [other])
    if found is not None:
        assert not holds(one, found), (one.text, found)
        assert not other.symbols <= {SYMBOLS[n] for n in found} or holds(other, found), (other.text, found)


def assert_not_refuted(claim: Condition, *given: Condition) -> None:
    """Check that z3 finds no integers for which a condition fails where others hold."""
    assert refuted(claim, given, EFFORT) != "some", ([g.text for g in given], claim.text)


def tables(chance: random.Random) -> None:
    """Check the table of a random condition on one symbol far beyond its start."""
    name = chance.choice("NPSDZE")
    found = condition(chance, name)
    quantity = quantity_of((found,))
    if quantity is None or not quantity.size.is_symbol:
        return
    try:
        truth = quantity.truth(found)
    except Refused:
        return
    count = truth.start + 3 * truth.period + 40
    for i, expected in enumerate(truth.extended(truth.start, count)):
        if quantity.count is not None and i >= quantity.count:
            break
        env = {name: quantity.least + i * quantity.step}
        assert holds(found, env) == expected, (found.text, env)


CHECKS = (sizes_and_answers, conditions, tables)


def check(seed: int) -> None:
    """Check one random case of each kind. Raises AssertionError with the case."""
    for one in CHECKS:
        one(random.Random(f"{one.__name__} {seed}"))


@click.command()
@click.option("--count", default=5000, show_default=True, help="Check so many cases of each kind.")
@click.option("--start", default=0, show_default=True, help="The number of the first case, which is its seed.")
def main(count: int, start: int) -> None:
    """Check random sizes and conditions; end at the first that is wrong."""
    for seed in range(start, start + count):
        try:
            check(seed)
        except AssertionError as fault:
            raise SystemExit(f"case {seed}: {fault}") from fault
    print(f"{count} cases hold")


if __name__ == "__main__":
    main()
