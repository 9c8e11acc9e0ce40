"""Read a tensor as it is where a GatherND takes every entry from its own place.

Each part of the indices counts the positions along one axis of the result, from 0 to the length of that axis of the
data. So each entry comes from the same position, and the result is the data with axes of length 1 between its own: one
Unsqueeze. Exporters write masks of attention so. Axes that change places or are repeated stay gathered.
"""

from __future__ import annotations

import numpy as np
import onnx

from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.positions import position_axis, position_axis_of
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

AXES_ARE_AN_INPUT = 13
"""The opset in which Unsqueeze takes its axes as an input."""


@rewrite("gather-all", "what gathers every entry from its own place becomes an Unsqueeze", "GatherND")
def gather_all(site: Site, index: int) -> Calls | None:
    """Find the Unsqueeze that a GatherND is."""
    (data, indices), output = site.nodes[index].inputs, site.nodes[index].outputs[0]
    shape, out = site.shape(data), site.shape(output)
    if shape is None or out is None or site.attribute(index, "batch_dims", 0) or len(out) <= len(shape):
        return None
    axes = _axes(site, indices)
    if axes is None or len(axes) != len(shape) or sorted(set(axes)) != axes:
        return None
    added = [axis for axis in range(len(out)) if axis not in axes]
    same = all(site.same(out[axis], size) for axis, size in zip(axes, shape))
    if not same or not all(site.same(out[axis], 1) for axis in added):
        return None
    if site.nodes[index].call.opset < AXES_ARE_AN_INPUT:
        return Calls((onnx.helper.make_node("Unsqueeze", [data], [output], axes=added),))
    name = site.names.fresh(f"{output}_axes")
    return Calls((onnx.helper.make_node("Unsqueeze", [data, name], [output]),), ((name, np.array(added, np.int64)),))


def _axes(site: Site, indices: str) -> list[int] | None:
    """Return along which axis of the result each part of the indices counts."""
    known = site.constant(indices)
    if known is not None and known.ndim:
        found = [position_axis_of(known[..., part]) for part in range(known.shape[-1])]
        return [a for a in found if a is not None] if None not in found else None
    at = site.producers.get(indices)
    rank = len(site.shape(indices) or ())
    if at is None or site.op(at) != "Concat" or not rank or site.attribute(at, "axis", 0) % rank != rank - 1:
        return None
    parts = []
    for part in site.nodes[at].inputs:
        axis = position_axis(site, part)
        shape = site.shape(part)
        if axis is None or axis == rank - 1 or shape is None or not site.same(shape[-1], 1):
            return None
        parts.append(axis)
    return parts
