"""A table of samples: one row for each, one column for each feature."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import INNER_DIM_MISMATCH, INVALID_ATTRIBUTE, RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import AtMost, Equal, Size, mul, text_of
from shapeinfer.facts import Tensor


def rows(ledger: Ledger, x: Tensor, at: str) -> tuple[Size, Size]:
    """Return the numbers of rows and of features; a single axis is one row, an unknown rank leaves both open."""
    if x.shape is None:
        return ledger.fresh(), ledger.fresh()
    if x.rank not in (1, 2):
        ledger.fail(RANK_MISMATCH, f"{ledger.spoken(at)} must have one or two axes, not {x.rank}", at)
    return (1, x.dims[0]) if x.rank == 1 else (x.dims[0], x.dims[1])


def fits(ledger: Ledger, features: Size, expected: int, at: str) -> None:
    """Ask that the rows have as many features as a model was trained on."""
    message = f"{ledger.spoken(at)} has {text_of(features)} features, the model was trained on {expected}"
    ledger.require(Equal(features, expected), INNER_DIM_MISMATCH, message, at)


def covered(ledger: Ledger, features: Size, targets: int, coefficients: int, at: str) -> None:
    """Ask that there is a coefficient for every feature of every target; surplus ones are never read."""
    message = (
        f"{ledger.spoken(at)} has {text_of(features)} features, "
        f"{coefficients} coefficients do not cover them for {targets} targets"
    )
    ledger.require(AtMost(mul(features, targets), coefficients), INNER_DIM_MISMATCH, message, at)


def positive(ledger: Ledger, number: int, name: str) -> int:
    """Return an attribute that counts something, of which there must be at least one."""
    if number < 1:
        ledger.fail(INVALID_ATTRIBUTE, f"{name} is {number}, it must be positive")
    return number
