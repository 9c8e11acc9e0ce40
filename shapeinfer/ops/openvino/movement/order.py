"""TopK, CumSum, Reverse, ReverseSequence and Roll: what goes along one axis in order."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, ELEMENT_TYPE_NOT_ALLOWED, LENGTH_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import Equal, equal, product, text_of
from shapeinfer.facts import Contents, DType, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INDEX, INTEGERS, NUMBERS, choice, element_type, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.contents import scalar
from shapeinfer.shapes.movement.indexing import numbers
from shapeinfer.shapes.movement.order import running_totals, top
from shapeinfer.shapes.movement.reshape import need_list
from shapeinfer.shapes.rank import of_rank, of_rank_at_least

_TOP = 'axis: int, mode: string, sort: string, index_element_type: element_type = "i32"'
for _since in (1, 3):
    operator(f"TopK(data: T, k: K; {_TOP}) -> values: T, indices: I", since=_since, T=NUMBERS, K=INTEGERS, I=INDEX)
operator(
    f"TopK(data: T, k: K; {_TOP}, stable: bool = False) -> values: T, indices: I",
    since=11,
    T=NUMBERS,
    K=INTEGERS,
    I=INDEX,
)
operator(
    "CumSum(data: T, axis?: I; exclusive: bool = False, reverse: bool = False) -> output: T",
    since=3,
    T=f"{NUMBERS} bool",
    I=INTEGERS,
)
operator("Reverse(data: T, axes: I; mode: string) -> output: T", T=ANY, I=f"{INTEGERS} bool")
operator(
    "ReverseSequence(data: T, seq_lengths: I; batch_axis: int = 0, seq_axis: int = 1) -> output: T", T=ANY, I=NUMBERS
)
operator("Roll(data: T, shift: I, axes: A) -> output: T", since=7, T=ANY, I=INTEGERS, A=INTEGERS)


@rule("TopK", domain=DOMAIN)
def top_k(
    ctx: Context,
    data: Tensor,
    k: Tensor,
    *,
    axis: int,
    mode: str,
    sort: str,
    index_element_type: DType = DType.INT32,
) -> list[Tensor]:
    """Keep the ``k`` largest or smallest along one axis, and where they stood."""
    choice(ctx, "mode", mode, "max min")
    choice(ctx, "sort", sort, "value index none")
    dtype = element_type(ctx, "index_element_type", index_element_type, INDEX)
    of_rank(ctx, k, 0, "k")
    if data.shape is None:
        return [data, tensor(dtype, None)]
    values, indices = top(ctx, data, axis, scalar(ctx, k) if k.value else None, "k data")
    return [data.of(*values), tensor(dtype, indices)]


@rule("CumSum", domain=DOMAIN, since=3)
def cumulative(ctx: Context, data: Tensor, axis: Tensor | None = None) -> Shape:
    """Keep the shape; ``axis`` holds one of its axes, by default the first."""
    if axis is not None:
        if axis.shape is not None and equal(product(axis.shape), 1).is_no:
            ctx.fail(LENGTH_MISMATCH, f"axis must have one element; it is {axis.text}", "axis")
        k = scalar(ctx, axis)
        if isinstance(k, int):
            ctx.axis(k, data.rank, at="axis")
    return data.dims


@contents("CumSum", domain=DOMAIN, since=3)
def cumulated(
    out: Tensor, data: Tensor, axis: Tensor | None = None, *, exclusive: bool = False, reverse: bool = False
) -> Contents | None:
    """Add up entries along their only axis."""
    return running_totals(data, exclusive=exclusive, reverse=reverse)


@rule("Reverse", domain=DOMAIN)
def reverse(ctx: Context, data: Tensor, axes: Tensor, *, mode: str) -> Shape:
    """Keep the shape; the axes to reverse are named, or marked one by one."""
    mode = choice(ctx, "mode", mode, "index mask")
    need_list(ctx, axes, "axes")
    if mode == "index":
        for a in numbers(axes.value) or ():
            ctx.axis(a, data.rank, at="axes")
        return data.dims
    if axes.dtype and axes.dtype is not DType.BOOL:
        message = f"mode mask requires boolean axes; axes is {axes.dtype.spelled}"
        ctx.fail(ELEMENT_TYPE_NOT_ALLOWED, message, "axes", Detail(allowed=(DType.BOOL.spelled,)))
    if axes.shape is not None:
        message = f"axes has {text_of(axes.shape[0])} entries; expected {data.rank}, one per axis of data"
        ctx.require(Equal(axes.shape[0], data.rank), LENGTH_MISMATCH, message, "axes[0] data")
    return data.dims


@rule("ReverseSequence", domain=DOMAIN)
def reverse_sequence(
    ctx: Context, data: Tensor, seq_lengths: Tensor, *, batch_axis: int = 0, seq_axis: int = 1
) -> Shape:
    """Keep the shape; there is one length for each element of the batch."""
    of_rank_at_least(ctx, data, 2, "data")
    need_list(ctx, seq_lengths, "seq_lengths")
    batch = ctx.axis(batch_axis, data.rank, at="data")
    ctx.axis(seq_axis, data.rank, at="data")
    out = list(data.dims)
    if seq_lengths.shape is not None:
        out[batch] = ctx.equal(out[batch], seq_lengths.shape[0], DIM_MISMATCH, f"data[{batch}] seq_lengths[0]")
    return tuple(out)


@rule("Roll", domain=DOMAIN, since=7)
def roll(ctx: Context, data: Tensor, shift: Tensor, axes: Tensor) -> Shape:
    """Keep the shape; there is one shift for all axes, or one for each."""
    for x, port in ((shift, "shift"), (axes, "axes")):
        if x.shape is not None and len(x.shape) > 1:
            need_list(ctx, x, port)
    if shift.shape and axes.shape is not None:
        named = product(axes.shape)
        message = f"shift has {text_of(shift.shape[0])} entries and axes {text_of(named)}; they must be equal"
        ctx.require(Equal(shift.shape[0], named), LENGTH_MISMATCH, message, "shift[0] axes")
    for a in numbers(axes.value) or ():
        ctx.axis(a, data.rank, at="axes")
    return data.dims
