"""A branch that is always taken stands in the place of its If."""

from __future__ import annotations

import onnx
import pytest

from shapeinfer import fold
from tests.models import parsed
from tests.rewrite.runs import ops, refolded

SIZES = {"N": 3}, {"N": 1}, {"N": 0}


def known(then: str, other: str = "e = Neg(a)", header: str = "") -> onnx.ModelProto:
    """An If that asks whether an axis of 4 is 4 long."""
    return parsed(f"""{header} g (float[N, 4] x) => (float[A, B] y) <int64[1] four = {{4}}> {{
        a = Abs(x) s = Shape(x) i = Constant<value = int64[1] {{1}}>() n = Gather(s, i) c = Equal(n, four)
        h = If(c) <then_branch = t () => (float[] r) {{ {then} }}, else_branch = f () => (float[] e) {{ {other} }}>
        y = Relu(h)
    }}""")


def test_the_branch_taken_stays_and_the_other_goes() -> None:
    folded = refolded(known("b = Exp(a) r = Neg(b)"), *SIZES)
    assert ops(folded.graph) == ["Abs", "Exp", "Neg", "Relu"]
    assert len(folded.graph.initializer) == 0


def test_a_condition_that_depends_on_sizes_chooses_at_run_time() -> None:
    model = parsed("""g (float[N, 4] x) => (float[A, B] y) <int64[1] four = {4}> {
        n = Shape<start=0, end=1>(x) c = Equal(n, four)
        y = If(c) <then_branch = t () => (float[] r) { r = Abs(x) }, else_branch = f () => (float[] e) { e = Neg(x) }>
    }""")
    assert ops(refolded(model, *SIZES, {"N": 4}).graph) == ["Shape", "Equal", "If"]


def test_sizes_that_are_given_choose() -> None:
    model = parsed("""g (float[N, 4] x) => (float[A, B] y) <int64[1] four = {4}> {
        n = Shape<start=0, end=1>(x) c = Equal(n, four)
        y = If(c) <then_branch = t () => (float[] r) { r = Abs(x) }, else_branch = f () => (float[] e) { e = Neg(x) }>
    }""")
    assert ops(fold(model, bind={"N": 3}).model.graph) == ["Neg"]
    assert ops(fold(model, ranges={"N": (5, None)}).model.graph) == ["Neg"]
    assert ops(fold(model, assume=["N == 4"]).model.graph) == ["Abs"]


def test_what_a_branch_gives_back_as_it_was_is_read_in_its_place() -> None:
    model = known("r = Identity(a)")
    assert ops(refolded(model, *SIZES).graph) == ["Abs", "Relu"]


def test_names_of_a_branch_that_others_have_are_changed() -> None:
    """Each graph has names of its own, which may be those of another branch."""
    model = parsed("""g (float[N, 4] x, bool d) => (float[A, B] y) <int64[1] four = {4}> {
        i = Constant<value = int64[1] {1}>() s = Shape(x) n = Gather(s, i) c = Equal(n, four)
        h = If(c) <then_branch = t () => (float[] r) { b = Abs(x) r = Exp(b) },
                   else_branch = f () => (float[] e) { e = Neg(x) }>
        y = If(d) <then_branch = t2 () => (float[] r2) { b = Neg(h) r2 = Abs(b) },
                   else_branch = f2 () => (float[] e2) { b = Neg(x) e2 = Exp(b) }>
    }""")
    assert ops(refolded(model, *SIZES).graph) == ["Abs", "Exp", "If"]


def test_what_is_inside_a_branch_is_rewritten_too() -> None:
    then = """k = Shape(a) m = Reshape(a, k) s2 = Shape<start=1, end=2>(m) c2 = Equal(s2, four)
        r = If(c2) <then_branch = t2 () => (float[] r2) { q = Exp(m) r2 = Neg(q) },
                    else_branch = f2 () => (float[] e2) { e2 = Neg(m) }>"""
    assert ops(refolded(known(then), *SIZES).graph) == ["Abs", "Exp", "Neg", "Relu"]


def test_weights_of_a_branch_come_along() -> None:
    model = known("r = Mul(a, w)")
    (branch,) = (a.g for n in model.graph.node for a in n.attribute if a.name == "then_branch")
    weight = onnx.helper.make_tensor("w", 1, [4], [1.0, 2.0, 3.0, 4.0])
    branch.initializer.append(weight)
    folded = refolded(model, *SIZES)
    assert ops(folded.graph) == ["Abs", "Mul", "Relu"]
    (moved,) = folded.graph.initializer
    assert (moved.name, list(moved.float_data)) == (folded.graph.node[1].input[1], [1, 2, 3, 4])


def test_in_old_files_weights_of_a_branch_become_nodes() -> None:
    model = known(
        "w = Constant<value = float[4] {1, 2, 3, 4}>() r = Mul(a, w)", header='<ir_version: 3, opset_import: ["" : 11]>'
    )
    del model.graph.initializer[:]
    four = onnx.helper.make_node("Constant", [], ["four"], value=onnx.helper.make_tensor("", 7, [1], [4]))
    model.graph.node.insert(0, four)
    folded = refolded(model, *SIZES)
    assert ops(folded.graph) == ["Abs", "Constant", "Mul", "Relu"]


def test_a_branch_with_sparse_weights_stays() -> None:
    model = known("r = Mul(a, w)")
    (branch,) = (a.g for n in model.graph.node for a in n.attribute if a.name == "then_branch")
    values = onnx.helper.make_tensor("w", 1, [1], [2.0])
    branch.sparse_initializer.append(
        onnx.helper.make_sparse_tensor(values, onnx.helper.make_tensor("i", 7, [1], [0]), [4])
    )
    assert "If" in ops(fold(model).model.graph)


@pytest.mark.parametrize("output", ["y", "h"])
def test_an_if_that_makes_an_output(output: str) -> None:
    model = known("r = Neg(a)")
    model.graph.output[0].name = output
    expected = ["Abs", "Neg", "Relu"] if output == "y" else ["Abs", "Neg"]
    assert ops(refolded(model, *SIZES).graph) == expected
