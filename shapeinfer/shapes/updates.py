"""Entries that replace others."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import text_of
from shapeinfer.facts import Shape, Tensor


def agree(ledger: Ledger, updates: Tensor, expected: Shape, why: str, at: str = "updates indices") -> None:
    """Ask that ``updates`` has the expected shape; ``at`` are its port and the one that tells what to expect."""
    if updates.shape is None:
        return
    if len(updates.shape) != len(expected):
        message = f"updates has rank {len(updates.shape)} and needs rank {len(expected)}, {why}"
        ledger.fail(RANK_MISMATCH, message, at)
    for i, (given, needed) in enumerate(zip(updates.shape, expected)):
        message = f"axis {i} of updates is {text_of(given)}; it must be {text_of(needed)}, {why}"
        ledger.equal(given, needed, DIM_MISMATCH, f"updates[{i}]", message)
