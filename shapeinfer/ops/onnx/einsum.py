"""Einsum: products and sums that an equation describes."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import INVALID_EQUATION
from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes import einsum as summation


@rule("Einsum", since=12)
def einsum(ctx: Context, *inputs: Tensor, equation: str) -> Shape:
    """Sum the operands' product over the labels that the output does not name."""
    try:
        parsed = summation.read(equation)
    except ValueError as error:
        ctx.fail(INVALID_EQUATION, f"the equation {equation!r} cannot be read: {error}")
    if len(parsed.operands) != len(inputs):
        terms = len(parsed.operands)
        ctx.fail(INVALID_EQUATION, f"the equation {equation!r} has {terms} terms for {len(inputs)} operands")
    return summation.einsum(ctx, parsed, [x.shape for x in inputs])
