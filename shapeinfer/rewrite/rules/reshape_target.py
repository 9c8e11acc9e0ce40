"""Give a Reshape a constant target, in which 0 copies a length and -1 stands for the one that is left.

The written shape is the inferred one: an entry is a number, or 0 where the data is as long on that axis, and at most
one is -1. Beside an empty axis no length can be inferred, so -1 is used only where the others are proved not to be 0.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.dims import Size, product
from shapeinfer.facts import Shape
from shapeinfer.rewrite.edits import Reads
from shapeinfer.rewrite.movement import origins
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

COPIED, INFERRED = 0, -1
"""Entries of a Reshape's target that are no lengths (ONNX operator "Reshape")."""


@rewrite("reshape-target", "the computed target of a Reshape becomes a constant with 0 and -1", "Reshape")
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
