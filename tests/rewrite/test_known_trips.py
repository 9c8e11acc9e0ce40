"""A Loop that runs once or never is taken apart."""

from __future__ import annotations

import onnx
import pytest

from shapeinfer import infer_shapes
from tests.models import parsed
from tests.rewrite.runs import ops, refolded

SIZES = {"N": 3}, {"N": 1}, {"N": 0}
ZERO = "z = Constant<value_ints=[0]>() y ="


def loop(trips: str, begins: str = "", *, reads: str = "y = Relu(h)", outputs: str = "h, k") -> onnx.ModelProto:
    return infer_shapes(
        parsed(f"""g (float[N, 4] x, bool c) => (float[A, B] y) {{
        n = Constant<value_int = {trips}>() yes = Constant<value = bool {{1}}>() no = Constant<value = bool {{0}}>()
        a = Exp(x)
        {outputs} = Loop(n, {begins}, a) <body = b (int64 i, bool go, float[N, 4] v)
            => (bool again, float[N, 4] w, float[N, 4] s) {{
            again = Identity(go) t = Cast<to = 1>(i) p = Add(v, t) w = Neg(p) s = Abs(w) }}>
        {reads}
    }}""")
    )


@pytest.mark.parametrize("begins", ["", "yes"])
def test_the_body_of_one_trip_stands_in_its_place(begins: str) -> None:
    folded = refolded(loop("1", begins), *SIZES)
    assert [op for op in ops(folded.graph) if op != "Constant"] == ["Exp", "Add", "Neg", "Relu"]


def test_what_is_collected_in_one_trip_has_an_axis_of_1() -> None:
    folded = refolded(loop("1", reads=f"{ZERO} ReduceSum<keepdims=0>(k, z)"), *SIZES)
    assert "Loop" not in ops(folded.graph)


@pytest.mark.parametrize(("trips", "begins"), [("0", ""), ("-2", "yes"), ("5", "no")])
def test_a_loop_that_never_runs_gives_its_initial_values(trips: str, begins: str) -> None:
    assert ops(refolded(loop(trips, begins), *SIZES).graph) == ["Exp", "Relu"]


@pytest.mark.parametrize(
    ("trips", "begins", "reads"),
    [
        ("2", "", "y = Relu(h)"),
        ("1", "c", "y = Relu(h)"),
        ("0", "", f"{ZERO} ReduceSum<keepdims=0>(k, z)"),
    ],
)
def test_others_stay(trips: str, begins: str, reads: str) -> None:
    assert "Loop" in ops(refolded(loop(trips, begins, reads=reads), *SIZES).graph)


def test_names_of_the_body_that_others_have_are_changed() -> None:
    model = loop("1", reads="t = Neg(h) w = Abs(t) y = Relu(w)")
    assert "Loop" not in ops(refolded(model, *SIZES).graph)
