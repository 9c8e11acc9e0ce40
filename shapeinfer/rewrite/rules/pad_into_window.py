"""Let a convolution or an average pool that counts padding do the padding of a Pad before it.

A Pad of zeros at the ends of the spatial axes and the ``pads`` of a window are the same zeros. The weights of a
convolution must be finite numbers that are known, since 0 times infinity is no zero. Padding of batch or channels, of
negative length, by other numbers or for several readers stays.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx

from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site
from shapeinfer.rewrite.uniform import uniform

MOST_WEIGHTS = 1 << 24


@rewrite(
    "pad-into-window", "a Pad of zeros becomes the padding of the convolution that reads it", "Conv", "AveragePool"
)
def pad_into_window(site: Site, index: int) -> Calls | None:
    """Add the lengths of a Pad to those of the node that reads it."""
    node = site.nodes[index]
    before = site.producers.get(node.inputs[0])
    if before is None or site.op(before) != "Pad" or site.checks(before) or site.only_reader(node.inputs[0]) is None:
        return None
    padded = _spatial_zeros(site, before)
    if padded is None or site.attribute(index, "auto_pad", "NOTSET") != "NOTSET":
        return None
    pads = site.attribute(index, "pads") or [0] * len(padded)
    if site.op(index) == "AveragePool":
        if any(pads) or not site.attribute(index, "count_include_pad", 0) or site.attribute(index, "ceil_mode", 0):
            return None
    elif not _is_finite(site, node.inputs[1]) or len(pads) != len(padded):
        return None
    proto = onnx.NodeProto()
    proto.CopyFrom(site.proto.node[index])
    kept = [a for a in proto.attribute if a.name != "pads"]
    proto.ClearField("attribute")
    proto.attribute.extend([*kept, onnx.helper.make_attribute("pads", [a + b for a, b in zip(pads, padded)])])
    proto.input[0] = site.nodes[before].inputs[0]
    return Calls((proto,))


def _spatial_zeros(site: Site, index: int) -> Sequence[int] | None:
    """Return how many zeros a Pad puts at the beginnings and at the ends of the spatial axes, if it does just that."""
    pads = site.attribute(index, "pads") or site.entries(index, 1)
    rank = len(site.shape(site.nodes[index].inputs[0]) or ())
    if pads is None or rank < 3 or len(pads) != 2 * rank or site.has_input(index, 3):
        return None
    lengths = [pad for pad in pads if isinstance(pad, int) and pad >= 0]
    filling = (
        uniform(site, site.nodes[index].inputs[2]) if site.has_input(index, 2) else site.attribute(index, "value", 0)
    )
    if (
        len(lengths) < len(pads)
        or filling is None
        or filling != 0
        or site.attribute(index, "mode", "constant") != "constant"
    ):
        return None
    if any(lengths[axis] for axis in (0, 1, rank, rank + 1)):
        return None
    return [*lengths[2:rank], *lengths[rank + 2 :]]


def _is_finite(site: Site, name: str) -> bool:
    array = site.constant(name, MOST_WEIGHTS)
    return array is not None and bool(np.isfinite(array).all())
