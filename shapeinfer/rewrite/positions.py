"""Values whose entries are their own positions along one axis, as Range makes them."""

from __future__ import annotations

import numpy as np

from shapeinfer.rewrite.site import Site
from shapeinfer.rewrite.stored import Array

MOST_STEPS = 8
"""No longer chain of nodes is followed."""


def position_axis(site: Site, name: str) -> int | None:
    """Return the axis along which each entry of a value is its own position, None where there is none."""
    steps: list[int] = []
    for _ in range(MOST_STEPS):
        at = site.producers.get(name)
        if at is None:
            return None
        op, inputs = site.op(at), site.nodes[at].inputs
        if op == "Range":
            if not (_is(site, inputs[0], 0) and _is(site, inputs[2], 1)):
                return None
            axis = 0
            for step in reversed(steps):
                axis = _after(site, step, axis)
                if axis < 0:
                    return None
            return axis
        if op not in ("Unsqueeze", "Expand", "Cast"):
            return None
        steps.append(at)
        name = inputs[0]
    return None


def _after(site: Site, index: int, axis: int) -> int:
    """Return which axis one of a node's input becomes, -1 where it is stretched or not known."""
    source, out = site.shape(site.nodes[index].inputs[0]), site.shape(site.nodes[index].outputs[0])
    if source is None or out is None:
        return -1
    op = site.op(index)
    if op == "Cast":
        dtype = site.dtype(site.nodes[index].outputs[0])
        return axis if dtype is not None and dtype.is_integer and dtype.bits >= 32 else -1
    if op == "Expand":
        moved = axis + len(out) - len(source)
        return moved if site.same(source[axis], out[moved]) else -1
    axes = site.attribute(index, "axes") or site.entries(index, 1) or ()
    added = {a % len(out) for a in axes if isinstance(a, int)}
    kept = [a for a in range(len(out)) if a not in added]
    return kept[axis] if len(kept) == len(source) else -1


def _is(site: Site, name: str, number: int) -> bool:
    array = site.constant(name, 1)
    return array is not None and array.size == 1 and array.dtype.kind in "iu" and int(array.reshape(-1)[0]) == number


def position_axis_of(array: Array) -> int | None:
    """Return the axis along which each entry of a constant is its own position."""
    for axis, length in enumerate(array.shape):
        shape = [length if a == axis else 1 for a in range(array.ndim)]
        if length > 1 and (array == np.arange(length).reshape(shape)).all():
            return axis
    return None
