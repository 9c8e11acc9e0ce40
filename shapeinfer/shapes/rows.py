"""A table of samples: one row for each, one column for each feature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    INNER_DIM_MISMATCH,
    INVALID_ATTRIBUTE,
    MISSING_ATTRIBUTE,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import AtMost, Equal, Size, mul, text_of
from shapeinfer.facts import Tensor


def rows(ledger: Ledger, x: Tensor, at: str) -> tuple[Size, Size]:
    """Return the numbers of rows and of features; a single axis is one row, an unknown rank leaves both open."""
    if x.shape is None:
        return ledger.fresh(), ledger.fresh()
    if x.rank not in (1, 2):
        ledger.fail(RANK_MISMATCH, f"{ledger.port_name(at)} must have rank 1 or 2; it has rank {x.rank}", at)
    return (1, x.dims[0]) if x.rank == 1 else (x.dims[0], x.dims[1])


def fits(ledger: Ledger, features: Size, expected: int, at: str) -> None:
    """Require that the rows have as many features as a model was trained on."""
    message = f"{ledger.port_name(at)} has {text_of(features)} features; the model was trained on {expected}"
    ledger.require(Equal(features, expected), INNER_DIM_MISMATCH, message, at)


def covered(ledger: Ledger, features: Size, targets: int, coefficients: int, at: str) -> None:
    """Require that there is a coefficient for every feature of every target; surplus ones are never read."""
    message = (
        f"{ledger.port_name(at)} has {text_of(features)} features; "
        f"{coefficients} coefficients are too few for {targets} targets"
    )
    ledger.require(AtMost(mul(features, targets), coefficients), INNER_DIM_MISMATCH, message, at)


def one_of(ledger: Ledger, lists: Mapping[str, Sequence[object] | Tensor | None], *, required: bool = True) -> str:
    """Return which one of several attributes is present; empty if none is, or more than one, which is a finding."""
    present = [name for name, value in lists.items() if isinstance(value, Tensor) or value]
    if len(present) > 1:
        ledger.report(CONFLICTING_ARGUMENTS, f"{' and '.join(present)} exclude each other; keep one of them")
    elif not present and required:
        ledger.report(
            MISSING_ATTRIBUTE,
            f"one of the attributes {', '.join(lists)} is required",
            detail=Detail(allowed=tuple(lists)),
        )
    return present[0] if len(present) == 1 else ""


def positive(ledger: Ledger, number: int, name: str) -> int:
    """Return a count attribute, which must be at least 1."""
    if number < 1:
        ledger.fail(INVALID_ATTRIBUTE, f"{name} is {number}; it must be positive", detail=Detail(name))
    return number
