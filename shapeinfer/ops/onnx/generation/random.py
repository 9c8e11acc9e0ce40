"""Tensors of random numbers."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE, NEGATIVE_LENGTH, TOO_FEW_ELEMENTS
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import at_least, text_of
from shapeinfer.facts import DType, Fact, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.onnx.elementwise.cast import element_type
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.rank import of_rank


@rule("RandomNormal", since=1)
def random_normal(ctx: Context, *, shape: Sequence[int], dtype: int = DType.FLOAT) -> Fact:
    """Fill the shape that the attribute holds."""
    return _filled(ctx, "RandomNormal", shape, dtype)


@rule("RandomUniform", since=1)
def random_uniform(ctx: Context, *, shape: Sequence[int], dtype: int = DType.FLOAT) -> Fact:
    """Fill the shape that the attribute holds."""
    return _filled(ctx, "RandomUniform", shape, dtype)


def _filled(ctx: Context, operator: str, shape: Sequence[int], dtype: int) -> Fact:
    if min(shape, default=0) < 0:
        ctx.fail(NEGATIVE_LENGTH, f"shape {list(shape)} has a negative dim")
    return tensor(element_type(ctx, operator, "dtype", dtype), tuple(shape))


@rule("RandomNormalLike", since=1)
def random_normal_like(ctx: Context, input: Tensor, *, dtype: int | None = None) -> Fact:
    """Keep the shape, and the element type unless the attribute names one."""
    return _like(ctx, "RandomNormalLike", input, dtype)


@rule("RandomUniformLike", since=1)
def random_uniform_like(ctx: Context, input: Tensor, *, dtype: int | None = None) -> Fact:
    """Keep the shape, and the element type unless the attribute names one."""
    return _like(ctx, "RandomUniformLike", input, dtype)


@rule("Bernoulli", since=15)
def bernoulli(ctx: Context, input: Tensor, *, dtype: int | None = None) -> Fact:
    """Keep the shape, and the element type unless the attribute names one."""
    return _like(ctx, "Bernoulli", input, dtype)


def _like(ctx: Context, operator: str, input: Tensor, dtype: int | None) -> Fact:
    number = input.dtype if dtype is None else dtype
    if not number:
        return input.holding(None)
    return tensor(element_type(ctx, operator, "dtype", number), input.shape)


@rule("Multinomial", since=7)
def multinomial(ctx: Context, input: Tensor, *, dtype: int = DType.INT32, sample_size: int = 1) -> Fact:
    """Draw ``sample_size`` classes for each row."""
    of_rank(ctx, input, 2, "input")
    if sample_size < 1:
        ctx.fail(
            INVALID_ATTRIBUTE,
            f"sample_size is {sample_size}; it must be positive",
            "input",
            detail=Detail("sample_size"),
        )
    rows, classes = input.shape or (ctx.fresh(), ctx.fresh())
    message = f"axis 1 of input is {text_of(classes)}; it must be at least 1, the number of classes"
    if input.shape is not None:
        ctx.require(at_least(classes, 1), TOO_FEW_ELEMENTS, message, "input[1]")
    return tensor(element_type(ctx, "Multinomial", "dtype", dtype), (rows, sample_size))
