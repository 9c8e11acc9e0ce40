"""Operators that work element by element: the output has the inputs' broadcast shape."""

from __future__ import annotations

import functools

from shapeinfer.diagnostics.codes import DIM_MISMATCH, INVALID_ATTRIBUTE, RANK_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AnyOf, Equal, text_of
from shapeinfer.facts import Contents, Element, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.ops.signature import declare
from shapeinfer.shapes.contents import divided
from shapeinfer.shapes.elementwise.broadcast import at_axis, equal_shapes, onto, side
from shapeinfer.shapes.elementwise.elements import fold

UNARY = (
    "Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Celu Clip Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid "
    "HardSwish IsInf IsNaN LeakyRelu Log Mish Neg Not Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh "
    "Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu"
)
BINARY = (
    "Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Equal Greater GreaterOrEqual Less LessOrEqual Mul Or Pow Sub Xor"
)
BINARY_WITH_AXIS = "Add And Div Equal Greater Less Mul Or Pow Sub Xor"
VARIADIC = "Max Mean Min Sum"
FOLDED = (
    "Abs Add And BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Ceil Div Equal Floor Greater GreaterOrEqual IsInf IsNaN "
    "Less LessOrEqual Max Min Mul Neg Not Or Pow Reciprocal Relu Round Sign Sqrt Sub Sum Where Xor"
)
"""Operators whose entries are followed by name; the others compute no shapes."""

# onnxruntime has it since the first opset, ONNX since the tenth.
declare("ThresholdedRelu(X: T; alpha: float = 1.0) -> Y: T", domain="", T="float16 float double")


@rule(*UNARY.split(), since=1)
def unary(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


@rule("Softmax", "LogSoftmax", "Hardmax", since=1)
def softmax_of_matrix(ctx: Context, x: Tensor, *, axis: int = 1) -> Shape:
    """Keep the shape, which ``axis`` splits into rows and columns."""
    # The runtime takes negative axes in every version, and none past the last.
    ctx.axis(axis, x.rank, negative=True, at="x")
    return x.dims


@rule("Softmax", "LogSoftmax", "Hardmax", since=13)
@rule("LpNormalization", since=1)
def along_axis(ctx: Context, x: Tensor, *, axis: int = -1) -> Shape:
    """Keep the shape; ``axis`` must be one of its axes."""
    ctx.axis(axis, x.rank, negative=True, at="x")
    return x.dims


@rule("Clip", since=11)
def clip(ctx: Context, input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Shape:
    """Keep the shape; the bounds are scalars."""
    for bound, port in ((min, "min"), (max, "max")):
        if bound is None or not bound.shape:
            continue
        message = f"{port} must be a scalar; its shape is [{', '.join(map(text_of, bound.shape))}]"
        if len(bound.shape) > 1:
            ctx.report(RANK_MISMATCH, message, port)
        else:
            # The runtime takes a vector of one entry for a scalar.
            ctx.require(Equal(bound.shape[0], 1), RANK_MISMATCH, message, f"{port}[0]")
    return input.dims


@rule(*BINARY.split(), since=7)
def binary(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    """Broadcast both inputs against each other."""
    return ctx.broadcast(a.dims, b.dims)


@rule("Mod", since=10)
def mod(ctx: Context, a: Tensor, b: Tensor, *, fmod: int = 0) -> Shape:
    """Broadcast both inputs against each other; up to version 13 floats need ``fmod``."""
    if ctx.version < 28 and a.dtype.is_float and fmod == 0:
        ctx.report(
            INVALID_ATTRIBUTE,
            f"{ctx.port_name('a')} is {a.dtype.spelled}; fmod must be 1 for floats",
            "a",
            detail=Detail("fmod"),
        )
    return _divided(ctx, a, b)


@rule("Div", since=7)
def div(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    """Broadcast both inputs against each other; no integer is divided by zero."""
    return _divided(ctx, a, b)


def _divided(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    out = ctx.broadcast(a.dims, b.dims, at=("a", "b"))
    divided(ctx, b, out, ("a", "b"))
    return out


@rule(*BINARY_WITH_AXIS.split(), since=1)
def binary_with_axis(ctx: Context, a: Tensor, b: Tensor, *, broadcast: int = 0, axis: int | None = None) -> Shape:
    """Keep the shape of ``a``; ``b`` has the same, or with ``broadcast`` one that lies along its axes."""
    if broadcast:
        return at_axis(ctx, side(a.dims, "a"), side(b.dims, "b"), axis)
    return equal_shapes(ctx, (a, b), ("a", "b"))


@rule("SwiGLU", since=28)
def swiglu(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    """Keep the shape, which both inputs share."""
    return equal_shapes(ctx, (a, b), ("a", "b"))


@rule(*VARIADIC.split(), since=8)
def variadic(ctx: Context, *data: Tensor) -> Shape:
    """Broadcast all inputs against each other."""
    return ctx.broadcast(*(x.dims for x in data))


@rule(*VARIADIC.split(), since=1)
def variadic_of_one_shape(ctx: Context, *data: Tensor) -> Shape:
    """Keep the shape, which all inputs share."""
    return equal_shapes(ctx, data, [f"data.{i}" for i in range(len(data))])


@rule("Where", since=9)
def where(ctx: Context, condition: Tensor, x: Tensor, y: Tensor) -> Shape:
    """Broadcast the condition and both choices against each other."""
    return ctx.broadcast(condition.dims, x.dims, y.dims)


@rule("PRelu", since=7)
def prelu(ctx: Context, x: Tensor, slope: Tensor) -> Shape:
    """Keep the shape of ``x``, onto which ``slope`` is broadcast."""
    if slope.shape is not None:
        onto(ctx, side(x.dims, "x"), side(slope.shape, "slope"))
    return x.dims


@rule("PRelu", since=1)
def prelu_by_channel(ctx: Context, x: Tensor, slope: Tensor) -> Shape:
    """Keep the shape; a slope of more than one element has one for each channel (axis 1)."""
    if slope.shape is not None and len(slope.shape) == 1 and x.rank > 1:
        (count,), channels = slope.shape, x.dims[1]
        message = f"slope has {text_of(count)} entries; expected 1 or {text_of(channels)} (one per channel)"
        ctx.require(AnyOf((Equal(count, channels), Equal(count, 1))), DIM_MISMATCH, message, "slope[0] x[1]")
    return x.dims


for _operator in FOLDED.split():
    contents(_operator)(functools.partial(fold, _operator))


@contents("Mod")
def remainders(out: Tensor, a: Tensor, b: Tensor, *, fmod: int = 0) -> Contents | None:
    """Compute remainders with the sign of ``b``, or with ``fmod`` that of ``a``."""
    return fold("FMod" if fmod else "Mod", out, a, b)


@contents("BitShift")
def shifted(out: Tensor, a: Tensor, b: Tensor, *, direction: str) -> Contents | None:
    """Shift the bits of each entry."""
    return fold("ShiftLeft" if direction == "LEFT" else "ShiftRight", out, a, b)


@contents("Clip", since=11)
def clipped(out: Tensor, x: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> Contents | None:
    """Raise entries to the lower bound, then lower them to the upper one."""
    raised = x.value if low is None else fold("Max", out, x, low)
    return raised if high is None or raised is None else fold("Min", out, out.holding(raised), high)


@contents("Clip", since=1)
def clipped_by_attributes(out: Tensor, x: Tensor, *, min: Element = None, max: Element = None) -> Contents | None:
    """Raise entries to the lower bound, then lower them to the upper one."""
    low, high = (None if bound is None else tensor(x.dtype, (), (bound,)) for bound in (min, max))
    return clipped(out, x, low, high)
