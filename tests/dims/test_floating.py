"""Floats computed from lengths, against numpy's, and what they are rounded to."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pytest
import sympy

from shapeinfer.dims import (
    AtMost,
    Dim,
    DimSyntaxError,
    Floating,
    NoValueError,
    Operand,
    Size,
    ceildiv,
    divides,
    equal,
    evaluate,
    floating,
    follows,
    growth,
    less,
    maximum,
    minimum,
    parse,
    parse_with,
    portable_text,
    rounded,
    substitute,
    symbol,
)
from shapeinfer.dims.notation.serialized import Table
from shapeinfer.dims.terms.ieee import MANTISSAS, nearest
from tests.effort import within
from tests.report.page.table import results


def named(name: str, low: int = 0) -> Dim:
    size = symbol(name, low)
    assert isinstance(size, Dim)
    return size


H, W = named("H"), named("W")
P = named("P", low=1)
KINDS: dict[str, Any] = {"f32": np.float32, "f64": np.float64}
SEVEN_TENTHS = nearest("f32", 0.7)


def f32(operation: str, *operands: Operand) -> Operand:
    return floating("f32", operation, *operands)


def bounds(size: Size) -> tuple[int | None, int | None]:
    assert isinstance(size, Dim)
    return size.bounds()


def scaled(size: Size, factor: float = SEVEN_TENTHS) -> Size:
    return rounded("floor", f32("*", size, factor))


# Random terms, with the same computed by numpy

Env: TypeAlias = dict[str, int]
Oracle: TypeAlias = Callable[[Env], float]
"""What numpy computes; not a number where a number is missing, or does not fit its type."""

WAYS: dict[str, Callable[[float], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "trunc": math.trunc,
}
UFUNCS: dict[str, Any] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "sqrt": np.sqrt,
    "min": np.minimum,
    "max": np.maximum,
}
LEAVES: list[tuple[Size, Callable[[int, int], int]]] = [
    (H, lambda h, w: h),
    (W, lambda h, w: w),
    (H + 1, lambda h, w: h + 1),
    (2 * H * W, lambda h, w: 2 * h * w),
    (H - W, lambda h, w: h - w),
    (minimum(H, W), min),
    (maximum(H, W, 3), lambda h, w: max(h, w, 3)),
    (ceildiv(H, 32), lambda h, w: -(-h // 32)),
]
NUMBERS = [0.5, 0.7, -0.3, 1e-5, 320.0, -1.0, 2.5, 1 / 3, 3.0, 640.0, -2.0]
GRID = list(itertools.product([0, 1, 2, 5, 40, 641], [0, 1, 3, 64, 1000]))


def leaf(rng: random.Random, precision: str) -> tuple[Operand, Oracle]:
    if rng.random() < 0.4:
        number = nearest(precision, rng.choice(NUMBERS))
        return number, lambda env: number
    size, compute = rng.choice(LEAVES)
    return size, lambda env: compute(env["H"], env["W"])


def term(rng: random.Random, depth: int, precision: str) -> tuple[Operand, Oracle]:
    if depth == 0 or rng.random() < 0.2:
        return leaf(rng, precision)
    operation = rng.choice([*UFUNCS, "convert", "integer"])
    if operation == "integer":
        size, oracle = integer(rng, depth - 1)
        return size, oracle
    if operation == "convert":
        inner, oracle = term(rng, depth - 1, rng.choice(sorted(MANTISSAS)))
        return floating(precision, "convert", inner), lambda env: float(KINDS[precision](oracle(env)))
    several = [term(rng, depth - 1, precision) for _ in range(1 if operation == "sqrt" else 2)]
    kind, ufunc = KINDS[precision], UFUNCS[operation]

    def compute(env: Env) -> float:
        given = [oracle(env) for _, oracle in several]
        if any(float(kind(a)) != a for a in given):
            return math.nan
        found = float(ufunc(*map(kind, given)))
        return found if math.isfinite(found) else math.nan

    return floating(precision, operation, *(a for a, _ in several)), compute


def integer(rng: random.Random, depth: int) -> tuple[Size, Oracle]:
    way = rng.choice(sorted(WAYS))
    operand, oracle = term(rng, depth, rng.choice(sorted(MANTISSAS)))

    def compute(env: Env) -> float:
        found = oracle(env)
        whole = WAYS[way](found) if math.isfinite(found) else math.nan
        return whole if abs(whole) < 2**63 else math.nan

    return rounded(way, operand), compute


def terms() -> Iterator[tuple[Dim, Oracle]]:
    rng, found = random.Random(2026), 0
    while found < 250:
        try:
            size, oracle = integer(rng, 4)
        except NoValueError:
            continue
        if isinstance(size, Dim) and size.weight < 200:
            found += 1
            yield size, oracle


TERMS = list(terms())


def values(size: Dim, oracle: Oracle) -> Iterator[tuple[Env, int]]:
    """What a term comes to for lengths for which it has a value."""
    with np.errstate(all="ignore"):
        for h, w in GRID:
            found = oracle({"H": h, "W": w})
            if math.isfinite(found):
                yield {"H": h, "W": w}, int(found)


def known(size: Size, env: Env) -> int | None:
    try:
        return evaluate(size, env)
    except ZeroDivisionError:
        return None


def test_a_term_has_the_value_that_numpy_computes() -> None:
    with_values = 0
    for size, oracle in TERMS:
        expected = [(env, value) for env, value in values(size, oracle)]
        assert [(env, known(size, env)) for env, _ in expected] == expected, size.text
        with_values += bool(expected)
    assert with_values > 200


def test_bounds_and_growth_hold_for_every_value() -> None:
    for size, oracle in TERMS:
        low, high = size.bounds()
        degree, factor = growth(size)
        for env, value in values(size, oracle):
            if any(evaluate(d, env) == 0 for d in size.denominators):
                continue
            assert low is None or low <= value, (size.text, env)
            assert high is None or value <= high, (size.text, env)
            assert abs(value) <= factor * max(1, *env.values()) ** degree, (size.text, env)


def test_substitution_commutes_with_evaluation() -> None:
    for size, oracle in TERMS[::3]:
        for env, value in itertools.islice(values(size, oracle), 10):
            first = substitute(size, {H: env["H"]})
            assert substitute(first, {W: env["W"]}) == value, (size.text, env)
            assert substitute(size, {H: env["H"], W: env["W"]}) == value
            both = substitute(size, {H: W, W: H})
            assert known(both, {"H": env["W"], "W": env["H"]}) == value if isinstance(both, Dim) else both == value


def test_text_reads_back_as_the_same_object() -> None:
    for size, _ in TERMS:
        assert parse(size.text) is size, size.text
        assert parse_with(portable_text(size), {"H": H, "W": W}) is size


def test_a_table_evaluates_to_the_same() -> None:
    for size, oracle in TERMS:
        table = Table()
        at = table.size(size)
        for env, value in itertools.islice(values(size, oracle), 8):
            assert results(table.entries, env)[at] == value, (size.text, env)


def test_sympy_computes_the_same() -> None:
    h, w = (sympy.Symbol(name, integer=True, nonnegative=True) for name in "HW")
    for size, oracle in TERMS[::8]:
        if size.weight > 30:
            continue
        there = sympy.sympify(size)
        for env, value in itertools.islice(values(size, oracle), 4):
            assert there.subs({h: env["H"], w: env["W"]}) == value, (size.text, env)
    half = sympy.lambdify([h], sympy.sympify(scaled(H)))
    assert [half(n) for n in (0, 9, 10, 1000)] == [0, 6, 7, 700]


@pytest.mark.parametrize("precision", sorted(MANTISSAS))
def test_numbers_round_as_numpy_rounds_them(precision: str) -> None:
    rng = random.Random(7)
    for _ in range(2000):
        bits = rng.getrandbits(63) >> rng.randrange(62)
        assert nearest(precision, bits) == float(KINDS[precision](np.int64(bits)))
        assert nearest(precision, -bits) == -nearest(precision, bits)
        assert nearest(precision, Fraction(bits, 1 << 40)) == nearest(precision, math.ldexp(bits, -40)) or bits >> 53


def test_a_number_half_way_between_floats_goes_to_the_even_one() -> None:
    assert nearest("f32", 2**24 + 1) == 2**24
    assert nearest("f32", 2**24 + 3) == 2**24 + 4
    assert nearest("f32", 2**60 + 2**36) == 2**60
    assert nearest("f32", 2**60 + 2**36 + 1) == 2**60 + 2**37
    with pytest.raises(NoValueError):
        nearest("f32", 1e39)


# What is one term, and what is another


def test_the_same_chain_twice_is_the_same_length() -> None:
    assert scaled(H) is scaled(H)
    assert f32("*", SEVEN_TENTHS, H) is f32("*", H, SEVEN_TENTHS)
    assert rounded("trunc", f32("*", H, SEVEN_TENTHS)) is scaled(H), "nothing is negative"
    assert equal(scaled(H), scaled(W)).is_maybe


def test_chains_that_only_look_the_same_are_not() -> None:
    """Seven tenths of 90 are 63, but of single precision a little less."""
    single, double = scaled(H), rounded("floor", floating("f64", "*", H, 0.7))
    exact = 7 * H // 10
    widened = rounded("floor", floating("f64", "*", H, SEVEN_TENTHS))
    assert len({single, double, exact, widened}) == 4
    assert [evaluate(size, {"H": 90}) for size in (single, double, exact, widened)] == [63, 62, 63, 62]
    twice = rounded("floor", f32("*", f32("/", H, 3), 3))
    assert equal(twice, H).is_maybe
    assert twice is not H
    assert f32("/", f32("*", H, SEVEN_TENTHS), SEVEN_TENTHS) is not H
    assert rounded("floor", f32("+", f32("+", H, SEVEN_TENTHS), W)) is not rounded(
        "floor", f32("+", H + W, SEVEN_TENTHS)
    )


def test_what_changes_nothing_is_left_out() -> None:
    root = f32("sqrt", H)
    for same in (f32("+", root, 0), f32("-", root, 0), f32("*", root, 1), f32("/", root, 1), f32("min", root, root)):
        assert same is root
    assert floating("f64", "convert", root) is root
    assert floating("f32", "convert", floating("f64", "convert", root)) is root
    assert f32("max", H, W) is maximum(H, W)
    assert f32("sqrt", 16) == 4
    assert f32("/", 1, 3) == float(np.float32(1) / np.float32(3))


def test_rounding_goes_into_the_smallest_and_the_largest() -> None:
    a, b = f32("*", H, SEVEN_TENTHS), f32("sqrt", W)
    assert rounded("ceil", f32("min", a, b, 9)) is minimum(rounded("ceil", a), rounded("ceil", b), 9)
    assert rounded("floor", f32("max", a, b)) is maximum(rounded("floor", a), rounded("floor", b))


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (scaled(H), "floor(f32(f32(0.7)*H))"),
        (scaled(2 * H, 1.2999999523162842), "floor(f32(f32(1.3)*(2*H)))"),
        (rounded("ceil", f32("/", H + 1, 3)), "ceil(f32((H + 1)/3))"),
        (rounded("round", f32("*", f32("sqrt", H), 0.5)), "round(f32(0.5*f32(sqrt(H))))"),
        (rounded("floor", f32("-", f32("/", 640, P), -0.25)), "floor(f32(f32(640/P) - f32(-0.25)))"),
        (rounded("floor", f32("convert", H * W)), "floor(f32(H*W))"),
        (rounded("trunc", f32("/", f32("sqrt", P), -3)), "ceil(f32(f32(sqrt(P))/(-3)))"),
        (rounded("trunc", f32("*", H - W, SEVEN_TENTHS)), "trunc(f32(f32(0.7)*(H - W)))"),
        (rounded("floor", f32("*", H, f32("min", f32("/", 320, P), 2))), "floor(f32(H*min(2, f32(320/P))))"),
        (scaled(symbol("a b")), "floor(f32(f32(0.7)*`a b`))"),
    ],
)
def test_text(size: Size, text: str) -> None:
    assert str(size) == text
    assert parse_with(text, {"H": H, "W": W, "P": P, "a b": symbol("a b")}) is size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f32(H)", "unknown function 'f32'"),
        ("floor(f32(H*0.7))", "f32 does not represent an operand"),
        ("floor(f32(H*f32(1e99)))", "beyond f32"),
        ("floor(f32(f32(0.7)*H) + 1)", r"expected '\)'"),
        ("floor(f32(f32(0.7)*H*W))", r"expected '\)'"),
        ("floor(f32(H/0))", "division by zero"),
        ("floor(f32(f32(0.7)/0))", "no finite result"),
        ("floor(f32())", r"unexpected '\)'"),
        ("floor(f32(-f32(0.7)))", "expected a number"),
        ("trunc(H)", "trunc of what is no float"),
        ("f32", None),
        ("floor(" + "f32(sqrt(" * 70 + "H" + "))" * 71, "nested too deeply"),
        ("floor(" + "f32(H*" * 200 + "H" + ")" * 201, "nested too deeply"),
    ],
)
def test_text_that_is_no_length_is_refused(text: str, message: str | None) -> None:
    with within(40_000):
        if message is None:
            assert parse(text) is symbol(text)
        else:
            with pytest.raises(DimSyntaxError, match=message):
                parse(text)


# Where a term has no value


def test_a_division_by_zero_has_no_value() -> None:
    size = rounded("floor", f32("*", W, f32("/", 320, H)))
    assert isinstance(size, Dim)
    assert size.denominators == {H}
    assert evaluate(size, {"H": 2, "W": 3}) == 480
    with pytest.raises(ZeroDivisionError):
        evaluate(size, {"H": 0, "W": 3})
    assert substitute(size, {H: 0}) is size, "as H//0 stays"
    sure = rounded("floor", f32("*", W, f32("/", 320, P)))
    assert isinstance(sure, Dim)
    assert sure.denominators == frozenset()


def test_what_may_be_infinite_for_other_reasons_has_no_bounds() -> None:
    root = rounded("floor", f32("sqrt", f32("-", H, 0.5)))
    assert bounds(root) == (None, None)
    assert known(root, {"H": 0}) is None
    small = f32("-", f32("*", H, SEVEN_TENTHS), 7)
    assert bounds(rounded("floor", f32("/", 1000, small))) == (None, None)
    assert bounds(rounded("floor", f32("*", f32("convert", H * H * H), nearest("f32", 1e25)))) == (None, None), (
        "beyond int64"
    )


def test_a_length_that_its_precision_does_not_represent_has_no_value() -> None:
    assert known(scaled(H), {"H": 2**24 + 1}) is None
    assert known(rounded("floor", f32("convert", H * W)), {"H": 4099, "W": 4099}) == 4099 * 4099 - 1
    assert known(rounded("floor", floating("f64", "*", H, 0.7)), {"H": 2**24 + 1}) == 11744051


def test_bounds_decide_questions() -> None:
    some = symbol("S", low=10, high=100)
    assert bounds(scaled(some)) == (7, 70)
    assert bounds(rounded("ceil", f32("/", 640, some))) == (7, 64)
    assert less(scaled(some), 71).is_yes
    assert less(scaled(H), 0).is_no
    assert divides(2, scaled(H)).is_maybe
    assert scaled(symbol("T", low=3, high=4), nearest("f32", 0.3)) != 0
    assert scaled(symbol("T", low=4, high=6), nearest("f32", 0.3)) == 1, "there is no other number between the bounds"


def test_what_bounds_a_term_bounds_what_is_computed_from_it() -> None:
    cells = ceildiv(scaled(H), 32) * ceildiv(scaled(W), 32)
    some = [AtMost(1, scaled(H)), AtMost(1, scaled(W))]
    assert follows(some, AtMost(1, cells))
    assert not follows(some[:1], AtMost(1, cells))
    assert not follows(some, AtMost(2, cells))


def test_a_term_stays_small() -> None:
    grown: Operand = f32("sqrt", H)
    for _ in range(5):
        grown = f32("*", grown, grown)
    with pytest.raises(NoValueError):
        f32("*", grown, grown)


def test_terms_survive_processes_and_copies() -> None:
    term = f32("*", H, SEVEN_TENTHS)
    assert isinstance(term, Floating)
    assert pickle.loads(pickle.dumps(scaled(H))) is scaled(H)
    assert copy.deepcopy(term) is copy.copy(term) is pickle.loads(pickle.dumps(term)) is term
    assert repr(term) == "Floating(f32(f32(0.7)*H))"
    assert term.symbols == {H}
