"""Tensors of strings, as the bytes of all and where each begins and ends."""

from __future__ import annotations

from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import DOMAIN, INDEX, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.elementwise.broadcast import equal_shapes
from shapeinfer.shapes.rank import of_rank

operator("StringTensorPack(begins: I, ends: I, symbols: uint8) -> output: string", since=15, I=INDEX)
operator("StringTensorUnpack(data: string) -> begins: int32, ends: int32, symbols: uint8", since=15)


@rule("StringTensorPack", domain=DOMAIN, since=15)
def pack(ctx: Context, begins: Tensor, ends: Tensor, symbols: Tensor) -> Shape:
    """Return one string for each beginning and end."""
    of_rank(ctx, symbols, 1, "symbols")
    return equal_shapes(ctx, (begins, ends), ("begins", "ends"))


@rule("StringTensorUnpack", domain=DOMAIN, since=15, unranked=[None, None, 1])
def unpack(ctx: Context, data: Tensor) -> list[Shape]:
    """Return the beginning and end of each string, and the bytes of all."""
    return [data.dims, data.dims, (ctx.fresh(),)]
