"""Values whose entries are all the same number, whatever their shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from shapeinfer.rewrite.site import Site

_SPREADS = frozenset({"Expand", "Tile", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Transpose", "Slice"})
"""Operators all of whose entries are entries of their first input."""
MOST_STEPS = 16
"""No longer chain of nodes is followed."""


def uniform(site: Site, name: str) -> Any:
    """Return the numpy scalar that all entries of a value are, None where that is not known.

    Zeros of both signs are not the same number here. An empty constant has none.
    """
    for _ in range(MOST_STEPS):
        array = site.constant(name)
        if array is not None:
            return _only_entry(array)
        producer = site.producers.get(name)
        if producer is None or not site.nodes[producer].inputs:
            return None
        op = site.op(producer)
        if op == "ConstantOfShape":
            filled = site.attribute(producer, "value")
            return np.float32(0) if filled is None else _filled_with(filled)
        if op not in _SPREADS:
            return None
        name = site.nodes[producer].inputs[0]
    return None


def _filled_with(fact: Any) -> Any:
    kind = fact.dtype.numpy()
    return None if kind is None or not fact.value or len(fact.value) != 1 else kind.type(fact.value[0])


def _only_entry(array: Any) -> Any:
    if array.size == 0:
        return None
    flat = array.reshape(-1)
    first = flat[:1]
    same = (flat == first) & (np.signbit(flat) == np.signbit(first)) if array.dtype.kind == "f" else flat == first
    return flat[0] if same.all() else None
