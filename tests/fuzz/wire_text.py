"""Protobuf as text that can be cut and repeated: ``7{ 1{ 1:x; 4:Relu; } }`` is field 7 with a message in it."""

from __future__ import annotations

import re

from shapeinfer.frontends.onnx.wire import varint

_TOKEN = re.compile(r"(\d{1,6})(?:(\{)|:([^;:]*);|#(-?\d{1,20});)|(\})")


def encoded(text: str) -> bytes:
    """Return the bytes of a message; what is no token is passed over, and brackets are closed at the end.

    ``1:text;`` is a string, ``1#5;`` a number.
    """
    open_fields: list[tuple[int, list[bytes]]] = [(0, [])]

    def close() -> None:
        number, parts = open_fields.pop()
        data = b"".join(parts)
        open_fields[-1][1].append(varint(number << 3 | 2) + varint(len(data)) + data)

    for found in _TOKEN.finditer(text):
        field, opens, string, number, closes = found.groups()
        if closes:
            if len(open_fields) > 1:
                close()
        elif opens:
            open_fields.append((int(field), []))
        elif string is not None:
            data = string.encode("utf-8", "replace")
            open_fields[-1][1].append(varint(int(field) << 3 | 2) + varint(len(data)) + data)
        else:
            open_fields[-1][1].append(varint(int(field) << 3) + varint(int(number) % (1 << 64)))
    while len(open_fields) > 1:
        close()
    return b"".join(open_fields[0][1])
