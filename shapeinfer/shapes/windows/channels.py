"""Requirements on channels and per-channel parameters."""

from __future__ import annotations

from collections.abc import Mapping

from shapeinfer.diagnostics.codes import DIM_MISMATCH, NOT_DIVISIBLE
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Divides, Size, text_of
from shapeinfer.facts import Tensor
from shapeinfer.shapes.rank import of_rank


def per_channel(ledger: Ledger, channels: Size, at: str, parameters: Mapping[str, Tensor], of: str = "channel") -> Size:
    """Require one entry per channel of each parameter (keyed by port), and return the number of channels.

    ``at`` names the axis of channels, empty if no operand has it.
    """
    for port, x in parameters.items():
        of_rank(ledger, x, 1, port)
        if x.shape is None:
            continue
        count = x.shape[0]
        message = f"{ledger.port_name(port)} has {text_of(count)} entries; expected {text_of(channels)} (one per {of})"
        best = ledger.equal(channels, count, DIM_MISMATCH, f"{port}[0] {at}", message)
        channels, at = best, f"{port}[0]" if best is count and best is not channels else at
    return channels


def divided(ledger: Ledger, count: Size, groups: int, what: str, at: str) -> None:
    """Require that channels are divisible into groups; ``what`` describes them."""
    message = f"the {text_of(count)} {what} are not divisible by {groups} groups"
    ledger.require(Divides(groups, count), NOT_DIVISIBLE, message, at)
