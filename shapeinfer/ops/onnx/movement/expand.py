"""Repeat entries along axes: Expand, Tile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH, NEGATIVE_LENGTH, RANK_MISMATCH
from shapeinfer.dims import AtMost, Dim, Equal, mul, text_of
from shapeinfer.facts import Contents, Shape, Tensor, UnknownRank
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.contents import scalar
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.reshape import need_list


@rule("Expand", since=8)
def expand(ctx: Context, input: Tensor, shape: Tensor) -> Shape:
    """Broadcast the input and the shape that ``shape`` holds against each other."""
    target = ctx.dims(need_list(ctx, shape, "shape"), "shape")
    return ctx.broadcast(input.dims, target, at=("input", "shape{}"))


@contents("Expand")
def expanded(out: Tensor, input: Tensor, shape: Tensor) -> Contents | None:
    """Repeat the entries."""
    return None if input.array is None else tuple(np.broadcast_to(input.array, _numbers(out.dims)).ravel().tolist())


@rule("Tile", since=6)
def tile(ctx: Context, input: Tensor, repeats: Tensor) -> Shape:
    """Repeat each axis as often as ``repeats`` says."""
    listed = need_list(ctx, repeats, "repeats").shape
    if input.shape is None:
        return tuple(ctx.fresh() for _ in ctx.ints(repeats))
    count = input.rank if listed is None else listed[0]
    message = f"repeats has {text_of(count)} entries; expected {input.rank}, one per axis of the input"
    if ctx.require(Equal(count, input.rank), LENGTH_MISMATCH, message, "repeats[0] input").is_no:
        raise UnknownRank
    known = listed is not None and isinstance(count, int)
    times = ctx.dims(repeats, "repeats") if known else [ctx.fresh() for _ in input.dims]
    return tuple(mul(d, r) for d, r in zip(input.dims, times))


@contents("Tile", since=6)
def tiled(out: Tensor, input: Tensor, repeats: Tensor) -> Contents | None:
    """Repeat the entries."""
    times = _numbers(repeats.value or ())
    return moves.tiled(input, times) if input.shape is not None and len(times) == input.rank else None


def _numbers(entries: Sequence[object]) -> list[int]:
    return [e for e in entries if isinstance(e, int)]


@rule("Tile", since=1)
def tile_along_axis(ctx: Context, input: Tensor, tiles: Tensor, axis: Tensor) -> Shape:
    """Lay ``tiles`` copies along one axis."""
    for x, name in ((tiles, "tiles"), (axis, "axis")):
        if x.shape is not None and len(x.shape) > 1:
            ctx.fail(RANK_MISMATCH, f"{name} must be a scalar; it has rank {len(x.shape)}", name)
    times, k = scalar(ctx, tiles), scalar(ctx, axis)
    if isinstance(k, Dim):
        return tuple(ctx.fresh() for _ in input.dims)
    at = ctx.axis(k, input.rank, at="input")
    ctx.require(AtMost(0, times), NEGATIVE_LENGTH, f"tiles is {text_of(times)}; it cannot be negative", "tiles")
    return tuple(mul(d, times) if i == at else d for i, d in enumerate(input.dims))
