"""Ordered operations along one axis: largest entries, running totals."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import NEGATIVE_LENGTH, TOO_FEW_ELEMENTS
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import AtMost, Dim, Size, text_of
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.shapes.movement.axes import normal
from shapeinfer.shapes.movement.indexing import up_to


def top(ledger: Ledger, x: Tensor, axis: int, k: Size | None, ports: str) -> list[Shape]:
    """Return the shapes of the ``k`` largest along one axis and of where they stood; None is a number not known.

    ``ports`` are those of ``k`` and of ``x``.
    """
    by, of = ports.split()
    at = normal(ledger, axis, x.rank, at=of)
    kept = up_to(ledger, x.dims[at]) if k is None else _enough(ledger, x.dims[at], at, k, by, of)
    out = (*x.dims[:at], kept, *x.dims[at + 1 :])
    return [out, out]


def _enough(ledger: Ledger, size: Size, axis: int, k: Size, by: str, of: str) -> Size:
    """Require that ``k`` is no more than an axis has, and return it."""
    message = f"K is {text_of(k)}; it cannot be negative"
    wrong = ledger.require(AtMost(0, k), NEGATIVE_LENGTH, message, by).is_no
    message = f"K is {text_of(k)}, more than the {text_of(size)} of axis {axis} of {ledger.port_name(of)}"
    wrong |= ledger.require(AtMost(k, size), TOO_FEW_ELEMENTS, message, f"{by} {of}[{axis}]").is_no
    return ledger.fresh() if wrong else k


def running_totals(x: Tensor, *, exclusive: bool, reverse: bool) -> Contents | None:
    """Add up entries, where there is but one axis and all of them are known integers or sizes."""
    value = x.value
    if value is None or x.rank != 1 or not x.dtype.is_integer or not all(isinstance(v, (int, Dim)) for v in value):
        return None
    running: Size = 0
    sums: list[Size] = []
    for v in reversed(value) if reverse else value:
        assert isinstance(v, (int, Dim))
        sums.append(running if exclusive else running + v)
        running += v
    return tuple(reversed(sums) if reverse else sums)
