"""Name the files beside a model that hold its weights."""

from __future__ import annotations

from collections.abc import Iterator

import onnx


def external_files(model: onnx.ModelProto) -> list[str]:
    """Return the locations that tensors of the model refer to, sorted; no file is opened."""
    found = {
        entry.value
        for tensor in _tensors(model)
        if tensor.data_location == onnx.TensorProto.EXTERNAL
        for entry in tensor.external_data
        if entry.key == "location"
    }
    return sorted(found)


def _tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    graphs = [model.graph]
    nodes = [n for f in model.functions for n in f.node]
    while graphs or nodes:
        if graphs:
            graph = graphs.pop()
            nodes.extend(graph.node)
            yield from graph.initializer
            for sparse in graph.sparse_initializer:
                yield from (sparse.values, sparse.indices)
            continue
        for attribute in nodes.pop().attribute:
            yield attribute.t
            yield from attribute.tensors
            graphs.extend([attribute.g] if attribute.HasField("g") else attribute.graphs)
