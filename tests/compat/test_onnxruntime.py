"""onnxruntime's own tools run on our facts."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from onnxruntime.tools import symbolic_shape_infer

from shapeinfer.compat.onnxruntime import SymbolicShapeInference, standing_in
from tests.models import parsed

CLASSIFIER = """<ir_version: 10, opset_import: ["" : 17]>
g (float[N, past] p, float[N, seq] s) => (float[N, M] y) {
    rows = Concat<axis=1>(p, s)
    square = Unsqueeze(rows, last)
    wide = Tile(square, times)
    h = MatMul(wide, w)
    y = ReduceSum<keepdims=0>(h, last)
}"""


@pytest.fixture
def model() -> onnx.ModelProto:
    out = parsed(CLASSIFIER)
    rng = np.random.default_rng(0)
    given = {"last": np.array([2]), "times": np.array([1, 1, 4]), "w": rng.random((4, 3), np.float32)}
    out.graph.initializer.extend(onnx.numpy_helper.from_array(a, name) for name, a in given.items())
    return out


def test_the_parameters_are_those_of_onnxruntime() -> None:
    theirs = symbolic_shape_infer.SymbolicShapeInference
    mine, other = (inspect.signature(c.infer_shapes).parameters for c in (SymbolicShapeInference, theirs))
    assert [(p.name, p.default) for p in mine.values()] == [(p.name, p.default) for p in other.values()]


def test_theirs_is_back_afterwards() -> None:
    theirs = symbolic_shape_infer.SymbolicShapeInference
    with standing_in():
        assert symbolic_shape_infer.SymbolicShapeInference is SymbolicShapeInference
    assert symbolic_shape_infer.SymbolicShapeInference is theirs


def test_quantization_is_prepared_with_our_facts(model: onnx.ModelProto, tmp_path: Path) -> None:
    with standing_in():
        quant_pre_process(model, tmp_path / "out.onnx", skip_optimization=True, skip_onnx_shape=True)
    written = {v.name: onnx.helper.printable_type(v.type) for v in onnx.load(tmp_path / "out.onnx").graph.value_info}
    assert written["wide"] == "FLOAT, Nxpast + seqx4"


def test_what_was_prepared_is_quantized_and_runs(model: onnx.ModelProto, tmp_path: Path) -> None:
    with standing_in():
        quant_pre_process(model, tmp_path / "prepared.onnx")
    quantize_dynamic(tmp_path / "prepared.onnx", tmp_path / "quantized.onnx", weight_type=QuantType.QInt8)
    session = onnxruntime.InferenceSession(tmp_path / "quantized.onnx")
    (y,) = session.run(None, {"p": np.ones((2, 3), np.float32), "s": np.ones((2, 1), np.float32)})
    assert y.shape == (2, 4)
