"""ONNX's operators on images with channels last, into which onnxruntime rewrites a model for some hardware.

Each is ONNX's own between two transpositions: of the first input and of the first output. Weights and all else stay as
they are; only Resize has its scales, sizes and axes in the order of its data.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from attrs import evolve

from shapeinfer.facts import Shape, Tensor, tensor
from shapeinfer.graph import AttributeType
from shapeinfer.ops.context import Context
from shapeinfer.ops.microsoft.schema import BYTES
from shapeinfer.ops.onnx.windows.conv import conv_transpose
from shapeinfer.ops.onnx.windows.pool import pool
from shapeinfer.ops.registry import Output, Rule, add, find_rule, rule
from shapeinfer.ops.signature import FormalAttribute, declare, signature
from shapeinfer.ops.signature import add as declare_as
from shapeinfer.shapes.windows.layout import channels_first, channels_last
from shapeinfer.shapes.windows.window import WINDOW, Ints, Window

LAST = "com.ms.internal.nhwc"
_VERSIONS = {
    "AveragePool": (7, 10, 11, 19),
    "BatchNormalization": (7, 9, 14, 15),
    "Conv": (1, 11),
    "ConvTranspose": (1, 11),
    "DepthToSpace": (1, 11, 13, 28),
    "GlobalAveragePool": (1,),
    "GlobalLpPool": (2,),
    "GlobalMaxPool": (1,),
    "GridSample": (16, 20),
    "InstanceNormalization": (6,),
    "LRN": (1, 13),
    "LpPool": (11, 18),
    "MaxPool": (1, 8, 10, 11, 12),
    "MaxUnpool": (9, 11),
    "QLinearConv": (10,),
    "Resize": (11, 13, 18, 19),
    "SpaceToDepth": (1, 13, 28),
}
_ACTIVATED = frozenset(
    ("AveragePool", "BatchNormalization", "Conv", "ConvTranspose", "InstanceNormalization", "MaxPool", "MaxUnpool")
)
"""Those that an activation may be fused with."""
_OPEN = frozenset(("MaxPool", "MaxUnpool"))
"""Those whose indices, and a shape for them, have an order that nothing documents."""


def _with_channels_last(of: Rule, name: str) -> Any:
    """Return a rule's function between two transpositions."""

    @functools.wraps(of.function)
    def turned(ctx: Context, x: Tensor, *inputs: Tensor | None, **attributes: Any) -> Output | list[Output]:
        others = [_open(other) for other in inputs] if name in _OPEN else inputs
        made = of.function(ctx, channels_first(ctx, x, of.parameters[0]), *others, **attributes)
        if not isinstance(made, list):
            return _last(made)
        return [_last(made[0]), *([None] * (len(made) - 1) if name in _OPEN else made[1:])]

    return turned


def _open(x: Tensor | None) -> Tensor | None:
    return None if x is None else tensor(x.dtype, None)


def _last(made: Output) -> Output:
    if isinstance(made, tuple):
        return channels_last(made)
    if isinstance(made, Tensor) and made.shape is not None:
        return tensor(made.dtype, channels_last(made.shape))
    return made


def _add(name: str, version: int) -> None:
    """Add one version of an operator, if the onnx that is installed has it."""
    own, of = signature("", name, version), find_rule("", name, version)
    if own is None or of is None or own.since != version:
        return
    attributes = dict(own.attributes)
    if name in _ACTIVATED:
        for kind, attribute in ((AttributeType.STRING, "activation"), (AttributeType.FLOATS, "activation_params")):
            attributes[attribute] = FormalAttribute(attribute, kind)
    declare_as(evolve(own, domain=LAST, attributes=attributes, schema=None))
    function = of.function if name == "Resize" else _with_channels_last(of, name)
    add(Rule(function, LAST, name, version, of.unranked))


for _name, _versions in _VERSIONS.items():
    for _version in _versions:
        _add(_name, _version)

declare(
    "QLinearAveragePool(X: T, x_scale: float, x_zero_point?: T, y_scale: float, y_zero_point?: T; auto_pad: string = "
    '"NOTSET", ceil_mode: int = 0, channels_last: int = 0, count_include_pad: int = 0, kernel_shape: ints, pads?: '
    "ints, strides?: ints) -> Y: T",
    domain="com.ms.internal.nhwc",
    T=BYTES,
)


@rule("QLinearAveragePool", domain=LAST)
def qlinear_average_pool(ctx: Context, x: Tensor, *, kernel_shape: Sequence[int], window: Window = WINDOW) -> Shape:
    """Average over windows, with channels last."""
    return channels_last(pool(ctx, channels_first(ctx, x, "x"), kernel_shape=kernel_shape, window=window))


declare(
    "QLinearConvTranspose(x: T1, x_scale: float, x_zero_point: T1, w: T2, w_scale: float, w_zero_point: T2, y_scale: "
    'float, y_zero_point: T3, B?: int32; auto_pad: string = "NOTSET", dilations?: ints, group: int = 1, kernel_shape?: '
    "ints, output_padding?: ints, output_shape?: ints, pads?: ints, strides?: ints) -> y: T3",
    domain="com.ms.internal.nhwc",
    T1=BYTES,
    T2=BYTES,
    T3=BYTES,
)


@rule("QLinearConvTranspose", domain=LAST)
def qlinear_conv_transpose(
    ctx: Context,
    x: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
    b: Tensor | None = None,
    *,
    group: int = 1,
    kernel_shape: Ints = None,
    output_padding: Ints = None,
    output_shape: Ints = None,
    window: Window = WINDOW,
) -> Shape:
    """Spread each element over a window of quantized weights, with channels last."""
    options: dict[str, Any] = {"group": group, "kernel_shape": kernel_shape, "output_padding": output_padding}
    first = channels_first(ctx, x, "x")
    return channels_last(conv_transpose(ctx, first, w, b, output_shape=output_shape, window=window, **options))
