"""The engines that are compared, each by what it makes of a ModelProto; those that are not installed are left out."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable

import onnx

Engine = Callable[[onnx.ModelProto], onnx.ModelProto]


def ours(model: onnx.ModelProto) -> onnx.ModelProto:
    """Infer with this project."""
    import shapeinfer

    return shapeinfer.infer_shapes(model)


def cpp(model: onnx.ModelProto) -> onnx.ModelProto:
    """Infer with the C++ inference of the onnx package."""
    import onnx.shape_inference

    return onnx.shape_inference.infer_shapes(model, data_prop=True)


def symbolic(model: onnx.ModelProto) -> onnx.ModelProto:
    """Infer with onnx-shape-inference, which reads and gives onnx-ir."""
    import onnx_ir
    from onnx_shape_inference import infer_symbolic_shapes

    made = onnx_ir.to_proto(infer_symbolic_shapes(onnx_ir.from_proto(model)))
    assert isinstance(made, onnx.ModelProto)
    return made


def script(model: onnx.ModelProto) -> onnx.ModelProto:
    """Infer with the script of onnxruntime."""
    from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference

    found = SymbolicShapeInference.infer_shapes(model, auto_merge=True)
    assert isinstance(found, onnx.ModelProto)
    return found


ENGINES: dict[str, tuple[Engine, str]] = {
    "shapeinfer": (ours, "shapeinfer"),
    "onnx C++": (cpp, "onnx"),
    "onnx-shape-inference": (symbolic, "onnx-shape-inference"),
    "onnxruntime script": (script, "onnxruntime"),
}
"""Each engine by name, with the distribution that it is part of."""


def installed() -> dict[str, str]:
    """Return the engines that can be run here, with their versions."""
    found = {}
    for name, (_, distribution) in ENGINES.items():
        try:
            found[name] = importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
