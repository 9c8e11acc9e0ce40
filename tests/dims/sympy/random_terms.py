"""Random sizes and conditions, the same in every run, over symbols of every kind and name."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from shapeinfer.dims import (
    AllOf,
    AnyOf,
    AtMost,
    Condition,
    Dim,
    Divides,
    Equal,
    Size,
    add,
    broadcast,
    floordiv,
    maximum,
    minimum,
    mod,
    mul,
    slot,
    sub,
    symbol,
)
from shapeinfer.dims.terms.expression import evaluated

ODD_NAMES = [
    "",
    "3",
    "a b",
    "`x`",
    "x + 1",
    "lambda",
    "E",
    "I",
    "pi",
    "S",
    "__import__('os').getcwd()",
    "\u03bb",
    "{x}",
]
SYMBOLS = [
    *(symbol(name) for name in ["a", "b", "n_1", *ODD_NAMES]),
    *(symbol("a", high=high) for high in (9, 10)),
    *(symbol("b", low=low) for low in (None, -5, 1, 2)),
    *(symbol("b", divisor=divisor) for divisor in (2, 3, 8)),
    symbol("b", low=1, divisor=2),
    symbol("w", low=-5, high=-1),
    symbol("g", low=None, high=0),
    symbol("a", fresh=True),
    symbol("a", low=1, fresh=True),
    slot(3),
]


def random_sizes(seed: int) -> Iterator[Dim]:
    """Sizes of up to five operations deep, without end."""
    choice = random.Random(seed)
    while True:
        size = _size(choice, choice.randint(0, 5))
        if isinstance(size, Dim):
            yield size


def random_conditions(seed: int) -> Iterator[Condition]:
    """Conditions, some always true or false, junctions in any order, without end."""
    choice = random.Random(seed)
    while True:
        yield _condition(choice, 2)


_OPERATIONS: list[Callable[[Size, Size], Size]] = [add, add, sub, mul, floordiv, maximum, minimum, broadcast, mod]


def _size(choice: random.Random, depth: int) -> Size:
    if depth == 0 or choice.random() < 0.15:
        return choice.choice(SYMBOLS) if choice.random() < 0.8 else choice.randint(-3, 9)
    a, b = _size(choice, depth - 1), _size(choice, depth - 1)
    operation = choice.choice(_OPERATIONS)
    if operation in (floordiv, mod) and choice.random() < 0.7:
        b = choice.choice([2, 3, 4, 7, 8, -2])
    try:
        return operation(a, b)
    except ZeroDivisionError:
        return a


def _condition(choice: random.Random, depth: int) -> Condition:
    kind = choice.choice([Equal, AtMost, Divides, *([AllOf, AnyOf] if depth else [])])
    if kind in (AllOf, AnyOf):
        return kind(tuple(_condition(choice, depth - 1) for _ in range(choice.randint(0, 3))))
    a, b = _size(choice, 2), _size(choice, 2)
    return Divides(choice.choice([a, choice.randint(-3, 9)]), b) if kind is Divides else kind(a, b)


def random_values(choice: random.Random, symbols: frozenset[Dim]) -> dict[Dim, int]:
    """A number for each symbol within its range, often one of the least."""
    return {s: _value(choice, s) for s in sorted(symbols, key=lambda s: s.order)}


def _value(choice: random.Random, s: Dim) -> int:
    away = choice.choice([0, 1, 2, 3, 40]) * s.divisor
    low, high = s.bounds()
    if low is not None:
        return min(low + away, low + away if high is None else high)
    return away if high is None else high - away


def truth(condition: Condition, values: Mapping[Dim, int]) -> bool:
    """Whether a condition holds. Raises ZeroDivisionError."""
    if isinstance(condition, AllOf):
        return min((truth(part, values) for part in condition.parts), default=True)
    if isinstance(condition, AnyOf):
        return max((truth(part, values) for part in condition.parts), default=False)
    one, other = (number(side, values) for side in condition.sides)
    if isinstance(condition, Divides):
        return other % one == 0 if one else other == 0
    return one == other if isinstance(condition, Equal) else one <= other


def number(size: Size, values: Mapping[Dim, int]) -> int:
    """The number that a size is. Raises ZeroDivisionError."""
    return evaluated(size, values)
