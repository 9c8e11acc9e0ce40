"""Transpose once what is merged into fewer axes, transposed and split again.

A Reshape that merges neighbouring axes, a Transpose of the merged ones and a Reshape that splits them move whole groups
of axes: the same as one Transpose of all axes, group by group. Which axes were merged follows from the shapes, for all
sizes; the result must have the lengths of the input in the new order. Exporters write attention so.
"""

from __future__ import annotations

import onnx

from shapeinfer.dims import Size, product
from shapeinfer.facts import Shape
from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.movement import permutation
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site


@rewrite("transpose-of-merged", "axes that are merged, transposed and split again are transposed once", "Reshape")
def transpose_of_merged(site: Site, index: int) -> Calls | None:
    """Find the Transpose that a Reshape completes."""
    middle = _only_source(site, index, "Transpose")
    first = None if middle is None else _only_source(site, middle, "Reshape")
    if first is None or middle is None:
        return None
    data, output = site.nodes[first].inputs[0], site.nodes[index].outputs[0]
    shape, merged, out = site.shape(data), site.shape(site.nodes[middle].inputs[0]), site.shape(output)
    moved = permutation(site, middle)
    if shape is None or merged is None or out is None or moved is None or len(moved) != len(merged):
        return None
    groups = _groups(site, shape, merged)
    if groups is None or len(out) != len(shape):
        return None
    perm = [axis for group in moved for axis in groups[group]]
    if not all(site.same(shape[axis], size) for axis, size in zip(perm, out)):
        return None
    return Calls((onnx.helper.make_node("Transpose", [data], [output], perm=perm),))


def _only_source(site: Site, index: int, op: str) -> int | None:
    """Return the node of an operator whose output only this node reads, by its first input."""
    name = site.nodes[index].inputs[0]
    at = site.producers.get(name)
    if at is None or site.op(at) != op or site.only_reader(name) is None or site.checks(at):
        return None
    return at


def _groups(site: Site, shape: Shape, merged: Shape) -> list[list[int]] | None:
    """Return for each merged axis the neighbouring axes that it is made of."""
    groups: list[list[int]] = []
    rest = list(range(len(shape)))
    for size in merged:
        group: list[int] = []
        length: Size = 1
        while rest and not (group and site.same(length, size)):
            group.append(rest.pop(0))
            length = product(shape[axis] for axis in group)
        if not site.same(length, size):
            return None
        groups.append(group)
    if groups and all(site.same(shape[axis], 1) for axis in rest):
        groups[-1] += rest
        return groups
    return None
