"""Values whose entries are all the same number, whatever their shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from shapeinfer.dims import AtMost, Size
from shapeinfer.rewrite.site import Site

_SPREADS = frozenset({"Expand", "Tile", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Transpose", "Slice"})
"""Operators all of whose entries are entries of their first input."""
_HOLDS = frozenset({"Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
"""Comparisons that ranges may decide."""
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
        if op in _HOLDS:
            return _comparison(site, producer, op)
        if op not in _SPREADS:
            return None
        name = site.nodes[producer].inputs[0]
    return None


def _comparison(site: Site, index: int, op: str) -> Any:
    """Return what integers compare to by their ranges alone, None where entries decide."""
    a, b = (_range(site, name) for name in site.nodes[index].inputs)
    if a is None or b is None:
        return None
    if op in ("Less", "LessOrEqual"):
        a, b = b, a
    is_strict = int(op in ("Less", "Greater"))
    answer = site.result.premises.answer
    if answer(AtMost(b[1] + is_strict, a[0])).is_yes:
        return np.bool_(True)
    return np.bool_(False) if answer(AtMost(a[1] + 1 - is_strict, b[0])).is_yes else None


def _range(site: Site, name: str) -> tuple[Size, Size] | None:
    """Return the least and the greatest entry of a tensor of integers."""
    tensor = site.tensor(name)
    found = tensor.value_range if tensor is not None and tensor.dtype.is_integer else None
    return None if found is None else (site.result.premises.current(found[0]), site.result.premises.current(found[1]))


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
