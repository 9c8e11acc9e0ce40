"""Operators that work element by element: the output has the inputs' broadcast shape."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.facts import Contents, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.broadcast import at_axis, onto
from shapeinfer.shapes.elements import fold

UNARY = (
    "Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Celu Clip Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid "
    "HardSwish Hardmax IsInf IsNaN LeakyRelu Log LogSoftmax LpNormalization Mish Neg Not Reciprocal Relu Round "
    "Selu Shrink Sigmoid Sign Sin Sinh Softmax Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu"
).split()
WITH_AXIS = ("Hardmax", "LogSoftmax", "LpNormalization", "Softmax")
BINARY = (
    "Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Mod Mul Or "
    "Pow Sub Xor"
).split()
VARIADIC = "Max Mean Min Sum".split()
LEGACY = "Add And Div Equal Greater Less Mul Or Pow Sub Xor".split()


@rule(*(name for name in UNARY if name not in WITH_AXIS), since=1)
def unary(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


@rule("Softmax", "LogSoftmax", "Hardmax", since=1)
def softmax_of_matrix(ctx: Context, x: Tensor, *, axis: int = 1) -> Shape:
    """Keep the shape; ``axis`` splits it in two, so it may also be the rank."""
    ctx.axis(axis, x.rank, end=True, at="x")
    return x.dims


@rule("Softmax", "LogSoftmax", "Hardmax", since=13)
@rule("LpNormalization", since=1)
def along_axis(ctx: Context, x: Tensor, *, axis: int = -1) -> Shape:
    """Keep the shape; ``axis`` must be one of its axes."""
    ctx.axis(axis, x.rank, negative=True, at="x")
    return x.dims


@rule(*BINARY, since=7)
def binary(ctx: Context, a: Tensor, b: Tensor) -> Shape:
    """Broadcast both inputs against each other."""
    return ctx.broadcast(a.dims, b.dims)


@rule(*LEGACY, since=1)
def binary_with_axis(ctx: Context, a: Tensor, b: Tensor, *, broadcast: int = 0, axis: int | None = None) -> Shape:
    """Keep the shape of ``a``; ``b`` has the same, or with ``broadcast`` one that lies along its axes."""
    if broadcast:
        return at_axis(ctx, a.dims, b.dims, axis, ("a", "b"))
    return _same(ctx, a.dims, b.dims)


def _same(ctx: Context, a: Shape, b: Shape) -> Shape:
    if len(a) != len(b):
        ctx.fail(RANK_MISMATCH, f"a has rank {len(a)} and b rank {len(b)}; before opset 7 shapes must be equal", "a b")
    return tuple(ctx.equal(x, y, DIM_MISMATCH, f"a[{i}] b[{i}]") for i, (x, y) in enumerate(zip(a, b)))


@rule(*VARIADIC, since=8)
def variadic(ctx: Context, *data: Tensor) -> Shape:
    """Broadcast all inputs against each other."""
    return ctx.broadcast(*(x.dims for x in data))


@rule(*VARIADIC, since=1)
def variadic_of_one_shape(ctx: Context, *data: Tensor) -> Shape:
    """Keep the shape, which all inputs share."""
    first, *rest = data
    for i, x in enumerate(rest, 1):
        if x.rank != first.rank:
            message = f"input {i} has rank {x.rank}, input 0 rank {first.rank}; before opset 8 shapes must be equal"
            ctx.fail(RANK_MISMATCH, message, f"data.{i} data.0")
        for axis, (mine, theirs) in enumerate(zip(first.dims, x.dims)):
            ctx.equal(mine, theirs, DIM_MISMATCH, f"data.0[{axis}] data.{i}[{axis}]")
    return first.dims


@rule("Where", since=9)
def where(ctx: Context, condition: Tensor, x: Tensor, y: Tensor) -> Shape:
    """Broadcast the condition and both choices against each other."""
    return ctx.broadcast(condition.dims, x.dims, y.dims)


@rule("PRelu", since=7)
def prelu(ctx: Context, x: Tensor, slope: Tensor) -> Shape:
    """Keep the shape of ``x``, onto which ``slope`` is broadcast."""
    return onto(ctx, x.dims, slope.dims, ("x", "slope"))


@rule("PRelu", since=1)
def prelu_by_channel(ctx: Context, x: Tensor, slope: Tensor) -> Shape:
    """Keep the shape; a slope of more than one element has one for each channel (axis 1)."""
    return x.dims


for _name in (*UNARY, *BINARY, *VARIADIC, "Where"):

    def _contents(out: Tensor, *inputs: Tensor, operator: str = _name) -> Contents | None:
        """Compute the entries one by one."""
        return fold(operator, out, *inputs)

    contents(_name)(_contents)
