"""Requirements on ranks."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.facts import Tensor


def of_rank(ledger: Ledger, x: Tensor, rank: int, port: str, what: str = "") -> None:
    """Record a tensor known to be of another rank, and stop; an unknown rank passes."""
    if x.shape is not None and len(x.shape) != rank:
        message = f"{ledger.port_name(port)} has rank {len(x.shape)}; it must have rank {rank}"
        ledger.fail(RANK_MISMATCH, message + (f", {what}" if what else ""), port)


def of_rank_at_least(ledger: Ledger, x: Tensor, rank: int, port: str) -> None:
    """Record a tensor known to be of a lower rank, and stop; an unknown rank passes."""
    if x.shape is not None and len(x.shape) < rank:
        message = f"{ledger.port_name(port)} has rank {len(x.shape)}; it must have rank {rank} or more"
        ledger.fail(RANK_MISMATCH, message, port)


def one_or_list(ledger: Ledger, x: Tensor, port: str) -> None:
    """Record a tensor that is neither one number nor a list of them, and stop; an unknown rank passes."""
    if x.shape is not None and len(x.shape) > 1:
        message = f"{ledger.port_name(port)} must have rank 0 or 1; it has rank {len(x.shape)}"
        ledger.fail(RANK_MISMATCH, message, port)


def alike(ledger: Ledger, a: Tensor, b: Tensor, ports: str) -> None:
    """Record two tensors known to be of different ranks, and stop."""
    if a.shape is not None and b.shape is not None and len(a.shape) != len(b.shape):
        one, other = (ledger.port_name(p) for p in ports.split())
        message = f"{one} has rank {len(a.shape)} and {other} rank {len(b.shape)}; they must be equal"
        ledger.fail(RANK_MISMATCH, message, ports)
