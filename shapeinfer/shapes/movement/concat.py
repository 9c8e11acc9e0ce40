"""Put shapes together along one axis."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Size, text_of, total
from shapeinfer.facts import Shape, UnknownRank
from shapeinfer.shapes.movement.axes import normal


def concatenated(ledger: Ledger, shapes: Sequence[Shape | None], axis: int, ports: Sequence[str]) -> Shape:
    """Add up the sizes along ``axis``; every other axis is the same in all shapes.

    ``ports`` has the port of each shape. Raises UnknownRank if no rank is known.
    """
    rank, at = _common_rank(ledger, shapes, ports)
    k = normal(ledger, axis, rank, at=at)
    whole = total(ledger.fresh() if s is None else s[k] for s in shapes)
    return tuple(whole if j == k else _agreed(ledger, shapes, j, ports) for j in range(rank))


def stacked(ledger: Ledger, shapes: Sequence[Shape | None], axis: int, ports: Sequence[str]) -> Shape:
    """Stack equal shapes along a new axis.

    ``ports`` has the port of each shape. Raises UnknownRank if no rank is known.
    """
    rank, at = _common_rank(ledger, shapes, ports)
    k = normal(ledger, axis, rank + 1, at=at)
    agreed = tuple(_agreed(ledger, shapes, j, ports) for j in range(rank))
    return (*agreed[:k], len(shapes), *agreed[k:])


def _common_rank(ledger: Ledger, shapes: Sequence[Shape | None], ports: Sequence[str]) -> tuple[int, str]:
    """Return the rank of all shapes, and the port of the first shape of known rank."""
    ranked = [(len(s), i) for i, s in enumerate(shapes) if s is not None]
    if not ranked:
        raise UnknownRank
    rank, first = ranked[0]
    for other, i in ranked:
        if other != rank:
            a, b = _name(ledger, ports, i), _name(ledger, ports, first)
            message = f"{a} has rank {other} and {b} rank {rank}; ranks must be equal"
            ledger.fail(RANK_MISMATCH, message, " ".join(dict.fromkeys((ports[i], ports[first]))))
    return rank, ports[first]


def _agreed(ledger: Ledger, shapes: Sequence[Shape | None], j: int, ports: Sequence[str]) -> Size:
    (size, holder), *rest = ((s[j], i) for i, s in enumerate(shapes) if s is not None)
    for other, i in rest:
        at, message = f"{ports[holder]}[{j}] {ports[i]}[{j}]", ""
        if ports[i] == ports[holder]:
            differing = f"{text_of(size)} in element {holder} and {text_of(other)} in element {i}"
            at, message = ports[i], f"axis {j} is {differing}; they must be equal"
        best = ledger.equal(size, other, DIM_MISMATCH, at, message)
        size, holder = best, (i if best is other and best is not size else holder)
    return size


def _name(ledger: Ledger, ports: Sequence[str], i: int) -> str:
    """Return how people know a shape; several of one port are the elements of a sequence."""
    return ledger.port_name(ports[i]) if ports.count(ports[i]) == 1 else f"element {i}"
