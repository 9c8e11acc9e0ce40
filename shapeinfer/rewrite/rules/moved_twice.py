"""Do in one node what two nodes of one kind do: Unsqueeze, Squeeze, Transpose, Reshape behind another.

The axes of both are known, so one node moves every entry to where the two moved it. The first is read by nothing else,
so that there is one node less; a first one that requires something of the inputs stays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx

from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.movement import permutation
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

AXES_ARE_AN_INPUT = 13
"""The opset in which Squeeze and Unsqueeze take their axes as an input."""


@rewrite("moved-twice", "two nodes that move entries become one", "Unsqueeze", "Squeeze", "Transpose")
def moved_twice(site: Site, index: int) -> Calls | None:
    """Merge a node with the one before it."""
    node, op = site.nodes[index], site.op(index)
    before = site.producers.get(node.inputs[0])
    if before is None or site.op(before) != op or site.checks(before) or site.only_reader(node.inputs[0]) is None:
        return None
    source, (output,) = site.nodes[before].inputs[0], node.outputs
    if op == "Transpose":
        first, second = permutation(site, before), permutation(site, index)
        if first is None or second is None or len(first) != len(second):
            return None
        return Calls((onnx.helper.make_node(op, [source], [output], perm=[first[axis] for axis in second]),))
    shapes = site.shape(source), site.shape(node.inputs[0]), site.shape(output)
    if None in shapes:
        return None
    longest = max(shapes, key=lambda s: len(s or ()))
    assert longest is not None
    one, two = _axes(site, before, len(shapes[1] or ()) if op == "Unsqueeze" else len(longest)), None
    two = _axes(site, index, len(longest) if op == "Unsqueeze" else len(shapes[1] or ()))
    if one is None or two is None:
        return None
    inner, outer = (one, two) if op == "Unsqueeze" else (two, one)
    rest = [axis for axis in range(len(longest)) if axis not in outer]
    axes = sorted({*outer, *(rest[axis] for axis in inner)})
    if node.call.opset < AXES_ARE_AN_INPUT:
        return Calls((onnx.helper.make_node(op, [source], [output], axes=axes),))
    name = site.names.fresh(f"{output}_axes")
    return Calls((onnx.helper.make_node(op, [source, name], [output]),), ((name, np.array(axes, np.int64)),))


def _axes(site: Site, index: int, rank: int) -> Sequence[int] | None:
    """Return the axes that a node adds or removes, counted in the longer of its two shapes."""
    given = site.attribute(index, "axes") or site.entries(index, 1)
    if not given or not all(isinstance(axis, int) for axis in given):
        return None
    return [axis % rank for axis in given if isinstance(axis, int)]
