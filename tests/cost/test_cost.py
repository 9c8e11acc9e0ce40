"""Parameters and memory, against counts by hand."""

from __future__ import annotations

import json

import pytest

from tests.cost.test_multiply_adds import FUNCTION
from tests.models import checked

CHAIN = """g (float[N, 4] x, float[4, 4] extra) => (float[] y) <
    float[4, 8] w = ["location": "w"], float[8] b = ["location": "w"], float16[9] idle = ["location": "w"]
> {
    h = MatMul(x, w)
    s = Add(h, b)
    t = Add(s, b)
    y = ReduceSum<keepdims = 0>(t)
}"""


def test_parameters_are_weights_that_nodes_read() -> None:
    cost = checked(CHAIN).cost()
    assert (cost.parameters, cost.parameter_bytes) == (40, 160)
    assert [n.parameters for n in cost.nodes] == [32, 8, 8, 0]


def test_memory_is_that_of_the_fullest_moment() -> None:
    # inputs 16*N + 64, and then two of h, s and t at a time; at the end, where N may be 0, t and y
    assert str(checked(CHAIN).cost().peak_bytes) == "max(48*N + 68, 80*N + 64)"


def test_values_that_nothing_reads_live_for_a_moment() -> None:
    model = "g (float[2] x) => (float[] y) { a = Neg(x) b = Neg(x) y = Neg(x) }"
    assert checked(model).cost().peak_bytes == 8 + 8


def test_a_body_counts_beside_what_is_alive_around_it() -> None:
    model = """g (float[2] x, bool c) => (float[] y) {
        h = Neg(x)
        y = If(c) <then_branch = t () => (float[] u) { a = Neg(h) u = Neg(a) },
                   else_branch = e () => (float[] v) { v = Neg(h) }>
    }"""
    assert checked(model).cost().peak_bytes == 8 + 1 + 8 + (8 + 8)


def test_a_function_counts_beside_what_is_alive_around_it() -> None:
    # x and w, h, and d and c of the second call
    assert str(checked(FUNCTION).cost().peak_bytes) == "64*N + 64"


def test_which_moment_is_the_fullest_may_depend_on_the_sizes() -> None:
    model = """g (float[A] a, float[B] b) => (float[] y) {
        p = Concat<axis = 0>(a, a) q = ReduceSum<keepdims = 0>(p)
        r = Concat<axis = 0>(b, b) y = ReduceSum<keepdims = 0>(r)
    }"""
    report = checked(model)
    assert report.cost(bind={"A": 100, "B": 1}).peak_bytes == 404 + 800 + 4
    assert report.cost(bind={"A": 1, "B": 100}).peak_bytes == 404 + 800 + 4


def test_what_has_no_known_size_is_reported() -> None:
    cost = checked("g (string[2] x) => (string[2] y) { y = Identity(x) }").cost()
    assert cost.peak_bytes is None
    assert cost.unknown == ("the size of x in bytes is unknown", "the size of y in bytes is unknown")


def test_numbers_are_put_in_everywhere() -> None:
    cost = checked(CHAIN).cost(bind={"N": 3})
    assert (cost.multiply_adds, cost.peak_bytes) == (96, 304)
    assert [n.bytes for n in cost.nodes] == [96, 96, 96, 4]


def test_only_a_report_with_its_nodes_can_be_counted() -> None:
    with pytest.raises(ValueError, match="this report has no nodes"):
        checked(CHAIN).light().cost()


def test_a_cost_is_numbers_and_formulas_for_other_programs() -> None:
    found = checked(CHAIN).cost().to_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["multiply_adds"] == "32*N"
    assert found["nodes"][0]["node"]["op_type"] == "MatMul"
