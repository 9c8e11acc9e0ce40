"""Replace a node whose outputs are the same for all inputs by constants.

What inference knows to the last entry are integers and conditions, which are exact, so that a constant has the bits
that the node would compute. Entries that contain a dim are not constants, and floats are those of ``constant-folding``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from shapeinfer.facts import MAX_CONTENTS, DType, Tensor
from shapeinfer.rewrite.edits import Known
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site
from shapeinfer.rewrite.stored import Array

KINDS: dict[DType, Any] = {DType.INT64: np.int64, DType.INT32: np.int32, DType.BOOL: np.bool_}
"""The element types of shapes, indices and conditions, whose entries are exact."""

MOST_AXES = 32
"""A constant of more axes is left as it is; not every reader of files takes more."""


@rewrite("known-value", "outputs that are the same for all inputs become constants")
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
    kind = KINDS.get(fact.dtype) if fact is not None else None
    if fact is None or kind is None or fact.value is None or fact.shape is None:
        return None
    dims = [d for d in fact.shape if isinstance(d, int)]
    entries = [e for e in fact.value if isinstance(e, int)]
    if len(dims) < len(fact.shape) or len(entries) < len(fact.value):
        return None
    if len(dims) > MOST_AXES or math.prod(max(d, 1) for d in dims) > MAX_CONTENTS:
        return None
    return np.array(entries, dtype=kind).reshape(dims)
