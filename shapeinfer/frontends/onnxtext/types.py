"""Types in the text of a model."""

from __future__ import annotations

import onnx

from shapeinfer.frontends.onnxtext.cursor import Cursor
from shapeinfer.frontends.onnxtext.tree import Name, TypeText

ELEMENT_TYPES: dict[str, int] = {
    name.lower(): number for name, number in onnx.TensorProto.DataType.items() if name != "UNDEFINED"
}
"""The element types by their names in text, which are those of ONNX in small letters."""

CONTAINERS = ("seq", "map", "optional", "sparse_tensor", "opaque")
TYPES = frozenset((*ELEMENT_TYPES, *CONTAINERS))


def next_is_type(cursor: Cursor) -> bool:
    """Whether a type comes next."""
    return cursor.word() in TYPES


def read_type(cursor: Cursor) -> TypeText:
    """Read a type. Raises Unexpected."""
    start = cursor.skip()
    proto = onnx.TypeProto()
    dims: list[Name] = []
    _read(cursor, proto, dims)
    return TypeText(proto, tuple(dims), *cursor.span(start))


def _read(cursor: Cursor, proto: onnx.TypeProto, dims: list[Name]) -> None:
    cursor.enter()
    word = cursor.word()
    if word in ELEMENT_TYPES:
        _tensor(cursor, proto.tensor_type, dims)
    elif word not in CONTAINERS:
        cursor.fail("expected a type", "types are float, int64, seq(...) and the like, with dims as in float[N, 3]")
    else:
        cursor.identifier("a type")
        cursor.expect("(", f"after {word}")
        if word == "seq":
            _read(cursor, proto.sequence_type.elem_type, dims)
        elif word == "optional":
            _read(cursor, proto.optional_type.elem_type, dims)
        elif word == "sparse_tensor":
            _tensor(cursor, proto.sparse_tensor_type, dims)
        elif word == "map":
            proto.map_type.key_type = _element(cursor)
            cursor.expect(",", "between a map's key and value types")
            _read(cursor, proto.map_type.value_type, dims)
        else:
            _opaque(cursor, proto.opaque_type)
        cursor.expect(")", f"to end {word}(...)")
    cursor.depth -= 1


def _element(cursor: Cursor) -> int:
    if cursor.word() not in ELEMENT_TYPES:
        cursor.fail("expected an element type such as float or int64")
    return ELEMENT_TYPES[cursor.identifier("an element type").text]


def _tensor(cursor: Cursor, proto: onnx.TypeProto.Tensor | onnx.TypeProto.SparseTensor, dims: list[Name]) -> None:
    """Read ``float``, a scalar, ``float[]``, of any rank, or ``float[N, 3]``."""
    proto.elem_type = _element(cursor)
    if not cursor.takes("["):
        proto.shape.SetInParent()
        return
    if cursor.takes("]"):
        return
    while True:
        dim = proto.shape.dim.add()
        if not cursor.takes("?"):
            if cursor.peek() == '"' or cursor.word():
                name = cursor.name("a dim")
                dim.dim_param = name.text
                dims.append(name)
            else:
                dim.dim_value = cursor.integer("a dim: a number, a name or ?")
        if not cursor.takes(","):
            break
    cursor.expect("]", "to end the dims", "separate dims by commas, and quote one that is a formula")


def _opaque(cursor: Cursor, proto: onnx.TypeProto.Opaque) -> None:
    proto.SetInParent()
    if cursor.peek() == ")":
        return
    named = cursor.identifier("a name").text
    while cursor.takes("."):
        named += f".{cursor.identifier('a name').text}"
    if cursor.takes(","):
        proto.domain, proto.name = named, cursor.identifier("a name").text
    else:
        proto.name = named
