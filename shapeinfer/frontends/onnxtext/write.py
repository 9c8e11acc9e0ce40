"""Write a model in ONNX's text syntax."""

from __future__ import annotations

import onnx
import onnx.printer
from onnx.shape_inference import InferenceError

from shapeinfer.diagnostics.printable import printable
from shapeinfer.frontends.onnxtext.read import read_model
from shapeinfer.frontends.onnxtext.tree import ModelText


def text_of(model: onnx.ModelProto) -> str:
    """Return a model as text. Raises ValueError for one whose data the syntax cannot hold."""
    return checked_text(model)[0]


def checked_text(model: onnx.ModelProto) -> tuple[str, ModelText]:
    """Return a model as text, and what a reader finds in it. Raises ValueError as ``text_of`` does."""
    try:
        text = onnx.printer.to_text(model)
    except InferenceError as error:  # its data is not what its type and shape say
        reason = printable(str(error).removeprefix("[ShapeInferenceError] ").strip())
        raise ValueError(f"ONNX's text syntax cannot hold the model: {reason}") from None
    tree = read_model(text)
    fault = next(iter(tree.faults), None)
    if fault is not None:
        line = text[text.rfind("\n", 0, fault.start) + 1 : fault.start].strip()
        raise ValueError(f"ONNX's text syntax cannot hold the model: {fault.message}, after {line[-40:]!r}")
    return text, tree
