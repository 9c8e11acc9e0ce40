"""BitCast: the same bits read as another element type."""

from __future__ import annotations

import re

from shapeinfer.diagnostics.codes import INVALID_ATTRIBUTE
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.facts import DType, Fact, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.onnx.elementwise.cast import element_type
from shapeinfer.ops.registry import rule


@rule("BitCast", since=26)
def bit_cast(ctx: Context, input: Tensor, *, to: int) -> Fact:
    """Keep the shape and take the element type of that number, which is as wide."""
    found = element_type(ctx, "BitCast", "to", to)
    if input.dtype and _width(input.dtype) != _width(found):
        message = f"to is {to} ({found.spelled}); it must have as many bits as the input's {input.dtype.spelled}"
        ctx.fail(INVALID_ATTRIBUTE, message, "input", detail=Detail("to"))
    return tensor(found, input.shape)


def _width(dtype: DType) -> int:
    """Return how many bits an element takes."""
    digits = re.search(r"\d+", dtype.spelled)
    return int(digits[0]) if digits else 8
