"""Variables: what a model keeps from one inference to the next."""

from __future__ import annotations

import re

from shapeinfer.diagnostics.codes import DIM_MISMATCH, ELEMENT_TYPE_MISMATCH, INVALID_ATTRIBUTE, RANK_MISMATCH
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import AtMost, Equal, Size, at_least, text_of
from shapeinfer.facts import DType, Fact, Shape, Tensor, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import ANY, DOMAIN, operator
from shapeinfer.ops.registry import rule

operator("ReadValue(init_value: T; variable_id: string) -> output: T", since=3, T=ANY)
operator(
    "ReadValue(init_value?: T; variable_id: string, variable_type?: element_type, variable_shape?: string)"
    " -> output: T",
    since=6,
    T=ANY,
)
for _since in (3, 6):
    operator("Assign(new_value: T; variable_id: string) -> output: T", since=_since, T=ANY)

_LENGTH = re.compile(r"(?P<only>\d{1,18})|\?|-1|(?P<low>\d{0,18})\.\.(?P<high>\d{0,18})")


@rule("Assign", domain=DOMAIN, since=3)
def assign(ctx: Context, value: Tensor) -> Fact:
    """Store a value in a variable, and return it."""
    return value


@rule("ReadValue", domain=DOMAIN, since=3)
def read_value(
    ctx: Context,
    value: Tensor | None = None,
    *,
    variable_type: DType = DType.UNDEFINED,
    variable_shape: str | None = None,
) -> Fact:
    """Return the value of a variable: a tensor of its own type and shape, which the first value must fit."""
    dtype = variable_type or (DType.UNDEFINED if value is None else value.dtype)
    if variable_shape is None:
        return tensor(dtype, None if value is None else value.shape)
    shape = _read(ctx, variable_shape)
    if value is None:
        return tensor(dtype, shape)
    if value.dtype and value.dtype is not dtype:
        message = f"{ctx.port_name('value')} is {value.dtype.spelled} but the variable is {dtype.spelled}"
        ctx.report(ELEMENT_TYPE_MISMATCH, message, "value", detail=Detail(allowed=(dtype.spelled,)))
    _check_fit(ctx, shape, value)
    return tensor(dtype, shape)


def _read(ctx: Context, text: str) -> Shape | None:
    """Read the shape of a variable, such as ``?,1..8,64``; open dims are fresh."""
    text = text.strip()
    if text == "...":
        return None
    out: list[Size] = []
    for part in text.split(",") if text else ():
        found = _LENGTH.fullmatch(part.strip())
        if found is None:
            ctx.fail(
                INVALID_ATTRIBUTE,
                f"variable_shape is {text!r}; it must be a list such as '?,1..8,64', or '...'",
                detail=Detail("variable_shape"),
            )
        low, high = int(found["low"] or 0), int(found["high"]) if found["high"] else None
        if high is not None and high < low:
            message = f"variable_shape is {text!r}; the range {part.strip()} is empty"
            ctx.fail(INVALID_ATTRIBUTE, message, detail=Detail("variable_shape"))
        out.append(int(found["only"]) if found["only"] else ctx.fresh(low, high))
    return tuple(out)


def _check_fit(ctx: Context, shape: Shape | None, value: Tensor) -> None:
    """Require that a value has the sizes that are fixed for the variable, and that the others are in range."""
    if shape is None or value.shape is None:
        return
    if len(value.shape) != len(shape):
        message = f"{ctx.port_name('value')} has rank {len(value.shape)} but the variable has rank {len(shape)}"
        ctx.report(RANK_MISMATCH, message, "value")
        return
    for axis, (size, own) in enumerate(zip(value.shape, shape)):
        message = f"axis {axis} of {ctx.port_name('value')} is {text_of(size)}, outside the range of the variable"
        if isinstance(own, int):
            ctx.require(Equal(size, own), DIM_MISMATCH, message, f"value[{axis}]")
            continue
        low, high = own.bounds()
        ctx.require(at_least(size, low or 0), DIM_MISMATCH, message, f"value[{axis}]")
        if high is not None:
            ctx.require(AtMost(size, high), DIM_MISMATCH, message, f"value[{axis}]")
