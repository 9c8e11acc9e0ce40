"""What is known of shapes stands in the place of what computes it."""

from __future__ import annotations

import onnx
import pytest

from shapeinfer import fold
from tests.models import parsed
from tests.rewrite.runs import ops, refolded

SIZES = {"N": 3, "M": 2}, {"N": 1, "M": 1}, {"N": 0, "M": 4}


def initializers(model: onnx.ModelProto) -> dict[str, list[int]]:
    return {t.name: onnx.numpy_helper.to_array(t).tolist() for t in model.graph.initializer}


def test_a_length_that_is_a_number_is_a_constant() -> None:
    model = parsed("""g (float[N, 3, 4] x, int64[K] i) => (int64[A] y) {
        s = Shape<start=1, end=3>(x) y = Add(i, s)
    }""")
    folded = refolded(model, {"K": 2, "N": 5})
    assert ops(folded.graph) == ["Add"]
    assert initializers(folded) == {"s": [3, 4]}


def test_an_output_that_is_known_is_a_constant_of_its_name() -> None:
    model = parsed(
        "g (float[N, 3] x) => (int64[1] y, bool z) { y = Shape<start=1>(x) z = Equal(y, y) }".replace(
            "bool z", "bool[1] z"
        )
    )
    folded = refolded(model, *SIZES)
    assert [(n.op_type, *n.output) for n in folded.graph.node] == [("Constant", "y"), ("Constant", "z")]


def test_other_integers_and_floats_are_computed_too() -> None:
    model = parsed("""g (float[N, 3] x) => (float[1] y, int8[1] z) {
        s = Shape<start=1>(x) y = Cast<to=1>(s) z = Cast<to=3>(s)
    }""")
    assert ops(refolded(model, *SIZES).graph) == ["Constant", "Constant"]


@pytest.mark.parametrize("dims", ["0, 1099511627776, 1099511627776", ", ".join("1" * 40)])
def test_a_constant_that_no_array_can_be_is_computed(dims: str) -> None:
    count = dims.count(",") + 1
    model = parsed(f"""g (float[N] x) => (int64[K] y) <int64[{count}] dims = {{{dims}}}> {{
        c = ConstantOfShape<value = int64[1] {{3}}>(dims) y = Shape(c)
    }}""")
    assert [op for op in ops(fold(model).model.graph) if op != "Constant"] == []


@pytest.mark.parametrize(
    "node",
    [
        "Neg(least)",
        "Abs(least)",
        "Pow(ten, twenty)",
        "ReduceProd(pair)",
        "Cast<to=7>(narrow)",
        "Add(greatest, greatest)",
        "Mul(greatest, ten)",
        "CumSum(pair, axis)",
    ],
)
def test_what_wraps_around_is_as_the_runtime_has_it(node: str) -> None:
    text = f"""g (float[N] x, int64[1] k) => (int64[A] y) <int64[1] least = {{-9223372036854775808}},
    int64 axis = {{0}},
    int64[1] ten = {{10}}, int64[1] twenty = {{20}}, int64[2] pair = {{9223372036854775807, 3}}, int64[1] seven = {{7}},
    int64[1] greatest = {{9223372036854775807}}> {{
        narrow = Cast<to=3>(greatest) c = {node} d = Div(c, seven) y = Identity(d)
    }}"""
    refolded(parsed(text), {"N": 1})


def test_what_many_nodes_compute_is_computed_once() -> None:
    body = " ".join(f"s{i} = Shape(x) g{i} = Gather(s{i}, zero) y{i} = Range(zero, g{i}, one)" for i in range(3))
    outputs = ", ".join(f"int64[K] y{i}" for i in range(3))
    model = parsed(f"g (float[N, M] x) => ({outputs}) <int64 zero = {{0}}, int64 one = {{1}}> {{ {body} }}")
    assert ops(refolded(model, *SIZES).graph) == ["Shape", "Gather", "Range", "Range", "Range"]


def test_lengths_that_may_differ_are_computed_apart() -> None:
    model = parsed("""g (float[N] x, float[M] z) => (int64[A] y) {
        a = Shape(x) b = Shape(z) y = Concat<axis=0>(a, b)
    }""")
    assert ops(refolded(model, *SIZES).graph) == ["Shape", "Shape", "Concat"]


def test_lengths_of_an_input_are_read_off_it() -> None:
    model = parsed("""g (float[N, M, 4] x) => (int64[A] y)
    <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}> {
        h = Neg(x) s = Shape(h) a = Gather(s, zero) b = Slice(s, one, two) y = Concat<axis=0>(a, b)
    }""")
    folded = refolded(model, *SIZES)
    (node,) = folded.graph.node
    assert (node.op_type, list(node.input)) == ("Shape", ["x"])
    assert {a.name: a.i for a in node.attribute} == {"start": 0, "end": 2}


@pytest.mark.parametrize(("dims", "expected"), [("N, M", ["Shape"]), ("N, M, 4", ["Shape", "Slice"])])
def test_before_version_15_a_shape_is_read_whole(dims: str, expected: list[str]) -> None:
    model = parsed(f"""<ir_version: 7, opset_import: ["" : 14]> g (float[{dims}] x) => (int64[A] y)
    <int64[1] zero = {{0}}, int64[1] two = {{2}}> {{ h = Neg(x) s = Shape(h) y = Slice(s, zero, two) }}""")
    assert ops(refolded(model, *SIZES).graph) == expected


def test_what_an_input_may_be_given_anew_is_not_known() -> None:
    """An initializer that is an input, too, is only what that is by default."""
    model = parsed("""g (float[N, 4] x, int64[1] k = {4}) => (float[A, B] y) <int64[1] one = {-1}> {
        t = Concat<axis=0>(one, k) y = Reshape(x, t)
    }""")
    folded = fold(model).model
    assert ops(folded.graph) == ["Concat", "Reshape"]


class TestWhatIsDeclared:
    """Types of values that are no inputs are not relied on: no runtime holds a model to them."""

    def test_a_wrong_length_of_a_value_changes_nothing(self) -> None:
        model = parsed("""g (float[N] x) => (int64[1] z) <int64[1, 7] k> {
            k = NonZero(x) z = Shape<start=1>(k)
        }""")
        assert ops(refolded(model, *SIZES).graph) == ["NonZero", "Shape"]

    def test_a_wrong_length_of_an_output_changes_nothing(self) -> None:
        model = parsed("""g (float[N] x) => (int64[1, 7] y, int64[1] z) { y = NonZero(x) z = Shape<start=1>(y) }""")
        assert ops(fold(model).model.graph) == ["NonZero", "Shape"]

    def test_a_wrong_length_of_what_a_body_is_given_changes_nothing(self) -> None:
        model = parsed("""g (int64 trips, bool go, seq(float[K]) q) => (int64[A, B] y) {
            f = SequenceAt(q, trips)
            last, y = Loop(trips, go, f) <body = b (int64 i, bool c, float[7] v) => (bool c2, float[] v2, int64[1] s) {
                c2 = Identity(c) v2 = Identity(v) s = Shape(v)
            }>
        }""")
        body = fold(model).model.graph.node[1].attribute[0].g
        assert "Shape" in ops(body)
