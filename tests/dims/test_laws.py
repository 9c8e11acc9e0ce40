"""Every operation, bound, answer and text against plain integers, over random expressions and small grids."""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from hypothesis import assume, given
from hypothesis import strategies as st

from shapeinfer.dims import (
    Answer,
    Dim,
    Size,
    add,
    broadcast,
    broadcastable,
    capped_by,
    ceildiv,
    divides,
    equal,
    evaluate,
    exact_div,
    floordiv,
    growth,
    less,
    less_equal,
    maximum,
    minimum,
    mod,
    mul,
    parse,
    parse_with,
    product,
    quotient,
    sub,
    substitute,
    symbol,
    text_of,
    total,
)
from tests.each import each

Env: TypeAlias = dict[str, int]
Tree: TypeAlias = Any
"""An int, a symbol's name, or an operation's name followed by its operands."""

RANGES: dict[str, list[int]] = {
    "N": [0, 1, 2, 3, 7],
    "M": [0, 1, 2, 5],
    "P": [1, 2, 3, 8],
    "Z": [-7, -2, -1, 0, 1, 4],
    "S": [2, 3, 4, 5],
    "G": [-6, -3, -1],
    "D": [0, 4, 8, 20],
    "E": [-8, -6, 0, 2],
    "U": [-9, -1, 0, 1],
}
SYMBOLS: dict[str, Size] = {
    "N": symbol("N"),
    "M": symbol("M"),
    "P": symbol("P", low=1),
    "Z": symbol("Z", low=None),
    "S": symbol("S", low=2, high=5),
    "G": symbol("G", low=-6, high=-1),
    "D": symbol("D", divisor=4),
    "E": symbol("E", low=None, high=3, divisor=2),
    "U": symbol("U", low=None, high=1),
}


class Undefined(Exception):
    """A division by zero, or a broadcast whose claim does not hold."""


def claimed(*numbers: int) -> int:
    rest = {n for n in numbers if n != 1}
    if len(rest) > 1:
        raise Undefined
    return rest.pop() if rest else 1


def nonzero(n: int) -> int:
    if n == 0:
        raise Undefined
    return n


OPERATIONS: dict[str, tuple[Callable[..., Size], Callable[..., int]]] = {
    "add": (add, lambda a, b: a + b),
    "sub": (sub, lambda a, b: a - b),
    "mul": (mul, lambda a, b: a * b),
    "floordiv": (floordiv, lambda a, b: a // nonzero(b)),
    "mod": (mod, lambda a, b: a % nonzero(b)),
    "ceildiv": (ceildiv, lambda a, b: -(-a // nonzero(b))),
    "max": (maximum, max),
    "min": (minimum, min),
    "broadcast": (broadcast, claimed),
}


def built(tree: Tree) -> Size:
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return SYMBOLS[tree]
    try:
        return OPERATIONS[tree[0]][0](*(built(t) for t in tree[1:]))
    except ZeroDivisionError:
        raise Undefined from None


def number(tree: Tree, env: Env) -> int:
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return env[tree]
    return OPERATIONS[tree[0]][1](*(number(t, env) for t in tree[1:]))


def names_in(tree: Tree) -> set[str]:
    if isinstance(tree, int):
        return set()
    if isinstance(tree, str):
        return {tree}
    return set().union(*(names_in(t) for t in tree[1:]))


def environments(*trees: Tree, most: int = 60) -> list[Env]:
    """Every combination of the symbols' values where there are few, else a fixed choice of them."""
    names = sorted(set().union(*(names_in(t) for t in trees)))
    if math.prod(len(RANGES[n]) for n in names) <= most:
        return [dict(zip(names, v, strict=True)) for v in itertools.product(*(RANGES[n] for n in names))]
    chance = random.Random(len(names))
    return [{n: chance.choice(RANGES[n]) for n in names} for _ in range(most)]


def defined(*trees: Tree, most: int = 60) -> Iterator[tuple[Env, tuple[int, ...]]]:
    for env in environments(*trees, most=most):
        with contextlib.suppress(Undefined):
            yield env, tuple(number(t, env) for t in trees)


def sized(tree: Tree) -> Size:
    try:
        return built(tree)
    except Undefined:
        assume(False)
        raise


small = st.integers(-4, 7)
positive = st.integers(1, 6)
leaves = st.one_of(small, st.sampled_from(sorted(SYMBOLS)))


def larger(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul", "max", "min", "broadcast"]), inner, inner),
        st.tuples(st.sampled_from(["add", "sub"]), inner, small),
        st.tuples(st.just("mul"), inner, small),
        st.tuples(st.sampled_from(["floordiv", "mod", "ceildiv"]), inner, small),
        st.tuples(st.sampled_from(["floordiv", "mod"]), inner, inner),
        st.tuples(st.sampled_from(["max", "min", "broadcast"]), inner, inner, inner),
    )


trees = st.recursive(leaves, larger, max_leaves=7)


@given(trees)
def test_an_expression_is_the_number_that_plain_integers_give(tree: Tree) -> None:
    size = sized(tree)
    for env, (n,) in defined(tree):
        assert evaluate(size, env) == n


@given(trees)
def test_low_high_and_divisor_hold_for_every_value(tree: Tree) -> None:
    size = sized(tree)
    assume(isinstance(size, Dim))
    assert isinstance(size, Dim)
    for env, (n,) in defined(tree):
        assert size.low is None or size.low <= n, env
        assert size.high is None or n <= size.high, env
        assert n % size.divisor == 0, env


@given(trees)
def test_no_value_grows_faster_than_said(tree: Tree) -> None:
    size = sized(tree)
    degree, factor = growth(size)
    for env, (n,) in defined(tree):
        most = max([1, *(abs(v) for v in env.values())])
        assert abs(n) <= factor * most**degree, env


@given(trees, trees)
def test_answers_hold_for_every_value(left: Tree, right: Tree) -> None:
    a, b = sized(left), sized(right)
    answers: dict[str, tuple[Answer, Callable[[int, int], bool]]] = {
        "==": (equal(a, b), lambda x, y: x == y),
        "<=": (less_equal(a, b), lambda x, y: x <= y),
        "<": (less(a, b), lambda x, y: x < y),
        "divides": (divides(a, b), lambda x, y: y % x == 0 if x else y == 0),
    }
    for env, (x, y) in defined(left, right):
        for question, (answer, truth) in answers.items():
            assert answer.is_maybe or answer.is_yes == truth(x, y), (question, env)


@given(trees, st.integers(-7, 7))
def test_answers_about_a_number_hold(tree: Tree, n: int) -> None:
    size = sized(tree)
    for env, (x,) in defined(tree):
        for answer, truth in (
            (equal(size, n), x == n),
            (less_equal(size, n), x <= n),
            (less_equal(n, size), n <= x),
            (divides(n, size), x % n == 0 if n else x == 0),
            (divides(size, n), n % x == 0 if x else n == 0),
        ):
            assert answer.is_maybe or answer.is_yes == truth, env


@given(trees, st.dictionaries(st.sampled_from(sorted(SYMBOLS)), trees, min_size=1, max_size=3))
def test_substitution_commutes_with_evaluation(tree: Tree, replacements: dict[str, Tree]) -> None:
    size = sized(tree)
    mapping = {SYMBOLS[k]: sized(v) for k, v in replacements.items()}
    try:
        result = substitute(size, {k: v for k, v in mapping.items() if isinstance(k, Dim)})
    except ZeroDivisionError:
        return
    for env, (_, *values) in defined(0, *replacements.values(), *sorted(names_in(tree))):
        inner = env | dict(zip(replacements, values, strict=False))
        if any(not within(SYMBOLS[k], inner[k]) for k in replacements):
            continue
        try:
            expected = number(tree, inner)
        except Undefined:
            continue
        assert evaluate(result, env) == expected, env


def within(size: Size, n: int) -> bool:
    assert isinstance(size, Dim)
    return (size.low is None or size.low <= n) and (size.high is None or n <= size.high) and n % size.divisor == 0


@given(trees)
def test_numbers_for_all_symbols_leave_the_number(tree: Tree) -> None:
    size = sized(tree)
    for env, (n,) in defined(tree, most=12):
        mapping = {s: env[s.name] for s in (size.symbols if isinstance(size, Dim) else ())}
        assert substitute(size, mapping) == n, env


@given(trees, trees, st.integers(1, 5))
def test_a_promised_division_is_exact(left: Tree, right: Tree, n: int) -> None:
    a, b = sized(left), sized(right)
    assume(b != 0)
    multiple = exact_div(mul(a, b), b)
    scaled = exact_div(mul(mul(a, b), n), mul(b, n))
    halves = quotient([a, n, b], [b])
    for env, (x, y) in defined(left, right):
        if y != 0:
            assert evaluate(multiple, env) == x, env
            assert evaluate(scaled, env) == x, env
            assert evaluate(halves, env) == x * n, env


@given(trees, trees)
def test_a_division_whose_promise_holds_here_is_exact_here(left: Tree, right: Tree) -> None:
    a, b = sized(left), sized(right)
    assume(b != 0)
    result = exact_div(a, b)
    for env, (x, y) in defined(left, right):
        if y != 0 and x % y == 0:
            assert evaluate(result, env) == x // y, env


@given(st.lists(leaves, max_size=4), st.lists(leaves, max_size=3))
def test_a_quotient_of_products_is_exact_where_it_is_whole(above: list[Tree], below: list[Tree]) -> None:
    assume(0 not in below)
    result = quotient([built(t) for t in above], [built(t) for t in below])
    for env, values in defined(*above, *below):
        x, y = math.prod(values[: len(above)]), math.prod(values[len(above) :])
        if y != 0 and x % y == 0:
            assert evaluate(result, env) == x // y, env


@given(st.lists(leaves, max_size=6))
def test_total_and_product_fold_their_operands(parts: list[Tree]) -> None:
    sizes = [built(t) for t in parts]
    for env, values in defined(0, *parts, most=20):
        assert evaluate(total(sizes), env) == sum(values)
        assert evaluate(product(sizes), env) == math.prod(values[1:])


def called(text: str, env: Env) -> int:
    code = compile(text, "<dim>", "eval")
    return int(eval(code, {"__builtins__": {}, "max": max, "min": min, "broadcast": claimed}, dict(env)))


@given(trees)
def test_text_is_python_for_the_same_number(tree: Tree) -> None:
    text = text_of(sized(tree))
    for env, (n,) in defined(tree, most=25):
        with contextlib.suppress(Undefined, ZeroDivisionError):
            assert called(text, env) == n, text


@given(trees)
def test_text_reads_back_as_the_same_object(tree: Tree) -> None:
    size = sized(tree)
    again = parse_with(text_of(size), SYMBOLS)
    assert again is size or (isinstance(size, int) and again == size)


@given(trees)
def test_text_of_default_symbols_reads_back_as_the_same_object(tree: Tree) -> None:
    plain = {s: symbol(s.name) for s in SYMBOLS.values() if isinstance(s, Dim)}
    size = substitute(sized(tree), plain)
    again = parse(text_of(size))
    assert again is size or (isinstance(size, int) and again == size)


# Small grids, whole: what random trees may miss

A = symbol("A", low=None)
N = symbol("N")


@each(itertools.product([-4, -3, -1, 0, 1, 2, 3, 5, 6], [-7, -1, 0, 1, 4], [-5, -3, -2, -1, 1, 2, 3, 4, 6]))
def test_floor_ceil_and_mod_of_a_line(k: int, c: int, n: int) -> None:
    line = add(mul(A, k), c)
    down, up, rest = floordiv(line, n), ceildiv(line, n), mod(line, n)
    for a in range(-9, 10):
        x = k * a + c
        env = {"A": a}
        assert (evaluate(down, env), evaluate(up, env), evaluate(rest, env)) == (x // n, -(-x // n), x % n)


@each(itertools.product([(1, 0), (1, 1), (2, 1), (3, -2), (-1, 0), (-2, 5), (4, 2)], [2, 3, 4, -2], [2, 3, 6, -3]))
def test_nested_floors(line: tuple[int, int], inner: int, outer: int) -> None:
    k, c = line
    for r in (-3, 0, 1, 2):
        nested = floordiv(add(floordiv(add(mul(A, k), c), inner), r), outer)
        for a in range(-13, 14):
            assert evaluate(nested, {"A": a}) == ((k * a + c) // inner + r) // outer


@each(itertools.product(range(-3, 4), [-2, 0, 1, 3], [-1, 1, 2], [0, 1, 2, 4]))
def test_a_larger_and_a_smaller_of_the_same_sizes_are_both(a: int, b: int, k: int, moved: int) -> None:
    large = maximum(add(N, a), add(A, b))
    small = minimum(add(N, a + moved), add(A, b + moved))
    joined = add(mul(large, k), mul(small, k))
    assert text_of(joined).count("m") == 0
    for n, other in itertools.product((0, 1, 5), (-7, -2, 0, 3, 8)):
        number = k * (max(n + a, other + b) + min(n + a, other + b) + moved)
        assert evaluate(joined, {"N": n, "A": other}) == number


def test_broadcast_is_right_wherever_its_claim_holds() -> None:
    ranges: list[tuple[Size, list[int]]] = [
        (symbol("a"), [0, 1, 2, 3]),
        (symbol("b"), [0, 1, 2, 3]),
        (symbol("c", low=1), [1, 2, 3]),
        (symbol("d", low=2), [2, 3]),
        (symbol("e", divisor=3), [0, 3]),
        (symbol("f", low=0, high=1), [0, 1]),
        (1, [1]),
        (0, [0]),
        (3, [3]),
    ]
    for chosen in itertools.product(ranges, repeat=3):
        sizes = [s for s, _ in chosen]
        result = broadcast(*sizes)
        nested = broadcast(broadcast(*sizes[:2]), sizes[2])
        distinct = dict(chosen)
        for values in itertools.product(*distinct.values()):
            at = dict(zip(distinct, values, strict=True))
            env = {s.name: n for s, n in at.items() if isinstance(s, Dim)}
            try:
                expected = claimed(*(at[s] for s in sizes))
            except Undefined:
                continue
            assert evaluate(result, env) == expected
            assert evaluate(nested, env) == expected


def test_a_capped_length_broadcasts_to_the_length_and_asks_that_the_cap_is_not_reached() -> None:
    n, cap = symbol("n"), symbol("cap", low=1)
    assert broadcast(minimum(64, n), n) is n
    assert broadcast(n, minimum(cap, n)) is n
    assert broadcastable(minimum(64, n), n).text == "n <= 64"
    assert broadcastable(minimum(symbol("a"), n), n).text != "n <= a", "a may be 0, which is no 1"
    one = symbol("b", low=1)
    assert broadcastable(minimum(one, n), n).text != "n <= b", "1 and 2 broadcast"
    assert capped_by(minimum(64, n), n) == (64,)
    assert capped_by(n, n) is None


def test_a_division_is_shared_out_among_the_factors_that_it_divides() -> None:
    h, w = symbol("h", divisor=2), symbol("w", divisor=2)
    assert floordiv(mul(h, w), 4) is mul(floordiv(h, 2), floordiv(w, 2))
    assert floordiv(mul(h, h), 4) is mul(floordiv(h, 2), floordiv(h, 2))
    for x, y in itertools.product((0, 2, 4, 6), repeat=2):
        assert evaluate(floordiv(mul(mul(3, h), w), 4), {"h": x, "w": y}) == 3 * x * y // 4


def test_exact_divisions_are_equal_wherever_their_numbers_went() -> None:
    h, w = symbol("h", divisor=8), symbol("w", divisor=8)
    assert equal(mul(floordiv(h, 2), floordiv(w, 2)), mul(floordiv(w, 4), h)).is_yes
    assert equal(mul(floordiv(h, 2), w), mul(floordiv(w, 4), h)).is_maybe
    assert equal(add(mul(floordiv(h, 2), w), 1), mul(floordiv(w, 2), h)).is_no
    inside = floordiv(add(floordiv(h, 8), 1), 3)
    assert equal(mul(inside, floordiv(h, 2)), mul(inside, mul(floordiv(h, 4), 2))).is_yes
    assert equal(mul(inside, floordiv(h, 2)), mul(inside, floordiv(h, 4))).is_maybe
