"""Other simplifiers are right, and get further, on what was folded and typed: two lines of their own API each."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime.quantization import QuantFormat, quantize_static
from onnxruntime.transformers.float16 import convert_float_to_float16

from shapeinfer import fold, infer_shapes
from tests.models import parsed
from tests.rewrite.runs import difference, fed, ops, run

Simplifier = Callable[[onnx.ModelProto], onnx.ModelProto]


def tool(name: str) -> Any:
    """Another package, without which the test is skipped."""
    try:
        return importlib.import_module(name)
    except ImportError:
        pytest.skip(f"{name} is not installed: pip install 'shapeinfer[simplifiers]'")


def slim(model: onnx.ModelProto, **options: Any) -> onnx.ModelProto:
    made: onnx.ModelProto = tool("onnxslim").slim(model, **options)
    return made


def sim(model: onnx.ModelProto, **options: Any) -> onnx.ModelProto:
    made: onnx.ModelProto = tool("onnxsim").simplify(model, **options)[0]
    return made


def optimizer(model: onnx.ModelProto) -> onnx.ModelProto:
    made: onnx.ModelProto = tool("onnxoptimizer").optimize(model)
    return made


def typed_fold(model: onnx.ModelProto) -> onnx.ModelProto:
    return fold(model, infer=True).model


ALONE: dict[str, Simplifier] = {"onnxslim": slim, "onnxsim": sim, "onnxoptimizer": optimizer}
AFTER_FOLD: dict[str, Simplifier] = {
    "onnxslim": lambda model: slim(typed_fold(model), no_shape_infer=True),
    "onnxsim": lambda model: sim(typed_fold(model), skip_shape_inference=True),
    "onnxoptimizer": lambda model: optimizer(typed_fold(model)),
}

HEADS = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N, seq, 12] x) => (float[A, B, C, D] y)
<int64 zero = {0}, int64 one = {1}, int64[1] first = {0}, int64[2] parts = {3, 4}> {
    a = Abs(x) k = Shape(a) n = Gather(k, zero) s = Gather(k, one)
    rows = Unsqueeze(n, first) columns = Unsqueeze(s, first)
    t = Concat<axis=0>(rows, columns, parts) h = Reshape(a, t) y = Neg(h)
}"""
"""The heads of attention, as exporters write them."""
TRACED = """<ir_version: 8, opset_import: ["" : 17]>
g (float[N] x) => (int64[2] y) <int64[1, 5] t> { t = NonZero(x) y = Shape(t) }"""
"""An exporter has declared what it saw of data: five entries."""


@pytest.mark.parametrize("name", ALONE)
def test_shape_arithmetic_that_they_keep_is_gone_before_they_start(name: str) -> None:
    assert ops(ALONE[name](parsed(HEADS)).graph).count("Gather") == 2
    assert ops(AFTER_FOLD[name](parsed(HEADS)).graph) == ["Abs", "Reshape", "Neg"]


@pytest.mark.parametrize("name", ALONE)
def test_the_outputs_are_the_same_at_every_size(name: str) -> None:
    model, made = parsed(HEADS), AFTER_FOLD[name](parsed(HEADS))
    for sizes in ({"N": 2, "seq": 3}, {"N": 1, "seq": 1}):
        feeds = fed(model, sizes)
        assert difference(run(model, feeds), run(made, feeds)) is None


def test_onnxsim_alone_believes_a_size_that_an_exporter_saw() -> None:
    model = parsed(TRACED)
    feeds = fed(model, {"N": 3})
    assert difference(run(model, feeds), run(sim(parsed(TRACED)), feeds)) is not None


def test_it_does_so_where_only_types_are_inferred_since_the_number_may_hold() -> None:
    model = parsed(TRACED)
    made = sim(infer_shapes(model), skip_shape_inference=True)
    feeds = fed(model, {"N": 3})
    assert difference(run(model, feeds), run(made, feeds)) is not None


@pytest.mark.parametrize("name", ALONE)
def test_after_fold_no_tool_believes_it(name: str) -> None:
    model = parsed(TRACED)
    feeds = fed(model, {"N": 3})
    assert difference(run(model, feeds), run(AFTER_FOLD[name](parsed(TRACED)), feeds)) is None


MAPS = """<ir_version: 8, opset_import: ["" : 17, "ai.onnx.ml" : 3]>
g (float[N, 2] x) => (seq(map(int64, float)) y) { y = ai.onnx.ml.ZipMap<classlabels_int64s=[0, 1]>(x) }"""


def test_onnxslim_loses_the_type_of_a_sequence_of_maps_which_can_be_put_back() -> None:
    model = parsed(MAPS)
    feeds = fed(model, {"N": 3})
    slimmed = slim(typed_fold(model), no_shape_infer=True)
    assert isinstance(run(slimmed, feeds), str)
    del slimmed.graph.output[:]
    slimmed.graph.output.extend(model.graph.output)
    assert difference(run(model, feeds), run(slimmed, feeds)) is None


class TestHalfPrecision:
    CONTRIBUTED = """<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (float[N, 4] x) => (float[N, 4] y) <int64 axis = {1}> { h = com.microsoft.Gelu(x) y = CumSum(h, axis) }"""

    @staticmethod
    def loads(model: onnx.ModelProto) -> bool:
        return not isinstance(run(model, {"x": np.ones((2, 4), np.float16)}), str)

    def test_onnx_does_not_know_what_a_contributed_operator_gives_so_a_cast_is_missing(self) -> None:
        assert not self.loads(convert_float_to_float16(parsed(self.CONTRIBUTED)))

    def test_with_our_types_the_cast_is_there(self) -> None:
        made = convert_float_to_float16(typed_fold(parsed(self.CONTRIBUTED)), disable_shape_infer=True)
        assert ops(made.graph).count("Cast") == 2
        assert self.loads(made)


class Fed:
    """What onnxruntime calibrates with: anything that has ``get_next``."""

    def __init__(self) -> None:
        self.left = [{"x": np.ones((2, 4), np.float32)}]

    def get_next(self) -> Any:
        return self.left.pop() if self.left else None


def test_a_folded_model_with_types_is_quantized_without_another_inference(tmp_path: Any) -> None:
    weights = np.random.default_rng(0).random((4, 3), np.float32)
    model = parsed("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, 4] x) => (float[N, M] y) { k = Shape(x) a = Reshape(x, k) b = MatMul(a, w) y = Relu(b) }""")
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "w"))
    onnx.save(typed_fold(model), tmp_path / "folded.onnx")
    quantize_static(tmp_path / "folded.onnx", tmp_path / "int8.onnx", Fed(), quant_format=QuantFormat.QDQ)
    made = onnx.load(tmp_path / "int8.onnx")
    assert "Reshape" not in ops(made.graph)
    (y,) = onnxruntime.InferenceSession(made.SerializeToString()).run(None, {"x": np.ones((5, 4), np.float32)})
    assert np.allclose(y, np.ones((5, 4), np.float32) @ weights, atol=0.05)
