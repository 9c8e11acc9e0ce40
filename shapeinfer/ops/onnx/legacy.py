"""Operators that onnxruntime keeps in ONNX's own domain: earlier than ONNX's, dropped by it, or its own."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from shapeinfer.diagnostics.codes import LENGTH_MISMATCH, TOO_FEW_ELEMENTS
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import at_least, sub, text_of
from shapeinfer.facts import Fact, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import ANY, MOVABLE, UP_TO_DOUBLE
from shapeinfer.ops.onnx.movement.slice import slice_inputs
from shapeinfer.ops.registry import rule
from shapeinfer.ops.signature import add, declare, read
from shapeinfer.shapes.rank import of_rank


def _until_10(text: str, **variables: str) -> None:
    """Declare an operator that opset 10 removed."""
    own = read(text, "", 1, variables)
    add(own)
    add(evolve(own, since=10, deprecated=True))


_until_10("Affine(X: T; alpha: float = 1.0, beta: float = 0.0) -> Y: T", T=UP_TO_DOUBLE)
_until_10("ImageScaler(input: T; bias?: floats, scale: float = 1.0) -> output: T", T=UP_TO_DOUBLE)
_until_10("ParametricSoftplus(X: T; alpha?: float, beta?: float) -> Y: T", T=UP_TO_DOUBLE)
_until_10("Scale(input: T; scale: float = 1.0) -> output: T", T=UP_TO_DOUBLE)
_until_10("ScaledTanh(input: T; alpha?: float, beta?: float) -> output: T", T=UP_TO_DOUBLE)
declare(
    "MeanVarianceNormalization(input: T; across_channels: int = 0, normalize_variance: int = 1) -> output: T",
    domain="",
    T=UP_TO_DOUBLE,
)


@rule("Affine", "ImageScaler", "ParametricSoftplus", "Scale", "ScaledTanh", "MeanVarianceNormalization", since=1)
def keep_shape(ctx: Context, x: Tensor) -> Shape:
    """Keep the shape."""
    return x.dims


_until_10("Crop(input: T; border?: ints, scale?: ints) -> output: T", T=UP_TO_DOUBLE)


@rule("Crop", since=1)
def crop(ctx: Context, input: Tensor, *, border: Sequence[int] = (), scale: Sequence[int] = ()) -> Shape:
    """Cut an image: so much at left, top, right and bottom, or to a height and width from left and top."""
    if len(border) != 4:
        ctx.fail(LENGTH_MISMATCH, f"border has {len(border)} entries; it must have 4", detail=Detail("border"))
    if scale and len(scale) != 2:
        ctx.fail(LENGTH_MISMATCH, f"scale has {len(scale)} entries; it must have 2", detail=Detail("scale"))
    of_rank(ctx, input, 4, "input")
    left, top, right, bottom = border
    out = list(input.dims)
    for axis, start, end in ((2, top, bottom), (3, left, right)):
        kept = scale[axis - 2] if scale else sub(out[axis], start + end)
        cut = start + (scale[axis - 2] if scale else end)
        message = f"axis {axis} of input is {text_of(out[axis])}; {cut} are cut or kept of it"
        ctx.require(at_least(out[axis], cut), TOO_FEW_ELEMENTS, message, f"input[{axis}]")
        out[axis] = kept
    return tuple(out)


_until_10("DynamicSlice(data: T, starts: Tind, ends: Tind, axes?: Tind) -> output: T", T=ANY, Tind="int32 int64")


@rule("DynamicSlice", since=1)
def dynamic_slice(ctx: Context, data: Tensor, starts: Tensor, ends: Tensor, axes: Tensor | None = None) -> Shape:
    """Keep the positions from each of ``starts`` to before each of ``ends``, as Slice does."""
    out: Shape = slice_inputs(ctx, data, starts, ends, axes)
    return out


_until_10(
    "GivenTensorFill(shape?: T; extra_shape?: ints, input_as_shape?: int, shape?: ints, values?: floats) -> X: T",
    T=UP_TO_DOUBLE,
)


@rule("GivenTensorFill", since=1)
def given_tensor_fill(
    ctx: Context, given: Tensor | None = None, *, extra_shape: Sequence[int] = (), input_as_shape: int = 0
) -> Shape | None:
    """Take the shape of the input, with more axes; where the input holds it, its entries are floats."""
    return None if given is None or input_as_shape else (*given.dims, *extra_shape)


_until_10(
    "GRUUnit(hidden_prev: T, gates: T, seq_lengths: T, t: T; drop_states?: int) -> hidden: T",
    T=UP_TO_DOUBLE,
)


@rule("GRUUnit", since=1)
def gru_unit(ctx: Context, hidden_prev: Tensor) -> Shape:
    """Keep the shape of the state."""
    return hidden_prev.dims


declare("MemcpyFromHost(X: T) -> Y: T", domain="", T=MOVABLE)
declare("MemcpyToHost(X: T) -> Y: T", domain="", T=MOVABLE)


@rule("MemcpyFromHost", "MemcpyToHost", since=1)
def copied(ctx: Context, x: Fact) -> Fact:
    """Hand on the same value in another device's memory."""
    return x
