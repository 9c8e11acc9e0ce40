"""Element-wise operators of one operand, which keep the shape."""

from __future__ import annotations

import functools

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.facts import Contents, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, INTEGERS, NUMBERS, operator
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.elementwise.elements import fold
from shapeinfer.shapes.rank import of_rank

PLAIN = {
    1: "Abs Acos Asin Atan Ceiling Cos Cosh Erf Exp Floor Log Negative ReLU Relu Sigmoid Sign Sin Sinh Sqrt Tan Tanh",
    4: "Acosh Asinh Atanh HSwish Mish SoftPlus",
    5: "HSigmoid",
    9: "SoftSign",
    17: "ErfInv",
}
"""Operators on numbers without attributes, by the opset that brought them; an IR spells Relu as ReLU."""

for _since, _names in PLAIN.items():
    for _name in _names.split():
        operator(f"{_name}(data: T) -> output: T", since=_since, T=NUMBERS)
operator("LogicalNot(data: bool) -> output: bool")
operator("BitwiseNot(data: T) -> output: T", since=13, T=f"{INTEGERS} bool")
operator("Clamp(data: T; min: float, max: float) -> output: T", T=NUMBERS)
operator("Elu(data: T; alpha: float) -> output: T", T=NUMBERS)
operator("Selu(data: T, alpha: T, lambda: T) -> output: T", T=NUMBERS)
operator("HardSigmoid(data: T, alpha: T, beta: T) -> output: T", T=NUMBERS)
operator("Gelu(data: T) -> output: T", since=2, T=NUMBERS)
operator('Gelu(data: T; approximation_mode: string = "ERF") -> output: T', since=7, T=NUMBERS)
operator("Swish(data: T, beta?: T) -> output: T", since=4, T=NUMBERS)
operator('Round(data: T; mode: string = "half_to_even") -> output: T', since=5, T=NUMBERS)
operator("IsFinite(data: T) -> output: bool", since=10, T=NUMBERS)
operator("IsNaN(data: T) -> output: bool", since=10, T=NUMBERS)
operator(
    "IsInf(data: T; detect_negative: bool = True, detect_positive: bool = True) -> output: bool", since=10, T=NUMBERS
)
operator("Identity(data: T) -> output: T", since=16, T=ANY)


@rule("LogicalNot", "Elu", domain=DOMAIN)
@rule("Gelu", domain=DOMAIN, since=2)
@rule("Round", domain=DOMAIN, since=5)
@rule("IsFinite", "IsInf", "IsNaN", domain=DOMAIN, since=10)
@rule("BitwiseNot", domain=DOMAIN, since=13)
@rule("Identity", domain=DOMAIN, since=16)
def unary(ctx: Context, data: Tensor) -> Shape:
    """Keep the shape."""
    return data.dims


for _since, _names in PLAIN.items():
    rule(*_names.split(), domain=DOMAIN, since=_since)(unary)


@rule("Clamp", domain=DOMAIN)
def clamp(ctx: Context, data: Tensor, *, min: float, max: float) -> Shape:
    """Keep the shape; the bounds are in order."""
    if min > max:
        ctx.report(
            INVALID_ATTRIBUTE, f"min is {min:g} and max is {max:g}; max must not be less than min", detail=Detail("max")
        )
    return data.dims


@rule("Swish", domain=DOMAIN, since=4)
def swish(ctx: Context, data: Tensor, beta: Tensor | None = None) -> Shape:
    """Keep the shape; ``beta`` is a scalar."""
    if beta is not None:
        of_rank(ctx, beta, 0, "beta")
    return data.dims


@rule("Selu", domain=DOMAIN)
def selu(ctx: Context, data: Tensor, alpha: Tensor, lambda_: Tensor) -> Shape:
    """Keep the shape; the parameters hold one number each."""
    return data.dims


@rule("HardSigmoid", domain=DOMAIN)
def hard_sigmoid(ctx: Context, data: Tensor, alpha: Tensor, beta: Tensor) -> Shape:
    """Keep the shape; ``alpha`` and ``beta`` are scalars."""
    of_rank(ctx, alpha, 0, "alpha")
    of_rank(ctx, beta, 0, "beta")
    return data.dims


FOLDED = {
    "Abs": "Abs",
    "Ceiling": "Ceil",
    "Floor": "Floor",
    "LogicalNot": "Not",
    "Negative": "Neg",
    "ReLU": "Relu",
    "Relu": "Relu",
    "Sign": "Sign",
    "Sqrt": "Sqrt",
}
for _name, _operation in FOLDED.items():
    contents(_name, domain=DOMAIN)(functools.partial(fold, _operation))
contents("BitwiseNot", domain=DOMAIN, since=13)(functools.partial(fold, "BitwiseNot"))


@contents("Identity", domain=DOMAIN, since=16)
def unchanged_entries(out: Tensor, data: Tensor) -> Contents | None:
    """Keep the entries."""
    return data.value


@contents("Round", domain=DOMAIN, since=5)
def rounded(out: Tensor, data: Tensor, *, mode: str = "half_to_even") -> Contents | None:
    """Round to the nearest integer; ties are left open unless they go to the even one."""
    return fold("Round", out, data) if mode.lower() == "half_to_even" else None


@contents("Clamp", domain=DOMAIN)
def clamped(out: Tensor, data: Tensor, *, min: float, max: float) -> Contents | None:
    """Raise entries to the lower bound, then lower them to the upper one; bounds of an integer tensor are integers."""
    if data.dtype.is_integer and not (min.is_integer() and max.is_integer()):
        return None
    low, high = (tensor(data.dtype, (), (bound,)) for bound in (min, max))
    raised = fold("Max", out, data, low)
    return None if raised is None else fold("Min", out, out.holding(raised), high)
