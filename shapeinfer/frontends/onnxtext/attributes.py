"""Attributes in the text of a model."""

from __future__ import annotations

from collections.abc import Callable

import onnx

from shapeinfer.budget import look
from shapeinfer.frontends.onnxtext.cursor import Cursor, Unexpected
from shapeinfer.frontends.onnxtext.tensors import read_tensor
from shapeinfer.frontends.onnxtext.tree import AttributeText, GraphText, Name
from shapeinfer.frontends.onnxtext.types import next_is_type, read_type

_Kind = onnx.AttributeProto
KINDS: dict[str, int] = {k.lower(): n for k, n in _Kind.AttributeType.items() if k != "UNDEFINED"}
"""The types of attributes by their names in text."""
_SPOKEN: dict[int, str] = {number: name for name, number in KINDS.items()}
LISTS: dict[int, int] = {KINDS[f"{k}s"]: n for k, n in KINDS.items() if f"{k}s" in KINDS}
"""The types of lists with those of their entries."""
_OF_LIST = {one: many for many, one in LISTS.items()}
_FIELDS: dict[int, str] = {
    _Kind.FLOAT: "f",
    _Kind.INT: "i",
    _Kind.STRING: "s",
    _Kind.TENSOR: "t",
    _Kind.GRAPH: "g",
    _Kind.TYPE_PROTO: "tp",
}
_LIST_FIELDS: dict[int, str] = {
    _Kind.FLOATS: "floats",
    _Kind.INTS: "ints",
    _Kind.STRINGS: "strings",
    _Kind.TENSORS: "tensors",
    _Kind.GRAPHS: "graphs",
    _Kind.TYPE_PROTOS: "type_protos",
}

ReadGraph = Callable[[Cursor, onnx.GraphProto], GraphText]


def read_attributes(cursor: Cursor, read_graph: ReadGraph) -> tuple[AttributeText, ...]:
    """Read ``<name = value, ...>``, nothing where none opens. Raises Unexpected."""
    if not cursor.takes("<"):
        return ()
    found = []
    while True:
        look()
        found.append(read_attribute(cursor, cursor.identifier("an attribute's name"), read_graph))
        if not cursor.takes(","):
            break
    cursor.expect(">", "to end the attributes", "separate attributes by commas")
    return tuple(found)


def read_attribute(cursor: Cursor, name: Name, read_graph: ReadGraph) -> AttributeText:
    """Read what follows an attribute's name: ``: type``, which may be left out, and ``= value``. Raises Unexpected."""
    proto = onnx.AttributeProto(name=name.text)
    declared = 0
    if cursor.takes(":"):
        word = cursor.identifier("the type of an attribute")
        if word.text not in KINDS:
            start, end = word.start + cursor.base, word.end + cursor.base
            raise Unexpected(start, end, f"{word.text} is not an attribute type", f"they are {', '.join(KINDS)}")
        declared = KINDS[word.text]
    cursor.expect("=", f"after the attribute {name.text}")
    graphs: list[GraphText] = []
    ref = None
    if cursor.peek() == "[":
        _list(cursor, proto, declared, graphs, read_graph)
    elif cursor.takes("@"):
        ref = cursor.name("the name of the function's attribute")
        proto.ref_attr_name = ref.text
        if declared:
            proto.type = declared  # type: ignore[assignment]
    else:
        kind, value = _value(cursor, declared, graphs, read_graph)
        _store(proto, kind, value)
    return AttributeText(name, proto, tuple(graphs), ref, cursor.at - cursor.base)


def _list(
    cursor: Cursor, proto: onnx.AttributeProto, declared: int, graphs: list[GraphText], read_graph: ReadGraph
) -> None:
    start = cursor.at
    cursor.expect("[", "before a list")
    if declared and declared not in LISTS:
        raise Unexpected(start, cursor.at, f"{proto.name} is declared {_SPOKEN[declared]}, which is not a list")
    kind = declared
    if not cursor.takes("]"):
        while True:
            look()
            at = cursor.skip()
            one, value = _value(cursor, LISTS.get(kind, 0), graphs, read_graph)
            if kind and LISTS[kind] != one:
                message = f"a list of {_SPOKEN[kind]} holds a {_SPOKEN[one]}"
                raise Unexpected(at, cursor.at, message, "give all entries the same type")
            kind = _OF_LIST[one]
            getattr(proto, _LIST_FIELDS[kind]).append(value)
            if not cursor.takes(","):
                break
        cursor.expect("]", "to end the list", "separate its entries by commas")
    if not kind:
        raise Unexpected(start, cursor.at, "an empty list needs a type", f"write {proto.name}: ints = []")
    proto.type = kind  # type: ignore[assignment]


def _store(proto: onnx.AttributeProto, kind: int, value: object) -> None:
    proto.type = kind  # type: ignore[assignment]
    field = getattr(proto, _FIELDS[kind])
    if hasattr(field, "CopyFrom"):
        field.CopyFrom(value)
    else:
        setattr(proto, _FIELDS[kind], value)


def _value(cursor: Cursor, declared: int, graphs: list[GraphText], read_graph: ReadGraph) -> tuple[int, object]:
    """Read one value; return its type and the value. Raises Unexpected."""
    start = cursor.skip()
    kind, value = _any_value(cursor, declared, graphs, read_graph)
    if declared and kind != declared:
        message = f"expected a value of type {_SPOKEN[declared]}, found one of type {_SPOKEN[kind]}"
        raise Unexpected(start, cursor.at, message)
    return kind, value


def _any_value(cursor: Cursor, declared: int, graphs: list[GraphText], read_graph: ReadGraph) -> tuple[int, object]:
    mark = cursor.peek()
    if mark == '"' and declared != _Kind.GRAPH:
        return _Kind.STRING, cursor.string("a string").encode()
    if cursor.is_float_word():
        return _Kind.FLOAT, cursor.real()
    if next_is_type(cursor):
        return _type_or_tensor(cursor)
    if mark == '"' or cursor.word():
        proto = onnx.GraphProto()
        graphs.append(read_graph(cursor, proto))
        return _Kind.GRAPH, proto
    start = cursor.at
    text, whole = cursor.number("a value: a number, a string in quotes, a list, a tensor, a type or a graph")
    if whole and declared != _Kind.FLOAT:
        cursor.at = start
        return _Kind.INT, cursor.integer("an integer")
    return _Kind.FLOAT, cursor.as_float(text, start)


def _type_or_tensor(cursor: Cursor) -> tuple[int, object]:
    """Read a type, or a tensor if a name, the mark = or data follow it."""
    type_ = read_type(cursor)
    mark = cursor.peek()
    if mark not in ("{", "=", '"', "[", ".") and not cursor.word():
        return _Kind.TYPE_PROTO, type_.proto
    name = cursor.name("a name").text if mark == '"' or cursor.word() else ""
    cursor.takes("=")
    return _Kind.TENSOR, read_tensor(cursor, type_, name)
