"""Where onnxruntime runs what the specification forbids, or refuses what it allows: narrow, each with its reason."""

from __future__ import annotations

import onnx

from shapeinfer import Report
from shapeinfer.dims import Dim
from shapeinfer.facts import Tensor

ANY, EMPTY = False, True
LIMITS = (
    # A pool takes no empty channels or axes, nor negative padding where the stride is longer than the kernel.
    ("Only N can be zero", EMPTY),
    ("padding values must be non-negative", ANY),
    ("Dilation not supported for AutoPadType", ANY),
    # Nor does a convolution's inverse more at its end than the stride, however far apart the kernel's entries.
    ("output_padding (1) may be too large", ANY),
    # Split into as many parts leaves the last ones empty by the documentation.
    ("Invalid num_outputs value of", ANY),
    ("exceeds the remaining size of the selected axis, 0", ANY),
    # No rows times a vector are no rows.
    ("left operand cannot broadcast", EMPTY),
    # Nor does it repeat an axis of 1 no times.
    ("right operand cannot broadcast", EMPTY),
)
"""What the runtime says where it refuses what the specification allows, and whether only of empty tensors."""


def is_own_limit(said: str, model: onnx.ModelProto, bound: Report) -> bool:
    """Whether the runtime has a limit of its own there."""
    if "ShapeInferenceError" in said:
        # It reads a model with onnx's inference, which counts windows that start behind the end; its pools do not.
        # Where it knows no rank, it takes what Shape gives for empty.
        return "'sizes' (0)" in said or any(
            a.name == "ceil_mode" and a.i for n in model.graph.node for a in n.attribute
        )
    empty = any(isinstance(f, Tensor) and 0 in (f.shape or ()) for f in bound.values.values())
    return any(text in said and (empty or not needed) for text, needed in LIMITS)


def ends_the_process(model: onnx.ModelProto, bound: Report) -> bool:
    """Whether the runtime's process would end: some of its operators divide by the number of entries."""
    return any(
        node.op_type in ("Einsum", "InstanceNormalization") and 0 in (_shape(bound, name) or ())
        for node in model.graph.node
        for name in node.input
    )


def is_lenient(model: onnx.ModelProto, bound: Report, index: int) -> bool:
    """Whether the runtime is known to run a node in its own way for sizes that the specification treats otherwise."""
    node = model.graph.node[index]
    shapes = [_shape(bound, name) for name in node.input]
    if node.op_type in ("MaxPool", "AveragePool", "LpPool"):
        # The runtime divides towards zero: a kernel longer than the padded input by less than two strides passes.
        # Of a batch of nothing all windows pass.
        return _is_just_too_long(node, shapes[0]) or (shapes[0] or [1])[0] == 0
    if node.op_type == "PRelu":
        # The slope may be the larger of the two there; the specification broadcasts it to X alone.
        return True
    if node.op_type in ("Concat", "MatMul"):
        # What has no entries is left out there before the other axes are compared, or broadcast.
        return any(0 in s for s in shapes if s is not None)
    return False


def reduces_nothing(model: onnx.ModelProto, bound: Report) -> bool:
    """Whether a tensor without entries is reduced along an axis counted from the end.

    The runtime does not find that axis then, and keeps it as it is.
    """
    constants = {i.name: onnx.numpy_helper.to_array(i).ravel().tolist() for i in model.graph.initializer}
    for node in model.graph.node:
        if not node.op_type.startswith(("Reduce", "Arg")) or 0 not in (_shape(bound, node.input[0]) or ()):
            continue
        given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        axes = given.get("axes", [given.get("axis", 0)])
        if len(node.input) > 1:
            axes = constants[node.input[1]]
        if any(a < 0 for a in axes):
            return True
    return False


def multiplies_nothing(model: onnx.ModelProto, bound: Report) -> bool:
    """Whether a product is over no entries: the runtime then gives back at times what its memory held before."""
    return any(
        node.op_type in ("MatMul", "Gemm") and any(0 in (_shape(bound, name) or ()) for name in node.input)
        for node in model.graph.node
    )


def copies_by_zero(model: onnx.ModelProto, bound: Report) -> bool:
    """Whether a computed target of a Reshape holds a 0, which the runtime takes for an axis to copy.

    The contract asks for at least 1 there, since nobody computes a length to have it mean another. Where the contract
    holds all the same, the shape is right.
    """
    known = {i.name for i in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Reshape" and node.input[1] not in known:
            target = bound.values.get(node.input[1])
            if isinstance(target, Tensor) and 0 in (target.value or ()):
                return True
    return False


def _shape(bound: Report, name: str) -> list[int] | None:
    fact = bound.values.get(name)
    if not isinstance(fact, Tensor) or fact.shape is None or any(isinstance(d, Dim) for d in fact.shape):
        return None
    return [d for d in fact.shape if isinstance(d, int)]


def _is_just_too_long(node: onnx.NodeProto, shape: list[int] | None) -> bool:
    if shape is None:
        return False
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    kernel, strides = given["kernel_shape"], given["strides"]
    axes = len(kernel)
    pads, dilations = given.get("pads", [0] * 2 * axes), given.get("dilations", [1] * axes)
    longer = [(kernel[i] - 1) * dilations[i] + 1 - (shape[2 + i] + pads[i] + pads[axes + i]) for i in range(axes)]
    return max(longer) > 0 and all(n < 2 * s for n, s in zip(longer, strides))
