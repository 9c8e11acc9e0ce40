"""Select, and data-dependent sizes: OneHot, NonZero, Unique."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.dims import Size, equal, product
from shapeinfer.facts import Contents, DType, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.elementwise.elementwise import MODES, auto_broadcasted
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INDEX, INTEGERS, choice, element_type, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.contents import scalar, sizes_in
from shapeinfer.shapes.elementwise.elements import fold
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import numbers
from shapeinfer.shapes.movement.selection import distinct, non_zeros
from shapeinfer.shapes.rank import of_rank

operator(f"Select(cond: bool, then: T, else: T{MODES}) -> output: T", T=ANY)
_ONE_HOT = "OneHot(indices: I, depth: D, on_value: T, off_value: T; axis: int{}) -> output: T"
operator(_ONE_HOT.format(""), I=INTEGERS, D=INTEGERS, T=ANY)
operator(
    _ONE_HOT.format(', negative_indices_mode: string = "ignore_negative"'),
    since=16,
    I=INTEGERS,
    D=INTEGERS,
    T=ANY,
)
operator('NonZero(data: T; output_type: element_type = "i64") -> output: I', since=3, T=ANY, I=INDEX)
operator(
    'Unique(data: T, axis?: A; sorted: bool = True, index_element_type: element_type = "i64", '
    'count_element_type: element_type = "i64") -> unique: T, indices: I, back: I, counts: C',
    since=10,
    T=ANY,
    A=INTEGERS,
    I=INDEX,
    C=INDEX,
)


@rule("Select", domain=DOMAIN)
def select(
    ctx: Context,
    cond: Tensor,
    then: Tensor,
    else_: Tensor,
    *,
    auto_broadcast: str = "numpy",
    auto_broadcast_auto_broadcast_axis: int | None = None,
) -> Shape:
    """Broadcast the condition and both choices; with ``pdpd`` the others are laid along the first choice."""
    ports, axis = ("then", "else_", "cond"), auto_broadcast_auto_broadcast_axis
    return auto_broadcasted(ctx, auto_broadcast, axis, then, else_, cond, ports=ports)


@contents("Select", domain=DOMAIN)
def selected(
    out: Tensor, cond: Tensor, then: Tensor, else_: Tensor, *, auto_broadcast: str = "numpy"
) -> Contents | None:
    """Take each entry from the one choice or the other."""
    return None if auto_broadcast.lower() == "pdpd" else fold("Where", out, cond, then, else_)


@rule("OneHot", domain=DOMAIN)
def one_hot(
    ctx: Context,
    indices: Tensor,
    depth: Tensor,
    on_value: Tensor,
    off_value: Tensor,
    *,
    axis: int,
    negative_indices_mode: str = "ignore_negative",
) -> Shape:
    """Add an axis of size ``depth``."""
    choice(ctx, "negative_indices_mode", negative_indices_mode, "ignore_negative normalize")
    for x, port in ((depth, "depth"), (on_value, "on_value"), (off_value, "off_value")):
        of_rank(ctx, x, 0, port)
    (classes,) = sizes_in(ctx, depth, "depth") if depth.value else (ctx.fresh(),)
    k = ctx.axis(axis, indices.rank + 1, at="indices")
    return (*indices.dims[:k], classes, *indices.dims[k:])


@contents("OneHot", domain=DOMAIN)
def marked(
    out: Tensor,
    indices: Tensor,
    depth: Tensor,
    on_value: Tensor,
    off_value: Tensor,
    *,
    axis: int,
    negative_indices_mode: str = "ignore_negative",
) -> Contents | None:
    """Put the one value at each known index along the new axis, the other elsewhere."""
    found = numbers(indices.value)
    if found is None or not on_value.value or not off_value.value:
        return None
    if min(found, default=0) < 0 and negative_indices_mode.lower() != "normalize":
        return None
    return moves.one_hot(out, indices, (*off_value.value, *on_value.value), axis % out.rank)


@rule("NonZero", domain=DOMAIN, since=3, unranked=2)
def non_zero(ctx: Context, data: Tensor, *, output_type: DType = DType.INT64) -> Tensor:
    """Return a column of coordinates for each element that is not zero."""
    dtype = element_type(ctx, "output_type", output_type, INDEX)
    return tensor(dtype, (ctx.fresh(), ctx.fresh())) if data.shape is None else non_zeros(ctx, data, dtype)


@rule("Unique", domain=DOMAIN, since=10)
def unique(
    ctx: Context,
    data: Tensor,
    axis: Tensor | None = None,
    *,
    index_element_type: DType = DType.INT64,
    count_element_type: DType = DType.INT64,
) -> list[Tensor]:
    """Keep one of each value or slice, with its first index, the way back and its count."""
    index = element_type(ctx, "index_element_type", index_element_type, INDEX)
    counts = element_type(ctx, "count_element_type", count_element_type, INDEX)
    volume = ctx.fresh() if data.shape is None else product(data.shape)
    if axis is None:
        count = distinct(ctx, data, volume, None)
        return _unique_outputs(data.of(count), count, volume, index, counts)
    if axis.shape is not None and equal(product(axis.shape), 1).is_no:
        ctx.fail(LENGTH_MISMATCH, f"axis must have one element; it is {axis.text}", "axis")
    k = scalar(ctx, axis)
    if data.shape is None or not isinstance(k, int):
        count, shape = ctx.fresh(), data.shape and tuple(ctx.fresh() for _ in data.shape)
        return _unique_outputs(tensor(data.dtype, shape), count, ctx.fresh(), index, counts)
    k = ctx.axis(k, data.rank, at="axis")
    count = distinct(ctx, data, data.dims[k], k)
    return _unique_outputs(data.of(*data.dims[:k], count, *data.dims[k + 1 :]), count, data.dims[k], index, counts)


def _unique_outputs(kept: Tensor, count: Size, size: Size, index: DType, counts: DType) -> list[Tensor]:
    return [kept, tensor(index, (count,)), tensor(index, (size,)), tensor(counts, (count,))]
