"""Ranges of positions along several axes at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shapeinfer.diagnostics.codes import INVALID_VALUE, LENGTH_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Dim, Size, nonzero, text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.shapes.contents import is_data
from shapeinfer.shapes.movement.axes import normal_all
from shapeinfer.shapes.movement.indexing import sliced
from shapeinfer.shapes.rank import of_rank


def count_of(ledger: Ledger, lists: Mapping[str, Tensor | None]) -> Size | None:
    """Return the number of entries that all lists (by port) must have; None if it is unknown."""
    count: Size | None = None
    for name, x in lists.items():
        if x is None or x.shape is None:
            continue
        of_rank(ledger, x, 1, name)
        if count is None:
            count, first = x.shape[0], name
            continue
        at = f"{name}[0] {first}[0]"
        if (ledger.equal(x.shape[0], count, LENGTH_MISMATCH, at)) is not count and isinstance(x.shape[0], int):
            count, first = x.shape[0], name
    return count


def cut(
    ledger: Ledger,
    shape: Shape,
    axes: Sequence[int],
    starts: Sequence[Size | None],
    ends: Sequence[Size | None],
    steps: Sequence[Size | None],
    at: str = "steps",
) -> Shape:
    """Return what ``starts:ends:steps`` leaves of the axes; an entry that is not known is None.

    ``at`` is the port of the steps.
    """
    out = list(shape)
    # Runtimes take negative axes in every version.
    for axis, start, end, step in zip(normal_all(ledger, axes, len(shape), at="data"), starts, ends, steps):
        out[axis] = moving(ledger, shape[axis], axis, start, end, step, at)
    return tuple(out)


def moving(
    ledger: Ledger, size: Size, axis: int, start: Size | None, end: Size | None, step: Size | None, at: str = "steps"
) -> Size:
    """Return how many positions of an axis are picked; ``step``, which the port ``at`` holds, must not be 0."""
    if isinstance(step, int) and step == 0:
        ledger.fail(INVALID_VALUE, f"the step along axis {axis} is 0; it must not be 0", at)
    if isinstance(step, Dim) and not is_data(step):
        message = f"the step along axis {axis} is {text_of(step)}; it must not be 0"
        ledger.require(nonzero(step), INVALID_VALUE, message, at)
    return sliced(ledger, size, start, end, step)
