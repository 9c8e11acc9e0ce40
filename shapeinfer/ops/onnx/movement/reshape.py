"""Operators that keep the entries and their order: Reshape, Squeeze, Unsqueeze, Identity.

Runtimes take negative axes in all versions, also in those whose text does not say so.
"""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import MISSING_ATTRIBUTE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.facts import Contents, Fact, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement.axes import squeezed, squeezed_by_count, unsqueezed
from shapeinfer.shapes.movement.reshape import need_list, reshaped


@rule("Reshape", since=5)
def reshape(ctx: Context, data: Tensor, shape: Tensor, *, allowzero: int = 0) -> Shape:
    """Return the same elements in another shape, in which -1 is inferred and 0 copied."""
    target = ctx.ints(need_list(ctx, shape, "shape"), "shape")
    return reshaped(ctx, data.shape, target, zero_copies=not allowzero, at="data shape")


@rule("Reshape", since=1)
def reshape_by_attribute(ctx: Context, data: Tensor, *, shape: tuple[int, ...] | None = None) -> Shape:
    """Return the same elements in the shape that the attribute holds."""
    if shape is None:
        ctx.fail(MISSING_ATTRIBUTE, "Reshape requires the attribute shape (ints)", detail=Detail("shape"))
    return reshaped(ctx, data.shape, shape, at="data")


@rule("Squeeze", since=1)
def squeeze_by_attribute(ctx: Context, data: Tensor, *, axes: tuple[int, ...] | None = None) -> Shape | None:
    """Drop the named axes, which must have size 1, or all of that size."""
    return _squeezed(ctx, data, axes)


@rule("Squeeze", since=13)
def squeeze(ctx: Context, data: Tensor, axes: Tensor | None = None) -> Shape | None:
    """Drop the named axes, which must have size 1, or all of that size."""
    if axes is None:
        return squeezed(ctx, data.dims, None, "data")
    named = ctx.ints(need_list(ctx, axes, "axes"), "axes")
    numbers = [a for a in named if isinstance(a, int)]
    if len(numbers) == len(named):
        return _squeezed(ctx, data, numbers)
    return squeezed_by_count(ctx, data.dims, len(named), "data")


def _squeezed(ctx: Context, data: Tensor, axes: Sequence[int] | None) -> Shape | None:
    if axes is None or len(axes):
        # an axis may be named twice: runtimes drop it once
        normal = None if axes is None else tuple({ctx.axis(a, data.rank, negative=True, at="data") for a in axes})
        return squeezed(ctx, data.dims, normal, "data")
    # runtimes differ on an empty list: it drops no axis, or every one of size 1
    return data.dims if squeezed(ctx, data.dims, None) == data.dims else None


@rule("Unsqueeze", since=1)
def unsqueeze_by_attribute(ctx: Context, data: Tensor, *, axes: tuple[int, ...]) -> Shape:
    """Insert axes of size 1 at the positions ``axes`` of the output."""
    return unsqueezed(data.dims, ctx.axes(axes, data.rank + len(axes), negative=True, at="data"))


@rule("Unsqueeze", since=13)
def unsqueeze(ctx: Context, data: Tensor, axes: Tensor) -> Shape:
    """Insert axes of size 1 at the positions ``axes`` of the output."""
    named = ctx.ints(axes, "axes")
    rank = data.rank + len(named)
    numbers = [a for a in named if isinstance(a, int)]
    if len(numbers) < len(named):
        return tuple(ctx.fresh() for _ in range(rank))
    return unsqueezed(data.dims, ctx.axes(numbers, rank, at="axes"))


@rule("Identity", since=1)
def identity(ctx: Context, x: Fact) -> Fact:
    """Pass the value through, whatever its kind."""
    return x


@contents("Reshape", "Squeeze", "Unsqueeze")
def in_order(out: Tensor, data: Tensor, *more: Tensor) -> Contents | None:
    """Keep the entries, whose order does not change."""
    return data.value
