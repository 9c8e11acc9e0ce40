"""Models of the corpus with weights, and inputs for them, so that they run."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from shapeinfer.facts import DType
from shapeinfer.rewrite.names import nested
from tests.infer.running import Array


def weighted(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return a copy of a model with numbers in the place of weights that are in a file that is not there."""
    out = onnx.ModelProto()
    out.CopyFrom(model)
    for tensor in _tensors(out):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            kind = DType(tensor.data_type).numpy()
            tensor.ClearField("external_data")
            tensor.ClearField("data_location")
            tensor.raw_data = numbers(tensor.name, tensor.dims, kind, 0.1).tobytes()
    return out


def fed(binding: Mapping[str, Any]) -> dict[str, Array]:
    """Make the inputs of one binding of a model of the corpus."""
    kinds = binding["input_dtypes"]
    return {name: numbers(name, dims, kinds[name], 1) for name, dims in binding["inputs"].items()}


def numbers(name: str, dims: Sequence[int], kind: Any, most: float) -> Array:
    """Make an array, the same for one name each time: floats around 0, and integers that are indices anywhere."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    if kind == "string":
        return np.full(tuple(dims), "word", dtype=object)
    if np.dtype(kind).kind in "iub":
        return random.integers(0, 2, tuple(dims)).astype(kind)
    return random.uniform(-most, most, tuple(dims)).astype(kind)


def _tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    for graph in (model.graph, *nested(model.graph)):
        yield from graph.initializer
        for node in graph.node:
            yield from (a.t for a in node.attribute if a.HasField("t"))
