"""Pools: one number for each window over the spatial axes, or for each part of them."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH, RANK_MISMATCH
from shapeinfer.dims import Dim, text_of
from shapeinfer.facts import DType, Fact, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, INDEX, INTEGERS, NUMBERS, element_type, operator
from shapeinfer.ops.openvino.windows.windows import PADDED, WINDOW, LayerWindow
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.rank import of_rank_at_least
from shapeinfer.shapes.windows.window import window_counts

_WINDOW = f'strides?: ints, {PADDED}, kernel: ints, rounding_type: string = "floor"'
_INDEXED = f'{_WINDOW}, dilations?: ints, index_element_type: element_type = "i64", axis: int = 0'
operator(f"MaxPool(data: T; {_WINDOW}) -> output: T", T=NUMBERS)
for _since in (8, 14):
    operator(f"MaxPool(data: T; {_INDEXED}) -> output: T, indices?: I", since=_since, T=NUMBERS, I=INDEX)
for _since in (1, 14):
    operator(f"AvgPool(data: T; {_WINDOW}, exclude-pad: bool) -> output: T", since=_since, T=NUMBERS)
operator(f"AvgPool(data: T; {_WINDOW}, exclude-pad: bool, dilations?: ints) -> output: T", since=16, T=NUMBERS)
operator("AdaptiveAvgPool(data: T, output_shape: S) -> output: T", since=8, T=NUMBERS, S=INTEGERS)
operator(
    'AdaptiveMaxPool(data: T, output_shape: S; index_element_type: element_type = "i64") -> output: T, indices?: I',
    since=8,
    T=NUMBERS,
    S=INTEGERS,
    I=INDEX,
)


@rule("MaxPool", "AvgPool", domain=DOMAIN)
def pool(
    ctx: Context,
    x: Tensor,
    *,
    kernel: tuple[int, ...],
    window: LayerWindow = WINDOW,
) -> Shape:
    """Slide the window over the spatial axes of each channel."""
    over = window.of(ctx, kernel)
    shape = tuple(ctx.fresh() for _ in range(len(kernel) + 2)) if x.shape is None else x.shape
    if len(shape) != len(kernel) + 2:
        message = f"kernel has {len(kernel)} entries but {ctx.port_name('x')} has rank {len(shape)}; "
        ctx.fail(RANK_MISMATCH, message + "expected one entry per spatial axis", "x")
    space = window_counts(ctx, over, shape[2:], "x")
    if over.is_same and over.ceil_mode:
        # Rounded up twice, a stride that skips elements may reach past the end.
        skips = [isinstance(a.extent, int) and a.extent < a.stride for a in over.along]
        space = tuple(ctx.fresh() if skip else size for skip, size in zip(skips, space))
    return *shape[:2], *space


@rule("MaxPool", domain=DOMAIN, since=8)
def max_pool(
    ctx: Context,
    x: Tensor,
    *,
    kernel: tuple[int, ...],
    window: LayerWindow = WINDOW,
    index_element_type: DType = DType.INT64,
    axis: int = 0,
) -> list[Fact | Shape]:
    """Slide the window over the spatial axes; the second output holds where each maximum was."""
    out: Shape = pool(ctx, x, kernel=kernel, window=window)
    ctx.axis(axis, len(out), at="x")
    return [out, tensor(element_type(ctx, "index_element_type", index_element_type, INDEX), out)]


@rule("AdaptiveAvgPool", domain=DOMAIN, since=8)
def adaptive_pool(ctx: Context, x: Tensor, output_shape: Tensor) -> Shape:
    """Divide the spatial axes into the number of parts in the second input."""
    of_rank_at_least(ctx, x, 3, "x")
    listed = output_shape.shape
    count = listed[0] if listed else None
    if x.shape is None:
        parts = ctx.dims(output_shape, "output_shape")
        return ctx.fresh(), ctx.fresh(), *parts
    axes = len(x.shape) - 2
    if count is not None:
        message = f"output_shape has {text_of(count)} entries for {axes} spatial axes"
        ctx.equal(axes, count, LENGTH_MISMATCH, "output_shape[0]", message)
    if count is None or isinstance(count, Dim) or count != axes:
        return *x.shape[:2], *(ctx.fresh() for _ in range(axes))
    return *x.shape[:2], *ctx.dims(output_shape, "output_shape")


@rule("AdaptiveMaxPool", domain=DOMAIN, since=8)
def adaptive_max_pool(
    ctx: Context, x: Tensor, output_shape: Tensor, *, index_element_type: DType = DType.INT64
) -> list[Fact | Shape]:
    """Divide the spatial axes into parts; the second output holds where each maximum was."""
    out: Shape = adaptive_pool(ctx, x, output_shape)
    return [out, tensor(element_type(ctx, "index_element_type", index_element_type, INDEX), out)]
