"""The bodies that ONNX's own schemas give operators, some of which depend on the node and its inputs' types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import onnx

from shapeinfer.facts import UNKNOWN, Fact
from shapeinfer.frontends.onnx.types import type_proto


def standard_body(schema: Any, node: object, facts: Iterable[Fact | None]) -> onnx.FunctionProto | None:
    """Return a schema's function body for a node, its attributes with their defaults; None if there is none."""
    proto = onnx.FunctionProto()
    if schema.has_function:
        proto.CopyFrom(schema.function_body)
    elif schema.has_context_dependent_function and isinstance(node, onnx.NodeProto):
        types = [type_proto(f if f is not None else UNKNOWN).SerializeToString() for f in facts]
        try:
            proto.ParseFromString(schema.get_context_dependent_function(node.SerializeToString(), types))
        except Exception:  # noqa: BLE001 - what the builders in onnx make of an odd node is not ours to say
            return None
    if not proto.node:
        return None
    proto.name, proto.domain = schema.name, schema.domain
    del proto.attribute[:]
    present = {a.name for a in proto.attribute_proto}
    proto.attribute_proto.extend(
        a.default_value for name, a in sorted(schema.attributes.items()) if name not in present and a.default_value.name
    )
    return proto
