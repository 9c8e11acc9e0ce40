"""Values that are known: one constant in the place of what computes them, or one computation for all of its kind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx

from shapeinfer.dims import Dim
from shapeinfer.facts import MAX_CONTENTS, DType, Tensor
from shapeinfer.rewrite.edits import Array, Calls, Known, Same
from shapeinfer.rewrite.site import Site

_KINDS: dict[DType, Any] = {DType.INT64: np.int64, DType.INT32: np.int32, DType.BOOL: np.bool_}
"""The element types of shapes, indices and conditions, whose entries are exact."""

MOST_AXES = 32
"""A constant of more axes is left as it is; not every reader of files takes more."""

SLICES_OF_SHAPES = 15
"""The opset that gave Shape a start and an end."""


def known_value(site: Site, index: int) -> Known | None:
    """Replace a node whose outputs are the same for all inputs."""
    if site.op(index) == "Constant":
        return None
    found = []
    for name in site.nodes[index].outputs:
        if site.is_read(name):
            array = _array(site.tensor(name))
            if array is None:
                return None
            found.append((name, array))
    return Known(tuple(found)) if found else None


def _array(fact: Tensor | None) -> Array | None:
    """Return the entries of a tensor of integers or conditions if all of them are known."""
    kind = _KINDS.get(fact.dtype) if fact is not None else None
    if fact is None or kind is None or fact.value is None or fact.shape is None:
        return None
    dims = [d for d in fact.shape if isinstance(d, int)]
    entries = [e for e in fact.value if isinstance(e, int)]
    if len(dims) < len(fact.shape) or len(entries) < len(fact.value):
        return None
    if len(dims) > MOST_AXES or math.prod(max(d, 1) for d in dims) > MAX_CONTENTS:
        return None
    return np.array(entries, dtype=kind).reshape(dims)


def common_subexpression(site: Site, index: int) -> Same | None:
    """Replace a node that computes lengths which an earlier node computes; remember the first of each."""
    outputs = site.nodes[index].outputs
    fact = site.tensor(outputs[0]) if len(outputs) == 1 else None
    if fact is None or fact.dtype not in _KINDS or fact.value is None or fact.shape is None:
        return None
    if not all(isinstance(e, (int, Dim)) for e in fact.value) or not any(isinstance(e, Dim) for e in fact.value):
        return None
    key = (fact.dtype, fact.shape, fact.value)
    first = site.first_with.setdefault(key, outputs[0])
    return Same(first) if first != outputs[0] else None


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
        return Calls(onnx.helper.make_node("Shape", [value], [output]))
    if opset < SLICES_OF_SHAPES:
        return None
    return Calls(onnx.helper.make_node("Shape", [value], [output], start=start, end=end))
