"""How OpenVINO's attributes describe a window that slides over the spatial axes."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from shapeinfer.dims import Size
from shapeinfer.ops.context import Context
from shapeinfer.ops.openvino.schema import choice
from shapeinfer.shapes.windows.window import Ints, SlidingWindow, Window, of_each

PADDED = 'pads_begin?: ints, pads_end?: ints, auto_pad: string = "explicit"'
SLIDING = f"strides?: ints, dilations?: ints, {PADDED}"
"""The attributes of a convolution; the specification requires most of them, OpenVINO has defaults."""

AUTO_PADS = {"explicit": "NOTSET", "same_upper": "SAME_UPPER", "same_lower": "SAME_LOWER", "valid": "VALID"}


@frozen(repr=False)
class LayerWindow:
    """The attributes that convolutions and pools share, as a layer has them."""

    strides: Ints = None
    dilations: Ints = None
    pads_begin: Ints = None
    pads_end: Ints = None
    auto_pad: str = "explicit"
    rounding_type: str = "floor"

    def of(self, ctx: Context, kernel: Sequence[Size]) -> SlidingWindow:
        """Return the window of a kernel; explicit pads apply only if ``auto_pad`` is explicit."""
        axes = len(kernel)
        auto_pad = AUTO_PADS[choice(ctx, "auto_pad", self.auto_pad, " ".join(AUTO_PADS))]
        rounding = choice(ctx, "rounding_type", self.rounding_type, "floor ceil ceil_torch")
        pads: list[int] = []
        for name, listed in (("pads_begin", self.pads_begin), ("pads_end", self.pads_end)):
            side = tuple(listed or (0,) * axes)
            if auto_pad == "NOTSET":
                of_each(ctx, name, side, axes, least=None)
                pads += side
        window = Window(self.strides, self.dilations, pads, auto_pad, rounding != "floor")
        return window.of(ctx, kernel, axes, late=rounding == "ceil")


WINDOW = LayerWindow()
"""The window of a layer without any of the attributes: steps of 1, without padding."""
