"""Split an axis into equal parts, chunks, or parts of listed sizes."""

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


def even(ledger: Ledger, whole: Size, count: int, at: str) -> Shape:
    """Return ``count`` equal parts; ``count`` must divide the size ``whole``."""
    message = f"{text_of(whole)} is not divisible into {count} equal parts"
    if ledger.require(Divides(count, whole), NOT_DIVISIBLE, message, at).is_no:
        return tuple(ledger.fresh() for _ in range(count))
    return (exact_div(whole, count),) * count


def chunked(ledger: Ledger, whole: Size, count: int, at: str) -> Shape:
    """Return ``count`` parts, all of one size but for the last, which may be smaller."""
    chunk = ceildiv(whole, count)
    last = floordiv(whole, 2) if count == 2 else sub(whole, mul(chunk, count - 1))
    message = f"{text_of(whole)} is too small to be split into {count} chunks of {text_of(chunk)}"
    if ledger.require(at_least(last, 0), SPLIT_SUM, message, at).is_no:
        return tuple(ledger.fresh() for _ in range(count))
    return (*(chunk,) * (count - 1), last)


def into_sizes(
    ledger: Ledger, whole: Size, sizes: Sequence[Size], value: Contents | None, count: int, at: str
) -> Shape:
    """Return the listed sizes, one for each of ``count`` parts, which add up to ``whole``.

    ``value`` holds the known ones; a single unknown one is what the others leave of ``whole``.
    """
    if len(sizes) != count:
        ledger.fail(LENGTH_MISMATCH, f"split has {len(sizes)} entries; expected {count}, one per output", at)
    for d in sizes:
        if isinstance(d, int) and d < 0:
            ledger.fail(NEGATIVE_LENGTH, f"a part cannot have size {d}", at)
    open_ones = [i for i, v in enumerate(value or (None,) * count) if v is None]
    if len(open_ones) == 1:
        (i,) = open_ones
        left = sub(whole, total(d for j, d in enumerate(sizes) if j != i))
        message = f"the remaining part would be {text_of(left)}; it cannot be negative"
        if not ledger.require(AtMost(0, left), SPLIT_SUM, message, at).is_no:
            return (*sizes[:i], left, *sizes[i + 1 :])
        return tuple(sizes)
    message = f"the parts {', '.join(map(text_of, sizes))} add up to {text_of(total(sizes))}, not {text_of(whole)}"
    ledger.require(Equal(total(sizes), whole), SPLIT_SUM, message, at)
    return tuple(sizes)
