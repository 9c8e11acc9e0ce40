"""What operators ask of channels, and of what they hold for each of them."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, NOT_DIVISIBLE
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Divides, Size, text_of
from shapeinfer.facts import Tensor
from shapeinfer.shapes.rank import of_rank


def per_channel(ledger: Ledger, channels: Size, x: Tensor, port: str, of: str = "channels", data: str = "x") -> Size:
    """Ask that a parameter has one entry for each channel of ``data`` and return their number."""
    of_rank(ledger, x, 1, port)
    if x.shape is None:
        return channels
    message = f"{ledger.spoken(port)} has {text_of(x.shape[0])} entries for {text_of(channels)} {of}"
    return ledger.equal(channels, x.shape[0], DIM_MISMATCH, f"{port}[0] {data}", message)


def divided(ledger: Ledger, count: Size, groups: int, what: str, at: str) -> None:
    """Ask that channels divide into so many groups; ``what`` says whose they are."""
    message = f"the {text_of(count)} {what} do not divide into {groups} groups"
    ledger.require(Divides(groups, count), NOT_DIVISIBLE, message, at)
