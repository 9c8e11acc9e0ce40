"""Give an Expand a constant target, in which 1 keeps a length.

Where the output is as long as the input, 1 says so for every length; where it is a number, that number does. An axis
that grows to a length which differs with the inputs needs the computed target.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.rewrite.edits import Reads
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site


@rewrite("expand-target", "the computed target of an Expand becomes a constant with 1 for what stays", "Expand")
def expand_target(site: Site, index: int) -> Reads | None:
    """Give an Expand a constant target, in which 1 keeps a length."""
    node = site.nodes[index]
    if len(node.inputs) != 2 or site.is_stored(node.inputs[1]):
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
