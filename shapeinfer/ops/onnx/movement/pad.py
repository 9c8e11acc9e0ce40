"""Pad and CenterCropPad: axes padded or cropped at their ends."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH
from shapeinfer.diagnostics.ledger import RuleStopped
from shapeinfer.dims import Equal, Size, product, text_of
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import known_entries, numbers
from shapeinfer.shapes.movement.padding import padded
from shapeinfer.shapes.rank import of_rank


@rule("Pad", since=1)
def pad_paddings(ctx: Context, data: Tensor, *, paddings: Sequence[int], mode: str = "constant") -> Shape:
    """Add ``paddings`` to every axis, those before all axes first."""
    _count(ctx, len(paddings), data.rank, "data")
    return padded(ctx, data.dims, range(data.rank), paddings, mode, "data")


@rule("Pad", since=2)
def pad_attribute(ctx: Context, data: Tensor, *, pads: Sequence[int], mode: str = "constant") -> Shape:
    """Add ``pads`` to every axis, those before all axes first."""
    _count(ctx, len(pads), data.rank, "data")
    return padded(ctx, data.dims, range(data.rank), pads, mode, "data")


@rule("Pad", since=11)
def pad_input(
    ctx: Context,
    data: Tensor,
    pads: Tensor,
    constant_value: Tensor | None = None,
    axes: Tensor | None = None,
    *,
    mode: str = "constant",
) -> Shape:
    """Add ``pads`` to every axis or to each of ``axes``; a negative one takes away."""
    of_rank(ctx, pads, 1, "pads")
    if constant_value is not None and constant_value.shape is not None:
        message = f"constant_value must have one element; it is {constant_value.text}"
        ctx.require(Equal(product(constant_value.shape), 1), LENGTH_MISMATCH, message, "constant_value")
    if data.shape is None and axes is None and isinstance(pads.dims[0], int):
        return tuple(ctx.fresh() for _ in range(pads.dims[0] // 2))
    where = _padded_axes(ctx, axes, data.rank)
    if where is None:
        return tuple(ctx.fresh() for _ in data.dims)
    if pads.shape is not None:
        _count(ctx, pads.shape[0], len(where), "pads")
    return padded(ctx, data.dims, where, known_entries(pads, 2 * len(where)), mode, "pads")


def _padded_axes(ctx: Context, axes: Tensor | None, rank: int) -> Sequence[int] | None:
    """Return the axes that pads apply to, None if unknown."""
    if axes is None:
        return range(rank)
    of_rank(ctx, axes, 1, "axes")
    listed = numbers(axes.value)
    if listed is None and axes.shape != (0,):
        return None
    return ctx.axes(listed or (), rank, negative=True, at="axes")


def _count(ctx: Context, count: Size, axes: int, at: str) -> None:
    message = f"pads has {text_of(count)} entries; expected {2 * axes}, a begin and an end for each of {axes} axes"
    if ctx.require(Equal(count, 2 * axes), LENGTH_MISMATCH, message, at).is_no:
        raise RuleStopped


@contents("Pad", since=11)
def padded_entries(
    out: Tensor,
    data: Tensor,
    pads: Tensor,
    constant_value: Tensor | None = None,
    axes: Tensor | None = None,
    *,
    mode: str = "constant",
) -> Contents | None:
    """Put the constant around the entries, or those that ``mode`` repeats."""
    amounts, where = numbers(pads.value), range(data.rank) if axes is None else numbers(axes.value)
    if amounts is None or where is None or len(amounts) != 2 * len(where) or mode == "wrap":
        return None
    filler = 0 if constant_value is None else constant_value.value[0] if constant_value.value else None
    before, after = [0] * data.rank, [0] * data.rank
    for axis, first, last in zip(where, amounts, amounts[len(where) :]):
        before[axis], after[axis] = first, last
    return moves.padded(data, before, after, filler, mode)


@rule("CenterCropPad", since=18)
def center_crop_pad(ctx: Context, x: Tensor, shape: Tensor, *, axes: Sequence[int] | None = None) -> Shape:
    """Crop or pad the axes to the sizes that ``shape`` holds."""
    where = range(x.rank) if axes is None else ctx.axes(axes, x.rank, negative=True, at="x")
    out = list(x.dims)
    try:
        wanted = ctx.dims(shape, "shape")
    except UnknownRank:
        wanted = tuple(ctx.fresh() for _ in where)
    if len(wanted) != len(where):
        ctx.fail(LENGTH_MISMATCH, f"shape has {len(wanted)} entries; expected {len(where)}, one per axis", "shape x")
    for axis, size in zip(where, wanted):
        out[axis] = size
    return tuple(out)
