"""Where a model could tell 0.0 from -0.0, followed from its outputs back to what computes them.

Numbers that differ only in the signs of zeros stay so through sums, products, maxima and whatever moves entries; they
become equal where a number that is not -0.0 is added, and in comparisons, exponentials and roundings to integers. Only
division by them, and what is not listed here, may turn the sign into another difference.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.facts import DType
from shapeinfer.rewrite.normalization import is_scaled
from shapeinfer.rewrite.site import Site
from shapeinfer.rewrite.uniform import uniform

BLIND = frozenset(
    {
        *("Abs", "Exp", "Cos", "Cosh", "Sigmoid", "Softplus", "Softmax", "LogSoftmax", "Equal", "Less"),
        *("LessOrEqual", "Greater", "GreaterOrEqual", "IsNaN", "IsInf", "ArgMax", "ArgMin", "Shape", "Size", "NonZero"),
        *("DynamicQuantizeLinear", "ReduceL2", "ReduceSumSquare"),
    }
)
"""Operators whose outputs are the same for zeros of either sign."""
_PASSING = frozenset(
    {
        *("Add", "Sub", "Mul", "Sum", "Mean", "Neg", "Relu", "LeakyRelu", "PRelu", "Elu", "Tanh", "Erf", "Sin", "Sqrt"),
        *(
            "Gelu",
            "Floor",
            "Ceil",
            "Round",
            "Clip",
            "Max",
            "Min",
            "Where",
            "Identity",
            "Dropout",
            "Reshape",
            "Transpose",
        ),
        *("Squeeze", "Unsqueeze", "Flatten", "Slice", "Split", "Concat", "Expand", "Tile", "Gather", "GatherElements"),
        *("GatherND", "ScatterND", "ScatterElements", "Pad", "DepthToSpace", "SpaceToDepth", "ReduceSum", "ReduceMean"),
        *("ReduceMax", "ReduceMin", "CumSum", "Trilu", "MatMul", "Gemm", "Einsum", "Conv", "ConvTranspose", "MaxPool"),
        *("AveragePool", "GlobalAveragePool", "GlobalMaxPool", "HardSwish", "HardSigmoid", "LayerNormalization"),
        *("Resize", "LSTM", "GRU", "RNN"),
        *("BatchNormalization", "InstanceNormalization", "GroupNormalization", "TopK", "Swish", "RMSNormalization"),
    }
)
"""Operators whose outputs then differ in the signs of zeros alone, if at all, whichever input it is."""


def added_zeros(site: Site) -> frozenset[int]:
    """Return the additions of 0.0 whose result nothing can tell from the other operand.

    They are taken from the last to the first: one that stays makes the zeros before it equal.
    """
    seen: dict[str, bool] = dict.fromkeys((*site.outputs, *site.kept_names), True)
    found: set[int] = set()
    for index in reversed(range(len(site.nodes))):
        node = site.nodes[index]
        matters = any(seen.get(o, False) for o in node.outputs)
        port = zero_port(site, index)
        if port is not None and not matters:
            found.add(index)
        for at, name in enumerate(node.inputs):
            if _is_seen(site, index, at, matters, port is not None and matters):
                seen[name] = True
        if node.graphs:
            seen.update((name, True) for name in site.read_inside(index))
    return frozenset(found)


def zero_port(site: Site, index: int) -> int | None:
    """Return the operand of an Add beside which the other is 0.0 throughout, and that is as large as the result."""
    node = site.nodes[index]
    if site.op(index) != "Add":
        return None
    for port, other in ((0, 1), (1, 0)):
        number = uniform(site, node.inputs[other])
        is_zero = number is not None and number.dtype.kind == "f" and number == 0 and not np.signbit(number)
        if is_zero and site.same_shape(node.inputs[port], node.outputs[0]) and not is_scaled(site, node.inputs[port]):
            return port
    return None


def _is_seen(site: Site, index: int, port: int, matters: bool, stays: bool) -> bool:
    """Whether the signs of zeros in an input can make a difference, where those in the outputs matter or not."""
    op = site.op(index)
    if op in BLIND or stays or (op == "QuantizeLinear" and port == 0):
        return False
    if op == "Cast":
        to = site.dtype(site.nodes[index].outputs[0])
        return to is None or to is DType.STRING or (to.is_float and matters)
    if op in _PASSING or (op == "Div" and port == 0):
        return matters and not _is_absorbed(site, index, port, op)
    if op == "Pow" and port == 0:
        exponent = uniform(site, site.nodes[index].inputs[1])
        return matters or exponent is None or not exponent > 0
    return True


def _is_absorbed(site: Site, index: int, port: int, op: str) -> bool:
    """Whether a constant is added that holds no -0.0."""
    inputs = site.nodes[index].inputs
    if op == "Add":
        return _has_no_negative_zero(site, inputs[1 - port])
    shift = 2 if op == "LayerNormalization" else None
    outputs = site.nodes[index].outputs
    return (
        port == 0
        and shift is not None
        and len(inputs) > shift
        and len(outputs) == 1
        and _has_no_negative_zero(site, inputs[shift])
    )


def _has_no_negative_zero(site: Site, name: str) -> bool:
    array = site.constant(name)
    return array is not None and array.dtype.kind == "f" and not (np.signbit(array) & (array == 0)).any()
