"""Passes of onnx-ir run on our facts, and leave the weights where they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import pytest

from shapeinfer import ShapeInferError, fold
from shapeinfer.compat.onnx_ir import FoldPass, InferShapesPass
from tests.models import parsed
from tests.rewrite.runs import difference, fed, ops, run

MODEL = """<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
g (float[N, past] p, float[N, seq] s, bool c) => (float[A, B] y) {
    rows = Concat<axis=1>(p, s)
    k = Shape(rows)
    same = Reshape(rows, k)
    h = my.twice(same)
    y = If(c) <then_branch = t () => (float[] r) { q = Abs(h) r = Neg(q) },
               else_branch = f () => (float[] e) { e = Exp(h) }>
}
<domain: "my", opset_import: ["" : 20]> twice (a) => (b) { t = Neg(a) b = Add(t, a) }"""


def shapes(model: ir.Model) -> dict[str, str]:
    graphs = [*model.graphs(), *(f.graph for f in model.functions.values())]
    return {str(v.name): str(v.shape) for g in graphs for n in g for v in n.outputs}


def test_all_values_get_shapes_in_subgraphs_and_functions_too() -> None:
    model = ir.from_proto(parsed(MODEL))
    result = InferShapesPass()(model)
    assert (result.model is model, result.modified) == (True, True)
    found = shapes(model)
    assert found.pop("k") == "[2]"
    assert found == dict.fromkeys(("rows", "same", "h", "y", "q", "r", "e", "t", "b"), "[N,past + seq]")


def test_a_second_time_nothing_changes() -> None:
    model = ir.from_proto(parsed(MODEL))
    InferShapesPass()(model)
    assert not InferShapesPass()(model).modified


def test_sizes_may_be_given() -> None:
    model = ir.from_proto(parsed(MODEL))
    InferShapesPass(bind={"past": 3}, shapes={"s": (2, 1)})(model)
    assert shapes(model)["y"] == "[2,4]"
    assert [str(v.shape) for v in (*model.graph.inputs, *model.graph.outputs)][:2] == ["[2,3]", "[2,1]"]
    assert "past" not in "".join(str(v.shape) for v in (*model.graph.inputs, *model.graph.outputs))


@pytest.mark.parametrize("make", [lambda: InferShapesPass(strict_mode=True), FoldPass])
def test_a_model_with_errors_raises(make: type[FoldPass]) -> None:
    model = ir.from_proto(parsed("g (float[N, 3] x, float[4] z) => (float[A, B] y) { y = Add(x, z) }"))
    with pytest.raises(ir.passes.PassError) as caught:
        ir.passes.Sequential(make())(model)
    assert isinstance(caught.value.__cause__, ShapeInferError)


def test_without_strict_mode_it_is_filled_in_as_far_as_it_goes() -> None:
    model = ir.from_proto(parsed("g (float[N, 3] x, float[4] z) => (float[A, B] y) { a = Neg(x) y = Add(a, z) }"))
    InferShapesPass()(model)
    assert shapes(model)["a"] == "[N,3]"


class TestFolding:
    def test_it_gives_a_new_model(self) -> None:
        model = ir.from_proto(parsed(MODEL))
        result = FoldPass()(model)
        assert (len(model.graph), result.modified) == (5, True)
        assert [n.op_type for n in result.model.graph] == ["Concat", "twice", "If"]

    def test_the_weights_are_those_of_the_old_model(self) -> None:
        proto = parsed("g (float[N, 128] x) => (float[A, B] y) { a = Identity(x) y = MatMul(a, w) }")
        proto.graph.initializer.append(onnx.numpy_helper.from_array(np.ones((128, 64), np.float32), "w"))
        model = ir.from_proto(proto)
        weight = model.graph.initializers["w"].const_value
        folded = FoldPass()(model).model
        assert folded.graph.initializers["w"].const_value is weight
        assert model.graph.initializers["w"].const_value is weight
        assert ir.to_proto(folded).graph.initializer[0] == proto.graph.initializer[0]

    def test_weights_of_a_branch_are_found_by_their_new_names(self) -> None:
        proto = parsed("""g (float[N, 128] x) => (float[A, B] y) <int64[1] wide = {128}> {
            s = Shape<start=1>(x) c = Equal(s, wide)
            y = If(c) <then_branch = t () => (float[] r) { r = MatMul(x, w) },
                       else_branch = f () => (float[] e) { e = Identity(x) }>
        }""")
        branch = next(a.g for a in proto.graph.node[2].attribute if a.name == "then_branch")
        branch.initializer.append(onnx.numpy_helper.from_array(np.ones((128, 64), np.float32), "w"))
        folded = ir.to_proto(FoldPass()(ir.from_proto(proto)).model)
        assert ops(folded.graph) == ["MatMul"]
        feeds = fed(proto, {"N": 3})
        assert difference(run(proto, feeds), run(folded, feeds)) is None

    def test_it_is_what_fold_gives(self, example: Path) -> None:
        """The weights are in a file that is not there, and nobody looks."""
        folded = FoldPass()(ir.load(example)).model
        assert len(list(folded.graph.all_nodes())) == fold(example).after
