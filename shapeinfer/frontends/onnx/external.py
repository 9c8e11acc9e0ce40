"""Name the files beside a model that hold its weights, and find those that are there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import onnx

from shapeinfer.frontends.onnx.stored import escapes


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


def files_beside(model: onnx.ModelProto, folder: Path) -> dict[str, Path]:
    """Return the files in a folder that tensors of the model refer to, by location; those that are not there lack.

    Raises ValueError for a link that leads out of the folder: what it is a link to, the model must not choose.
    """
    names = [name for name in external_files(model) if name and not escapes(name)]
    found = {name: folder / name for name in names if (folder / name).is_file()}
    inside = os.path.realpath(folder)
    for name, path in found.items():
        if not Path(os.path.realpath(path)).is_relative_to(inside):
            raise ValueError(f"{name} is a link to a file outside of the model's directory; it is not copied")
    return found


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
