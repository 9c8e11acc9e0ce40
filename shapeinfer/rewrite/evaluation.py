"""Run nodes whose inputs are constants: by onnxruntime if it is installed, else by onnx's reference implementation."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from shapeinfer.rewrite.stored import Array

MOVING = frozenset(
    {
        *("Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Slice", "Gather", "GatherElements"),
        *("GatherND", "Concat", "Split", "Expand", "Tile", "ConstantOfShape", "Where", "Trilu", "ScatterND"),
        *("ScatterElements", "Shape", "Size", "Compress", "EyeLike", "Pad"),
        *("OneHot", "NonZero"),
    }
)
"""Operators that only move entries."""
ROUNDED_ONCE = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "Neg", "Abs", "Sqrt", "Reciprocal", "Floor", "Ceil", "Round", "Sign"),
        *("Cast", "CastLike", "Min", "Max", "Clip", "Relu", "Range", "Equal", "Greater", "Less"),
        *("GreaterOrEqual", "LessOrEqual", "And", "Or", "Not", "Xor", "IsNaN", "IsInf", "BitwiseAnd"),
        *("BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift", "ReduceMax", "ReduceMin", "ArgMax", "ArgMin"),
    }
)
"""Operators of which each entry has one right value by IEEE 754, or is exact."""
OF_ONE_KERNEL = frozenset(
    {
        *("Exp", "Log", "Sin", "Cos", "Tan", "Tanh", "Erf", "Sigmoid", "Softplus", "Softmax", "LogSoftmax"),
        *("Pow", "ReduceSum", "ReduceMean", "ReduceProd", "ReduceL2", "ReduceSumSquare", "CumSum", "Sum"),
        *("Mean", "Sinh", "Cosh", "Asin", "Acos", "Atan", "Gelu", "HardSigmoid", "Elu", "LeakyRelu", "Celu"),
        *("Selu", "MatMul", "Gemm", "Mod"),
    }
)
"""Operators whose last bits depend on who computes them. Those whose effort no shape bounds are not among them."""
PRODUCTS = frozenset({"MatMul", "Gemm"})
"""Operators that take more effort than their operands have entries."""

_RUN_TYPES = frozenset(
    {
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16"),
        *("float32", "float64"),
    }
)


@functools.cache
def runtime() -> Any:
    """Return the module onnxruntime, None where it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    return onnxruntime


def is_evaluated(op_type: str, *, approximate: bool) -> bool:
    """Whether nodes of a standard operator may be computed here with the bits of a run, or ``approximate`` ones."""
    if op_type in MOVING or op_type in ROUNDED_ONCE:
        return True
    return op_type in OF_ONE_KERNEL and (approximate or runtime() is not None)


def evaluated(
    nodes: Sequence[onnx.NodeProto], wanted: Sequence[str], feeds: Mapping[str, Array], opset: int
) -> dict[str, Array]:
    """Return the values of these names; those that cannot be computed are left out.

    The nodes are in topological order and of ONNX's own domain. What cannot be computed as one graph is computed node
    by node, so that one fault leaves the others alone.
    """
    if all(str(a.dtype) in _RUN_TYPES for a in feeds.values()):
        with contextlib.suppress(Exception):
            return _run(nodes, wanted, feeds, opset)
    known = dict(feeds)
    for node in nodes:
        inputs = {name: known[name] for name in node.input if name in known}
        if len(inputs) == len(set(filter(None, node.input))) and _runs(inputs.values()):
            # What a runtime cannot run stays in the model.
            with contextlib.suppress(Exception):
                known |= _run([node], [o for o in node.output if o], inputs, opset)
    return {name: known[name] for name in wanted if name in known}


def _runs(arrays: Any) -> bool:
    return all(str(a.dtype) in _RUN_TYPES for a in arrays)


def _run(
    nodes: Sequence[onnx.NodeProto], wanted: Sequence[str], feeds: Mapping[str, Array], opset: int
) -> dict[str, Array]:
    kinds = {name: onnx.helper.np_dtype_to_tensor_dtype(a.dtype) for name, a in feeds.items()}
    inputs = [onnx.helper.make_tensor_value_info(n, kinds[n], feeds[n].shape) for n in feeds]
    graph = onnx.helper.make_graph(nodes, "constants", inputs, [onnx.ValueInfoProto(name=name) for name in wanted])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=10)
    if runtime() is None:
        from onnx.reference import ReferenceEvaluator

        found = ReferenceEvaluator(model).run(list(wanted), dict(feeds))
    else:
        found = _session(model).run(list(wanted), dict(feeds))
    return {name: np.asarray(a) for name, a in zip(wanted, found)}


def _session(model: onnx.ModelProto) -> Any:
    module = runtime()
    options = module.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = module.GraphOptimizationLevel.ORT_DISABLE_ALL
    return module.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
