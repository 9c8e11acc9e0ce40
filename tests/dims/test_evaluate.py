"""The values of dims and conditions for sizes, one by one and whole arrays at once, against plain integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shapeinfer import Dim, symbol, symbols
from shapeinfer.dims import Condition, Size, broadcast, maximum, minimum
from shapeinfer.dims.conditions.condition import ALWAYS
from tests.dims.test_laws import Tree, Undefined, environments, number, sized, trees
from tests.dims.test_simplify import SOME, truths

N, M, P = symbols("N", "M", "P")
D = symbol("D", divisor=8)


def dim(size: Size) -> Dim:
    assert isinstance(size, Dim)
    return size


AREA, ODD, SHARE = dim(N * M), dim(N * 2 + 1), dim(N // M)


def expected(tree: Tree, env: dict[str, int]) -> int | None:
    try:
        return number(tree, env)
    except Undefined:
        return None


class TestOneValue:
    def test_by_name_by_symbol_and_as_keywords(self) -> None:
        number: int = AREA.evaluate({"N": 4, "M": 3})
        assert number == 12
        assert AREA.evaluate({N: 4, M: 3}) == AREA.evaluate({N: 4, "M": 3}) == AREA.evaluate(N=4, M=3) == 12
        assert AREA.evaluate({"N": 4}, M=3) == 12
        assert type(AREA.evaluate(N=np.int32(4), M=np.array(3))) is int

    def test_other_names_are_ignored_so_that_one_mapping_serves_all_dims(self) -> None:
        assert N.evaluate({"N": 4, "M": 3}) == 4

    def test_a_symbol_stands_for_those_of_its_name_in_another_range(self) -> None:
        assert (symbol("N", low=1) + 2).evaluate({N: 4}) == 6

    @given(trees)
    def test_it_is_that_of_plain_integers(self, tree: Tree) -> None:
        size = sized(tree)
        if isinstance(size, int):
            return
        for env in environments(tree, most=20):
            n = expected(tree, env)
            if n is not None:
                assert size.evaluate(env) == n, env

    @pytest.mark.parametrize(
        ("size", "values", "message"),
        [
            (N + M, {}, "cannot evaluate M + N: no value for M, N"),
            (N + M, {"N": 1, "m": 2}, "cannot evaluate M + N: no value for M; given are N, m"),
            (N, {"N": -1}, "N is -1; it must be at least 0"),
            (symbol("N", high=8), {"N": 9}, "N is 9; it must be at most 8"),
            (D, {"D": 9}, "D is 9; it must be a multiple of 8"),
            (N, {"N": 2.0}, "N is 2.0; a value is an integer or an array of integers"),
            (N, {"N": "2"}, "N is '2'; a value is an integer or an array of integers"),
            (N, {"N": 2, N: 2}, "N is given twice"),
            (N, {N + 1: 2}, r"Dim\(N \+ 1\) is no symbol: values are given by the name of a symbol, or the symbol"),
            (N, [("N", 2)], r"values are given as a mapping such as \{'N': 4\}, not as list"),
            (broadcast(N, M), {"N": 2, "M": 3}, r"3 and 2 do not broadcast in broadcast\(M, N\) where M = 3, N = 2"),
        ],
        ids=str,
    )
    def test_what_has_no_value_is_refused(self, size: Dim, values: Any, message: str) -> None:
        with pytest.raises(ValueError, match=f"^{message.replace(' + N:', ' [+] N:')}$"):
            size.evaluate(values)

    def test_a_name_twice(self) -> None:
        with pytest.raises(ValueError, match="N is given twice"):
            N.evaluate({"N": 2}, N=2)

    def test_a_division_by_zero_names_what_is_zero(self) -> None:
        with pytest.raises(ZeroDivisionError, match=r"^P//\(M - N\) divides by 0 where M = 3, N = 3$"):
            dim(P // (M - N)).evaluate(N=3, M=3, P=1)


class TestArrays:
    def test_a_sweep(self) -> None:
        sweep = ODD.evaluate({"N": np.arange(4)})
        assert sweep.dtype == np.int64
        assert sweep.tolist() == [1, 3, 5, 7]
        assert ODD.evaluate(N=range(4)).tolist() == [1, 3, 5, 7]

    def test_a_grid(self) -> None:
        rows, columns = np.ogrid[0:3, 0:2]
        assert dim(N + M).evaluate(N=rows, M=columns).tolist() == [[0, 1], [1, 2], [2, 3]]
        assert (M + 1).evaluate(N=rows, M=4) == 5, "N does not occur in it"

    def test_the_result_is_an_array_of_its_own(self) -> None:
        mine = np.arange(3)
        N.evaluate(N=mine)[0] = 7
        assert mine.tolist() == [0, 1, 2]

    def test_no_value_at_all(self) -> None:
        none = SHARE.evaluate(N=[], M=4)
        assert (none.dtype, none.shape) == (np.int64, (0,))

    @settings(max_examples=60)
    @given(trees)
    def test_each_is_that_of_plain_integers(self, tree: Tree) -> None:
        size = sized(tree)
        envs = [env for env in environments(tree, most=20) if expected(tree, env) is not None]
        if isinstance(size, int) or not envs:
            return
        found = size.evaluate({name: np.array([env[name] for env in envs]) for name in envs[0]})
        assert found.tolist() == [number(tree, env) for env in envs]

    @settings(max_examples=60)
    @given(trees, st.sampled_from([2**31, 2**62, 2**63 - 8, 2**63, 2**64, 2**80]))
    def test_nothing_wraps_around(self, tree: Tree, beyond: int) -> None:
        size = sized(tree)
        if isinstance(size, int):
            return
        large = [s for s in size.symbols if s.high is None and s.low is not None]
        envs = [env | {s.name: (beyond + env[s.name]) // 8 * 8 for s in large} for env in environments(tree, most=6)]
        envs = [env for env in envs if expected(tree, env) is not None]
        if not envs:
            return
        found = size.evaluate({name: [env[name] for env in envs] for name in envs[0]})
        exact = [number(tree, env) for env in envs]
        assert found.tolist() == exact
        assert found.dtype == (np.int64 if all(abs(n) < 2**63 for n in exact) else object)

    def test_int64_and_beyond(self) -> None:
        large = dim(N * N).evaluate(N=[3, 2**40])
        assert large.dtype == object
        assert large.tolist() == [9, 2**80]
        back = dim(N * N // (N + 1)).evaluate(N=np.array([2**62, 5]))
        assert back.dtype == np.int64
        assert back.tolist() == [2**62 - 1, 4]
        assert dim(maximum(N, M)).evaluate(N=np.array([2**63], np.uint64), M=0).tolist() == [2**63]
        assert dim(minimum(N, M)).evaluate(N=[2**64], M=np.array([7], np.int8)).dtype == np.int64

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"N": [3, -2]}, "N is -2 in its array; it must be at least 0"),
            ({"N": [1.5]}, "N is an array of other objects than integers"),
            ({"N": np.array([1.5])}, "N is an array of float64; values are integers"),
            ({"N": np.array([True])}, "N is an array of bool; values are integers"),
            ({"N": [[1], [2, 3]]}, "N is an array of other objects than integers"),
            ({"N": [1, 2, 3], "M": [1, 2]}, r"the arrays of values do not broadcast: M \(2,\), N \(3,\)"),
        ],
        ids=str,
    )
    def test_what_is_no_array_of_sizes_is_refused(self, values: Any, message: str) -> None:
        with pytest.raises(ValueError, match=f"^{message}$"):
            dim(N + M).evaluate({"M": 1} | values)

    def test_the_first_place_without_a_value_is_named(self) -> None:
        with pytest.raises(ZeroDivisionError, match=r"^N//M divides by 0 where M = 0$"):
            SHARE.evaluate(N=4, M=[2, 1, 0])
        with pytest.raises(ValueError, match=r"3 and 2 do not broadcast .* where M = 3, N = 2$"):
            dim(broadcast(N, M)).evaluate(N=[1, 2], M=np.array([[3], [1]]))


class TestConditions:
    def test_for_sizes_and_for_arrays(self) -> None:
        one: bool = (dim(N + M) <= 8).evaluate({"N": 4, "M": 5})
        assert one is False
        many = ((N <= 8) & N.divisible_by(M)).evaluate({"N": np.array([0, 3, 4, 10])}, M=np.array([0, 0, 2, 5]))
        assert many.dtype == np.bool_
        assert many.tolist() == [True, False, True, False]
        assert ALWAYS.evaluate() is True

    def test_what_has_no_value_is_in_no_relation(self) -> None:
        assert (SHARE <= 5).evaluate(N=4, M=0) is False
        assert ((SHARE <= 5) | (M <= 0)).evaluate(N=4, M=0) is True
        assert (SHARE <= 5).evaluate(N=[4, 4, 40], M=[0, 1, 1]).tolist() == [False, True, False]
        assert (dim(broadcast(N, M)) >= 0).evaluate(N=2, M=[1, 2, 3]).tolist() == [True, True, False]

    def test_a_symbol_without_a_value(self) -> None:
        with pytest.raises(ValueError, match="cannot evaluate M <= N: no value for M; given are N"):
            (M <= N).evaluate(N=3)

    @settings(max_examples=60)
    @given(SOME)
    def test_as_plain_integers_have_it(self, condition: Condition) -> None:
        envs, truth = zip(*[(env, truth) for env, (truth,) in truths((condition,))][:400:7], strict=True)
        assert [condition.evaluate(env) for env in envs] == list(truth)
        arrays = {s.name: np.array([env[s.name] for env in envs]) for s in condition.symbols}
        found = np.broadcast_to(condition.evaluate(arrays), len(envs))
        assert found.tolist() == list(truth)
