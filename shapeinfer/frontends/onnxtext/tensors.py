"""Tensors in the text of a model: their data, or where it lies."""

from __future__ import annotations

import re

import numpy as np
import onnx

from shapeinfer.budget import look
from shapeinfer.frontends.onnxtext.cursor import Cursor, Unexpected
from shapeinfer.frontends.onnxtext.tree import TypeText

_INT64 = onnx.TensorProto.INT64
_UNSIGNED = (onnx.TensorProto.UINT32, onnx.TensorProto.UINT64)
_FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.COMPLEX64)
_DOUBLES = (onnx.TensorProto.DOUBLE, onnx.TensorProto.COMPLEX128)
_PLAIN = re.compile(r"[0-9eE.+\-, \t\n\v\f\r]*")
"""Numbers without words and comments, which can be read at once."""
_NUMBERS = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_INTEGERS = re.compile(r"-?[0-9]{1,18}")
MANY = 16


def read_tensor(cursor: Cursor, type_: TypeText, name: str) -> onnx.TensorProto:
    """Read what follows the type, the name and the mark = of a tensor. Raises Unexpected."""
    tensor = onnx.TensorProto(name=name)
    start, end = type_.start + cursor.base, type_.end + cursor.base
    if not type_.proto.HasField("tensor_type"):
        raise Unexpected(start, end, "only a tensor can have data")
    declared = type_.proto.tensor_type
    tensor.data_type = declared.elem_type
    if not declared.HasField("shape"):
        raise Unexpected(start, end, "a tensor with data must give its dims", "write them as numbers, float[2, 3]")
    if not all(d.HasField("dim_value") for d in declared.shape.dim):
        raise Unexpected(start, end, "the dims of a tensor with data must be numbers")
    tensor.dims.extend(d.dim_value for d in declared.shape.dim)
    mark = cursor.peek()
    if mark == "{":
        _data(cursor, tensor)
    elif mark == "[":
        cursor.takes("[")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        read_pairs(cursor, tensor.external_data)
    elif mark == ".":
        at = cursor.at
        raise Unexpected(at, at + 3, "the data is left out here", "a printer left it out: write it, as in {1, 2}")
    return tensor


def read_pairs(cursor: Cursor, pairs: object) -> None:
    """Read ``"key": "value", ...]`` into a repeated field of pairs. Raises Unexpected."""
    while True:
        look()
        key = cursor.string("a key")
        cursor.expect(":", "between a key and its value")
        pairs.add(key=key, value=cursor.string("a value"))  # type: ignore[attr-defined]
        if not cursor.takes(","):
            break
    cursor.expect("]", "to end the list")


def _data(cursor: Cursor, tensor: onnx.TensorProto) -> None:
    cursor.expect("{", "before the data")
    if cursor.takes("}"):
        return
    if not _at_once(cursor, tensor):
        while True:
            look()
            _entry(cursor, tensor)
            if not cursor.takes(","):
                break
    cursor.expect("}", "to end the data", "separate its entries by commas")


def _at_once(cursor: Cursor, tensor: onnx.TensorProto) -> bool:
    """Read a long run of plain numbers; False, and nothing is read, where it needs a closer look."""
    found = _PLAIN.match(cursor.text, cursor.at)
    assert found is not None, "the pattern matches nothing too"
    kind = tensor.data_type
    if kind not in (*_FLOATS, *_DOUBLES, _INT64) or cursor.text[found.end() : found.end() + 1] != "}":
        return False
    texts = [text.strip(" \t\n\v\f\r") for text in found[0].split(",")]
    each = _INTEGERS if kind == _INT64 else _NUMBERS
    if len(texts) < MANY or not all(map(each.fullmatch, texts)):
        return False
    if kind == _INT64:
        tensor.int64_data.extend(map(int, texts))
    else:
        with np.errstate(over="ignore"):
            values = np.array(texts, np.float64).astype(np.float32 if kind in _FLOATS else np.float64)
        if not np.isfinite(values).all():
            return False
        (tensor.float_data if kind in _FLOATS else tensor.double_data).extend(values.tolist())
    cursor.at = found.end()
    return True


def _entry(cursor: Cursor, tensor: onnx.TensorProto) -> None:
    kind = tensor.data_type
    if kind == _INT64:
        tensor.int64_data.append(cursor.integer("an integer"))
    elif kind in _UNSIGNED:
        # As C reads them, -1 is the greatest.
        tensor.uint64_data.append(cursor.integer("an integer", 1 - (1 << 64), (1 << 64) - 1) % (1 << 64))
    elif kind in _FLOATS:
        tensor.float_data.append(cursor.real())
    elif kind in _DOUBLES:
        tensor.double_data.append(cursor.real(double=True))
    elif kind == onnx.TensorProto.STRING:
        tensor.string_data.append(cursor.string("a string").encode())
    else:  # narrow integers, and the bits of narrow floats
        tensor.int32_data.append(cursor.integer("an integer", -(1 << 31), (1 << 31) - 1))
