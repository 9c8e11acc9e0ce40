"""Read the input of a node that gives it back entry for entry.

Operators that keep entries and order copy where the shape stays, which is proved for all sizes; Concat where all other
parts are empty; Cast to the type that is there; Dropout where nobody trains.
"""

from __future__ import annotations

from collections.abc import Callable

from shapeinfer.rewrite.edits import Same
from shapeinfer.rewrite.movement import moves_nothing
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

_ALWAYS_OFF = 7
"""From this opset on Dropout changes nothing unless its input training_mode is true."""

_SAME_IF_SHAPED_ALIKE = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Tile", "Split"})
"""Operators that keep the entries and their order where the shape stays: to repeat no more than once is to copy."""


@rewrite("copy", "the output is an input entry for entry, so that is read in its place")
def copy(site: Site, index: int) -> Same | None:
    """Find the input that a node gives back as it is."""
    node = site.nodes[index]
    if not node.inputs or not node.outputs or not node.outputs[0]:
        return None
    port = _copied_port(site, index, site.op(index))
    return Same(node.inputs[port]) if port is not None and node.inputs[port] else None


def _copied_port(site: Site, index: int, op: str) -> int | None:
    if op == "Identity" or (op == "Dropout" and _is_off(site, index)):
        return 0
    if op == "Concat":
        return _only_part(site, index)
    if op in ("Cast", "CastLike"):
        node = site.nodes[index]
        return 0 if site.dtype(node.inputs[0]) is site.dtype(node.outputs[0]) is not None else None
    copies = op in _SAME_IF_SHAPED_ALIKE or (op in _CASES and _CASES[op](site, index))
    return 0 if copies and _keeps_shape(site, index) else None


def _keeps_shape(site: Site, index: int) -> bool:
    node = site.nodes[index]
    return node.inputs[0] != "" and site.same_shape(node.inputs[0], node.outputs[0])


def _is_off(site: Site, index: int) -> bool:
    training = site.entries(index, 2)
    return site.nodes[index].call.opset >= _ALWAYS_OFF and (not site.has_input(index, 2) or training == (False,))


def _steps_are_one(site: Site, index: int) -> bool:
    """Whether a Slice goes forward one by one: then it leaves nothing out where no axis gets shorter."""
    steps = site.entries(index, 4)
    return not site.has_input(index, 4) or (steps is not None and all(step == 1 for step in steps))


def _pads_nothing(site: Site, index: int) -> bool:
    """Whether a Pad adds and takes away nothing at either end of any axis."""
    pads = site.attribute(index, "pads") or site.attribute(index, "paddings") or site.entries(index, 1)
    return pads is not None and all(pad == 0 for pad in pads)


_CASES: dict[str, Callable[[Site, int], bool]] = {
    "Slice": _steps_are_one,
    "Pad": _pads_nothing,
    "Transpose": moves_nothing,
}


def _only_part(site: Site, index: int) -> int | None:
    """Return the input of a Concat beside which all others are empty along its axis."""
    inputs = site.nodes[index].inputs
    if len(inputs) == 1:
        return 0
    axis = site.attribute(index, "axis", 1)
    shapes = [site.shape(name) if name else None for name in inputs]
    if any(s is None or not -len(s) <= axis < len(s) for s in shapes):
        return None
    long = [port for port, s in enumerate(shapes) if s is not None and not site.same(s[axis], 0)]
    if len(long) != 1 or not site.same_shape(inputs[long[0]], site.nodes[index].outputs[0]):
        return None
    return long[0]
