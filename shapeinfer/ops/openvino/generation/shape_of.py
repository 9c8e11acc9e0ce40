"""ShapeOf: the sizes of a tensor's axes, as a tensor."""

from __future__ import annotations

from shapeinfer.facts import DType, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INDEX, element_type, operator
from shapeinfer.ops.registry import rule

operator("ShapeOf(data: T) -> output: int64", T=ANY)
operator('ShapeOf(data: T; output_type: element_type = "i64") -> output: I', since=3, T=ANY, I=INDEX)


@rule("ShapeOf", domain=DOMAIN)
def shape_of(ctx: Context, data: Tensor, *, output_type: DType = DType.INT64) -> Tensor:
    """Return the sizes of all axes."""
    dtype = element_type(ctx, "output_type", output_type, INDEX)
    if data.shape is None:
        return tensor(dtype, (ctx.fresh(),))
    return tensor(dtype, (data.rank,), data.dims)
