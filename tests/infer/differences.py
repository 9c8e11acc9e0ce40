"""Where onnxruntime runs what the specification forbids, or refuses what it allows: narrow, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx

from shapeinfer import DType, Report
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
    # Empty scales stand for none where they are an initializer; computed ones do not load beside sizes.
    ("Either `sizes` or `scales` must be provided", EMPTY),
    # One zero point for each row, which MatMulInteger's documentation allows, is for other runtimes.
    ("zero point must be a scalar or 1D tensor of size 1", ANY),
    # Nor does one number in a list of one, where the runtime knows it as it loads.
    ("input must be a scalar", ANY),
    ("input must be scalar", ANY),
)
"""What the runtime says where it refuses what the specification allows, and whether only of empty tensors."""


def is_own_limit(said: str, model: onnx.ModelProto, bound: Report) -> bool:
    """Whether the runtime has a limit of its own there."""
    if "ShapeInferenceError" in said:
        # It reads a model with onnx's inference, which counts windows that start behind the end; its pools do not.
        # Where it knows no rank, it takes what Shape gives for empty.
        rounded = any(a.name == "ceil_mode" and a.i for n in model.graph.node for a in n.attribute)
        if "'sizes' (0)" in said or rounded:
            return True
    empty = any(isinstance(f, Tensor) and 0 in (f.shape or ()) for f in bound.values.values())
    return any(text in said and (empty or not needed) for text, needed in LIMITS)


def ends_the_process(model: onnx.ModelProto, bound: Report) -> bool:
    """Whether the runtime's process would end: some of its operators divide by the number of entries."""
    return any(
        node.op_type in ("Einsum", "InstanceNormalization") and 0 in (_shape(bound, name) or ())
        for node in model.graph.node
        for name in node.input
    )


def is_lenient(model: onnx.ModelProto, bound: Report, index: int, path: Sequence[str] = ()) -> bool:
    """Whether the runtime is known to run a node in its own way for sizes that the specification treats otherwise.

    ``path`` are the graphs around the node, as diagnostics name them.
    """
    node = _node_at(model.graph, index, path)
    shapes = [_shape(bound, name) for name in node.input]
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type in ("MaxPool", "AveragePool", "LpPool"):
        # The runtime divides towards zero: a kernel longer than the padded input by less than two strides passes.
        # Of a batch of nothing all windows pass.
        return _is_just_too_long(node, shapes[0]) or (shapes[0] or [1])[0] == 0
    if node.op_type == "PRelu":
        # The slope may be the larger of the two there; the specification broadcasts it to X alone.
        return True
    if node.op_type in ("Concat", "ConcatFromSequence", "MatMul"):
        # What has no entries is left out there before the other axes are compared, or broadcast; in bodies too.
        parts = [_lengths(e) for name in node.input for e in getattr(bound.values.get(name), "elements", None) or ()]
        return any(0 in s for s in (*shapes, *parts) if s is not None)
    if node.op_type in ("Split", "SplitToSequence"):
        # Of what it knows only as it runs, it makes a part for each output, or parts of 1, where no lengths are given,
        # an empty list of them, or a number of parts that is not the outputs'.
        if len(node.input) > 1:
            return shapes[1] == [0]
        return _opset(model) >= 18 and given.get("num_outputs") != len(node.output)
    if node.op_type in ("ScatterND", "ScatterElements"):
        # A word for the reduction that it does not know stands for none.
        return given.get("reduction", b"none") not in (b"none", b"add", b"mul", b"max", b"min")
    if node.op_type == "DFT":
        # The one side of complex numbers is computed as if there were no other.
        return bool(given.get("onesided")) and not given.get("inverse") and (shapes[0] or [0])[-1] == 2
    if node.op_type in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
        # Fewer targets than there are in the batch are as many entries of it.
        return all(shapes[:2]) and (shapes[1] or [0])[0] < (shapes[0] or [0])[0]
    if node.op_type in _ALONG_NOTHING or node.op_type.startswith("Reduce"):
        # No axis is looked for in what has no entries.
        rank = len(shapes[0] or ())
        return 0 in (shapes[0] or ()) and any(not -rank <= a < rank for a in _axes(model, bound, node))
    if node.op_type == "CenterCropPad" or (node.op_type == "Resize" and "keep_aspect_ratio_policy" in given):
        # A negative length counts as 0, or is left behind by that which keeps the proportions.
        sizes = bound.values.get(node.input[-1])
        return any(isinstance(v, int) and v < 0 for v in getattr(sizes, "value", None) or ())
    return False


_ALONG_NOTHING = ("Softmax", "LogSoftmax", "Hardmax", "ArgMax", "ArgMin", "CumSum")


def rounds_late(model: onnx.ModelProto, bound: Report) -> bool:
    """Whether a value of half precision is computed from another that is computed.

    The runtime has few operators of that type, so it computes in single precision and rounds only at the end.
    """
    computed = [name for node in model.graph.node if node.op_type != "Cast" for name in node.output if name]
    kinds = {name: getattr(bound.values.get(name), "dtype", None) for name in computed}
    halves = {name for name, kind in kinds.items() if kind in (DType.FLOAT16, DType.BFLOAT16)}
    return any(halves.intersection(node.input) and halves.intersection(node.output) for node in model.graph.node)


def _node_at(graph: Any, index: int, path: Sequence[str]) -> Any:
    for step in path:
        name, _, attribute = step.rpartition(".")
        around = next(n for i, n in enumerate(graph.node) if (n.name or f"{n.op_type}_{i}") == name)
        graph = next(a.g for a in around.attribute if a.name == attribute)
    return graph.node[index]


def reduces_nothing(model: onnx.ModelProto, bound: Report) -> bool:
    """Whether a tensor without entries is reduced along an axis counted from the end.

    The runtime does not find that axis then, and keeps it as it is.
    """
    return any(
        node.op_type.startswith(("Reduce", "Arg"))
        and 0 in (_shape(bound, node.input[0]) or ())
        and any(a < 0 for a in _axes(model, bound, node))
        for node in model.graph.node
    )


def _axes(model: onnx.ModelProto, bound: Report, node: onnx.NodeProto) -> Sequence[int]:
    """The axes that a node names, by an input or an attribute; one that is not known is the last."""
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if len(node.input) > 1 and node.input[1]:
        stored = {i.name: onnx.numpy_helper.to_array(i).ravel().tolist() for i in model.graph.initializer}
        known = getattr(bound.values.get(node.input[1]), "value", None)
        found = stored.get(node.input[1]) or known or ()
        return [a for a in found if isinstance(a, int)] or [-1]
    return list(given.get("axes", [given.get("axis", 0)]))


def _opset(model: onnx.ModelProto) -> int:
    return next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)


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
    scopes = (bound.values, *bound.scopes.values())  # the names of generated models are their own in every graph
    return next((_lengths(values[name]) for values in scopes if values.get(name) is not None), None)


def _lengths(fact: object) -> list[int] | None:
    if not isinstance(fact, Tensor) or fact.shape is None or any(isinstance(d, Dim) for d in fact.shape):
        return None
    return [d for d in fact.shape if isinstance(d, int)]


def _is_just_too_long(node: onnx.NodeProto, shape: list[int] | None) -> bool:
    if shape is None:
        return False
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    kernel = given["kernel_shape"]
    axes = len(kernel)
    strides = given.get("strides", [1] * axes)
    pads, dilations = given.get("pads", [0] * 2 * axes), given.get("dilations", [1] * axes)
    longer = [(kernel[i] - 1) * dilations[i] + 1 - (shape[2 + i] + pads[i] + pads[axes + i]) for i in range(axes)]
    return max(longer) > 0 and all(n < 2 * s for n, s in zip(longer, strides))
