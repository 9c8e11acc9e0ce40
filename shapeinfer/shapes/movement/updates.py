"""Entries that replace others."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.shapes.elementwise.broadcast import Side, side


def agree(ledger: Ledger, updates: Tensor, expected: Side, why: str) -> None:
    """Require that ``updates`` has the expected shape."""
    if updates.shape is None:
        return
    if len(updates.shape) != len(expected.shape):
        message = f"updates has rank {len(updates.shape)}; it must have rank {len(expected.shape)}, {why}"
        ledger.fail(RANK_MISMATCH, message, f"updates {expected.ports}")
    for i, (size, needed, place) in enumerate(zip(updates.shape, expected.shape, expected.places)):
        message = f"axis {i} of updates is {text_of(size)}; it must be {text_of(needed)}, {why}"
        ledger.equal(size, needed, DIM_MISMATCH, f"updates[{i}] {place}", message)


def rest_of_tuples(indices: Shape, data: Shape, count: int) -> Side:
    """Return the shape of updates by tuples of ``count`` indices into ``data``: their axes, then those they leave."""
    of, at = side(data, "data"), side(indices, "indices")
    return Side(indices[:-1] + data[count:], at.places[:-1] + of.places[count:], "indices data")
