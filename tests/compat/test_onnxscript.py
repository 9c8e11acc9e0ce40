"""onnxscript's optimizer runs on our facts, and does more with them."""

from __future__ import annotations

import onnx
import onnx_ir as ir
import onnxscript.optimizer
import pytest

from shapeinfer.compat.onnxscript import optimize
from tests.models import parsed
from tests.rewrite.runs import difference, fed, ops, run

SIZES = {"N": 2, "past": 3, "seq": 1}, {"N": 1, "past": 0, "seq": 2}

MODEL = """g (float[N, past, 4] p, float[N, seq, 4] s) => (float[A, B, C] y) <int64[1] one = {1}> {
    rows = Concat<axis=1>(p, s) again = Concat<axis=1>(p, s) wide = Abs(again)
    k = Shape(wide) same = Reshape(rows, k) y = Neg(same)
}"""


@pytest.fixture
def model() -> onnx.ModelProto:
    return parsed(MODEL)


def test_it_knows_more_shapes_by_ours_than_by_onnx_s(model: onnx.ModelProto) -> None:
    assert ops(onnxscript.optimizer.optimize(model).graph).count("Reshape") == 1
    assert ops(optimize(model).graph) == ["Concat", "Neg"]


@pytest.mark.parametrize("sizes", SIZES)
def test_what_it_makes_gives_the_same(model: onnx.ModelProto, sizes: dict[str, int]) -> None:
    feeds = fed(model, sizes)
    assert difference(run(model, feeds), run(optimize(model), feeds)) is None


def test_its_result_has_the_types_of_all_values(model: onnx.ModelProto) -> None:
    made = optimize(model)
    assert [onnx.helper.printable_type(v.type) for v in made.graph.value_info] == ["FLOAT, Nxpast + seqx4"]


def test_a_proto_is_not_touched_and_a_model_of_onnx_ir_is_optimized_in_place(model: onnx.ModelProto) -> None:
    optimize(model)
    assert model == parsed(MODEL)
    made = ir.from_proto(model)
    assert optimize(made) is made
    assert [n.op_type for n in made.graph] == ["Concat", "Neg"]


def test_options_are_the_optimizer_s(model: onnx.ModelProto) -> None:
    with pytest.raises(TypeError, match="no_such_option"):
        optimize(model, no_such_option=True)
