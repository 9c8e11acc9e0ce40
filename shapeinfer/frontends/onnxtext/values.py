"""Inputs, outputs, declared types and initializers in the text of a model."""

from __future__ import annotations

import re
from typing import Any

import onnx

from shapeinfer.budget import look
from shapeinfer.frontends.onnxtext.cursor import Cursor, Unexpected
from shapeinfer.frontends.onnxtext.tensors import read_tensor
from shapeinfer.frontends.onnxtext.tree import Name, Placed, TypeText, ValueText
from shapeinfer.frontends.onnxtext.types import next_is_type, read_type

_QUOTED = r'"(?:[^"\\\n]|\\.)*"'
_WHOLE = re.compile(
    rf"""(?=(?P<words>[A-Za-z0-9_\s]*))(?P=words)
    (?=(?P<dims>(?:\[[^\[\]{{}}<>"\#]*(?:{_QUOTED}[^\[\]{{}}<>"\#]*)*\]\s*[A-Za-z0-9_]*)?))(?P=dims)
    (?:{_QUOTED})?(?:\s*=\s*(?:\{{[^{{}}"\#]*\}}|\[[^\[\]"\#]*(?:{_QUOTED}[^\[\]"\#]*)*\]))?(?=\s*(?P<next>[,>)]))""",
    re.VERBOSE,
)
"""A whole value: its type, its name, and numbers or where its data is, if it is one. What is looked ahead for is not
divided again where the rest does not follow, which would take the square of its length."""

_NEXT = re.compile(r'"(?:[^"\\\n]|\\.)*(?:"|\\?$)|[()<>\[\]{},]|=>', re.MULTILINE)
"""Marks, and what may hold some that mean none; a quote that is not closed takes its line, which is read once."""
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def read_values(
    cursor: Cursor, opening: str, closing: str, what: str, values: Any, initializers: Any
) -> tuple[Placed[ValueText], ...]:
    """Read a list of values into the fields of a graph; those with data are initializers, of inputs both.

    Without ``initializers`` none may have data. Raises Unexpected where the list does not end; a broken value is
    reported and skipped.
    """
    start = cursor.skip()
    cursor.expect(opening, f"before the {what}")
    found: list[Placed[ValueText]] = []
    if cursor.takes(closing):
        return ()
    while True:
        look()
        at = cursor.skip()
        value = _known_value(cursor, initializers is not None, closing)
        if value is not None:
            found.append(Placed(at - cursor.base, value))
            _add(value, what, values, initializers)
        if not cursor.takes(","):
            break
    if cursor.peek() != closing:
        message = f"the list of {what} that opens here is never closed"
        if not cursor.faults or cursor.faults[-1].start < start:
            raise Unexpected(start, start + 1, message, f"close it with {closing}")
        raise Unexpected(start, start + 1, message)
    cursor.takes(closing)
    return tuple(found)


def _add(value: ValueText, what: str, values: Any, initializers: Any) -> None:
    if value.tensor is not None:
        initializers.append(value.tensor)
    if value.tensor is None or what == "inputs":
        info = values.add(name=value.name.text)
        if value.type is not None:
            info.type.CopyFrom(value.type.proto)


def _known_value(cursor: Cursor, with_data: bool, closing: str) -> ValueText | None:
    whole = _WHOLE.match(cursor.text, cursor.at)
    key = f"{with_data:d}{whole[0]}" if whole and whole["next"] in (",", closing) else ""
    value = cursor.known.get(key)
    if isinstance(value, ValueText):
        cursor.at += value.end
        cursor.kept[key] = value
        return value
    read = _value(cursor, with_data, closing)
    if read is not None and key and whole is not None and whole.end() == cursor.at:
        cursor.kept[key] = read
    return read


def _value(cursor: Cursor, with_data: bool, closing: str) -> ValueText | None:
    """Read a value; None for one that is broken, which is reported and skipped."""
    base, depth = cursor.base, cursor.depth
    start = cursor.base = cursor.at
    try:
        type_ = read_type(cursor) if next_is_type(cursor) else None
        name = cursor.name("the name of a value" if type_ else "the type or the name of a value")
        tensor = _default(cursor, type_, name) if with_data and cursor.takes("=") else None
        end = cursor.at
        if cursor.peek() not in (",", closing):
            cursor.fail(f"expected , or {closing} after {name.text or 'the value'}")
        cursor.at = end
        return ValueText(name, type_, tensor, end - start)
    except Unexpected as found:
        cursor.faults.append(found.fault)
        cursor.depth = depth
        _step_over(cursor, found.fault.start, closing)
        return None
    finally:
        cursor.base = base


def _default(cursor: Cursor, type_: TypeText | None, name: Name) -> onnx.TensorProto:
    """Read the data of a value. Raises Unexpected."""
    if type_ is None:
        fix = "write its type before the name"
        raise Unexpected(cursor.base, cursor.at, f"{name.text} has data and no type", fix)
    return read_tensor(cursor, type_, name.text)


def _step_over(cursor: Cursor, start: int, closing: str) -> None:
    """Put the cursor at the comma or the mark after a broken value; what opens in between is stepped over."""
    open_marks: list[str] = []
    for mark in _NEXT.finditer(cursor.text, start):
        cursor.at = mark.start()
        if open_marks and mark[0] == open_marks[-1]:
            open_marks.pop()
        elif not open_marks and mark[0] in (",", closing, "=>", "{"):
            return
        elif mark[0] in _CLOSING:
            open_marks.append(_CLOSING[mark[0]])
    cursor.at = len(cursor.text)
