"""Take one length apart: into equal parts, chunks, or lengths that are given."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH, NEGATIVE_LENGTH, NOT_DIVISIBLE, SPLIT_SUM
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import (
    AtMost,
    Divides,
    Equal,
    Size,
    at_least,
    ceildiv,
    exact_div,
    floordiv,
    mul,
    sub,
    text_of,
    total,
)
from shapeinfer.facts import Contents, Shape


def even(ledger: Ledger, length: Size, count: int, at: str) -> Shape:
    """Return ``count`` equal parts; ``count`` must divide the length."""
    message = f"{text_of(length)} is not divisible into {count} equal parts"
    if ledger.require(Divides(count, length), NOT_DIVISIBLE, message, at).is_no:
        return tuple(ledger.fresh() for _ in range(count))
    return (exact_div(length, count),) * count


def chunked(ledger: Ledger, length: Size, count: int, at: str) -> Shape:
    """Return ``count`` parts, all of one length but for the last, which may be smaller."""
    chunk = ceildiv(length, count)
    last = floordiv(length, 2) if count == 2 else sub(length, mul(chunk, count - 1))
    message = f"{text_of(length)} is too small to be split into {count} chunks of {text_of(chunk)}"
    if ledger.require(at_least(last, 0), SPLIT_SUM, message, at).is_no:
        return tuple(ledger.fresh() for _ in range(count))
    return (*(chunk,) * (count - 1), last)


def into_lengths(
    ledger: Ledger, length: Size, lengths: Sequence[Size], value: Contents | None, count: int, at: str
) -> Shape:
    """Return the given lengths, one for each of ``count`` parts, which add up to ``length``.

    ``value`` tells which of them are known: of a single one that is not, the others leave the length.
    """
    if len(lengths) != count:
        ledger.fail(LENGTH_MISMATCH, f"split has {len(lengths)} entries; expected {count}, one per output", at)
    for d in lengths:
        if isinstance(d, int) and d < 0:
            ledger.fail(NEGATIVE_LENGTH, f"a part cannot have size {d}", at)
    open_ones = [i for i, v in enumerate(value or (None,) * count) if v is None]
    if len(open_ones) == 1:
        (i,) = open_ones
        left = sub(length, total(d for j, d in enumerate(lengths) if j != i))
        message = f"the remaining part would be {text_of(left)}; it cannot be negative"
        if not ledger.require(AtMost(0, left), SPLIT_SUM, message, at).is_no:
            return (*lengths[:i], left, *lengths[i + 1 :])
        return tuple(lengths)
    message = f"the parts {', '.join(map(text_of, lengths))} add up to {text_of(total(lengths))}, not {text_of(length)}"
    ledger.require(Equal(total(lengths), length), SPLIT_SUM, message, at)
    return tuple(lengths)
