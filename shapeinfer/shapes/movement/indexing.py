"""Which positions of an axis an index or a slice picks, and how many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from shapeinfer.diagnostics.codes import INDEX_OUT_OF_RANGE, INVALID_ATTRIBUTE, RANK_MISMATCH, Severity
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import (
    AllOf,
    AnyOf,
    AtMost,
    Condition,
    Dim,
    Equal,
    Size,
    at_least,
    below,
    ceildiv,
    equal,
    has_fresh_symbol,
    less,
    less_equal,
    maximum,
    minimum,
    text_of,
    weight_of_size,
)
from shapeinfer.facts import Contents, Element, Ends, Tensor, UnknownRank
from shapeinfer.shapes.movement.axes import normal
from shapeinfer.shapes.rank import alike, of_rank_at_least

Positions = np.ndarray[Any, np.dtype[np.int64]]

TO_THE_END = (2**31 - 1, 2**63 - 1)
"""Ends that mean the end of the axis, however long it is."""
MOST_PARTS = 10
"""An index of unknown sign and its axis together have at most so many parts where the cases are told apart."""
FAR = 2**62
"""No axis is this long."""
FROM_THE_FRONT = (-(2**31), -(2**31) + 1)


def greatest(size: Size) -> int | None:
    """Return the upper bound of a size, None where there is none."""
    return size if isinstance(size, int) else size.high


def up_to(ledger: Ledger, most: Size) -> Size:
    """Return an unknown dim with an upper bound."""
    high = greatest(most)
    if high is not None and high <= 0:
        return 0
    return ledger.fresh(0, high)


def is_unread(size: Size) -> bool:
    """Whether a dim contains an unknown entry read by the rule, which is a new symbol."""
    return isinstance(size, Dim) and any(s.is_slot for s in size.symbols)


def from_front(index: Size | None, size: Size) -> Size | None:
    """Return an index counted from the front where its sign is known, else None.

    A sign that makes no difference is as good as known: where the index below 0 would still be at most 0
    with ``size`` added, a slice clamps both to the front. On an axis of known size ``size`` is added as often as
    the index is below 0, which is once or never.
    """
    if index is None or less_equal(0, index).is_yes:
        return index
    if less(index, 0).is_yes:
        return index + size
    # index <= -1, so index + size == c*index + (size - (c - 1)*index) <= -c + c
    if any(less_equal(size - (c - 1) * index, c).is_yes for c in (1, 2, 3)):
        return index
    return index + size * minimum(1, maximum(0, -index)) if _is_readable(index, size) else None


def _is_readable(index: Size, size: Size) -> bool:
    """Whether a case for each sign of an index is of use: not where both sizes are long, or where data decides."""
    weight = weight_of_size(index) + weight_of_size(size)
    return weight <= MOST_PARTS and not has_fresh_symbol(index) and not has_fresh_symbol(size)


def sliced(ledger: Ledger, size: Size, start: Size | None, end: Size | None, step: Size | None) -> Size:
    """Return how many positions of an axis ``start:end:step`` picks; ``step`` is not 0, which callers require of a dim.

    Start and end are clamped to the axis, as ONNX's Slice clamps them. The size is fresh, and at most the
    axis's, where it depends on more than is known; None is an entry of which nothing is known.
    """
    if step is None or _is_unknown_index(step):
        return up_to(ledger, size)
    if less_equal(0, step).is_yes:
        return _forward(ledger, size, start, end, step)
    return _backward(ledger, size, start, end, -step) if isinstance(step, int) else up_to(ledger, size)


def _forward(ledger: Ledger, size: Size, start: Size | None, end: Size | None, step: Size) -> Size:
    first = from_front(start, size)
    last = size if _is_end(end) else from_front(end, size)
    # min(last, size) - max(first, 0), as far as both are known
    rooms = [size]
    if last is not None:
        rooms.append(last)
    if first is not None:
        rooms.append(size - first)
    if first is not None and last is not None:
        rooms.append(last - first)
    if isinstance(step, int):
        picked = maximum(0, minimum(*(ceildiv(room, step) for room in rooms)))
    else:
        picked = ceildiv(maximum(0, minimum(*rooms)), step)
    return picked if len(rooms) == 4 else up_to(ledger, picked)


def _is_end(end: Size | None) -> bool:
    return isinstance(end, int) and (end in TO_THE_END or end >= FAR)


def _backward(ledger: Ledger, size: Size, start: Size | None, end: Size | None, step: int) -> Size:
    first = size - 1 if isinstance(start, int) and start >= FAR else _signed(start, size)
    last = -1 if isinstance(end, int) and (end <= -FAR or end in FROM_THE_FRONT) else _signed(end, size)
    if first is None or last is None or start is None or _is_end(end):
        # Runtimes do not agree on a largest end that is stepped to backward.
        return up_to(ledger, size)
    first = minimum(first, size - 1)
    inside = less_equal(0, first).is_yes or less_equal(size - 1, first).is_yes or less_equal(0, start).is_yes
    picked = maximum(0, ceildiv((first if inside else maximum(0, first)) - maximum(-1, last), step))
    return picked if inside else minimum(size, picked)


def _signed(index: Size | None, size: Size) -> Size | None:
    if index is None:
        return None
    if less_equal(0, index).is_yes:
        return index
    return index + size if less(index, 0).is_yes else None


def picked(size: int, start: int, end: int, step: int) -> range | None:
    """Return the positions that a slice picks of an axis of known size, None where runtimes do not agree."""
    if size == 0 or (step < 0 and _is_end(end)):
        return range(0) if size == 0 else None
    first, last = (i + size if i < 0 else i for i in (start, end))
    if step > 0:
        return range(min(max(first, 0), size), min(max(last, 0), size), step)
    return range(min(max(first, 0), size - 1), min(max(last, -1), size), step)


def in_range(ledger: Ledger, indices: Iterable[Element], size: Size, what: str, at: str = "") -> bool:
    """Require that every known index lies on an axis, counted from either end, and return whether there is one."""
    known = [i for i in indices if isinstance(i, (int, Dim)) and not _is_unknown_index(i)]
    numbered = [int(i) for i in known if isinstance(i, int)]
    asked: list[Size] = [*dict.fromkeys(i for i in known if isinstance(i, Dim))]
    # The least and the greatest constant imply the condition for the others.
    if numbered and max(numbered) >= 0:
        asked.append(max(numbered))
    if numbered and min(numbered) < 0:
        asked.append(min(numbered))
    for index in asked:
        message = f"index {text_of(index)} is out of range for {what}, which is {text_of(size)}"
        ledger.require(_on_axis(index, size), INDEX_OUT_OF_RANGE, message, at)
    return bool(asked)


def ends_in_range(ledger: Ledger, indices: Tensor, size: Size, what: str, at: str = "") -> None:
    """Require that every index of a tensor lies on an axis, counted from either end, as far as they are known.

    Whatever the index is, an axis without positions has none for it.
    """
    if indices.value is None and indices.value_range is not None:
        _range_in_range(ledger, indices, indices.value_range, size, what, at)
    elif not in_range(ledger, indices.value or (), size, what, at) and isinstance(size, Dim):
        _some_position(ledger, indices, size, what, at)


def _some_position(ledger: Ledger, indices: Tensor, size: Dim, what: str, at: str) -> None:
    """Require an axis of some positions for indices that data decides; where it decides their number too, that does."""
    none = tuple(Equal(d, 0) for d in indices.dims if not equal(d, 0).is_no)
    if not any(has_fresh_symbol(d) for d in (size, *indices.dims)):
        message = f"no index is in range for {what}, which is {text_of(size)}"
        ledger.require(AnyOf((at_least(size, 1), *none)), INDEX_OUT_OF_RANGE, message, at)


def _range_in_range(ledger: Ledger, indices: Tensor, ends: Ends, size: Size, what: str, at: str) -> None:
    """Require that indices from a least to a greatest one lie on an axis, if there are any."""
    if any(map(_is_unknown_index, ends)):
        return
    least, greatest = ends
    inside = AllOf((AtMost(-size, least), below(greatest, size)))
    # without entries there is nothing that could lie outside
    none = tuple(Equal(d, 0) for d in indices.dims if not equal(d, 0).is_no)
    message = f"indices {text_of(least)} to {text_of(greatest)} are out of range for {what}, which is {text_of(size)}"
    answer = ledger.require(AnyOf((inside, *none)) if none else inside, INDEX_OUT_OF_RANGE, message, at)
    most = greatest.high if isinstance(greatest, Dim) else None
    if answer.is_maybe and isinstance(size, int) and most is not None and most >= size:
        # The indices themselves end beyond the axis, as positions of a table that was cut: no free dim is to blame.
        beyond = f"indices go up to {most}, outside {what}, which is {size}"
        ledger.report(INDEX_OUT_OF_RANGE, beyond, at, Severity.WARNING)


def counts_up(x: Tensor) -> bool:
    """Whether the entries of a tensor are integers that count up by one along its only axis of more than one."""
    entries = x.value or ()
    first = entries[0] if entries else None
    if not isinstance(first, int) or len(entries) not in x.dims:
        return False
    return entries == tuple(range(first, first + len(entries)))


def _is_unknown_index(index: Size) -> bool:
    """Whether an index is data of which nothing is known, so that no condition about it is of use."""
    return isinstance(index, Dim) and any(s.is_fresh or s.is_slot for s in index.symbols)


def _on_axis(index: Size, size: Size) -> Condition:
    upper, lower = below(index, size), AtMost(0 - index, size)
    if less_equal(0, index).is_yes:
        return upper
    return lower if less(index, 0).is_yes else AllOf((lower, upper))


def within(ledger: Ledger, data: Tensor, indices: Tensor, axis: int) -> None:
    """Require that ``indices`` has the rank of ``data`` and, except along ``axis``, does not reach beyond it."""
    alike(ledger, data, indices, "data indices")
    k = normal(ledger, axis, data.rank, at="data")
    for i, (size, used) in enumerate(zip(data.dims, indices.dims)):
        message = f"axis {i} of indices is {text_of(used)}, more than axis {i} of data, which is {text_of(size)}"
        if i != k and used is not size:
            ledger.require(AtMost(used, size), INDEX_OUT_OF_RANGE, message, f"indices[{i}] data[{i}]")
    ends_in_range(ledger, indices, data.dims[k], f"axis {k} of data", f"data[{k}] indices")


def tuple_length(ledger: Ledger, data: Tensor, indices: Tensor, batch_dims: int = 0) -> int:
    """Return how many axes of ``data`` each tuple on the last axis of ``indices`` picks from."""
    of_rank_at_least(ledger, data, 1, "data")
    of_rank_at_least(ledger, indices, 1, "indices")
    if not 0 <= batch_dims < min(data.rank, indices.rank):
        message = f"batch_dims is {batch_dims}; it must be less than the ranks {data.rank} and {indices.rank}"
        ledger.fail(INVALID_ATTRIBUTE, message, "data indices", detail=Detail("batch_dims"))
    count = indices.dims[-1]
    if isinstance(count, Dim):
        raise UnknownRank
    if batch_dims + count > data.rank:
        message = f"the last axis of indices is {count}, more than the {data.rank - batch_dims} indexable axes of data"
        ledger.fail(RANK_MISMATCH, message, "indices[-1] data")
    for i in range(count):
        size, what, at = data.dims[batch_dims + i], f"axis {batch_dims + i} of data", f"data[{batch_dims + i}] indices"
        if indices.value is not None:
            in_range(ledger, indices.value[i::count], size, what, at)
        elif len(indices.ends) == count and (ends := indices.ends[i]) is not None:
            _range_in_range(ledger, indices, ends, size, what, at)
    return count


def positions(x: Tensor) -> Positions:
    """Return the number of each element in row-major order, in the tensor's shape."""
    shape = tuple(d for d in x.dims if isinstance(d, int))
    return np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64).reshape(shape)


def entries_at(x: Tensor, at: Positions) -> Contents | None:
    """Return the entries at these positions, in row-major order."""
    value = x.value
    return None if value is None else tuple(value[p] for p in at.ravel().tolist())


def known_entries(x: Tensor, count: int) -> list[Size | None]:
    """Return the entries of a list of integers, None for those that are not known."""
    if x.value is None or x.shape != (count,):
        return [None] * count
    return [v if isinstance(v, (int, Dim)) else None for v in x.value]


def numbers(entries: Sequence[Element] | None) -> list[int] | None:
    """Return the entries if all are known integers."""
    if entries is None or not all(isinstance(e, (int, bool)) for e in entries):
        return None
    return [int(e) for e in entries if isinstance(e, int)]
