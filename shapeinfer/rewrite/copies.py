"""Nodes whose output is one of their inputs, entry for entry; and pairs of which the second undoes the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from shapeinfer.facts import DType
from shapeinfer.rewrite.edits import Same
from shapeinfer.rewrite.site import Site

_ALWAYS_OFF = 7
"""From this opset on Dropout changes nothing unless its input training_mode is true."""

_SAME_IF_SHAPED_ALIKE = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Expand", "Tile", "Split"})
"""Operators that keep the entries and their order where the shape stays: to repeat no more than once is to copy."""

_IN_ORDER = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity"})
"""Operators that keep all entries in their order, whatever the shape."""

_WITHIN: dict[DType, frozenset[DType]] = {
    DType.BOOL: frozenset({DType.UINT8, DType.INT8, DType.INT32, DType.INT64}),
    DType.UINT8: frozenset({DType.INT16, DType.UINT16, DType.INT32, DType.INT64}),
    DType.INT8: frozenset({DType.INT16, DType.INT32, DType.INT64}),
    DType.INT16: frozenset({DType.INT32, DType.INT64}),
    DType.UINT16: frozenset({DType.INT32, DType.INT64}),
    DType.INT32: frozenset({DType.INT64}),
}
"""For element types those that hold each of their values."""


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


def _moves_nothing(site: Site, index: int) -> bool:
    """Whether a Transpose leaves the axes in order that are longer than 1."""
    shape = site.shape(site.nodes[index].inputs[0])
    moved = permutation(site, index)
    if shape is None or moved is None or len(moved) != len(shape):
        return False
    longer = [axis for axis in moved if not site.same(shape[axis], 1)]
    return longer == sorted(longer)


def permutation(site: Site, index: int) -> Sequence[int] | None:
    """Return which axis of its input each axis of a Transpose is, None where the rank is not known."""
    shape = site.shape(site.nodes[index].inputs[0])
    perm: Sequence[int] | None = site.attribute(index, "perm")
    if perm is None and shape is not None:
        return range(len(shape))[::-1]
    return perm


_CASES: dict[str, Callable[[Site, int], bool]] = {
    "Slice": _steps_are_one,
    "Pad": _pads_nothing,
    "Transpose": _moves_nothing,
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


def inverse_pair(site: Site, index: int) -> Same | None:
    """Find the earlier value that a node restores by undoing the nodes between."""
    node, op = site.nodes[index], site.op(index)
    if not node.inputs or not node.outputs or not node.outputs[0]:
        return None
    if keeps_order(site, index):
        for value in origins(site, index):
            if site.same_shape(value, node.outputs[0]):
                return Same(value)
        return None
    producer = site.producers.get(node.inputs[0])
    if producer is None or site.op(producer) != op or site.checks(producer) or not site.nodes[producer].inputs:
        return None
    source = site.nodes[producer].inputs[0]
    if op == "Transpose" and _turns_back(site, producer, index) and site.same_shape(source, node.outputs[0]):
        return Same(source)
    if op == "Cast":
        before, between = site.dtype(source), site.dtype(node.inputs[0])
        if before is not None and before is site.dtype(node.outputs[0]) and between in _WITHIN.get(before, ()):
            return Same(source)
    return None


def keeps_order(site: Site, index: int) -> bool:
    """Whether a node gives all entries of its first input in the same order."""
    op = site.op(index)
    return op in _IN_ORDER or (op == "Transpose" and _moves_nothing(site, index))


def origins(site: Site, index: int) -> Iterator[str]:
    """Yield the values of which a node's input has all entries in the same order, the nearest first."""
    at: int | None = site.producers.get(site.nodes[index].inputs[0])
    while at is not None and keeps_order(site, at) and not site.checks(at) and site.nodes[at].inputs:
        source = site.nodes[at].inputs[0]
        yield source
        at = site.producers.get(source)


def _turns_back(site: Site, first: int, second: int) -> bool:
    one, two = permutation(site, first), permutation(site, second)
    if one is None or two is None or len(one) != len(two):
        return False
    return all(one[axis] == i for i, axis in enumerate(two))
