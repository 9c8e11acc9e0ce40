"""What a model itself asks not to be told of: ``shapeinfer.ignore`` among its metadata."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable

import onnx

from shapeinfer.graph import Node

KEY = "shapeinfer.ignore"


def ignores_of(model: onnx.ModelProto) -> Callable[[Node | str | None], frozenset[str]]:
    """Return what tells the codes to ignore: at a node, of a value by its name, or, for None, in the whole model.

    They stand, separated by commas, under the key ``shapeinfer.ignore`` of the model, the node or the value, and
    those of a value also under ``shapeinfer.ignore.<name>`` of the model. Nothing is read before somebody asks.
    """

    @functools.cache
    def values() -> dict[str, onnx.ValueInfoProto]:
        graph = model.graph
        return {v.name: v for v in itertools.chain(graph.value_info, graph.input, graph.output) if v.metadata_props}

    def ignores(what: Node | str | None) -> frozenset[str]:
        if what is None:
            return _codes(model.metadata_props, KEY)
        if isinstance(what, str):
            own = values().get(what)
            said = _codes(model.metadata_props, f"{KEY}.{what}")
            return said if own is None else said | _codes(own.metadata_props, KEY)
        return _codes(what.source.metadata_props, KEY) if isinstance(what.source, onnx.NodeProto) else frozenset()

    return ignores


def _codes(metadata: Iterable[onnx.StringStringEntryProto], key: str) -> frozenset[str]:
    texts = [entry.value for entry in metadata if entry.key == key and isinstance(entry.value, str)]
    return frozenset(code.strip() for text in texts for code in text.split(",")) - {""}
