"""How many pairs of equal expressions the algebra recognises: equal by what operators compute, and by their values.

``formulas`` are lengths as shape rules make them, each written in two ways that are equal by construction. ``alike`` are
random expressions that have the same value at 750 bindings. No pair is left out for being hard.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from shapeinfer import dims
from shapeinfer.dims import Size, symbol

Values: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Pair: TypeAlias = tuple[str, Size, Size]

SYMBOLS: dict[str, Size] = {
    "N": symbol("N"),
    "M": symbol("M"),
    "P": symbol("P", low=1),
    "D": symbol("D", divisor=8),
}


def bindings(seed: int = 1) -> dict[str, Values]:
    """Return values for each symbol, in columns: a grid of small ones, then larger ones at random."""
    chance = random.Random(seed)
    rows = [(n, m, p, 8 * d) for n, m, p, d in itertools.product(range(5), range(5), range(1, 4), range(2))]
    for _ in range(600):
        n, m, p, d = (chance.randint(0, chance.choice((1, 4, 12, 60, 1000, 10000))) for _ in SYMBOLS)
        rows.append((n, m, p + 1, 8 * d))
    columns = np.array(rows, dtype=np.int64).T
    return dict(zip(SYMBOLS, columns, strict=True))


@frozen
class Expression:
    """A way to write a size: the size, how it was written, and its values."""

    text: str
    size: Size
    values: Values


def _binary(text: str, size: Callable[..., Size], values: Callable[..., Any]) -> Callable[..., Expression]:
    def build(a: Expression, b: Expression) -> Expression:
        return Expression(text.format(a.text, b.text), size(a.size, b.size), values(a.values, b.values))

    return build


ADD = _binary("({} + {})", dims.add, np.add)
SUB = _binary("({} - {})", dims.sub, np.subtract)
MUL = _binary("{}*{}", dims.mul, np.multiply)
MAX = _binary("max({}, {})", dims.maximum, np.maximum)
MIN = _binary("min({}, {})", dims.minimum, np.minimum)
FLOOR = _binary("({}//{})", dims.floordiv, np.floor_divide)
CEIL = _binary("ceil({}/{})", dims.ceildiv, lambda a, b: -(-a // b))
MOD = _binary("({} % {})", dims.mod, np.mod)


def alike(seed: int = 0, count: int = 60_000, most: int = 8) -> Iterator[Pair]:
    """Yield pairs of random expressions that have the same values, neighbours of groups of ``most`` at most."""
    chance = random.Random(seed)
    columns = bindings()
    length = len(columns["N"])
    groups: dict[bytes, dict[str, Expression]] = {}
    for _ in range(count):
        one = _random(chance, columns, length, chance.randint(2, 5))
        groups.setdefault(one.values.tobytes(), {}).setdefault(one.text, one)
    for group in groups.values():
        for a, b in itertools.pairwise(list(group.values())[:most]):
            yield f"{a.text} == {b.text}", a.size, b.size


def _random(chance: random.Random, columns: dict[str, Values], length: int, leaves: int) -> Expression:
    def number(n: int) -> Expression:
        return Expression(str(n), n, np.full(length, n, dtype=np.int64))

    if leaves == 1:
        if chance.random() < 0.3:
            return number(chance.choice((0, 1, 1, 2, 2, 3, 4, 7, 8)))
        name = chance.choice("NNNMMPD")
        return Expression(name, SYMBOLS[name], columns[name])
    kind = chance.choice(("add", "add", "sub", "sub", "mul", "max", "min", "floor", "floor", "ceil", "mod", "by"))
    if kind in ("floor", "ceil", "mod"):
        build = {"floor": FLOOR, "ceil": CEIL, "mod": MOD}[kind]
        return build(_random(chance, columns, length, leaves - 1), number(chance.choice((2, 2, 3, 4, 7, 8))))
    if kind == "by":
        build = chance.choice((FLOOR, CEIL, MOD))
        by = Expression("P", SYMBOLS["P"], columns["P"])
        return build(_random(chance, columns, length, leaves - 1), by)
    left = chance.randint(1, leaves - 1)
    a, b = _random(chance, columns, length, left), _random(chance, columns, length, leaves - left)
    return {"add": ADD, "sub": SUB, "mul": MUL, "max": MAX, "min": MIN}[kind](a, b)
