"""Read neighbouring lengths of an input of the model off that input, by one Shape.

The declared dims of an input are its lengths, so a tensor of just those, in their order, is a part of its shape. What
computed them goes where nothing else reads it.
"""

from __future__ import annotations

import onnx

from shapeinfer.dims import Dim
from shapeinfer.facts import DType, Tensor
from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

SLICES_OF_SHAPES = 15
"""The opset that gave Shape a start and an end."""


@rewrite("shape-of-input", "lengths of an input that were computed are read off the input")
def shape_of_input(site: Site, index: int) -> Calls | None:
    """Replace the last node of a computation that gives neighbouring lengths of an input of the model."""
    node, op = site.nodes[index], site.op(index)
    if site.outer is not None or len(node.outputs) != 1 or op in ("Constant", ""):
        return None
    if op == "Shape" and node.inputs[0] in site.graph.inputs:
        return None
    fact = site.tensor(node.outputs[0])
    if fact is None or fact.dtype is not DType.INT64 or not fact.value or fact.shape is None or len(fact.shape) != 1:
        return None
    if not all(isinstance(e, (int, Dim)) for e in fact.value) or not any(isinstance(e, Dim) for e in fact.value):
        return None
    for name, declared in site.graph.inputs.items():
        if not isinstance(declared, Tensor) or declared.shape is None or name in site.hidden:
            continue
        # What was learned of them may rest on nodes that check just the lengths computed here.
        lengths, count = declared.shape, len(fact.value)
        for start in range(len(lengths) - count + 1):
            if lengths[start : start + count] == fact.value:
                return _shape_node(node.call.opset, name, node.outputs[0], start, start + count, len(lengths))
    return None


def _shape_node(opset: int, value: str, output: str, start: int, end: int, rank: int) -> Calls | None:
    if (start, end) == (0, rank):
        return Calls((onnx.helper.make_node("Shape", [value], [output]),))
    if opset < SLICES_OF_SHAPES:
        return None
    return Calls((onnx.helper.make_node("Shape", [value], [output], start=start, end=end),))
