"""Sample images at points between their pixels."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.shapes.rank import alike, of_rank_at_least


def sampled(ledger: Ledger, x: Tensor, grid: Tensor) -> Shape:
    """Return the shape of ``x`` sampled at the points of ``grid``, which have a coordinate for each spatial axis."""
    alike(ledger, x, grid, "x grid")
    of_rank_at_least(ledger, x, 3, "x")
    of_rank_at_least(ledger, grid, 3, "grid")
    known = x if x.shape is not None else grid
    n = x.dims[0] if x.shape is not None else grid.dims[0]
    if x.shape is not None and grid.shape is not None:
        n = ledger.equal(x.dims[0], grid.dims[0], DIM_MISMATCH, "x[0] grid[0]")
    if grid.shape is not None:
        message = (
            f"the last axis of grid is {text_of(grid.dims[-1])}; "
            f"it must be {known.rank - 2}, the number of spatial axes"
        )
        ledger.equal(grid.dims[-1], known.rank - 2, DIM_MISMATCH, "grid[-1]", message)
    channels = x.dims[1] if x.shape is not None else ledger.fresh()
    return (n, channels, *(grid.dims[1:-1] if grid.shape is not None else [ledger.fresh() for _ in x.dims[2:]]))
