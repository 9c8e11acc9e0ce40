"""Change the element type: Convert, ConvertLike."""

from __future__ import annotations

from shapeinfer.facts import Contents, DType, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.elementwise.casts import converted, convertible

operator("Convert(data: T; destination_type: element_type) -> output: U", T=ANY, U=ANY)
operator("ConvertLike(data: T, like: U) -> output: U", T=ANY, U=ANY)


@rule("Convert", domain=DOMAIN)
def convert(ctx: Context, data: Tensor, *, destination_type: DType) -> Tensor:
    """Keep the shape and take the element type of that name."""
    convertible(ctx, data, destination_type, "data")
    return tensor(destination_type, data.shape)


@rule("ConvertLike", domain=DOMAIN)
def convert_like(ctx: Context, data: Tensor, like: Tensor) -> Tensor:
    """Keep the shape and take the other input's element type."""
    convertible(ctx, data, like.dtype, "data")
    return tensor(like.dtype, data.shape)


@contents("Convert", "ConvertLike", domain=DOMAIN)
def converted_entries(out: Tensor, data: Tensor, *more: Tensor) -> Contents | None:
    """Convert the entries."""
    return converted(data, out.dtype)
