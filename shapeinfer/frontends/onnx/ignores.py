"""The findings that a model suppresses itself: ``shapeinfer.ignore`` among its metadata."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable

import onnx

from shapeinfer.graph import Node

KEY = "shapeinfer.ignore"
_NONE: frozenset[str] = frozenset()


def ignores_of(model: onnx.ModelProto) -> Callable[[Node | str | None], frozenset[str]]:
    """Return a function for the codes to suppress: at a node, of a value by its name, or, for None, in the whole model.

    They stand, separated by commas, under the key ``shapeinfer.ignore`` of the model, the node or the value, and
    those of a value also under ``shapeinfer.ignore.<name>`` of the model. Nothing is read before it is called.
    """

    @functools.cache
    def named() -> dict[str, frozenset[str]]:
        """The codes to ignore of values, by name; those of the whole model under no name."""
        graph = model.graph
        found: dict[str, frozenset[str]] = {}
        for entry in model.metadata_props:
            key = entry.key
            if isinstance(key, str) and key.startswith(f"{KEY}."):
                name = key[len(KEY) + 1 :]
                found[name] = found.get(name, _NONE) | _codes((entry,), key)
        found[""] = _codes(model.metadata_props)
        for value in itertools.chain(graph.value_info, graph.input, graph.output, graph.initializer):
            if value.metadata_props and value.name:
                found[value.name] = found.get(value.name, _NONE) | _codes(value.metadata_props)
        return found

    def ignores(what: Node | str | None) -> frozenset[str]:
        if what is None or isinstance(what, str):
            return named().get(what or "", _NONE)
        return _codes(what.source.metadata_props) if isinstance(what.source, onnx.NodeProto) else _NONE

    return ignores


def _codes(metadata: Iterable[onnx.StringStringEntryProto], key: str = KEY) -> frozenset[str]:
    """The codes under a key; bytes that are not UTF-8 suppress nothing."""
    texts = [entry.value for entry in metadata if entry.key == key and isinstance(entry.value, str)]
    return frozenset(code.strip() for text in texts for code in text.split(",")) - {""} if texts else _NONE
