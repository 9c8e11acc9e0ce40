"""Einsum: products and sums that an equation describes."""

from __future__ import annotations

from shapeinfer.facts import Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.algebra import einsum as summation


@rule("Einsum", since=12)
def einsum(ctx: Context, *inputs: Tensor, equation: str) -> Shape:
    """Sum the operands' product over the labels that the output does not name."""
    return summation.einsum(ctx, equation, [x.shape for x in inputs])
