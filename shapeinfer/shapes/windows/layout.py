"""Channels last: shapes whose channels are the last axis, for arithmetic that has them as the second."""

from __future__ import annotations

from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.facts import Shape, Tensor, tensor


def channels_first(ledger: Ledger, x: Tensor, port: str) -> Tensor:
    """Move the channels from the last axis to the second; messages use the original axes."""
    if x.shape is None or len(x.shape) < 2:
        return x
    ledger.turned[port] = (0, len(x.shape) - 1, *range(1, len(x.shape) - 1))
    return tensor(x.dtype, (x.shape[0], x.shape[-1], *x.shape[1:-1]))


def channels_last(shape: Shape) -> Shape:
    """Return a shape whose channels are its second axis with them as its last."""
    return (shape[0], *shape[2:], shape[1]) if len(shape) > 1 else shape
