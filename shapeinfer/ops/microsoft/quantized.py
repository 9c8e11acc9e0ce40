"""Operators on 8-bit integers with scales and zero points, which must be single numbers for the data."""

from __future__ import annotations

from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import BYTES, DOMAIN, contrib
from shapeinfer.ops.registry import rule

contrib(
    "QLinearAdd(A: T, A_scale: float, A_zero_point?: T, B: T, B_scale: float, B_zero_point?: T, C_scale: float, "
    "C_zero_point?: T) -> C: T",
    T=BYTES,
)
contrib(
    "QLinearMul(A: T, A_scale: float, A_zero_point?: T, B: T, B_scale: float, B_zero_point?: T, C_scale: float, "
    "C_zero_point?: T) -> C: T",
    T=BYTES,
)


@rule("QLinearAdd", "QLinearMul", domain=DOMAIN)
def qlinear_binary(
    ctx: Context,
    a: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor | None,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor | None = None,
    c_scale: Tensor | None = None,
    c_zero_point: Tensor | None = None,
) -> Shape:
    """Broadcast both inputs against each other."""
    return ctx.broadcast(a.dims, b.dims, at=("a", "b"))


contrib("QLinearSigmoid(X: T, X_scale: float, X_zero_point?: T, Y_scale: float, Y_zero_point?: T) -> Y: T", T=BYTES)
contrib(
    "QLinearLeakyRelu(X: T, X_scale: float, X_zero_point?: T, Y_scale: float, Y_zero_point?: T; alpha: float = "
    "0.01) -> Y: T",
    T=BYTES,
)


@rule("QLinearSigmoid", "QLinearLeakyRelu", domain=DOMAIN)
def qlinear_unary(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


contrib(
    "QLinearSoftmax(X: T, X_scale: float, x_zero_point?: T, y_scale: float, y_zero_point: T; axis: int = -1, opset: "
    "int) -> Y: T",
    T=BYTES,
)


@rule("QLinearSoftmax", domain=DOMAIN)
def qlinear_softmax(ctx: Context, x: Tensor, *, axis: int = -1) -> Shape:
    """Keep the shape."""
    ctx.axis(axis, x.rank, at="x")
    return x.dims
