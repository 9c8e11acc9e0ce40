"""Conditions in their smallest form, what follows from what, and what breaks them, against plain integers."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

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
    broadcastable,
    evaluate,
    floordiv,
    follows,
    implies,
    maximum,
    minimal,
    minimum,
    mod,
    mul,
    parse_with,
    product,
    simplest,
    sub,
    symbol,
    witness,
)
from shapeinfer.dims.notation.condition_grammar import parse_condition
from shapeinfer.dims.terms.decompose import factored
from tests.effort import within

Env: TypeAlias = dict[str, int]

NATURAL = ["A", "B", "C", "H", "N", "P", "S", "T", "W", "a", "b", "c", "n", "x", "y"]
SYMBOLS: dict[str, Size] = {
    **{name: symbol(name) for name in NATURAL},
    "K": symbol("K", low=1),
    "R": symbol("R", low=2, high=9),
    "D": symbol("D", divisor=4),
    "E": symbol("E", low=6, high=60, divisor=6),
    "Z": symbol("Z", low=-7),
    "L": symbol("L", low=None, high=5),
}


def read(text: str) -> Condition:
    return parse_condition(text, SYMBOLS)


def holds(condition: Condition, env: Env) -> bool:
    if isinstance(condition, AnyOf):
        return any(holds(p, env) for p in condition.parts)
    if isinstance(condition, AllOf):
        return all(holds(p, env) for p in condition.parts)
    if isinstance(condition, Divides):
        n, value = evaluate(condition.divisor, env), evaluate(condition.a, env)
        return value % n == 0 if n else value == 0
    one, other = (evaluate(side, env) for side in condition.sides)
    return one == other if isinstance(condition, Equal) else one <= other


def values_of(s: Dim, most: int) -> list[int]:
    """Every value up to a number, or a few beyond the least."""
    low = -9 if s.low is None else s.low
    high = max(most, low + 2 * s.divisor) if s.high is None else min(s.high, max(most, low + 2 * s.divisor))
    return [v for v in range(low, high + 1) if v % s.divisor == 0]


def grid(conditions: Iterable[Condition], most: int = 0) -> Iterator[Env]:
    symbols = sorted(frozenset().union(*(c.symbols for c in conditions)), key=lambda s: s.name)
    most = most or {0: 1, 1: 150, 2: 25}.get(len(symbols), 7)
    names = [s.name for s in symbols]
    for numbers in itertools.product(*(values_of(s, most) for s in symbols)):
        yield dict(zip(names, numbers, strict=True))


def truths(conditions: Iterable[Condition], most: int = 0) -> Iterator[tuple[Env, list[bool]]]:
    every = list(conditions)
    for env in grid(every, most):
        try:
            yield env, [holds(c, env) for c in every]
        except ZeroDivisionError:
            continue


def assert_same(condition: Condition, other: Condition, most: int = 0) -> None:
    for env, (one, two) in truths((condition, other), most):
        assert one == two, (condition.text, other.text, env)


# A table to read as the specification

SIMPLEST = [
    # halves, quarters and so on that fit
    ("2*(H//2) == H", "H % 2 == 0"),
    ("2*((H + 1)//2) == H", "H % 2 == 0"),
    ("2*(2*(((H + 1)//2 + 1)//2)) == H", "H % 4 == 0"),
    ("4*((H//2)//2) == H", "H % 4 == 0"),
    ("8*((((H//2)//2)//2)) == H", "H % 8 == 0"),
    ("32*((H + 31)//32) == H", "H % 32 == 0"),
    ("H//2 == (H + 1)//2", "H % 2 == 0"),
    ("H - 2*(H//2) == 1", "(H + 1) % 2 == 0"),
    ("2*((P + S)//2) == P + S", "(P + S) % 2 == 0"),
    ("4*((B*S)//4) == B*S", "(B*S) % 4 == 0"),
    ("65536*(H//65536) == H", "H % 65536 == 0"),
    ("32*((H + 31)//32)*W == H*W", "H % 32 == 0 or W == 0"),
    # linear equalities
    ("3*N + 1 == 13", "N == 4"),
    ("3*N == 10", "never"),
    ("N + 1 == 1", "N == 0"),
    ("2*P + 2*S == 2*T", "T == P + S"),
    ("P + S - T == 0", "T == P + S"),
    ("P - S == 3", "P == S + 3"),
    ("P + S == 10", "P + S == 10"),
    ("A - B == C - T", "A + T == B + C"),
    ("4*A + 2*B == 3", "never"),
    ("A + B == 0", "A == 0 and B == 0"),
    ("H//2 == 0", "H <= 1"),
    ("H//2 == 3", "H//2 == 3"),
    ("b == a", "a == b"),
    ("D == 6", "never"),
    # factors
    ("a*c == b*c", "a == b or c == 0"),
    ("a*K == b*K", "a == b"),
    ("A*B == 0", "A == 0 or B == 0"),
    ("A*B == 1", "A == 1 and B == 1"),
    ("6*A*B == 4*A*C", "2*C == 3*B or A == 0"),
    # selections
    ("min(n, 512) == n", "n <= 512"),
    ("min(n, 131072) == n", "n <= 131072"),
    ("max(a, b) == a", "b <= a"),
    ("min(a, b) + c == a + c", "a <= b"),
    ("min(n, 7) == 7", "n >= 7"),
    ("max(A, B) <= 512", "A <= 512 and B <= 512"),
    ("min(A, B) <= 512", "A <= 512 or B <= 512"),
    ("max(A, B) >= 2", "A >= 2 or B >= 2"),
    # divisibility
    ("(6*N) % 4 == 0", "N % 2 == 0"),
    ("(B*S) % 4 == 0", "(B*S) % 4 == 0"),
    ("(5*N + 8) % 4 == 0", "N % 4 == 0"),
    ("(3*N) % 4 == 0", "N % 4 == 0"),
    ("(4*N + 2*B + 6) % 4 == 0", "(B + 1) % 2 == 0"),
    ("(3*A + 3*B) % 4 == 0", "(A + B) % 4 == 0"),
    ("(2*(H//2)) % 4 == 0", "(H//2) % 2 == 0"),
    ("(4*N + 1) % 2 == 0", "never"),
    ("D % 6 == 0", "D % 3 == 0"),
    ("D % 8 == 0", "D % 8 == 0"),
    ("(K*P + S) % K == 0", "S % K == 0"),
    ("(2*N*B) % (2*N) == 0", "always"),
    # bounds
    ("H + 3 >= 8", "H >= 5"),
    ("2*H <= 1025", "H <= 512"),
    ("H//2 >= 2", "H >= 4"),
    ("(H + 31)//32 >= 1", "H >= 1"),
    ("(P + S)//2 >= 2", "P + S >= 4"),
    ("4*A + 6*B <= 13", "2*A + 3*B <= 6"),
    ("P - T + S >= 0", "T <= P + S"),
    ("512 - P - S >= 0", "P + S <= 512"),
    ("(H//2)*(W//2) >= 1", "H >= 2 and W >= 2"),
    ("A*B >= 1", "A >= 1 and B >= 1"),
    ("A*B >= 6", "A*B >= 6"),
    ("A*B + A*C >= 1", "B + C >= 1 and A >= 1"),
    ("A + B >= 1", "A + B >= 1"),
    ("A + B <= 0", "A == 0 and B == 0"),
    ("A*c <= B*c", "A <= B or c == 0"),
    # remainders and quotients, when only these count
    ("(H + 7)//8 == 4*((H + 31)//32)", "H % 32 >= 25 or H % 32 == 0"),
    ("(H + 4)//8 == H//8", "(H//4) % 2 == 0"),
    ("8*(H//32) == H//4", "(H//4) % 8 == 0"),
    ("(H//4) % 4 == 0 and ((H + 4)//8) % 4 == 0", "(H//4) % 8 == 0"),
    ("H <= 32*(H//32) + 3 and H >= 4", "H % 32 <= 3 and H >= 4"),
    ("H - 32*(H//32) >= 5", "H % 32 >= 5"),
    ("(H//4) - 8*(H//32) <= 5 and H//4 - 8*(H//32) >= 3", "H % 32 >= 12 and H % 32 <= 23"),
    ("H + W <= 4*((H + W)//4) + 2", "(H + W) % 4 <= 2"),
    # products, factor by factor
    ("K*R == 49*(K//7)*(R//7)", "K % 7 == 0 and R % 7 == 0"),
    ("H*W == 49*(H//7)*(W//7)", "H % 7 == 0 and W % 7 == 0 or H == 0 or W == 0"),
    ("16*B*((H + 3)//4)*((K + 3)//4) == B*H*K", "H % 4 == 0 and K % 4 == 0 or B == 0 or H == 0"),
    ("6*((H + 1)//2)*((K + 2)//3) <= H*K", "H % 2 == 0 and K % 3 == 0 or H == 0"),
    ("H*W <= 49*((H + 6)//7)*((W + 6)//7)", "always"),
    ("4*H*(W//2) == 6*(H//3)*W", "2*(W//2)*H == 3*(H//3)*W"),
    ("8*(H//2)*(W//2)*(P//2) == H*W*P", "H % 2 == 0 and P % 2 == 0 and W % 2 == 0 or H == 0 or P == 0 or W == 0"),
    ("H*W + 4 == 2*H + 2*W", "H == 2 or W == 2"),
    ("R*K + 2 >= R + 2*K", "always"),
    ("(H//3)*(R - 1) <= (H//3) - H + H*(R - 1)", "always"),
    ("Z*R + 2 <= 2*Z + R", "R == 2 or Z <= 1"),
    ("H*K + 1 == 3*H + 3*K", "3*H + 3*K == H*K + 1"),
    ("N <= 0", "N == 0"),
    ("R >= 9", "R == 9"),
    ("R <= 9", "always"),
    # choices and conjunctions
    ("x == y or x == y and x >= 1", "x == y"),
    ("x == y and x >= 1 and x == y", "x == y and x >= 1"),
    ("N == 1 or N + 1 == 1", "N <= 1"),
    ("N == 0 or N == 1", "N <= 1"),
    ("N <= 3 or N >= 2", "always"),
    ("N <= 3 and N >= 5", "never"),
    ("N <= 3 and N >= 3", "N == 3"),
    ("N >= 4 and N >= 2", "N >= 4"),
    ("N >= 4 or N >= 2", "N >= 2"),
    ("N >= 4 and N <= 100000 and N >= 2", "N >= 4 and N <= 100000"),
    ("N % 32 == 0 and N % 16 == 0", "N % 32 == 0"),
    ("N % 4 == 0 and N % 6 == 0", "N % 12 == 0"),
    ("N % 32 == 0 or N % 16 == 0", "N % 16 == 0"),
    ("N == 8 and N % 4 == 0", "N == 8"),
    ("H % 32 == 0 and H >= 1", "H >= 1 and H % 32 == 0"),
    ("Z % 2 == 0 and Z >= 0", "Z >= 0 and Z % 2 == 0"),
    ("Z % 2 == 0 and Z >= 1", "Z >= 1 and Z % 2 == 0"),
    ("3*N == 10 or N == 2", "N == 2"),
    ("a == 1 or b == 1 or b == a", "a == b or a == 1 or b == 1"),
    ("a == b or a == 1 or b == 1 or a + 1 == b + 1", "a == b or a == 1 or b == 1"),
    ("2*(W//2) == W and 2*(H//2) == H", "H % 2 == 0 and W % 2 == 0"),
    ("4*N*N == 2*N*N", "N == 0"),
    ("Z*Z == 0", "Z == 0"),
    ("N**3 >= 1 and N**2 == 1", "N == 1"),
    ("Z**2 >= 1", "Z**2 >= 1"),
    ("N**2 <= 4", "N**2 <= 4"),
]


@pytest.mark.parametrize(("text", "simple"), SIMPLEST)
def test_the_simplest_form(text: str, simple: str) -> None:
    condition = read(text)
    found = simplest(condition)
    assert found.text == simple
    assert simplest(found) == found
    assert_same(condition, found)


def test_parts_in_any_order_and_nesting_have_one_form() -> None:
    a, b, n, h = (SYMBOLS[x] for x in "abnH")
    parts: list[Condition] = [Equal(a, b), Equal(a, 1), Equal(1, b), AnyOf((Equal(b, a), Equal(b, 1)))]
    forms = {simplest(AnyOf(tuple(p))) for p in itertools.permutations(parts)}
    assert [f.text for f in forms] == ["a == b or a == 1 or b == 1"]
    every: list[Condition] = [broadcastable(a, b), AtMost(1, n), AllOf((Divides(4, h), Divides(2, h))), AtMost(n, 9)]
    whole = {simplest(AllOf(tuple(p))) for p in itertools.permutations(every)}
    assert [f.text for f in whole] == ["(a == b or a == 1 or b == 1) and H % 4 == 0 and n >= 1 and n <= 9"]


def test_what_is_decided_answers_for_itself() -> None:
    assert simplest(AllOf(())).answer().is_yes
    assert simplest(AnyOf(())).answer().is_no
    assert simplest(Equal(3, 3)) == AllOf(())
    assert simplest(Equal(3, 4)) == AnyOf(())


def sides_of(condition: Condition) -> Iterator[Size]:
    yield from condition.sides
    for part in condition.parts:
        yield from sides_of(part)


def test_products_are_equal_where_their_factors_are() -> None:
    """Floors and ceilings of two symbols, for all sizes below 20: what a grid of windows covers of an image."""
    chance = random.Random(5)
    h, w, b = symbol("H"), symbol("K", low=1), symbol("B", high=1)
    split = 0
    for _ in range(60):
        m, n, c, d = (chance.choice([1, 2, 3, 4, 6]) for _ in range(4))
        one = mul(mul(floordiv(add(h, chance.randrange(-1, 7)), m), floordiv(add(w, chance.randrange(7)), n)), c)
        other = mul(mul(h, chance.choice([w, floordiv(w, 2)])), d)
        kind = chance.choice([Equal, AtMost])
        sides = (one, other) if chance.random() < 0.5 else (other, one)
        condition = kind(*(mul(x, b) for x in sides))
        found = simplest(condition)
        split += not any({h, w} <= side.symbols for side in sides_of(found) if isinstance(side, Dim))
        assert_same(condition, found, 20)
    assert split > 8


def test_a_sum_that_is_a_product_is_factored_by_its_symbols() -> None:
    texts = ["H - 2", "2*W + 3", "W//2 - W", "K", "K - P + 1", "H//3 + 2*H", "1", "6", "-2"]
    for chosen in itertools.combinations(texts, 3):
        sizes = [parse_with(t, SYMBOLS) for t in chosen]
        whole = product(sizes)
        number, factors = factored(whole)
        assert product([number, *factors]) == whole
        apart = [s for s in sizes if isinstance(s, Dim)]
        if all(not a.symbols & b.symbols for a, b in itertools.combinations(apart, 2)):
            assert len(factors) >= len(apart), (chosen, factors)


# Laws

ONE: list[tuple[Callable[..., Size], bool]] = [(floordiv, True), (mod, True), (mul, True)]
TWO: list[Callable[..., Size]] = [add, sub, maximum, minimum]


def sizes(names: tuple[str, ...], products: bool) -> st.SearchStrategy[Size]:
    def grown(inner: st.SearchStrategy[Size]) -> st.SearchStrategy[Size]:
        numbers = st.sampled_from([1, 2, 3, 4, 6, 8])
        out = [
            st.builds(lambda f, x, n: f[0](x, n), st.sampled_from(ONE), inner, numbers),
            st.builds(lambda f, x, y: f(x, y), st.sampled_from(TWO), inner, inner),
        ]
        return st.one_of(*out, st.builds(mul, inner, inner)) if products else st.one_of(*out)

    names_and_numbers = st.one_of(st.sampled_from([SYMBOLS[n] for n in names]), st.integers(-3, 12))
    return st.recursive(names_and_numbers, grown, max_leaves=5)


@cache
def conditions(names: tuple[str, ...], products: bool = True) -> st.SearchStrategy[Condition]:
    size = sizes(names, products)
    atoms: st.SearchStrategy[Condition] = st.one_of(
        st.builds(Equal, size, size),
        st.builds(AtMost, size, size),
        st.builds(Divides, st.integers(0, 12), size),
        st.builds(Divides, size, size),
    )

    def joined(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        parts = st.lists(inner, min_size=1, max_size=3).map(tuple)
        return st.one_of(parts.map(AllOf), parts.map(AnyOf))

    return st.recursive(atoms, joined, max_leaves=4)


ONE_NAME = st.sampled_from(["N", "K", "R", "D", "E", "Z", "L"]).flatmap(lambda n: conditions((n,)))
NAMES = st.sampled_from([names for k in (1, 2, 3) for names in itertools.combinations("NHKRDZ", k)])
SOME = NAMES.flatmap(conditions)
PAIRS = NAMES.flatmap(lambda n: st.tuples(conditions(n), conditions(n)))
LISTS = NAMES.flatmap(lambda n: st.lists(conditions(n), min_size=1, max_size=4))


@given(ONE_NAME)
def test_the_simplest_form_of_one_symbol_is_the_same_truth(condition: Condition) -> None:
    assert_same(condition, simplest(condition))


@given(SOME)
def test_the_simplest_form_is_the_same_truth(condition: Condition) -> None:
    found = simplest(condition)
    assert found.symbols <= condition.symbols
    assert_same(condition, found)


@given(PAIRS)
def test_what_is_implied_holds(pair: tuple[Condition, Condition]) -> None:
    one, other = pair
    assert implies(one, one)
    if implies(one, other):
        assert all(w or not g for _, (g, w) in truths((one, other)))


@given(LISTS, st.randoms(use_true_random=False))
def test_the_minimal_list_is_the_same_truth(every: list[Condition], chance: random.Random) -> None:
    kept = minimal(every)
    assert [c for c in dict.fromkeys(every) if c in kept] == list(kept)
    assert_same(AllOf(tuple(every)), AllOf(kept))
    again = list(every)
    chance.shuffle(again)
    assert_same(AllOf(tuple(every)), AllOf(minimal(again)))


@given(LISTS)
def test_a_witness_breaks_one_condition_and_no_other(every: list[Condition]) -> None:
    condition, *among = every
    found = witness(condition, among)
    if found is None:
        return
    by_name = {s.name: s for c in every for s in c.symbols}
    assert condition.symbols <= {by_name[n] for n in found}
    for name, value in found.items():
        s = by_name[name]
        assert s.low is None or value >= s.low
        assert s.high is None or value <= s.high
        assert value % s.divisor == 0
    assert not holds(condition, found)
    assert all(holds(c, found) for c in among if c.symbols & {by_name[n] for n in found})


@given(SOME)
def test_a_witness_on_the_grid_is_the_smallest(condition: Condition) -> None:
    assume(all(s.low is not None for s in condition.symbols))
    broken = [env for env, (truth,) in truths([condition], most=5) if not truth]
    if not broken or condition.answer().is_yes:
        return
    found = witness(condition)
    least = min((sum(env.values()), tuple(v for _, v in sorted(env.items()))) for env in broken)
    assert found is not None
    assert (sum(found.values()), tuple(v for _, v in sorted(found.items()))) <= least


# Implications


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("H % 32 == 0", "H % 16 == 0"),
        ("H >= 4", "H >= 2"),
        ("H == 8", "H % 4 == 0"),
        ("H == 8", "H >= 4"),
        ("H <= 100000", "H <= 200000"),
        ("H >= 1 and H % 32 == 0", "H >= 32"),
        ("H % 4 == 0 and H % 6 == 0", "H % 12 == 0"),
        ("T == P + S", "P <= T"),
        ("T == P + S", "P + S == T"),
        ("T == P + S", "2*T == 2*P + 2*S"),
        ("P + S <= 512", "P + S <= 600"),
        ("P + S <= 512", "P <= 512"),
        ("A >= 1 and B >= 1", "A*B >= 1"),
        ("H % 2 == 0 and W % 2 == 0", "(H*W) % 4 == 0"),
        ("(P + S) % 8 == 0", "(P + S) % 4 == 0"),
        ("x == y and x >= 1", "x == y"),
        ("x == y", "x == y or x == 1"),
        ("N <= 1", "N == 0 or N == 1"),
    ],
)
def test_implied(given: str, wanted: str) -> None:
    assert implies(read(given), read(wanted))
    assert follows([read(given)], read(wanted))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("H % 16 == 0", "H % 32 == 0"),
        ("H >= 2", "H >= 4"),
        ("H >= 2", "W >= 2"),
        ("a == b or a == 1", "a == b"),
        ("A*B >= 0", "A >= 1"),
        ("T == P + S", "T >= 1"),
        ("N == 0", "(x + N)//N == 3"),  # which divides by 0
    ],
)
def test_not_implied(given: str, wanted: str) -> None:
    assert not implies(read(given), read(wanted))


@pytest.mark.parametrize(
    ("every", "kept"),
    [
        (["H % 16 == 0", "H % 32 == 0"], ["H % 32 == 0"]),
        (["H % 4 == 0", "H % 6 == 0", "H % 12 == 0"], ["H % 4 == 0", "H % 6 == 0"]),
        (["A*B >= 1", "A >= 1", "B >= 1"], ["A >= 1", "B >= 1"]),
        (["P <= T", "T == P + S", "S <= T"], ["T == P + S"]),
        (["a == b", "a == b or a == 1", "b == a"], ["a == b"]),
        (["N <= 512", "N <= 600", "H >= 2", "N <= 512"], ["N <= 512", "H >= 2"]),
        (["N >= 0"], []),
        ([], []),
    ],
)
def test_minimal(every: list[str], kept: list[str]) -> None:
    assert [c.text for c in minimal([read(t) for t in every])] == kept


def test_of_many_bounds_the_narrowest_is_left() -> None:
    every = [read(f"H >= {n}") for n in range(2, 300)] + [read(f"H <= {n}") for n in range(900, 600, -1)]
    assert [c.text for c in minimal(every)] == ["H >= 299", "H <= 601"]


@pytest.mark.parametrize(
    ("text", "among", "found"),
    [
        ("H % 32 == 0", [], {"H": 1}),
        ("H % 32 == 0", ["H >= 40"], {"H": 40}),
        ("H % 32 == 0", ["H % 16 == 0"], {"H": 16}),
        ("n <= 512", [], {"n": 513}),
        ("n <= 100000", [], {"n": 100001}),
        ("H >= 5", ["H >= 2"], {"H": 2}),
        ("a == b or a == 1 or b == 1", [], {"a": 0, "b": 2}),
        ("T == P + S", [], {"P": 0, "S": 0, "T": 1}),
        ("T <= 512", ["T == P + S"], {"P": 0, "S": 513, "T": 513}),
        ("T <= 512", ["T == P + S", "P >= 1", "N == 3"], {"P": 1, "S": 512, "T": 513}),
        ("P + S <= 512", [], {"P": 0, "S": 513}),
        ("R <= 8", [], {"R": 9}),
        ("D % 8 == 0", [], {"D": 4}),
        ("H >= 2", ["H >= 4"], None),
        ("N >= 0", [], None),
        ("H == W", ["H == W"], None),
    ],
)
def test_witness(text: str, among: list[str], found: dict[str, int] | None) -> None:
    assert witness(read(text), [read(t) for t in among]) == found


# Cost


def test_no_witness_divides_by_zero() -> None:
    assert witness(read("(N - 16) % 5 == N//N"), [read("N == 0")]) is None
    assert witness(read("K//N <= 3"), [read("N == 0")]) is None
    assert witness(read("K//N <= 3"), [read("N <= 1")]) == {"K": 4, "N": 1}


def test_nothing_that_divides_by_zero_is_implied() -> None:
    assert not implies(read("N == 0"), read("32//N <= 40 and K//N <= K"))


def test_plain_conditions_need_no_sympy() -> None:
    code = """
import sys
from shapeinfer.dims import *
h, w = symbol("H"), symbol("W")
every = [AnyOf((Equal(h, w), Equal(h, 1), Equal(1, w))), Divides(32, h), AtMost(1, w)]
every.append(AllOf((AtMost(h, 900000), AtMost(4, h))))
assert [simplest(c).text for c in every][1] == "H % 32 == 0"
assert minimal([*every, Divides(16, h)]) and witness(every[1]) == {"H": 1}
assert "sympy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("count", [3, 12, 40])
def test_work_is_bounded(count: int) -> None:
    names: list[Any] = [symbol(f"s{i}") for i in range(count)]
    h: Any = symbol("H")
    nested: Any = h
    for i in range(count):
        nested = (nested + i + 1) // (i % 5 + 2) * 3 + minimum(nested, names[i] + i)
    hard: list[Condition] = [
        Equal(sum(names), h),
        Equal(nested, h),
        AnyOf(tuple(Equal(a, b) for a, b in itertools.pairwise([*names, h]))),
        AllOf(tuple(Divides(i + 2, h) for i in range(count))),
        AnyOf(tuple(Divides(i + 2, h + i) for i in range(count))),
        AtMost(maximum(*names), h),
        AtMost(h * h // 7 + (h * h) % 97, (h * h) // 11),
    ]
    for condition in hard:
        with within(3_000_000):
            simplest(condition)
            witness(condition)


def test_text_of_what_is_never_or_always_true() -> None:
    assert (AllOf(()).text, AnyOf(()).text) == ("always", "never")
    assert parse_with("H", SYMBOLS) is SYMBOLS["H"]
