"""Ordered operations along one axis: largest entries, running totals."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INDEX_OUT_OF_RANGE, NEGATIVE_LENGTH, TOO_FEW_ELEMENTS
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import AllOf, AtMost, Dim, Size, less, less_equal, text_of
from shapeinfer.facts import Contents, DType, Element, Shape, Tensor, tensor
from shapeinfer.shapes.movement.axes import normal
from shapeinfer.shapes.movement.indexing import up_to

MOST_ORDERED = 16
"""Up to this many sizes are compared with one another."""


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


def top_entries(x: Tensor, shapes: Sequence[Shape], *, largest: bool = True) -> list[Shape | Tensor]:
    """Return the two outputs of these shapes with their entries, where the order of all entries is known."""
    out, _ = shapes
    count = out[0] if len(out) == 1 else None
    order = _in_order(x.value, largest=largest) if x.dtype.is_integer and isinstance(count, int) else None
    if order is None or x.value is None or not isinstance(count, int):
        return [*shapes]
    kept = order[:count]
    return [tensor(x.dtype, out, tuple(x.value[i] for i in kept)), tensor(DType.INT64, out, tuple(kept))]


def _in_order(entries: Sequence[Element] | None, *, largest: bool) -> list[int] | None:
    """Return the indices of the entries from the first to the last in order, equal ones as they stand."""
    sizes = [e for e in entries or () if isinstance(e, (int, Dim))]
    if entries is None or len(sizes) < len(entries):
        return None
    numbers = [s for s in sizes if isinstance(s, int)]
    if len(numbers) == len(sizes):
        return sorted(range(len(numbers)), key=lambda i: -numbers[i] if largest else numbers[i])
    order: list[int] = []
    for i, size in enumerate(sizes[: MOST_ORDERED + 1]):
        place = len(order)
        while place:
            other = sizes[order[place - 1]]
            ahead = less(other, size) if largest else less(size, other)
            if ahead.is_maybe:
                return None
            if ahead.is_no:
                break
            place -= 1
        order.insert(place, i)
    return order if len(sizes) <= MOST_ORDERED else None


def lengths_within(ledger: Ledger, lengths: Tensor, size: Size, at: str) -> None:
    """Require that every known length is from 0 to the size of an axis."""
    for length in dict.fromkeys(lengths.value or ()):
        if isinstance(length, int) or (isinstance(length, Dim) and not any(s.is_fresh for s in length.symbols)):
            message = f"{ledger.port_name(at.split()[0])} contains {text_of(length)}; it must be 0 to {text_of(size)}"
            upper = AtMost(length, size)
            inside = upper if less_equal(0, length).is_yes else AllOf((AtMost(0, length), upper))
            ledger.require(inside, INDEX_OUT_OF_RANGE, message, at)


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
