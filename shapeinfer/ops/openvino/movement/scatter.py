"""ScatterElementsUpdate, ScatterNDUpdate and ScatterUpdate: a tensor with entries replaced, of the same shape."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.dims import equal, product
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, choice, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.contents import scalar
from shapeinfer.shapes.elementwise.broadcast import Side, side
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import in_range, numbers, tuple_length
from shapeinfer.shapes.movement.updates import agree, rest_of_tuples
from shapeinfer.shapes.rank import alike

_ALONG = "data: T, indices: I, updates: T, axis: A"
_REDUCTION = 'reduction: string = "none"'
operator(f"ScatterUpdate({_ALONG}) -> output: T", since=3, T=ANY, I=INTEGERS, A=INTEGERS)
operator(f"ScatterElementsUpdate({_ALONG}) -> output: T", since=3, T=ANY, I=INTEGERS, A=INTEGERS)
operator(
    f"ScatterElementsUpdate({_ALONG}; {_REDUCTION}, use_init_val: bool = True) -> output: T",
    since=12,
    T=ANY,
    I=INTEGERS,
    A=INTEGERS,
)
operator("ScatterNDUpdate(data: T, indices: I, updates: T) -> output: T", since=4, T=ANY, I=INTEGERS)
operator(f"ScatterNDUpdate(data: T, indices: I, updates: T; {_REDUCTION}) -> output: T", since=15, T=ANY, I=INTEGERS)


@rule("ScatterElementsUpdate", domain=DOMAIN, since=3)
def scatter_elements(
    ctx: Context, data: Tensor, indices: Tensor, updates: Tensor, axis: Tensor, *, reduction: str = "none"
) -> Shape:
    """Keep the shape of ``data``; ``indices`` and ``updates`` have one shape of the same rank."""
    choice(ctx, "reduction", reduction, "none sum prod min max mean")
    if indices.shape is not None:
        agree(ctx, updates, side(indices.shape, "indices"), "the shape of indices")
    alike(ctx, data, indices, "data indices")
    if data.shape is None and indices.shape is not None:
        return tuple(ctx.fresh() for _ in indices.shape)
    k = _axis(ctx, data, axis)
    if k is not None and indices.value is not None:
        in_range(ctx, indices.value, data.dims[k], f"axis {k} of data", f"data[{k}] indices")
    return data.dims


def _axis(ctx: Context, data: Tensor, axis: Tensor) -> int | None:
    """Return the axis that a tensor of one entry holds, counted from the front, None if unknown."""
    if axis.shape is not None and equal(product(axis.shape), 1).is_no:
        ctx.fail(LENGTH_MISMATCH, f"axis must have one element; it is {axis.text}", "axis")
    k = scalar(ctx, axis)
    return ctx.axis(k, data.rank, at="axis") if isinstance(k, int) else None


@contents("ScatterElementsUpdate", domain=DOMAIN, since=3)
def scattered_elements(
    out: Tensor, data: Tensor, indices: Tensor, updates: Tensor, axis: Tensor, *, reduction: str = "none"
) -> Contents | None:
    """Put the updates at the indices along the axis."""
    k = numbers(axis.value)
    if k is None or reduction.lower() != "none":
        return None
    return moves.replaced(data, moves.along_axis(data, indices, k[0]), updates)


@rule("ScatterNDUpdate", domain=DOMAIN, since=4)
def scatter_nd(ctx: Context, data: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none") -> Shape:
    """Keep the shape of ``data``; an update is what a tuple of indices leaves of it."""
    choice(ctx, "reduction", reduction, "none sum sub prod min max")
    if indices.shape is not None and data.shape is not None:
        try:
            count = tuple_length(ctx, data, indices)
        except UnknownRank:
            return data.dims
        agree(ctx, updates, rest_of_tuples(indices.dims, data.dims, count), "which follows from indices and data")
    return data.dims


@contents("ScatterNDUpdate", domain=DOMAIN, since=4)
def scattered_nd(
    out: Tensor, data: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none"
) -> Contents | None:
    """Put the updates where the tuples of indices point."""
    return None if reduction.lower() != "none" else moves.replaced(data, moves.by_tuples(data, indices), updates)


@rule("ScatterUpdate", domain=DOMAIN, since=3)
def scatter_update(ctx: Context, data: Tensor, indices: Tensor, updates: Tensor, axis: Tensor) -> Shape:
    """Keep the shape of ``data``; an update is a slice of it for each index along the axis."""
    k = _axis(ctx, data, axis)
    if k is not None and indices.shape is not None:
        of, at = side(data.dims, "data"), side(indices.shape, "indices")
        expected = (*data.dims[:k], *indices.shape, *data.dims[k + 1 :])
        places = (*of.places[:k], *at.places, *of.places[k + 1 :])
        agree(ctx, updates, Side(expected, places, "data indices"), "the slices of data at indices")
        in_range(ctx, indices.value or (), data.dims[k], f"axis {k} of data", f"data[{k}] indices")
    return data.dims


@contents("ScatterUpdate", domain=DOMAIN, since=3)
def scattered(out: Tensor, data: Tensor, indices: Tensor, updates: Tensor, axis: Tensor) -> Contents | None:
    """Put the updates at the indices along the only axis."""
    return moves.replaced(data, moves.along_axis(data, indices, 0), updates) if data.rank == indices.rank == 1 else None
