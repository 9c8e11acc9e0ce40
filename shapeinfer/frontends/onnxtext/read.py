"""Read the text of a model: its header, its graph and its functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import onnx

from shapeinfer.frontends.onnxtext.attributes import read_attribute
from shapeinfer.frontends.onnxtext.cursor import Cursor, Unexpected
from shapeinfer.frontends.onnxtext.nodes import fill_in, read_graph, read_main_graph, read_nodes
from shapeinfer.frontends.onnxtext.tensors import read_pairs
from shapeinfer.frontends.onnxtext.tree import Entry, FunctionText, GraphText, ModelText, Name
from shapeinfer.frontends.onnxtext.types import next_is_type, read_type
from shapeinfer.frontends.onnxtext.values import read_values

_INTEGERS = ("ir_version", "model_version")
_STRINGS = ("producer_name", "producer_version", "domain", "doc_string")
OF_MODELS = (*_INTEGERS, *_STRINGS, "opset_import", "metadata_props")
OF_FUNCTIONS = ("domain", "opset_import", "overload", "doc_string")


def read_model(text: str, earlier: ModelText | None = None) -> ModelText:
    """Read the text of a model. What is wrong with it is among its faults, and the rest is read all the same.

    Of an ``earlier`` text only what has changed since is read again.
    """
    cursor = Cursor(text, None if earlier is None else earlier.known)
    cursor.at = len(text) - len(text.removeprefix("\ufeff"))  # an editor may show a byte order mark as a character
    proto = onnx.ModelProto()
    header: list[Entry] = []
    header_end = None
    graph: GraphText | None = None
    functions: list[FunctionText] = []
    try:
        if cursor.peek() == "<":
            _header(cursor, header, OF_MODELS, lambda key: _model_entry(cursor, key, proto))
            header_end = cursor.at
        graph = read_main_graph(cursor, proto.graph, earlier)
        while cursor.peek():
            functions.append(_function(cursor))
            proto.functions.append(functions[-1].proto)
    except Unexpected as found:
        if not cursor.ended:
            cursor.faults.append(found.fault)
    faults = tuple(cursor.faults)
    return ModelText(text, tuple(header), header_end, graph, tuple(functions), proto, faults, cursor.kept)


def complete(model: ModelText) -> onnx.ModelProto:
    """Return the model that a text stands for, without the statements that are broken."""
    if model.graph is not None and not model.proto.graph.node:
        fill_in(model.proto.graph, model.graph.nodes)
    return model.proto


def _header(cursor: Cursor, entries: list[Entry], keys: tuple[str, ...], read_entry: Callable[[str], None]) -> None:
    """Read ``<key: value, ...>``. Raises Unexpected."""
    cursor.expect("<", "before a header")
    while True:
        key = cursor.identifier("a key of the header")
        if key.text not in keys:
            start, end = key.start + cursor.base, key.end + cursor.base
            raise Unexpected(start, end, f"{key.text} is not a key of this header", f"they are {', '.join(keys)}")
        cursor.expect(":", f"after {key.text}")
        read_entry(key.text)
        entries.append(Entry(key, cursor.at))
        if not cursor.takes(","):
            break
    cursor.expect(">", "to end the header", "separate its entries by commas")


def _model_entry(cursor: Cursor, key: str, proto: onnx.ModelProto) -> None:
    if key in _INTEGERS:
        setattr(proto, key, cursor.integer("a version"))
    elif key in _STRINGS:
        setattr(proto, key, cursor.string("text"))
    elif key == "opset_import":
        _opsets(cursor, proto.opset_import)
    else:
        cursor.expect("[", "before the metadata")
        if not cursor.takes("]"):
            read_pairs(cursor, proto.metadata_props)


def _opsets(cursor: Cursor, opsets: Any) -> None:
    cursor.expect("[", "before the imported opsets")
    if cursor.takes("]"):
        return
    while True:
        domain = cursor.string("a domain")
        cursor.expect(":", "between a domain and its version")
        opsets.add(domain=domain, version=cursor.integer("a version"))
        if not cursor.takes(","):
            break
    cursor.expect("]", "to end the imported opsets", 'write them as ["" : 20, "my.domain" : 1]')


def _function(cursor: Cursor) -> FunctionText:
    """Read a function. Raises Unexpected."""
    start = cursor.skip()
    proto = onnx.FunctionProto()
    if cursor.peek() == "<":
        _header(cursor, [], OF_FUNCTIONS, lambda key: _function_entry(cursor, key, proto))
    name = cursor.name("the name of a function")
    proto.name = name.text
    attributes = _parameters(cursor, proto)
    inputs = _typed_names(cursor, "inputs", proto.value_info)
    cursor.expect("=>", "between a function's inputs and outputs")
    outputs = _typed_names(cursor, "outputs", proto.value_info)
    if cursor.peek() == "<":
        read_values(cursor, "<", ">", "values", proto.value_info, None)
    proto.input.extend(n.text for n in inputs)
    proto.output.extend(n.text for n in outputs)
    opens = cursor.skip()
    nodes = read_nodes(cursor)
    fill_in(proto, nodes)
    return FunctionText(proto.domain, name, inputs, outputs, attributes, nodes, proto, start, opens, cursor.at)


def _function_entry(cursor: Cursor, key: str, proto: onnx.FunctionProto) -> None:
    if key == "opset_import":
        _opsets(cursor, proto.opset_import)
    else:
        setattr(proto, key, cursor.string("text"))


def _parameters(cursor: Cursor, proto: onnx.FunctionProto) -> tuple[Name, ...]:
    """Read ``<name, name = default, ...>``, nothing where none opens."""
    if not cursor.takes("<"):
        return ()
    names = []
    while True:
        names.append(cursor.name("the name of an attribute"))
        if cursor.peek() in (":", "="):
            proto.attribute_proto.append(read_attribute(cursor, names[-1], read_graph).proto)
        else:
            proto.attribute.append(names[-1].text)
        if not cursor.takes(","):
            break
    cursor.expect(">", "to end the attributes of the function")
    return tuple(names)


def _typed_names(cursor: Cursor, what: str, types: Any) -> tuple[Name, ...]:
    """Read ``(x, float[N] y)``, whose types go to ``types``."""
    cursor.expect("(", f"before the {what} of the function")
    if cursor.takes(")"):
        return ()
    names = []
    while True:
        type_ = read_type(cursor) if next_is_type(cursor) else None
        names.append(cursor.name("a name"))
        if type_ is not None:
            types.add(name=names[-1].text).type.CopyFrom(type_.proto)
        if not cursor.takes(","):
            break
    cursor.expect(")", f"to end the {what} of the function", "separate them by commas")
    return tuple(names)
