"""Tensors computed from attributes or from a shape: Constant, ConstantOfShape, Shape, Size."""

from __future__ import annotations

import math
from typing import Any

from shapeinfer.diagnostics.codes import CONFLICTING_ARGUMENTS, INVALID_ATTRIBUTE, MISSING_ATTRIBUTE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import product
from shapeinfer.facts import Contents, DType, Fact, SparseTensor, Tensor, UnknownRank, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.onnx.elementwise.cast import element_type
from shapeinfer.ops.registry import contents, rule
from shapeinfer.shapes.movement.reshape import need_list

FLOAT_ZERO = tensor(DType.FLOAT, (1,), (0.0,))


@rule("Constant", since=1)
def constant_tensor(ctx: Context, *, value: Tensor) -> Tensor:
    """Return the tensor that the attribute holds."""
    return value


@rule("Constant", since=11)
def constant_or_sparse(ctx: Context, *, value: Tensor | None = None, sparse_value: SparseTensor | None = None) -> Fact:
    """Return the tensor that one of two attributes holds."""
    return _constant(ctx, value=value, sparse_value=sparse_value)


@rule("Constant", since=12)
def constant(
    ctx: Context,
    *,
    value: Tensor | None = None,
    sparse_value: SparseTensor | None = None,
    value_int: int | None = None,
    value_ints: tuple[int, ...] | None = None,
    value_float: float | None = None,
    value_floats: tuple[float, ...] | None = None,
    value_string: str | None = None,
    value_strings: tuple[str, ...] | None = None,
) -> Fact:
    """Return the tensor that exactly one of the attributes holds."""
    return _constant(
        ctx,
        value=value,
        sparse_value=sparse_value,
        value_int=value_int,
        value_ints=value_ints,
        value_float=value_float,
        value_floats=value_floats,
        value_string=value_string,
        value_strings=value_strings,
    )


_TYPES = {"int": DType.INT64, "float": DType.FLOAT, "string": DType.STRING}


def _constant(ctx: Context, **attributes: Any) -> Fact:
    present = {name: value for name, value in attributes.items() if value is not None}
    if len(present) != 1:
        found = f"{' and '.join(sorted(present))} are set" if present else "none is set"
        code = CONFLICTING_ARGUMENTS if present else MISSING_ATTRIBUTE
        ctx.fail(
            code,
            f"Constant requires exactly one of {', '.join(attributes)}; {found}",
            detail=Detail(allowed=tuple(attributes)),
        )
    ((name, value),) = present.items()
    if isinstance(value, Tensor):
        return value
    if isinstance(value, SparseTensor):
        return tensor(value.dtype, value.shape)
    dtype = _TYPES[name.removeprefix("value_").rstrip("s")]
    return tensor(dtype, (len(value),), value) if isinstance(value, tuple) else tensor(dtype, (), (value,))


@rule("ConstantOfShape", since=9)
def constant_of_shape(ctx: Context, input: Tensor, *, value: Tensor | None = None) -> Tensor:
    """Fill the shape that ``input`` holds with one value, a float of 0 by default."""
    filler = value or FLOAT_ZERO
    if filler.dims != (1,):
        message = f"value is {filler.text}; it must be a list of one entry"
        ctx.fail(INVALID_ATTRIBUTE, message, detail=Detail("value"))
    element_type(ctx, "ConstantOfShape", "value", filler.dtype)
    try:
        return filler.of(*ctx.dims(need_list(ctx, input, "input"), "input"))
    except UnknownRank:
        return tensor(filler.dtype, None)


@contents("ConstantOfShape")
def filled(out: Tensor, input: Tensor, *, value: Tensor | None = None) -> Contents | None:
    """Repeat the value."""
    entry = (value or FLOAT_ZERO).value
    return None if entry is None else entry * math.prod(int(d) for d in out.dims if isinstance(d, int))


@rule("Shape", since=15, unranked=1)
def shape(ctx: Context, data: Tensor, *, start: int = 0, end: int | None = None) -> Tensor:
    """Return the sizes of the axes from ``start`` up to ``end``, both clamped to the rank."""
    sizes = data.dims[slice(start, end)]
    return tensor(DType.INT64, (len(sizes),), sizes)


@rule("Shape", since=1, unranked=1)
def whole_shape(ctx: Context, data: Tensor) -> Tensor:
    """Return the sizes of all axes."""
    return tensor(DType.INT64, (data.rank,), data.dims)


@rule("Size", since=1, unranked=0)
def size(ctx: Context, data: Tensor) -> Tensor:
    """Return the number of elements."""
    return tensor(DType.INT64, (), (product(data.dims),))
