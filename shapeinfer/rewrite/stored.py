"""The constants of a graph: those that the file stores, and those that were computed from them."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import onnx
from attrs import define, field
from onnx import numpy_helper

from shapeinfer.facts import DType

Array: TypeAlias = "np.ndarray[Any, Any]"
MOST_ENTRIES = 1 << 26
"""Constants of more entries are not read."""

_PLAIN = {"value_int": np.int64, "value_ints": np.int64, "value_float": np.float32, "value_floats": np.float32}
"""What a Constant may hold besides a tensor, by the attribute."""


@define(eq=False, slots=False)
class Constants:
    """The constants of one graph by name, as arrays. Those that a caller may give anew are none."""

    proto: onnx.GraphProto
    not_overridden: frozenset[str]
    """The names of the initializers that no caller can give anew."""
    computed: dict[str, Array] = field(factory=dict)
    """What nodes of the graph compute from constants."""
    stored_anew: set[str] = field(factory=set)
    """Those of them that are to stand in the graph as constants."""

    def __contains__(self, name: str) -> bool:
        return name in self.computed or name in self._tensors

    def __getitem__(self, name: str) -> Array | None:
        """Return a constant, None where its data is not in memory or numpy has no such numbers."""
        found = self.computed.get(name)
        return found if found is not None else _array(self._tensors[name])

    def repeated(self, most_bytes: int) -> dict[str, str]:
        """Return for constants of no more than so many bytes the first of those with the same contents."""
        seen: dict[object, str] = {}
        found: dict[str, str] = {}
        for name, held in self._tensors.items():
            tensor = held.t if isinstance(held, onnx.AttributeProto) else held
            if held is not tensor and held.name != "value":
                key: object = (held.name, held.SerializeToString())
            elif tensor.data_location == onnx.TensorProto.EXTERNAL or math.prod(tensor.dims) > most_bytes:
                continue
            else:
                key = _contents(tensor)
            first = seen.setdefault(key, name)
            if first != name:
                found[name] = first
        return found

    def is_in_memory(self, name: str) -> bool:
        """Whether a constant's data was read with the model."""
        held = self._tensors.get(name)
        tensor = held.t if isinstance(held, onnx.AttributeProto) else held
        return tensor is None or tensor.data_location != onnx.TensorProto.EXTERNAL

    @functools.cached_property
    def _tensors(self) -> Mapping[str, onnx.TensorProto | onnx.AttributeProto]:
        found: dict[str, onnx.TensorProto | onnx.AttributeProto] = {
            t.name: t for t in self.proto.initializer if t.name in self.not_overridden
        }
        found.update(_constant_nodes(self.proto))
        return found


def _constant_nodes(graph: onnx.GraphProto) -> Iterator[tuple[str, onnx.AttributeProto]]:
    for node in graph.node:
        if node.op_type == "Constant" and node.domain in ("", "ai.onnx") and len(node.attribute) == 1:
            yield node.output[0], node.attribute[0]


def _contents(tensor: onnx.TensorProto) -> object:
    """Return what two tensors have in common if they are equal; those of other fields than raw data differ from it."""
    data = tensor.raw_data or tensor.SerializeToString().replace(tensor.name.encode(), b"", 1)
    return tensor.data_type, tuple(tensor.dims), data


def _array(held: onnx.TensorProto | onnx.AttributeProto) -> Array | None:
    if isinstance(held, onnx.AttributeProto):
        if held.name in _PLAIN:
            return np.array(onnx.helper.get_attribute_value(held), _PLAIN[held.name])
        return _array(held.t) if held.name == "value" else None
    unread = held.data_location == onnx.TensorProto.EXTERNAL or held.data_type == DType.STRING
    if unread or math.prod(held.dims) > MOST_ENTRIES:
        return None
    try:
        return numpy_helper.to_array(held)
    except (ValueError, TypeError, KeyError):
        return None
