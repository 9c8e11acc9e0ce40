"""There and back: 2,000 random sizes and conditions, each read as the very object that was written, with its value."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import sympy

from shapeinfer.dims import AllOf, AnyOf, AtMost, Condition, Dim, Equal, Size, minimum, product, symbol, total
from tests.dims.sympy.random_terms import SYMBOLS, number, random_conditions, random_sizes, random_values, truth
from tests.each import each

SIZES = list(itertools.islice(random_sizes(1), 1200))
CONDITIONS = list(itertools.islice(random_conditions(2), 800))


@each(SIZES)
def test_sizes_come_back_as_the_same_objects(size: Dim) -> None:
    assert Dim.from_sympy(size.expr) is size


@each(CONDITIONS)
def test_conditions_come_back_as_the_same_objects(condition: Condition) -> None:
    assert Condition.from_sympy(condition.expr) is condition


def test_most_of_them_differ() -> None:
    assert len({*SIZES}) > 600
    assert len({*CONDITIONS}) > 600


def test_a_size_has_its_value_in_sympy() -> None:
    choice = random.Random(3)
    compared = 0
    for size in itertools.islice(random_sizes(3), 250):
        values = random_values(choice, size.symbols)
        try:
            expected = number(size, values)
        except ZeroDivisionError:
            continue
        there = size.expr.xreplace({s.expr: sympy.Integer(n) for s, n in values.items()})
        assert there == expected, (size, values)
        compared += 1
    assert compared > 150


def test_a_condition_has_its_truth_in_sympy() -> None:
    choice = random.Random(4)
    for condition in itertools.islice(random_conditions(4), 150):
        values = random_values(choice, condition.symbols)
        try:
            expected = truth(condition, values)
        except ZeroDivisionError:
            continue
        there = condition.expr.xreplace({s.expr: sympy.Integer(n) for s, n in values.items()}).doit()
        assert bool(there) is expected, (condition, values)


def test_symbols_that_differ_in_their_range_alone_are_two() -> None:
    expressions = {s.expr for s in SYMBOLS if isinstance(s, Dim)}
    assert len(expressions) == len({*SYMBOLS})
    nine, ten = symbol("a", high=9), symbol("a", high=10)
    assert isinstance(nine, Dim)
    assert isinstance(ten, Dim)
    difference = nine.expr - ten.expr
    assert difference != 0
    assert difference.subs(nine.expr, 3) == 3 - ten.expr
    assert sympy.Add(ten.expr, nine.expr) == sympy.Add(nine.expr, ten.expr)


@pytest.mark.parametrize("own", [s for s in SYMBOLS if isinstance(s, Dim)], ids=repr)
def test_symbols_are_copied_and_pickled(own: Dim) -> None:
    for expression in (own.expr, (own + 1).expr, own.expr * sympy.Symbol("c")):
        for again in (pickle.loads(pickle.dumps(expression)), copy.deepcopy(expression)):
            assert again == expression
            assert Dim.from_sympy(again) is Dim.from_sympy(expression)


def test_the_parts_of_a_junction_keep_their_order() -> None:
    n: Any = symbol("n")
    m: Any = symbol("m")
    one, other = Equal(n, m), AtMost(n, 4)
    for kind in (AllOf, AnyOf):
        orders = [kind((one, other)), kind((other, one)), kind((one, one)), kind((one,)), kind((kind((one, other)),))]
        assert [Condition.from_sympy(c.expr) for c in orders] == orders
        assert len({c.expr for c in orders}) == len(orders)
        # what sympy computes from one is sympy's own
        assert {type(c.expr.subs(m.expr, 7)) for c in orders[:2]} == {sympy.And if kind is AllOf else sympy.Or}


def test_products_of_sums_come_back_unexpanded() -> None:
    p, q = (total(symbol(f"{name}{i}") for i in range(9)) for name in "pq")
    r = symbol("r") + symbol("s")
    sizes: list[Any] = [p * q, p * r * q, p * q * r, 3 * p * q + 1, product([r] * 65)]
    for size in (*sizes, product([r + i for i in range(70)])):
        assert Dim.from_sympy(size.expr) is size


def test_depth_is_no_matter_up_to_a_bound() -> None:
    size: Size = symbol("n")
    for i in range(40):
        size = minimum(size * 2 + i, symbol(f"b{i}"))
    assert isinstance(size, Dim)
    assert Dim.from_sympy(size.expr) is size
    for i in range(500):
        size = minimum(size * 2 + i, symbol(f"b{i}"))
    assert isinstance(size, Dim)
    with pytest.raises(sympy.SympifyError):
        size.expr  # noqa: B018 - it raises
    deep = sympy.Symbol("n")
    for _ in range(1500):
        deep = sympy.floor(deep, evaluate=False)
    assert Dim.from_sympy(deep) is symbol("n")


def test_threads_convert_to_the_same() -> None:
    sizes = list(itertools.islice(random_sizes(5), 30))
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda size: Dim.from_sympy(size.expr), [size for size in sizes for _ in range(4)]))
    assert found == [size for size in sizes for _ in range(4)]
