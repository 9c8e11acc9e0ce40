"""Tile: repeat entries along axes."""

from __future__ import annotations

from shapeinfer.dims import Size, maximum, mul
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.contents import entries
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.indexing import numbers
from shapeinfer.shapes.movement.reshape import need_list

operator("Tile(data: T, repeats: I) -> output: T", T=ANY, I=INTEGERS)


@rule("Tile", domain=DOMAIN)
def tile(ctx: Context, data: Tensor, repeats: Tensor) -> Shape:
    """Lay copies along the last axes; the shorter of shape and repeats is filled up with ones at its front.

    OpenVINO takes a negative number of copies for none.
    """
    times = tuple(maximum(0, t) for t in entries(ctx, need_list(ctx, repeats, "repeats"), "repeats", low=0))
    dims: tuple[Size, ...] = data.dims
    rank = max(len(times), len(dims))
    return tuple(mul(d, t) for d, t in zip((1,) * (rank - len(dims)) + dims, (1,) * (rank - len(times)) + times))


@contents("Tile", domain=DOMAIN)
def tiled(out: Tensor, data: Tensor, repeats: Tensor) -> Contents | None:
    """Repeat the entries."""
    times = numbers(repeats.value)
    return None if times is None or min(times, default=0) < 0 else moves.tiled(data, times)
