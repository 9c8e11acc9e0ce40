"""Between numbers and their quantized form."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import (
    AXIS_OUT_OF_RANGE,
    DIM_MISMATCH,
    ELEMENT_TYPE_MISMATCH,
    INVALID_ATTRIBUTE,
    LENGTH_MISMATCH,
    RANK_MISMATCH,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AllOf, AnyOf, Equal, ceildiv, text_of
from shapeinfer.facts import DType, Fact, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.onnx.elementwise.cast import element_type
from shapeinfer.ops.registry import rule


@rule("QuantizeLinear", since=10)
def quantize(
    ctx: Context,
    x: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Fact:
    """Keep the shape; the type is ``output_dtype``, or the zero point's, or uint8."""
    _granularity(ctx, x, y_scale, y_zero_point, ("y_scale", "y_zero_point"), axis, block_size)
    asked = _output_dtype(ctx, "QuantizeLinear", output_dtype)
    own = DType.UINT8 if y_zero_point is None else y_zero_point.dtype
    if asked and y_zero_point is not None and own and own is not asked:
        message = f"output_dtype is {asked.spelled} and {ctx.port_name('y_zero_point')} is {own.spelled}"
        ctx.report(ELEMENT_TYPE_MISMATCH, message, "y_zero_point", detail=Detail(allowed=(asked.spelled,)))
    return tensor(asked or own, x.shape)


@rule("DequantizeLinear", since=10)
def dequantize(
    ctx: Context,
    x: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Fact:
    """Keep the shape; the type is ``output_dtype`` or the scale's."""
    _granularity(ctx, x, x_scale, x_zero_point, ("x_scale", "x_zero_point"), axis, block_size)
    return tensor(_output_dtype(ctx, "DequantizeLinear", output_dtype) or x_scale.dtype, x.shape)


def _output_dtype(ctx: Context, operator: str, number: int) -> DType:
    """Return the element type that ``output_dtype`` names; 0 names none."""
    return element_type(ctx, operator, "output_dtype", number) if number else DType.UNDEFINED


def _granularity(
    ctx: Context,
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None,
    names: tuple[str, str],
    axis: int,
    block_size: int,
) -> None:
    """Check that scales are one for all, one for each index of ``axis``, or one for each block along it."""
    if scale.shape is None:
        return
    if zero_point is not None and zero_point.shape is not None:
        _check_same_shape(ctx, scale.shape, zero_point.shape, names)
    if x.shape is None or not scale.shape:
        return
    if block_size:
        _blocked(ctx, x.shape, scale.shape, names[0], ctx.axis(axis, x.rank, negative=True, at="x"), block_size)
    elif len(scale.shape) == 1:
        _for_each(ctx, x.shape, scale.shape, names[0], axis)
    else:
        message = f"{names[0]} has rank {scale.rank}; without block_size it must be a scalar or a vector"
        ctx.report(RANK_MISMATCH, message, names[0])


def _check_same_shape(ctx: Context, scale: Shape, zero_point: Shape, names: tuple[str, str]) -> None:
    """Check that both have one shape; the runtime takes a single entry for a scalar."""
    if len(scale) == len(zero_point):
        for i, (a, b) in enumerate(zip(scale, zero_point)):
            ctx.equal(a, b, DIM_MISMATCH, f"{names[0]}[{i}] {names[1]}[{i}]")
        return
    message = f"{names[1]} has rank {len(zero_point)} and {names[0]} rank {len(scale)}; their shapes must be equal"
    single = AllOf(tuple(Equal(d, 1) for d in (*scale, *zero_point)))
    ctx.require(single, RANK_MISMATCH, message, f"{names[0]} {names[1]}")


def _for_each(ctx: Context, x: Shape, scale: Shape, name: str, axis: int) -> None:
    """Check a vector: one entry for each index of the axis, or a single one for all, which ignores the axis."""
    (count,) = scale
    # On a vector the axis goes without saying.
    k = 0 if len(x) == 1 else axis + len(x) if axis < 0 else axis
    single = Equal(count, 1)
    if not 0 <= k < len(x):
        message = (
            f"axis {axis} is outside the {len(x)} axes of {ctx.port_name('x')}, so {name} "
            f"cannot have {text_of(count)} entries"
        )
        ctx.require(
            single, AXIS_OUT_OF_RANGE, message, f"x {name}[0]", Detail(given=axis, range=range(-len(x), len(x)))
        )
        return
    message = f"{name} has {text_of(count)} entries but axis {k} of {ctx.port_name('x')} is {text_of(x[k])}"
    ctx.require(AnyOf((Equal(count, x[k]), single)), LENGTH_MISMATCH, message, f"{name}[0] x[{k}]")


def _blocked(ctx: Context, x: Shape, scale: Shape, name: str, axis: int, block_size: int) -> None:
    """Check blocks: as long as ``x`` everywhere but along the axis, where blocks of a size share a scale."""
    if block_size < 0:
        ctx.fail(INVALID_ATTRIBUTE, f"block_size is {block_size}; it cannot be negative", detail=Detail("block_size"))
    if len(x) != len(scale):
        message = (
            f"{name} has rank {len(scale)} and {ctx.port_name('x')} rank {len(x)}; block_size requires equal ranks"
        )
        ctx.report(RANK_MISMATCH, message, f"{name} x")
        return
    for i, (d, s) in enumerate(zip(x, scale)):
        expected = ceildiv(d, block_size) if i == axis else d
        message = f"axis {i} of {name} is {text_of(s)}; it must be {text_of(expected)}"
        ctx.equal(expected, s, DIM_MISMATCH, f"x[{i}] {name}[{i}]", message)


@rule("DynamicQuantizeLinear", since=11, unranked=[None, 0, 0])
def dynamic_quantize(ctx: Context, x: Tensor) -> list[Shape | None]:
    """Keep the shape, and return one scale and one zero point."""
    return [x.shape, (), ()]
