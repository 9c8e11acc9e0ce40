"""How many pairs of equal sizes the algebra recognises, of three kinds; no pair is left out for being hard.

``formulas`` are lengths as shapes make them, each written in two ways that are equal by construction. ``laws`` are
those of ``tests/dims/laws.py`` with random expressions for their letters. ``alike`` are random expressions that have
the same value at 750 bindings.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from shapeinfer import dims
from shapeinfer.dims import Size, symbol
from tests.dims.laws import IDENTITIES, LEAST, NUMBERS, letters_of

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


FUNCTIONS: dict[str, Any] = {"max": dims.maximum, "min": dims.minimum, "ceil": dims.ceildiv}


def sides(text: str, values: Mapping[str, Any], functions: Mapping[str, Any] = FUNCTIONS) -> tuple[Any, Any]:
    """Return both sides of an equation in Python's syntax."""
    left, right = text.split(" == ")
    names = {"__builtins__": {}, **functions, **values}
    return eval(left, dict(names)), eval(right, dict(names))


FORMULAS: list[str] = [
    # what convolutions and pools make: p of padding, kernel k, dilation d, stride s
    "(H + p - d*(k - 1) - 1)//s + 1 == (H + p - d*(k - 1) + s - 1)//s",
    "(H + p - d*(k - 1) - 1)//s + 1 == ceil(H + p - d*(k - 1), s)",
    "(H + p - k)//S + 1 == ceil(H + p - k + 1, S)",
    "ceil(H + p - k, s) + 1 == (H + p - k + s - 1)//s + 1",
    "(H + max((ceil(H, s) - 1)*s + k - H, 0) - k)//s + 1 == ceil(H, s)",
    "(H + max(ceil(H, s)*s - s + k - H, 0)//2 + (max(ceil(H, s)*s - s + k - H, 0) + 1)//2 - k)//s + 1 == ceil(H, s)",
    "((H - 1)*s + k - k)//s + 1 == H",
    "((H - 1)*S + k - k)//S + 1 == H",
    "((H + p - k)//s + 1 - 1)*s + (H + p - k) % s + k - p == H",
    "((H - 1)//s)//k == (H - 1)//(s*k)",
    "ceil(ceil(H, s), k) == ceil(H, s*k)",
    "((H + 1)//2 + 1)//2 == (H + 3)//4",
    "((H - k)//s + 1 - d)//k + 1 == (H - k + s - s*d)//(s*k) + 1",
    # what pads to a multiple
    "H + (-H) % k == k*ceil(H, k)",
    "H + (k - H % k) % k == (H + k - 1)//k*k",
    "H + (-H) % S == S*ceil(H, S)",
    "H + k*ceil(H, k) - H == (H + k - 1)//k*k",
    "min(k*ceil(H, k), H) == H",
    "(k*ceil(H, k))//k == ceil(H, k)",
    "(S*ceil(H, S))//S == (H + S - 1)//S",
    "max(k*ceil(H, k) - H, 0) == (-H) % k",
    # what splits and concatenates
    "H//2 + (H + 1)//2 == H",
    "H//3 + (H + 1)//3 + (H + 2)//3 == H",
    "min(H, k) + max(H - k, 0) == H",
    "min(max(H - k, 0), d) + min(H, k) == min(H, k + d)",
    "min(H, ceil(H, 2)) + max(H - ceil(H, 2), 0) == H",
    "min(H, ceil(H, 3)) + min(max(H - ceil(H, 3), 0), ceil(H, 3)) + max(H - 2*ceil(H, 3), 0) == H",
    "(k*H)//k + (k*W)//k == H + W",
    "N*(H + W) - N*H == N*W",
    "(N + M)*H - M*H == H*N",
    "(P + N) - max(P + N - k, 0) == min(P + N, k)",
    "N - (k - 1)*(N//k) == N//k + N % k",
    # what slices
    "max(min(H, d) - min(H, k), 0) == min(H, max(d, k)) - min(H, k)",
    "H - max(H - k, 0) == min(H, k)",
    "H - min(H, k) == max(H - k, 0)",
    "max(ceil(H - k, s), 0) == ceil(max(H - k, 0), s)",
    "max((H - k + s - 1)//s, 0) == (max(H, k) - k + s - 1)//s",
    "ceil(H, 2) + H//2 == H",
    "ceil(max(H - 1, 0), 2) == H//2",
    "min(max(H - k, 0), W) == max(min(H - k, W), 0)",
    "max(min(H, W) - k, 0) == min(max(H - k, 0), max(W - k, 0))",
    "min(N, P + N) == N",
    # what reshapes and reduces
    "(N*k*P)//(k*P) == N",
    "(N*P)//P == N",
    "(k*N*P)//(P*d) == (k*N)//d",
    "(k*d*N)//k == d*N",
    "(N*P*S)//(P*S) == N",
    "N*P - N == N*(P - 1)",
    "N*P + N*k == N*(P + k)",
    "(N*P) % P == 0",
    "(N*P + S) % P == S % P",
    "N*P//S//k == N*P//(S*k)",
    "(N//P)*P + N % P == N",
    "N//k*k + N % k == N",
    # what pixels are shuffled and resized by
    "(k*H)//k == H",
    "(k*H + d)//k == H + d//k",
    "(2*H + 1)//2 == H",
    "(k*d*H)//d//k == H",
    "(3*H)//2 == H + H//2",
    "(5*H)//4 == H + H//4",
    # what is the largest and the smallest
    "max(H, W) == H + W - min(H, W)",
    "max(H, W) - min(H, W) == max(H - W, W - H)",
    "max(H, W)//k == max(H//k, W//k)",
    "max(H, W)//S == max(H//S, W//S)",
    "min(H + k, W + k) == min(H, W) + k",
    "k*max(H, W) == max(k*H, k*W)",
    "N*max(H, W) == max(N*H, N*W)",
    "min(max(H, k), k + d) == max(min(H, k + d), k)",
    "max(H - k, W - k) == max(H, W) - k",
    "min(H, k)*max(H, k) == k*H",
    "ceil(max(H, W), k) == max(ceil(H, k), ceil(W, k))",
    "max(H, W, N) == max(N, max(W, H))",
    "max(H + k, W) - k == max(H, W - k)",
    "max(0, H - W) + W == max(H, W)",
    "max(H//k, 1)*k == max(H//k*k, k)",
]
"""Lengths, in which k, d, s and p are numbers, S and P are at least 1, and H, W, N and M are at least 0."""

LENGTHS: dict[str, Size] = {name: symbol(name, low=1 if name in "SP" else 0) for name in "HWNMSP"}


def formulas() -> Iterator[Pair]:
    """Yield the formulas with each choice of small numbers for their letters."""
    choices = {"k": (1, 2, 3, 5, 7), "d": (1, 2, 3, 4), "s": (1, 2, 3, 4), "p": (0, 1, 2, 6)}
    for text in FORMULAS:
        letters = [letter for letter in choices if letter in text.replace("max", "")]
        for numbers in itertools.product(*(choices[letter] for letter in letters)):
            a, b = sides(text, LENGTHS | dict(zip(letters, numbers, strict=True)))
            yield f"{text} for {letters} {numbers}", a, b


def laws(seed: int = 0, each: int = 40) -> Iterator[Pair]:
    """Yield each law so many times, with random expressions of at most three leaves for its letters."""
    chance = random.Random(seed)
    columns = bindings()
    for text, *_ in IDENTITIES:
        for _ in range(each):
            values: dict[str, Any] = {}
            for letter in letters_of(text):
                values[letter] = (
                    _of_least(LEAST[letter], chance, columns) if letter in LEAST else chance.choice(NUMBERS)
                )
            a, b = sides(text, values)
            yield f"{text} for {values}", a, b


def _of_least(least: int | None, chance: random.Random, columns: dict[str, Values]) -> Size:
    """Return a random expression that is never below a number."""
    size = _random(chance, columns, len(columns["N"]), chance.randint(1, 3)).size
    if least is None or dims.less_equal(least, size).is_yes:
        return size
    return dims.maximum(size, least)


def recognised(pairs: Iterator[Pair]) -> tuple[int, int, list[str]]:
    """Return how many pairs are one object, how many more are found equal, and those that are not found equal."""
    same, found, left = 0, 0, []
    for name, a, b in pairs:
        if a is b or (isinstance(a, int) and a == b):
            same += 1
            continue
        answer = dims.equal(a, b)
        assert not answer.is_no, name
        found += answer.is_yes
        left += [name] if answer.is_maybe else []
    return same, found, left


def equality(folder: Path, runs: int) -> list[dict[str, Any]]:
    """The share of equal sizes that are recognised, of each kind."""
    kinds: dict[str, Iterator[Pair]] = {"formulas": formulas(), "laws": laws(), "alike": alike()}
    counts: dict[str, tuple[int, int, int]] = {}
    for kind, pairs in kinds.items():
        same, found, left = recognised(pairs)
        counts[kind] = same, found, len(left)
    counts["all"] = tuple(map(sum, zip(*counts.values(), strict=True)))  # type: ignore[assignment]
    return [
        {"pairs": kind, "count": sum(each), "one object %": 100 * each[0] / sum(each)}
        | {"recognised %": 100 * (each[0] + each[1]) / sum(each)}
        for kind, each in counts.items()
    ]
