"""Let onnxscript's optimizer work with these shapes (extra ``onnxscript``)."""

from __future__ import annotations

from typing import Any, TypeVar

import onnx
import onnx_ir as ir
from onnxscript import optimizer

from shapeinfer.compat.onnx_ir import InferShapesPass

AnyModel = TypeVar("AnyModel", onnx.ModelProto, ir.Model)


def optimize(model: AnyModel, **options: Any) -> AnyModel:
    """Return what ``onnxscript.optimizer.optimize`` makes of a model whose shapes were filled in by this engine.

    ``options`` are that function's; its own inference, node by node, is off unless ``onnx_shape_inference`` asks for
    it. A model of onnx-ir is optimized in place, a ModelProto is not touched. The result has types for all its values.
    """
    options.setdefault("onnx_shape_inference", False)
    if isinstance(model, ir.Model):
        _optimized(model, options)
        return model
    made = ir.from_proto(model)
    _optimized(made, options)
    return ir.to_proto(made)


def _optimized(model: ir.Model, options: dict[str, Any]) -> None:
    infer = InferShapesPass()
    infer(model)
    optimizer.optimize(model, **options)
    infer(model)
