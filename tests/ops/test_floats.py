"""Lengths that pass through floats: scaled, divided and rounded as runtimes do it, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from shapeinfer.dims import Dim, evaluate
from tests.infer.running import session
from tests.models import checked, contract, faults, parsed
from tests.ops.claims import asks
from tests.ops.spec import infer, outline

SIZES = [(40, 64), (64, 40), (1, 1), (480, 640), (333, 1333), (97, 3), (641, 7), (128, 128)]


def model(body: str) -> str:
    """A model that computes a length ``n`` from the float lengths ``h`` and ``w``, and makes a tensor of it."""
    return f"""g (float[H, W] x) => (y) <float c = {{0.7}}, float most = {{640}}, float one = {{1}}> {{
        hi = Shape<end = 1>(x) wi = Shape<start = 1>(x) h = Cast<to = 1>(hi) w = Cast<to = 1>(wi)
        {body}
        i = Cast<to = 7>(n) y = ConstantOfShape(i) }}"""


CHAINS = {
    "a constant factor": ("m = Mul(h, c) n = Floor(m)", "floor(f32(f32(0.7)*H))"),
    "cut off without rounding": ("n = Mul(h, c)", "floor(f32(f32(0.7)*H))"),
    "a quotient": ("q = Div(h, c) n = Ceil(q)", "ceil(f32(H/f32(0.7)))"),
    "the nearest": ("m = Mul(h, c) n = Round(m)", "round(f32(f32(0.7)*H))"),
    "a common scale": (
        "a = Max(h, w) s = Div(most, a) m = Mul(h, s) n = Floor(m)",
        "floor(f32(H*f32(640/max(H, W))))",
    ),
    "the smaller of two scales": (
        "a = Reciprocal(h) b = Reciprocal(w) s = Mul(a, most) t = Mul(b, most) u = Min(s, t) n = Mul(u, w)",
        "floor(f32(W*min(f32(640*f32(1/H)), f32(640*f32(1/W)))))",
    ),
    "a root of a product": ("a = Mul(h, w) r = Sqrt(a) n = Ceil(r)", "ceil(f32(sqrt(f32(H*W))))"),
    "through another precision": (
        "m = Mul(h, c) d = Cast<to = 11>(m) e = Add(d, d) n = Floor(e)",
        "floor(f64(f32(f32(0.7)*H) + f32(f32(0.7)*H)))",
    ),
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("optimized", [False, True], ids=["as it is", "optimized"])
def test_a_chain_of_floats_is_a_length_as_the_runtime_computes_it(chain: str, optimized: bool) -> None:
    body, text = CHAINS[chain]
    report = checked(model(body))
    (n,) = report.shape("y") or ()
    assert isinstance(n, Dim)
    assert n.text == text
    run = session(parsed(model(body)), optimized=optimized)
    for h, w in SIZES:
        (real,) = run.run(None, {"x": np.zeros((h, w), np.float32)})[0].shape
        assert evaluate(n, {"H": h, "W": w}) == real
        assert checked(model(body), bind={"H": h, "W": w}).shape("y") == (real,)


def test_a_float_that_may_be_infinite_becomes_an_integer_only_where_it_is_not() -> None:
    report = checked(model("s = Div(most, h) m = Mul(w, s) n = Floor(m)"))
    assert contract(report) == ["H >= 1"]
    (requirement,) = report.contract.all_sizes
    assert requirement.message == "a float is divided by H; where that is 0 it is infinite or NaN, which no int64 is"
    (n,) = report.shape("y") or ()
    assert isinstance(n, Dim)
    assert n.low == 0
    assert faults(checked(model("s = Div(most, h) m = Mul(w, s) n = Floor(m)"), bind={"H": 0, "W": 3})) == []


@pytest.mark.parametrize(
    "body",
    [
        "q = Div(one, h) m = Mul(q, w) n = Floor(m)",  # the runtime makes one division of it, which rounds once
        "e = Exp(h) n = Floor(e)",
        "n = Sum(h, c, w)",  # in whatever order
        "r = Sub(h, c) s = Sqrt(r) n = Floor(s)",  # not of what is negative
    ],
)
def test_what_is_not_fixed_to_the_last_bit_is_not_known(body: str) -> None:
    (n,) = checked(model(body)).shape("y") or ()
    assert isinstance(n, Dim)
    assert n.is_fresh


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("n = Mul(H, c) y = Range(zero, n, one)", "ceil(f32(f32(0.7)*N))"),
        ("y = Range(zero, H, c)", "ceil(f64(N/f64(0.699999988079071)))"),
    ],
)
def test_a_range_of_floats_counts_as_the_runtime_does(body: str, text: str) -> None:
    ranged = parsed(f"""g (float[N] x) => (y) <float c = {{0.7}}, float zero = {{0}}, float one = {{1}}>
        {{ n0 = Shape(x) h = Squeeze(n0) H = Cast<to = 1>(h) {body} }}""")
    (n,) = checked(ranged).shape("y") or ()
    assert isinstance(n, Dim)
    assert n.text == text
    run = session(ranged)
    for length in (1, 2, 7, 10, 70, 1000):
        assert run.run(None, {"x": np.zeros(length, np.float32)})[0].shape == (evaluate(n, {"N": length}),)


def test_a_range_that_runtimes_count_differently_is_not_known() -> None:
    """From 0.1 to 0.4 there are three tenths in double precision, and in single a little more."""
    assert outline("Range", "f32[]{0.1}", "f32[]{0.4}", "f32[]{0.1}") == "f32[?]"
    assert infer("Range", "f32[]{0.5}", "f32[]{0.75}", "f32[]{0.125}") == "f32[2]{0.5, 0.625}"


def test_comparisons_are_decided_by_bounds() -> None:
    product = infer("Mul", "f32[1]{N + 10}", "f32[]{0.7}")
    assert product == "f32[1]{f32(f32(0.7)*(N + 10))}"
    chain = "h = Shape(x) f = Cast<to = 1>(h) m = Mul(f, c)"
    for test, known in (("Less(m, zero)", "False"), ("GreaterOrEqual(m, zero)", "True"), ("Less(zero, m)", None)):
        report = checked(f"g (float[N] x) => (y) <float c = {{0.7}}, float zero = {{0}}> {{ {chain} y = {test} }}")
        assert (report.contents("y") or (None,))[0] is (None if known is None else known == "True")


def test_nothing_is_required_of_floats_that_stay_floats() -> None:
    assert asks("Div", "f32[1]{N}", "f32[1]{M}") == []
    assert asks("Cast", "f32[1]{N}", to=TensorProto.INT64) == []
    report = checked("""g (float[N] x) => (y) <float c = {640}>
        { n = Shape(x) f = Cast<to = 1>(n) q = Div(c, f) y = Floor(q) }""")
    assert contract(report) == []
    assert report.contents("y") is not None
