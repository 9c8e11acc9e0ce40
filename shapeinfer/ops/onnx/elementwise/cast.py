"""Change the element type: Cast, CastLike."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.facts import Contents, DType, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.ops.signature import signature
from shapeinfer.shapes.elementwise.casts import converted


def element_type(ctx: Context, operator: str, attribute: str, number: int) -> DType:
    """Return the element type of an attribute's number, which must be one the output may have."""
    declared = signature(ctx.domain, operator, ctx.version)
    try:
        found = DType(number)
    except ValueError:
        found = DType.UNDEFINED
    allowed = declared.allowed(declared.output(0)) if declared else frozenset()
    if f"tensor({found.onnx})" not in allowed:
        name = found.spelled if found else "not an element type"
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"{attribute} is {int(number)} ({name}), which {operator} (opset {ctx.version}) does not support",
            detail=Detail(attribute),
        )
    return found


@rule("Cast", since=6)
def cast(ctx: Context, input: Tensor, *, to: int) -> Tensor:
    """Keep the shape and take the element type of that number."""
    return tensor(element_type(ctx, "Cast", "to", to), input.shape)


@rule("Cast", since=1)
def cast_to_name(ctx: Context, input: Tensor, *, to: str) -> Tensor:
    """Keep the shape and take the element type of that name."""
    found = DType.__members__.get(to.upper(), DType.UNDEFINED)
    if not found:
        ctx.fail(INVALID_ATTRIBUTE, f"to is {to!r}, which is not an element type", detail=Detail("to"))
    return tensor(element_type(ctx, "Cast", "to", found), input.shape)


@rule("CastLike", since=15)
def cast_like(ctx: Context, input: Tensor, target_type: Tensor) -> Tensor:
    """Keep the shape and take the other input's element type."""
    return tensor(target_type.dtype, input.shape)


@contents("Cast", "CastLike")
def cast_entries(out: Tensor, input: Tensor, *more: Tensor) -> Contents | None:
    """Convert the entries."""
    return converted(input, out.dtype)
