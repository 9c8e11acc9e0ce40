"""Random expressions of a sympy user: what is read as a dim has its value, and what has a fraction somewhere is not."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import sympy

from shapeinfer.dims import Condition, Dim, Size
from shapeinfer.dims.notation.sympified.functions import Broadcast, FloorDiv
from tests.dims.sympy.random_terms import number, truth

USERS = [
    sympy.Symbol("n"),
    sympy.Symbol("m", integer=True, nonnegative=True),
    sympy.Symbol("p", positive=True, integer=True),
    sympy.Symbol("e", even=True, nonnegative=True),
]
VALUES = [dict(zip("nmpe", values)) for values in itertools.product([0, 1, 2, 7], [0, 3], [1, 2, 5], [0, 6])]
OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, _: a * (a + 1) / 2,
    lambda a, b: a / b,
    lambda a, b: a**2 / 2 + b / 2,
    lambda a, b: sympy.floor(a / b),
    lambda a, b: sympy.ceiling(a / b),
    lambda a, b: sympy.floor(a / 3 + b / 2),
    lambda a, _: sympy.ceiling(-a / 4),
    sympy.Mod,
    lambda a, _: sympy.Mod(a, 4),
    lambda a, b: sympy.Max(a, b, 1),
    sympy.Min,
    lambda a, b: sympy.Abs(a - b),
    FloorDiv,
    lambda a, _: FloorDiv(a, -3),
]


def expression(choice: random.Random, depth: int) -> Any:
    if depth == 0 or choice.random() < 0.2:
        return choice.choice(USERS) if choice.random() < 0.8 else sympy.Integer(choice.randint(-2, 6))
    a, b = expression(choice, depth - 1), expression(choice, depth - 1)
    try:
        return choice.choice(OPERATIONS)(a, b)
    except (ZeroDivisionError, ValueError):  # sympy's, where something is divided by 0
        return a


def there(found: Any, values: dict[str, int]) -> Any:
    """The value of an expression, None where it has none, or a part of it."""
    known = {s: sympy.Integer(values[s.name]) for s in USERS}
    try:
        if any(part.args[1].xreplace(known) == 0 for part in found.atoms(FloorDiv)):
            return None
        value = found.xreplace(known).doit()
    except (ZeroDivisionError, ValueError, TypeError):  # sympy's, where something is divided by 0
        return None
    return value if value in (sympy.true, sympy.false) or value.is_finite else None


def here(size: Size, values: dict[str, int]) -> int | None:
    try:
        return number(size, {s: values[s.name] for s in size.symbols} if isinstance(size, Dim) else {})
    except ZeroDivisionError:
        return None


def test_what_is_read_has_its_value() -> None:
    choice = random.Random(11)
    read = refused = 0
    for _ in range(120):
        one = expression(choice, 3)
        try:
            size = Dim.from_sympy(one)
        except ValueError:
            refused += 1
            continue
        read += 1
        for values in choice.sample(VALUES, 4):
            value, ours = there(one, values), here(size, values)
            # sympy divides by the infinite that a division by 0 gave
            assert value is None or ours is None or value == ours, (one, size, values)
    assert read > 40
    assert refused > 20


def test_what_is_refused_may_be_a_fraction_or_have_no_value() -> None:
    """Only the integers that sympy itself would have to be asked for are refused without need."""
    choice = random.Random(12)
    integers = refused = 0
    for _ in range(120):
        one = expression(choice, 2)
        try:
            Dim.from_sympy(one)
        except ValueError:
            refused += 1
            found = [there(part, values) for part in sympy.preorder_traversal(one) for values in VALUES[::5]]
            integers += all(value is not None and value.is_integer for value in found)
    assert refused > 15
    assert integers <= refused / 10


def test_a_relational_that_is_read_has_its_truth() -> None:
    choice = random.Random(13)
    relations = [sympy.Eq, sympy.Ne, sympy.Le, sympy.Lt, sympy.Ge, sympy.Gt]
    read = 0
    for _ in range(30):
        sides = [expression(choice, 2) for _ in range(4)]
        try:
            one = choice.choice(relations)(*sides[:2])
            other = choice.choice(relations)(*sides[2:])
            both = choice.choice([sympy.And, sympy.Or, sympy.Xor, sympy.Implies])(one, sympy.Not(other))
            condition = Condition.from_sympy(both)
        except (ValueError, TypeError):  # of the last also sympy, where a side has no value
            continue
        read += 1
        for values in choice.sample(VALUES, 4):
            value = there(both, values)
            try:
                found = truth(condition, {s: values[s.name] for s in condition.symbols})
            except ZeroDivisionError:
                continue
            assert value is None or bool(value) is found, (both, condition, values)
    assert read > 8


def test_a_broadcast_is_read_for_sizes_that_broadcast() -> None:
    n, m, p, _ = USERS
    size = Dim.from_sympy(Broadcast(n, m, p))
    for values in VALUES:
        sizes = {values[name] for name in "nmp"} - {1}
        if len(sizes) < 2:
            assert here(size, values) == there(Broadcast(n, m, p), values) == (sizes.pop() if sizes else 1)
