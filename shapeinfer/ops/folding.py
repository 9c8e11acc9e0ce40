"""Constant folding of a call whose shape depends on its inputs' contents, by ONNX's reference implementation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx

from shapeinfer.facts import DType, Fact, Tensor, dtype_of, tensor
from shapeinfer.graph import Call


def folded(call: Call, inputs: Sequence[Fact | None]) -> list[Fact] | None:
    """Return the outputs of a call, None where an input is not known to the last entry or the run fails."""
    from onnx.reference import ReferenceEvaluator  # slow to import, and seldom needed

    arrays = [None if x is None else _array(x) for x in inputs]
    if any(a is None and x is not None for a, x in zip(arrays, inputs)):
        return None
    names = ["" if a is None else f"i{k}" for k, a in enumerate(arrays)]
    outputs = [f"o{k}" if named else "" for k, named in enumerate(call.outputs)]
    feeds = {name: a for name, a in zip(names, arrays) if a is not None}
    try:
        node = onnx.helper.make_node(call.op_type, names, outputs, domain=call.domain, **call.attributes.values)
        arguments = [onnx.helper.make_tensor_value_info(n, _number(x), None) for n, x in zip(names, inputs) if n]
        wanted = [onnx.ValueInfoProto(name=name) for name in outputs if name]
        graph = onnx.helper.make_graph([node], "folded", arguments, wanted)
        opset = onnx.helper.make_opsetid(call.domain, call.opset)
        computed = iter(ReferenceEvaluator(onnx.helper.make_model(graph, opset_imports=[opset])).run(None, feeds))
        return [_fact(next(computed)) if name else tensor(DType.UNDEFINED, None) for name in outputs]
    except Exception:  # noqa: BLE001 - what the reference implementation cannot run stays unknown
        return None


def _array(x: Fact) -> np.ndarray[Any, Any] | None:
    if not isinstance(x, Tensor) or x.value is None or x.shape is None:
        return None
    if not all(isinstance(v, (bool, int, float, str)) for v in x.value):
        return None
    dtype = np.dtype(object) if x.dtype is DType.STRING else x.dtype.numpy()
    shape = tuple(d for d in x.shape if isinstance(d, int))
    return None if dtype is None else np.array(x.value, dtype=dtype).reshape(shape)


def _number(x: Fact | None) -> int:
    return int(x.dtype) if isinstance(x, Tensor) else int(DType.UNDEFINED)


def _fact(computed: Any) -> Fact:
    array = np.asarray(computed)
    dtype = DType.STRING if array.dtype.kind in "OU" else dtype_of(array.dtype)
    return tensor(dtype, array.shape, tuple(array.ravel().tolist()))
