"""Selection by content: nonzero entries, distinct entries."""

from __future__ import annotations

from collections import Counter

import numpy as np

from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Dim, Size, equal, less_equal, product
from shapeinfer.facts import DType, Element, Tensor, tensor
from shapeinfer.shapes.movement.indexing import greatest, positions, up_to


def non_zeros(ledger: Ledger, x: Tensor, dtype: DType) -> Tensor:
    """Return a column of coordinates for each element that is not zero. Raises UnknownRank."""
    if x.rank == 0:
        # Runtimes disagree on what the coordinates of a scalar are.
        return tensor(dtype, (ledger.fresh(0, 1), ledger.fresh(0, 1)))
    found = _present(x)
    if found is None:
        return tensor(dtype, (x.rank, up_to(ledger, product(x.dims))))
    coordinates = np.unravel_index(np.array(found, dtype=np.int64), positions(x).shape)
    return tensor(dtype, (x.rank, len(found)), tuple(int(c) for axis in coordinates for c in axis))


def _present(x: Tensor) -> list[int] | None:
    """Return the indices of nonzero elements, None unless all elements are known."""
    found = []
    for i, entry in enumerate(x.value if x.value is not None else (None,)):
        truth = _truth(entry)
        if truth is None:
            return None
        if truth:
            found.append(i)
    return found


def _truth(entry: Element) -> bool | None:
    if isinstance(entry, Dim):
        return True if equal(entry, 0).is_no else None
    if entry is None or not isinstance(entry, (bool, int, float)):
        return None
    return bool(entry)


def distinct_entries(x: Tensor, *, sort: bool) -> list[Tensor] | None:
    """Return the distinct ones of known integers, their first indices, the way back and their counts."""
    entries = [e for e in x.value or () if isinstance(e, int)]
    if x.value is None or len(entries) < len(x.value) or not x.dtype.is_integer:
        return None
    counts = Counter(entries)
    found = sorted(counts) if sort else list(counts)
    first = {entry: i for i, entry in reversed([*enumerate(entries)])}
    place = {entry: i for i, entry in enumerate(found)}
    outputs = [[first[e] for e in found], [place[e] for e in entries], [counts[e] for e in found]]
    return [tensor(x.dtype, (len(found),), tuple(found))] + [tensor(DType.INT64, (len(o),), tuple(o)) for o in outputs]


def distinct(ledger: Ledger, x: Tensor, size: Size, axis: int | None) -> Size:
    """Return how many of ``size`` elements or slices differ: at least one where there are any."""
    if isinstance(size, int) and size <= 1:
        return size
    if x.value and isinstance(size, int) and all(isinstance(v, (int, float, str)) and v == v for v in x.value):
        rows = np.moveaxis(positions(x), axis, 0) if axis is not None else positions(x)
        return len({tuple(x.value[p] for p in row) for row in rows.reshape(size, -1).tolist()})
    return ledger.fresh(1 if less_equal(1, size).is_yes else 0, greatest(size))
