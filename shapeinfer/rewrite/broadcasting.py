"""Where a value may have a smaller shape, since what reads it broadcasts it to the same result."""

from __future__ import annotations

from shapeinfer.dims import Size
from shapeinfer.facts import Shape
from shapeinfer.rewrite.site import Site

EXACT_BY_ENTRY = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "And", "Or", "Xor", "Not", "Where", "Equal", "Less", "LessOrEqual", "Greater"),
        *("GreaterOrEqual", "Min", "Max", "Neg", "Abs", "Cast", "Relu", "BitwiseAnd", "BitwiseOr"),
    }
)
"""Operators that broadcast, and whose entries have the same bits however many are computed together."""
MOST_READERS = 64
"""No more nodes are looked at."""


def narrowed(site: Site, name: str, shape: Shape) -> list[str] | None:
    """Return the values that get smaller if one has this shape, None where an output or another operator shows it.

    The shape broadcasts to the value's own. A node that gets a smaller result is followed to what reads that.
    """
    changed: dict[str, Shape] = {name: shape}
    pending = [name]
    looked_at = 0
    while pending:
        value = pending.pop()
        if value in site.outputs or value in site.kept_names:
            return None
        for reader in site.readers.get(value, ()):
            looked_at += 1
            node = site.nodes[reader]
            if site.op(reader) not in EXACT_BY_ENTRY or site.checks(reader) or looked_at > MOST_READERS:
                return None
            (output,) = node.outputs
            before = site.shape(output)
            shapes = [changed.get(i) or site.shape(i) for i in node.inputs]
            now = None if before is None else _broadcast(site, shapes, before)
            if before is None or now is None:
                return None
            if len(now) == len(before) and all(map(site.same, now, before)):
                continue
            if changed.get(output) != now:
                changed[output] = now
                pending.append(output)
    return list(changed)


def _broadcast(site: Site, shapes: list[Shape | None], before: Shape) -> Shape | None:
    """Return the shape of a result that was another one before its operands got smaller, None if it is not known."""
    known = [s for s in shapes if s is not None]
    if len(known) < len(shapes):
        return None
    rank = max(map(len, known))
    found: list[Size] = []
    for back in range(rank, 0, -1):
        sizes = [s[-back] for s in known if len(s) >= back]
        size = before[-back]
        if any(site.same(s, size) for s in sizes):
            found.append(size)
        elif all(site.same(s, 1) for s in sizes):
            found.append(1)
        else:
            return None
    return tuple(found)
