"""Every field that a model may have: it is read, or there is a reason why it changes nothing of what is inferred.

A field that a new release of onnx brings is in neither list, and fails here until somebody has decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import onnx
import pytest

from shapeinfer import Report, check
from tests.models import parsed, texts

READ: Mapping[str, set[str]] = {
    "ModelProto": {"ir_version", "opset_import", "graph", "metadata_props", "functions"},
    "OperatorSetIdProto": {"domain", "version"},
    "GraphProto": {"node", "name", "initializer", "sparse_initializer", "input", "output", "value_info"},
    "NodeProto": {"input", "output", "name", "op_type", "domain", "overload", "attribute", "metadata_props"},
    "FunctionProto": {"name", "input", "output", "attribute", "attribute_proto", "node", "opset_import", "domain",
                      "overload"},
    "AttributeProto": {"name", "ref_attr_name", "type", "f", "i", "s", "t", "g", "floats", "ints", "strings", "tensors",
                       "graphs", "sparse_tensor", "sparse_tensors", "tp", "type_protos"},
    "ValueInfoProto": {"name", "type", "metadata_props"},
    "TypeProto": {"tensor_type", "sequence_type", "map_type", "optional_type", "sparse_tensor_type", "opaque_type"},
    "TypeProto.Tensor": {"elem_type", "shape"},
    "TypeProto.SparseTensor": {"elem_type", "shape"},
    "TypeProto.Sequence": {"elem_type"},
    "TypeProto.Optional": {"elem_type"},
    "TypeProto.Map": {"key_type", "value_type"},
    "TensorShapeProto": {"dim"},
    "TensorShapeProto.Dimension": {"dim_value", "dim_param"},
    "TensorProto": {"dims", "data_type", "float_data", "int32_data", "string_data", "int64_data", "name", "raw_data",
                    "double_data", "uint64_data", "external_data", "data_location", "metadata_props"},
    "SparseTensorProto": {"values", "indices", "dims"},
    "StringStringEntryProto": {"key", "value"},
}  # fmt: skip

TEXT = "written for people"
WHERE = "where a node runs, not what it computes; shards are put together again"
KEYS = "a key of shapeinfer's own stands at the model, a node or a value"
IGNORED: Mapping[str, Mapping[str, str]] = {
    "ModelProto": {
        "producer_name": TEXT,
        "producer_version": TEXT,
        "domain": "that of the model, which nothing calls",
        "model_version": TEXT,
        "doc_string": TEXT,
        "training_info": "graphs that no inference runs; fold keeps the values that they name",
        "configuration": WHERE,
    },
    "GraphProto": {
        "doc_string": TEXT,
        "quantization_annotation": "names of values, which fold keeps",
        "metadata_props": KEYS,
    },
    "NodeProto": {"doc_string": TEXT, "device_configurations": WHERE},
    "FunctionProto": {
        "doc_string": TEXT,
        "value_info": "a function is inferred anew with the types of each call; onnx and onnxruntime ignore it too",
        "metadata_props": KEYS,
    },
    "AttributeProto": {"doc_string": TEXT},
    "ValueInfoProto": {"doc_string": TEXT},
    "TypeProto": {"denotation": TEXT},
    "TypeProto.Opaque": {"domain": "no operator of ONNX takes one", "name": "no operator of ONNX takes one"},
    "TensorShapeProto.Dimension": {"denotation": "what an axis means, which is compared with nothing"},
    "TensorProto": {"segment": "its entries are not read then, as onnx reads none; onnxruntime ignores it",
                    "doc_string": TEXT},
}  # fmt: skip


def name_of(message: Any) -> str:
    """The name of a message type inside onnx: ``TypeProto.Tensor``."""
    return str(message.full_name).removeprefix("onnx.")


def reached(message: Any, seen: dict[str, Any]) -> dict[str, Any]:
    """The message types that are reached through fields that are read."""
    seen[name_of(message)] = message
    for field in message.fields:
        inner = field.message_type
        if inner is not None and field.name in READ.get(name_of(message), ()) and name_of(inner) not in seen:
            reached(inner, seen)
    return seen


MESSAGES = reached(onnx.ModelProto.DESCRIPTOR, {})


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_each_field_is_read_or_rightly_ignored(name: str) -> None:
    read, ignored = READ.get(name, set()), set(IGNORED.get(name, ()))
    assert not read & ignored
    # A release older than the newest does not know all of them.
    unknown = {field.name for field in MESSAGES[name].fields} - read - ignored
    assert not unknown, f"decide what {name}'s {', '.join(sorted(unknown))} means for shapes"


MODEL = """<ir_version: 10, opset_import: ["" : 20, "my" : 1], domain: "d">
g (float[N, 3] x, bool c) => (float[] y) <float[3] w = {1.0, 2.0, 3.0}, float[N, 3] h> {
    h = Add(x, w)
    s = Shape(h)
    t = Constant<value = int64[2] {-1, 1}>()
    r = If (c) <then_branch = a () => (p) { p = Reshape(h, t) }, else_branch = b () => (q) { q = Flatten<axis = 0>(h) }>
    f = my.F<k = 0>(h)
    y = Expand(f, s)
}
<domain: "my", opset_import: ["" : 20]> F <k> (a) => (b) { z = Relu(a) b = Concat<axis: int = @k>(z, a) }"""


def test_what_is_ignored_changes_nothing() -> None:
    plain, full = parsed(MODEL), parsed(MODEL)
    filled = set(fill_in(full))
    assert filled >= {f"{m}.{f}" for m in IGNORED if m not in ("TypeProto.Opaque", "ModelProto") for f in known(m)}
    assert told(check(full)) == told(check(plain))


def told(report: Report) -> tuple[object, ...]:
    found = [d.text for d in report.diagnostics]
    return found, texts(report), [r.condition for r in report.contract.all_sizes]


def known(message: str) -> list[str]:
    """The fields that are ignored of a message, as far as the installed onnx has them."""
    return [f for f in IGNORED[message] if f in MESSAGES[message].fields_by_name]


def fill_in(message: Any) -> Iterator[str]:
    """Write something into every field that is ignored, in every message that is there; yield the fields' names."""
    name = name_of(message.DESCRIPTOR)
    inner = [value for field, value in message.ListFields() if field.message_type is not None]
    for each in inner:
        for part in [each] if hasattr(each, "DESCRIPTOR") else each:
            yield from fill_in(part)
    for field in known(name) if name in IGNORED else ():
        if not (name == "TensorProto" and field == "segment" and message.data_type == onnx.TensorProto.INT64):
            write(message, field)
            yield f"{name}.{field}"


def write(message: Any, name: str) -> None:
    value = getattr(message, name)
    if name == "value_info":
        value.add(name="z").CopyFrom(onnx.helper.make_tensor_value_info("z", onnx.TensorProto.STRING, [7]))
    elif hasattr(value, "add"):
        entry = value.add()
        for field in entry.DESCRIPTOR.fields:
            if isinstance(getattr(entry, field.name), str):
                setattr(entry, field.name, "x")
    elif hasattr(value, "DESCRIPTOR"):
        value.SetInParent()
        value.begin, value.end = 1, 2
    else:
        setattr(message, name, 7 if isinstance(value, int) else "Relu")
