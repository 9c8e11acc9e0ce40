"""Flatten: any tensor as a matrix."""

from __future__ import annotations

from shapeinfer.dims import product
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule


@rule("Flatten", since=1, unranked=2)
def flatten(ctx: Context, x: Tensor, *, axis: int = 1) -> Shape:
    """Fold the axes before ``axis`` into rows and the rest into columns."""
    if x.shape is None and axis == 0:
        return 1, ctx.fresh()
    k = ctx.axis(axis, x.rank, end=True, at="x")
    return product(x.dims[:k]), product(x.dims[k:])


@contents("Flatten")
def flattened(out: Tensor, x: Tensor, *, axis: int = 1) -> Contents | None:
    """Keep the entries, whose order does not change."""
    return x.value
