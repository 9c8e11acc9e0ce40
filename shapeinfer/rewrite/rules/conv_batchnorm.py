"""Fold a BatchNormalization into the constant weights of the convolution before it.

For inference a BatchNormalization scales and shifts each channel by constants. The weights of each channel times its
scale, and its bias scaled and shifted, give the same numbers but for rounding: the rewrite is approximate. Onnxruntime
does it by itself.
"""

from __future__ import annotations

import numpy as np
import onnx

from shapeinfer.rewrite.edits import Calls
from shapeinfer.rewrite.rule import rewrite
from shapeinfer.rewrite.site import Site

MOST_WEIGHTS = 1 << 24


@rewrite("conv-batchnorm", "a BatchNormalization goes into the weights before it", "BatchNormalization", exact=False)
def conv_batchnorm(site: Site, index: int) -> Calls | None:
    """Merge a BatchNormalization with the Conv before it."""
    node = site.nodes[index]
    before = site.producers.get(node.inputs[0])
    if before is None or site.op(before) != "Conv" or site.checks(before) or site.only_reader(node.inputs[0]) is None:
        return None
    if site.attribute(index, "training_mode", 0) or any(site.is_read(o) for o in node.outputs[1:] if o):
        return None
    x, w, *b = site.nodes[before].inputs
    arrays = [site.constant(name, MOST_WEIGHTS) for name in (w, *b, *node.inputs[1:])]
    if any(a is None or a.dtype not in (np.float32, np.float64) for a in arrays):
        return None
    weights, *rest = [a.astype(np.float64) for a in arrays if a is not None]
    bias = rest.pop(0) if b else np.zeros(len(weights))
    scale, shift, mean, variance = rest
    factor = scale / np.sqrt(variance + site.attribute(index, "epsilon", 1e-5))
    kind = arrays[0].dtype if arrays[0] is not None else np.dtype("f4")
    found = weights * factor.reshape(-1, *[1] * (weights.ndim - 1)), (bias - mean) * factor + shift
    names = [site.names.fresh(f"{node.outputs[0]}_{part}") for part in ("weight", "bias")]
    proto = onnx.NodeProto()
    proto.CopyFrom(site.proto.node[before])
    proto.ClearField("input")
    proto.input.extend([x, *names])
    proto.output[0] = node.outputs[0]
    return Calls((proto,), tuple((n, a.astype(kind)) for n, a in zip(names, found)))
