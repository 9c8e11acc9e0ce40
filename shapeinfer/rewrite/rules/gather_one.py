"""Gather with a list of one index in the place of one index and an Unsqueeze behind it.

An index without axes removes the gathered axis, and an Unsqueeze at its place puts one of length 1 there. A list of one
index leaves that axis at once. The index is a constant, and nothing else reads what is gathered.
"""

from __future__ import annotations

import numpy as np
import onnx

from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site


@rewrite("gather-one", "one index and an Unsqueeze become a list of one index", "Unsqueeze")
def gather_one(site: Site, index: int) -> Calls | None:
    """Merge an Unsqueeze with the Gather before it."""
    node = site.nodes[index]
    before = site.producers.get(node.inputs[0])
    if before is None or site.op(before) != "Gather" or site.only_reader(node.inputs[0]) is None or site.checks(before):
        return None
    data, which = site.nodes[before].inputs
    number, shape, axis = site.constant(which, 1), site.shape(data), site.attribute(before, "axis", 0)
    axes = site.attribute(index, "axes") or site.entries(index, 1)
    if number is None or number.shape != () or shape is None or not axes or len(axes) != 1:
        return None
    (added,) = axes
    if not isinstance(added, int) or added % len(shape) != axis % len(shape):
        return None
    name = site.names.fresh(f"{node.outputs[0]}_index")
    found = onnx.helper.make_node("Gather", [data, name], [node.outputs[0]], axis=axis)
    return Calls((found,), ((name, np.array([number]).reshape(1)),))
