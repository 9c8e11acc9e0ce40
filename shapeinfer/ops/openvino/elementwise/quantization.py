"""FakeQuantize and FakeConvert: numbers rounded to what a narrower type would hold, in the type that they have."""

from __future__ import annotations

from shapeinfer.facts import DType, Shape, Tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.elementwise.elementwise import MODES, pdpd_axis
from shapeinfer.ops.openvino.schema import DOMAIN, FLOATS, choice, element_type, operator
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.elementwise.broadcast import at_axis, equal_shapes, onto, side

_LIMITS = ("input_low", "input_high", "output_low", "output_high")
operator(
    f"FakeQuantize(data: T, {', '.join(f'{name}: {v}' for name, v in zip(_LIMITS, 'ABCD'))}"
    f"{MODES}, levels: int) -> output: T",
    T=FLOATS,
    A=FLOATS,
    B=FLOATS,
    C=FLOATS,
    D=FLOATS,
)
_FORMATS = "float8e4m3fn float8e5m2"
operator(
    'FakeConvert(data: T, scale: T, shift?: T; destination_type: element_type = "f8e4m3") -> output: T',
    since=13,
    T="float float16 bfloat16",
)


@rule("FakeQuantize", domain=DOMAIN)
def fake_quantize(
    ctx: Context,
    data: Tensor,
    input_low: Tensor,
    input_high: Tensor,
    output_low: Tensor,
    output_high: Tensor,
    *,
    auto_broadcast: str = "numpy",
    auto_broadcast_auto_broadcast_axis: int | None = None,
) -> Shape:
    """Keep the shape, onto which the limits are broadcast; OpenVINO broadcasts both ways and keeps it nonetheless."""
    mode = choice(ctx, "auto_broadcast", auto_broadcast, "none explicit numpy pdpd")
    limits = (input_low, input_high, output_low, output_high)
    if mode in ("none", "explicit"):
        return equal_shapes(ctx, (data, *limits), ctx.parameters)
    for x, port in zip(limits, _LIMITS):
        if x.shape is None:
            continue
        if mode == "pdpd":
            start = pdpd_axis(auto_broadcast_auto_broadcast_axis)
            at_axis(ctx, side(data.dims, "data"), side(x.shape, port), start, trim=True)
        elif ctx.profile == "openvino":
            ctx.broadcast(data.dims, x.shape, at=("data", port))
        else:
            onto(ctx, side(data.dims, "data"), side(x.shape, port))
    return data.dims


@rule("FakeConvert", domain=DOMAIN, since=13)
def fake_convert(
    ctx: Context,
    data: Tensor,
    scale: Tensor,
    shift: Tensor | None = None,
    *,
    destination_type: DType = DType.FLOAT8E4M3FN,
) -> Shape:
    """Keep the shape, onto which scale and shift are broadcast."""
    element_type(ctx, "destination_type", destination_type, _FORMATS)
    for x, port in ((scale, "scale"), (shift, "shift")):
        if x is not None and x.shape is not None:
            onto(ctx, side(data.dims, "data"), side(x.shape, port))
    return data.dims
