"""Dims and conditions in sympy: what they are there, and that no name of a model ever runs."""

from __future__ import annotations

import builtins
import contextlib
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sympy
from hypothesis import given, settings

from shapeinfer import dims
from shapeinfer.dims import AllOf, AnyOf, AtMost, Condition, Dim, Divides, Equal, evaluate, symbol
from tests.dims.test_laws import Tree, defined, sized, trees
from tests.dims.test_simplify import SOME, truths
from tests.models import checked, parsed

N, M = (symbol(name) for name in "NM")
assert isinstance(N, Dim)
assert isinstance(M, Dim)
RUNS = "__import__('builtins').__dict__.__setitem__('ran', True)"


def in_sympy(value: object) -> Any:
    return sympy.sympify(value)


@settings(max_examples=15)
@given(trees)
def test_a_length_has_the_same_value_in_sympy(tree: Tree) -> None:
    size = sized(tree)
    there = in_sympy(size)
    for env, (n,) in itertools.islice(defined(tree), 6):
        try:
            evaluate(size, env)
        except ZeroDivisionError:
            continue
        assert there.subs({s: env[s.name] for s in there.free_symbols}) == n, env


@settings(max_examples=15)
@given(SOME)
def test_a_condition_has_the_same_truth_in_sympy(condition: Condition) -> None:
    there = in_sympy(condition)
    for env, (truth,) in itertools.islice(truths((condition,)), 0, 400, 61):
        # a comparison of numbers is evaluated no sooner than sympy is told to
        assert bool(there.subs({s: env[s.name] for s in there.free_symbols}).doit()) == truth, env


def test_a_symbol_is_a_whole_number_that_is_not_negative() -> None:
    assert in_sympy(N) == sympy.Symbol("N", integer=True, nonnegative=True)
    assert in_sympy(symbol("P", low=1)) == sympy.Symbol("P", integer=True, positive=True)
    assert in_sympy(symbol("E", divisor=8)).is_even
    assert in_sympy(symbol("Z", low=None)).is_nonnegative is None
    made = symbol("N", fresh=True)
    assert in_sympy(made) == in_sympy(made) != in_sympy(N), "what the model does not name is not what it names N"


def test_lengths_and_sympy_compute_together() -> None:
    n, m = in_sympy(N), in_sympy(M)
    assert N + n == 2 * n
    assert n * M - N * M == 0
    assert sympy.simplify(dims.floordiv(N * 2, 4)).rewrite(sympy.floor) == sympy.floor(n / 2)
    assert sympy.solve(dims.sub(N * 3, 12), n) == [4]
    assert sympy.lambdify([n, m], dims.maximum(N, M) - 1)(3, 5) == 4
    assert in_sympy(dims.broadcast(N, M)).subs({n: 1, m: 0}) == 0, "a broadcast is not the larger one"
    assert in_sympy([N, 3]) == [n, 3]


def test_conditions_are_relationals_and_booleans() -> None:
    n, m = in_sympy(N), in_sympy(M)
    assert in_sympy(Equal(N, M)) == sympy.Eq(n, m)
    assert in_sympy(AtMost(N, 5)) == (n <= 5)
    assert in_sympy(Divides(8, N)) == sympy.Eq(sympy.Mod(n, 8), 0)
    assert in_sympy(AtMost(5, N)) == (n >= 5)
    simplest = dims.simplest(AnyOf((Equal(N, 1), AllOf((AtMost(N, 2), Equal(N, M))))))
    assert in_sympy(simplest) == sympy.Eq(n, 1) | ((n <= 2) & sympy.Eq(m, n))
    assert [in_sympy(AllOf(())), in_sympy(AnyOf(()))] == [sympy.true, sympy.false]
    of_zero = in_sympy(Divides(N, M))
    assert [of_zero.subs({n: 0, m: 0}), of_zero.subs({n: 0, m: 3})] == [True, False]


def test_what_is_too_large_to_print_is_refused() -> None:
    large: Any = N
    for i in range(40):
        large = large + (large + i) // 2
    with pytest.raises(sympy.SympifyError):
        in_sympy(large)


ATTACKS = ["{}", "`{}", "N + {}", "'+{}+'", "N\n{}", "_ or {}", "x={}", "x, y={}"]
USES: list[Callable[[object], object]] = [
    sympy.simplify,
    lambda each: sympy.lambdify([], each)(),
    lambda each: sympy.lambdify([], in_sympy(each))(),
    lambda each: sympy.lambdify([each], 1),
    lambda each: sympy.lambdify([each, N], each),
    lambda each: sympy.lambdify([in_sympy(each)], each),
    lambda each: sympy.ccode(in_sympy(each)) + sympy.pycode(in_sympy(each)),
    lambda each: sympy.sympify(str(in_sympy(each))),
    lambda each: sympy.latex(in_sympy(each)) + sympy.pretty(in_sympy(each)),
]


class TestANameOfAModelNeverRuns:
    """``sympify`` of what it does not know was once ``eval`` of its text."""

    @pytest.fixture(autouse=True)
    def nothing_ran(self) -> Iterator[None]:
        yield
        assert not builtins.__dict__.pop("ran", False)

    @pytest.mark.parametrize("made", [False, True])
    @pytest.mark.parametrize("name", [each.format(RUNS) for each in ATTACKS])
    def test_in_what_sympy_does_with_a_length(self, name: str, made: bool) -> None:
        size = symbol(name, fresh=made)
        assert isinstance(size, Dim)
        for each in (size, size + 1, dims.floordiv(size, M), dims.broadcast(size, M), Equal(size, M), Divides(4, size)):
            for use in USES:
                with contextlib.suppress(sympy.SympifyError, SyntaxError, TypeError):
                    use(each)

    def test_in_anything_that_a_report_hands_out(self) -> None:
        model = parsed("""g (float[N, 4] x, float[M, 4] z) => (y) <int64[2] k = {-1, 8}>
            { w = Add(x, z) v = Reshape(w, k) y = NonZero(v) }""")
        model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = RUNS
        for each in reachable(checked(model)):
            with contextlib.suppress(sympy.SympifyError):
                sympy.sympify(each)


def reachable(start: object) -> list[object]:
    """Every object of this package that one leads to by public attributes and items."""
    seen: dict[int, object] = {}
    left = [start]
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        if type(one).__module__.startswith("shapeinfer"):
            names = [name for name in dir(one) if not name.startswith("_")]
            left += [value for name in names if not callable(value := quietly(one, name))]
        if isinstance(one, (tuple, list, set, frozenset)):
            left += one
        elif isinstance(one, dict):
            left += one.values()
    return [one for one in seen.values() if type(one).__module__.startswith("shapeinfer")]


def quietly(one: object, name: str) -> object:
    try:
        return getattr(one, name)
    except Exception:  # noqa: BLE001 - an attribute that raises hands nothing out
        return None


def test_the_oldest_sympy_allowed_does_not_fall_back_to_text() -> None:
    """It was version 1.13 that stopped to evaluate ``str`` of an object that it does not know."""
    project = Path(__file__).parents[3] / "pyproject.toml"
    oldest = re.search(r'"sympy>=(\d+)\.(\d+)', project.read_text("utf-8"))
    assert oldest is not None
    assert (int(oldest[1]), int(oldest[2])) >= (1, 13)
