"""Computed target shapes of Reshape and Expand, replaced by constants that mean the same."""

from __future__ import annotations

import numpy as np

from shapeinfer.dims import Size, product
from shapeinfer.facts import Shape
from shapeinfer.rewrite.copies import origins
from shapeinfer.rewrite.edits import Reads
from shapeinfer.rewrite.site import Site

COPIED, INFERRED = 0, -1
"""Entries of a Reshape's target that are no lengths (ONNX operator "Reshape")."""


def reshape_target(site: Site, index: int) -> Reads | None:
    """Give a Reshape a constant target, in which 0 copies a length and -1 stands for the one that is left.

    Where the entries were only put into another shape before, it reads them from there.
    """
    if site.op(index) != "Reshape" or len(site.nodes[index].inputs) != 2:
        return None
    data, target = site.nodes[index].inputs
    out = site.shape(site.nodes[index].outputs[0])
    if out is None:
        return None
    if site.reader_count(data) == 1 and data not in site.outputs:
        for value in reversed(list(origins(site, index))):
            written = _written(site, site.shape(value), out)
            if written is not None:
                return Reads(((0, value), (1, np.array(written, np.int64))), without="allowzero")
    if site.is_stored(target):
        return None
    written = _written(site, site.shape(data), out)
    return None if written is None else Reads(((1, np.array(written, np.int64)),), without="allowzero")


def _written(site: Site, shape: Shape | None, out: Shape) -> list[int] | None:
    """Write a shape as a target for a tensor of another, None where that takes more than one -1."""
    if shape is None:
        return None
    entries = [_entry(site, shape, axis, size) for axis, size in enumerate(out)]
    if entries.count(INFERRED) > 1:
        return None
    if INFERRED in entries:
        # Beside an empty axis no length can be inferred.
        others = (size for entry, size in zip(entries, out) if entry != INFERRED)
        if not site.is_positive(product(others)):
            return None
    return entries


def _entry(site: Site, shape: Shape, axis: int, size: Size) -> int:
    if isinstance(size, int) and size > 0:
        return size
    return COPIED if axis < len(shape) and site.same(shape[axis], size) else INFERRED


def expand_target(site: Site, index: int) -> Reads | None:
    """Give an Expand a constant target, in which 1 keeps a length."""
    node = site.nodes[index]
    if site.op(index) != "Expand" or len(node.inputs) != 2 or site.is_stored(node.inputs[1]):
        return None
    shape, out = site.shape(node.inputs[0]), site.shape(node.outputs[0])
    if shape is None or out is None:
        return None
    entries: list[int] = []
    for axis, size in enumerate(out, len(shape) - len(out)):
        if axis >= 0 and site.same(shape[axis], size):
            entries.append(1)
        elif isinstance(size, int):
            entries.append(size)
        else:
            return None
    return Reads(((1, np.array(entries, np.int64)),))
