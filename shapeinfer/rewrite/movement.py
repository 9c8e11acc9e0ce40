"""Nodes that only move entries: which keep their order, and from where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shapeinfer.rewrite.site import Site

_IN_ORDER = frozenset({"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity"})
"""Operators that keep all entries in their order, whatever the shape."""


def moves_nothing(site: Site, index: int) -> bool:
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


def keeps_order(site: Site, index: int) -> bool:
    """Whether a node gives all entries of its first input in the same order."""
    op = site.op(index)
    return op in _IN_ORDER or (op == "Transpose" and moves_nothing(site, index))


def origins(site: Site, index: int) -> Iterator[str]:
    """Yield the values of which a node's input has all entries in the same order, the nearest first."""
    at: int | None = site.producers.get(site.nodes[index].inputs[0])
    while at is not None and keeps_order(site, at) and not site.checks(at) and site.nodes[at].inputs:
        source = site.nodes[at].inputs[0]
        yield source
        at = site.producers.get(source)
