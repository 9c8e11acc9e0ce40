"""Pools: one number for each window over the spatial axes, or for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import (
    CONFLICTING_ARGUMENTS,
    INVALID_ATTRIBUTE,
    MISSING_ATTRIBUTE,
    RANK_MISMATCH,
    Severity,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import text_of
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.windows.window import WINDOW, Ints, SlidingWindow, Window, window_counts


def _spatial(ctx: Context, x: Tensor, kernel_shape: Sequence[int]) -> Shape:
    """Return the spatial axes; the kernel must have one entry per spatial axis."""
    rank = len(kernel_shape) + 2
    if x.shape is None:
        return tuple(ctx.fresh() for _ in range(rank))
    if len(x.shape) != rank or not kernel_shape:
        message = f"kernel_shape has {len(kernel_shape)} entries but {ctx.port_name('x')} has rank {len(x.shape)}; "
        ctx.fail(RANK_MISMATCH, message + "expected one entry per spatial axis", "x")
    return x.shape


def require_small_pads(ctx: Context, over: SlidingWindow) -> None:
    """Require that every window overlaps the input, not only padding."""
    for k, before, after in zip(over.kernel_shape, over.pads, over.pads[len(over.strides) :]):
        outside = isinstance(k, int) and not (0 <= before < k and 0 <= after < k)
        if over.auto_pad == "NOTSET" and outside:
            message = f"pads {before} and {after} must be at least 0 and smaller than the kernel's {text_of(k)}"
            ctx.fail(INVALID_ATTRIBUTE, message, detail=Detail("pads"))


def _pooled(ctx: Context, shape: Shape, over: SlidingWindow) -> Shape:
    """Return the shape after the window slid over it."""
    require_small_pads(ctx, over)
    if over.auto_pad != "NOTSET" and any(over.pads):
        # Unlike those of convolutions, runtimes let it pass and choose the padding themselves.
        message = f"auto_pad {over.auto_pad} and pads exclude each other; keep one of them"
        ctx.report(CONFLICTING_ARGUMENTS, message, severity=Severity.WARNING)
    if over.is_same and max(over.dilations, default=1) > 1:
        # Runtimes choose the padding without regard to dilation, the documentation with.
        return *shape[:2], *(ctx.fresh() for _ in over.strides)
    return *shape[:2], *window_counts(ctx, over, shape[2:], "x")


@rule("LpPool", since=2)
@rule("AveragePool", since=1)
def pool(
    ctx: Context,
    x: Tensor,
    *,
    kernel_shape: Sequence[int],
    window: Window = WINDOW,
) -> Shape:
    """Slide the window over the spatial axes of each channel."""
    shape = _spatial(ctx, x, kernel_shape)
    over = window.of(ctx, kernel_shape, len(shape) - 2)
    return _pooled(ctx, shape, over)


@rule("MaxPool", since=1)
def max_pool(
    ctx: Context,
    x: Tensor,
    *,
    kernel_shape: Sequence[int],
    window: Window = WINDOW,
) -> list[Shape]:
    """Slide the window over the spatial axes; the second output holds where each maximum was."""
    out: Shape = pool(ctx, x, kernel_shape=kernel_shape, window=window)
    return [out, out]


@rule("LpPool", since=1)
def first_lp_pool(
    ctx: Context,
    x: Tensor,
    *,
    kernel_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Slide the window over the spatial axes; its kernel may be left out of the schema, not of a run."""
    if kernel_shape is None:
        ctx.fail(MISSING_ATTRIBUTE, "LpPool requires the attribute kernel_shape", detail=Detail("kernel_shape"))
    out: Shape = pool(ctx, x, kernel_shape=kernel_shape, window=window)
    return out


@rule("GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool", since=1)
def global_pool(ctx: Context, x: Tensor) -> Shape:
    """Leave one element of each channel: every spatial axis becomes 1."""
    if x.rank < 3:
        ctx.fail(
            RANK_MISMATCH,
            f"{ctx.port_name('x')} has rank {x.rank}; it must have rank 3 or more (batch, channels and spatial axes)",
            "x",
        )
    return *x.dims[:2], *(1 for _ in x.dims[2:])
