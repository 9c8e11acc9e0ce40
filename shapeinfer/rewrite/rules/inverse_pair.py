"""Read the value that a node restores by undoing the nodes before it.

Nodes that keep all entries in their order restore a value once its shape is back: Squeeze and Unsqueeze, Flatten and
Reshape. Two Transposes undo each other where one permutation is the inverse of the other, two Casts where the type
between holds every value of the first; floats are left alone, since a Cast of a NaN may change its bits. A node between
that requires something of the inputs stays.
"""

from __future__ import annotations

from shapeinfer.facts import DType
from shapeinfer.rewrite.edits import Same
from shapeinfer.rewrite.movement import keeps_order, origins, permutation
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

_WITHIN: dict[DType, frozenset[DType]] = {
    DType.BOOL: frozenset({DType.UINT8, DType.INT8, DType.INT32, DType.INT64}),
    DType.UINT8: frozenset({DType.INT16, DType.UINT16, DType.INT32, DType.INT64}),
    DType.INT8: frozenset({DType.INT16, DType.INT32, DType.INT64}),
    DType.INT16: frozenset({DType.INT32, DType.INT64}),
    DType.UINT16: frozenset({DType.INT32, DType.INT64}),
    DType.INT32: frozenset({DType.INT64}),
}
"""For element types those that hold each of their values."""


@rewrite("inverse-pair", "it turns back what nodes before it did, so what was there before is read")
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


def _turns_back(site: Site, first: int, second: int) -> bool:
    one, two = permutation(site, first), permutation(site, second)
    if one is None or two is None or len(one) != len(two):
        return False
    return all(one[axis] == i for i, axis in enumerate(two))
