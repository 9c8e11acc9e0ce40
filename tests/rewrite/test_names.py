"""Graphs inside nodes read names from around them, and may have the same ones of their own."""

from __future__ import annotations

import onnx
import onnxruntime
import pytest

from shapeinfer import fold
from tests.models import parsed
from tests.rewrite.runs import ops, refolded

SIZES = {"N": 3}, {"N": 1}, {"N": 0}


def branches(model: onnx.ModelProto) -> list[list[tuple[str, ...]]]:
    """Operator, inputs and outputs of the nodes in each graph of the last node."""
    return [[(n.op_type, *n.input, *n.output) for n in a.g.node] for a in model.graph.node[-1].attribute]


def test_what_a_branch_captures_is_read_by_its_new_name() -> None:
    model = parsed("""g (float[N] x, bool c) => (float[A] y) {
        a = Neg(x) b = Identity(a)
        y = If(c) <then_branch = t () => (float[] r) { r = Abs(b) }, else_branch = f () => (float[] e) { e = Exp(a) }>
    }""")
    folded = refolded(model, *SIZES)
    assert ops(folded.graph) == ["Neg", "If"]
    assert sorted(branches(folded)) == [[("Abs", "a", "r")], [("Exp", "a", "e")]]


def test_a_name_that_is_hidden_inside_is_not_put_there() -> None:
    """The branch reads the copy of what it calls by the same name as its own value."""
    model = parsed("""g (float[N] x, bool c) => (float[A] y) {
        a = Neg(x) b = Identity(a)
        y = If(c) <then_branch = t () => (float[N] r) { a = Abs(b) r = Mul(a, b) },
                   else_branch = f () => (float[N] e) { e = Exp(b) }>
    }""")
    folded = fold(model).model
    assert ops(folded.graph) == ["Neg", "Identity", "If"]
    assert folded == model


def test_a_copy_inside_of_what_is_outside_goes() -> None:
    model = parsed("""g (float[N] x, bool c) => (float[A] y) {
        a = Neg(x)
        y = If(c) <then_branch = t () => (float[] r) { b = Identity(a) r = Abs(b) },
                   else_branch = f () => (float[] e) { e = Identity(a) }>
    }""")
    assert sorted(branches(refolded(model, *SIZES))) == [[("Abs", "a", "r")], [("Identity", "a", "e")]]


def test_lengths_computed_outside_are_not_computed_inside() -> None:
    model = parsed("""g (float[N, 2] x, bool c) => (int64[A] y) {
        s = Shape(x) k = Add(s, s)
        z = If(c) <then_branch = t () => (int64[] r) { s2 = Shape(x) r = Mul(s2, k) },
                   else_branch = f () => (int64[] e) { e = Identity(k) }>
        y = Neg(z)
    }""")
    folded = refolded(model, *SIZES)
    (taken, _) = (a.g for n in folded.graph.node for a in n.attribute if a.type == onnx.AttributeProto.GRAPH)
    assert [(n.op_type, *n.input) for n in taken.node] == [("Mul", "s", "k")]


def test_a_loop_s_body_is_rewritten_by_what_holds_at_each_pass() -> None:
    model = parsed("""g (float[N, 4] x, int64 trips) => (float[A, B] y) <bool go = {1}> {
        y = Loop(trips, go, x) <body = b (int64 i, bool c, float[N, 4] v) => (bool c2, float[N, 4] w) {
            c2 = Identity(c) s = Shape(v) n = Reshape(v, s) t = Transpose(n) u = Transpose(t) w = Neg(u)
        }>
    }""")
    folded = refolded(model)
    (body,) = (a.g for a in folded.graph.node[0].attribute)
    assert ops(body) == ["Constant", "Neg"]
    onnxruntime.InferenceSession(folded.SerializeToString())


def test_what_grows_from_pass_to_pass_is_no_constant() -> None:
    model = parsed("""g (float[1, 4] x, int64 trips) => (float[A, B] y, int64[C, D] sizes) <bool go = {1}> {
        y, sizes = Loop(trips, go, x) <body = b (int64 i, bool c, float[1, 4] v)
        => (bool c2, float[K, 4] w, int64[2] s) {
            c2 = Identity(c) s = Shape(v) w = Concat<axis=0>(v, v)
        }>
    }""")
    (body,) = (a.g for a in fold(model).model.graph.node[0].attribute)
    assert "Shape" in ops(body)


class TestFunctions:
    """A model's own functions are no operators, and are folded for whatever they are called with."""

    def test_a_function_is_not_the_operator_of_its_name(self) -> None:
        model = parsed("""<ir_version: 9, opset_import: ["" : 20, "my" : 1]>
        g (float[N] x) => (float[A] y) { a = Neg(x) b = my.Identity(a) s = Shape(b) c = my.Reshape(b, s) y = Abs(c) }
        <domain: "my", opset_import: ["" : 20]> Identity (a) => (b) { b = Exp(a) }
        <domain: "my", opset_import: ["" : 20]> Reshape (a, s) => (b) { b = Exp(a) }""")
        assert ops(refolded(model, *SIZES).graph) == ["Neg", "Identity", "Shape", "Reshape", "Abs"]

    def test_what_its_calls_give_is_known_all_the_same(self) -> None:
        model = parsed("""<ir_version: 9, opset_import: ["" : 20, "my" : 1]>
        g (float[N, 4] x) => (int64[1] y) { a = my.second(x) y = Neg(a) }
        <domain: "my", opset_import: ["" : 20]> second (a) => (b) { b = Shape<start=1, end=2>(a) }""")
        folded = refolded(model, *SIZES)
        assert ops(folded.graph) == ["Constant"]
        assert list(folded.functions) == list(model.functions)

    def test_a_function_in_the_place_of_an_operator_is_that_function(self) -> None:
        model = parsed("""<ir_version: 9, opset_import: ["" : 20]>
        g (float[N] x) => (float[A] y) { a = Neg(x) b = Identity(a) y = Abs(b) }
        <domain: "", opset_import: ["" : 20]> Identity (a) => (b) { b = Exp(a) }""")
        assert ops(fold(model).model.graph) == ["Neg", "Identity", "Abs"]

    def test_what_holds_for_all_inputs_is_done_in_its_body(self) -> None:
        model = parsed("""<ir_version: 9, opset_import: ["" : 20, "my" : 1]>
        g (float[N] x) => (float[A] y, float[B] z) { y = my.f(x) z = my.f(y) }
        <domain: "my", opset_import: ["" : 20, "my" : 1]> f (a) => (e) {
            b = Identity(a) c = my.h(b) d = Exp(c) f = Exp(b) k = Constant<value_float=2.0>() l = Sqrt(k)
            g = Mul(f, l) i = Exp(b) m = Add(i, d) e = Add(g, m) }
        <domain: "my", opset_import: ["" : 20]> h (a) => (b) { c = Neg(a) d = Relu(c) b = Identity(c) }""")
        folded = refolded(model, *SIZES)
        assert [[n.op_type for n in f.node] for f in folded.functions] == [
            ["h", "Exp", "Exp", "Constant", "Mul", "Add", "Add"],
            ["Neg"],
        ]

    def test_one_that_reads_attributes_of_its_call_is_left_as_it_is(self) -> None:
        model = parsed("""<ir_version: 9, opset_import: ["" : 20, "my" : 1]>
        g (float[N] x) => (float[A] y) { y = my.f<k=1>(x) }
        <domain: "my", opset_import: ["" : 20]> f <k> (a) => (e) { b = Identity(a) e = Cast<to: int = @k>(b) }""")
        assert list(fold(model).model.functions) == list(model.functions)


@pytest.mark.parametrize("wish", ["r_reshape", "r_reshape_1"])
def test_new_names_are_nobody_s(wish: str) -> None:
    model = parsed(f"""g (float[N, 3, 4] x, float[N, 12] {wish}) => (float[A, B] y) <int64[1] w = {{12}}> {{
        n = Shape<start=0, end=1>(x) t = Concat<axis=0>(n, w) r = Reshape(x, t) y = Add(r, {wish})
    }}""")
    refolded(model, *SIZES)
