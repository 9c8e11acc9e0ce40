"""The least and the greatest entry of integer tensors, which become indices: positions that are counted and moved."""

from __future__ import annotations

from collections.abc import Callable

from shapeinfer.dims import Dim, Size, add, less_equal, mul, sub
from shapeinfer.facts import Ends, Tensor
from shapeinfer.ops.registry import value_range

MAX_COLUMNS = 8
"""No more positions of a last axis have ends of their own: tuples of indices have one for each axis."""


@value_range("Range")
def of_range(out: Tensor, start: Tensor, limit: Tensor, delta: Tensor) -> Ends | None:
    """Count by ones: the limit is left out."""
    first, last, step = (x.value_range for x in (start, limit, delta))
    if first is None or last is None or step not in ((1, 1), (-1, -1)):
        return None
    return (first[0], last[0] - 1) if step == (1, 1) else (last[0] + 1, first[0])


@value_range("Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "Expand")
def moved(out: Tensor, x: Tensor, *_: Tensor | None) -> Ends | None:
    """Keep every entry."""
    return x.value_range


@value_range("Tile", since=6)
def repeated(out: Tensor, x: Tensor, *_: Tensor | None) -> Ends | None:
    """Keep every entry."""
    return x.value_range


@value_range("Add", since=7)
def shifted(out: Tensor, a: Tensor, b: Tensor) -> Ends | None:
    """Add one number to every entry."""
    return _by_number(add, a, b) or _by_number(add, b, a)


@value_range("Sub", since=7)
def shifted_back(out: Tensor, a: Tensor, b: Tensor) -> Ends | None:
    """Take one number off every entry."""
    return _by_number(sub, a, b)


@value_range("Mul", since=7)
def scaled(out: Tensor, a: Tensor, b: Tensor) -> Ends | None:
    """Multiply every entry by one number that is not negative."""
    return _by_number(mul, a, b) or _by_number(mul, b, a)


@value_range("Concat", since=4)
def side_by_side(out: Tensor, *inputs: Tensor, axis: int) -> list[Ends | None] | None:
    """Put lists of indices side by side: each position of the last axis keeps its entries."""
    if out.shape is None or axis not in (-1, out.rank - 1) or not 1 < len(inputs) <= MAX_COLUMNS:
        return None
    if any(x.shape is None or x.shape[-1:] != (1,) for x in inputs):
        return None
    return [x.value_range for x in inputs]


def _by_number(operate: Callable[[Size, Size], Size], x: Tensor, number: Tensor) -> Ends | None:
    """Change both ends by the one entry of a tensor; of more entries the ends need not meet."""
    by = number.value[0] if number.value is not None and len(number.value) == 1 else None
    if x.value_range is None or not isinstance(by, (int, Dim)):
        return None
    if operate is mul and not less_equal(0, by).is_yes:
        return None
    return operate(x.value_range[0], by), operate(x.value_range[1], by)
