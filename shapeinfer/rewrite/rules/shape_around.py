"""Compute entry by entry in the shape that was there before, where it is restored afterwards.

A Reshape, operators that compute each entry from the entry in its place, and a Reshape back to the first shape give the
same without both: each entry is computed from the same entries. So do a Transpose and the one that undoes it, around
operators whose last bits do not hang on which entries are computed together. Every operand between them is moved in the
same way or is one number, and nothing else reads what is computed between.
"""

from __future__ import annotations

from attrs import define, field

from shapeinfer.rewrite.broadcasting import EXACT_BY_ENTRY
from shapeinfer.rewrite.edits import Moves
from shapeinfer.rewrite.movement import keeps_order, permutation
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

_ENTRY_BY_ENTRY = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "And", "Or", "Xor", "Equal", "Less", "Greater", "Where"),
        *("Abs", "Neg", "Sqrt", "Exp", "Log", "Erf", "Tanh", "Sigmoid", "Relu", "LeakyRelu", "Elu", "Gelu", "Clip"),
        *("HardSwish", "HardSigmoid", "Softplus", "Mish", "Not", "Sin", "Cos", "Reciprocal", "Cast", "Floor", "Ceil"),
    }
)
MOST_NODES = 16


@define
class _Region:
    """Nodes between a node and those that undo it before."""

    nodes: set[int] = field(factory=set)
    inputs: list[tuple[int, int, str]] = field(factory=list)


@rewrite("shape-around", "a shape that is restored is not changed in between", "Reshape", "Transpose", "Flatten")
def shape_around(site: Site, index: int) -> Moves | None:
    """Find the nodes that may compute in the shape that a node restores."""
    last = site.nodes[index].inputs[0]
    region = _region(site, index, last)
    if region is None or not region.inputs:
        return None
    values = {o for n in region.nodes for o in site.nodes[n].outputs if o}
    read_inside = all(set(site.readers.get(v, ())) <= region.nodes | {index} for v in values)
    if not read_inside or values & (site.outputs | site.kept_names) or site.readers[last] != [index]:
        return None
    return Moves(tuple(region.inputs), last)


def _region(site: Site, index: int, last: str) -> _Region | None:
    region, pending = _Region(), [site.producers.get(last)]
    operators = EXACT_BY_ENTRY if site.op(index) == "Transpose" else _ENTRY_BY_ENTRY
    while pending:
        at = pending.pop()
        if at is None or at in region.nodes:
            continue
        node = site.nodes[at]
        if site.op(at) not in operators or site.checks(at) or len(region.nodes) == MOST_NODES:
            return None
        region.nodes.add(at)
        for port, name in enumerate(node.inputs):
            moved = _before(site, name, index)
            if moved is not None:
                region.inputs.append((at, port, moved))
            elif name and not _is_number(site, name, index):
                if not site.same_dims(name, last):
                    return None
                pending.append(site.producers.get(name, -1))
                if pending[-1] == -1:
                    return None
    return region


def _before(site: Site, name: str, index: int) -> str | None:
    """Return the value that a node moved as the node ``index`` moves it back."""
    at = site.producers.get(name)
    if at is None or site.checks(at) or not site.nodes[at].inputs:
        return None
    source, output = site.nodes[at].inputs[0], site.nodes[index].outputs[0]
    if not site.same_dims(source, output) or not site.same_dims(name, site.nodes[index].inputs[0]):
        return None
    if keeps_order(site, at) and keeps_order(site, index):
        return source
    if site.op(at) != "Transpose" or site.op(index) != "Transpose":
        return None
    one, two = permutation(site, at), permutation(site, index)
    return source if one and two and [one[axis] for axis in two] == list(range(len(one))) else None


def _is_number(site: Site, name: str, index: int) -> bool:
    """Whether a value is one number that gives no axis to what it is combined with."""
    return site.shape(name) == () or (site.shape(name) == (1,) and site.shape(site.nodes[index].outputs[0]) != ())
