"""How OpenVINO's attributes describe a window that slides over the spatial axes."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.dims import Size
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import choice
from shapeinfer.shapes.windows.window import Window, of_each, window

Ints = Sequence[int] | None

PADDED = 'pads_begin?: ints, pads_end?: ints, auto_pad: string = "explicit"'
SLIDING = f"strides?: ints, dilations?: ints, {PADDED}"
"""The attributes of a convolution; the specification asks for most of them, OpenVINO has defaults."""

AUTO_PADS = {"explicit": "NOTSET", "same_upper": "SAME_UPPER", "same_lower": "SAME_LOWER", "valid": "VALID"}


def sliding(
    ctx: Context,
    kernel: Sequence[Size],
    *,
    strides: Ints,
    dilations: Ints = None,
    pads_begin: Ints,
    pads_end: Ints,
    auto_pad: str,
    rounding_type: str = "floor",
) -> Window:
    """Build the window of a kernel; explicit pads apply only if ``auto_pad`` is explicit."""
    axes = len(kernel)
    kind = AUTO_PADS[choice(ctx, "auto_pad", auto_pad, " ".join(AUTO_PADS))]
    rounding = choice(ctx, "rounding_type", rounding_type, "floor ceil ceil_torch")
    pads: list[int] = []
    for name, given in (("pads_begin", pads_begin), ("pads_end", pads_end)):
        side = tuple(given or (0,) * axes)
        if kind == "NOTSET":
            of_each(ctx, name, side, axes, least=None)
            pads += side
    return window(
        ctx,
        kernel,
        axes,
        strides=strides,
        dilations=dilations,
        pads=pads,
        auto_pad=kind,
        ceil_mode=rounding != "floor",
        late=rounding == "ceil",
    )
