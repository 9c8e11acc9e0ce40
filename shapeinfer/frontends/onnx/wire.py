"""Protobuf messages as bytes: fields one after the other, each with its number and, where it is long, its length."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TypeAlias

from attrs import frozen

from shapeinfer.budget import STEP, look_closely

Bytes: TypeAlias = "bytes | memoryview"

FEW, MANY = 5, 10
"""A tag and a length are spelled in so many bytes at most, the value of a field in so many; more is no protobuf."""

_RUN = b"{1,1000}"
"""So many fields are stepped over together at most."""
_SHORT = 16
"""A text of fewer bytes is short."""
_VARINT, _EIGHT, _LENGTH, _FOUR = (
    b"[" + re.escape(bytes(number << 3 | kind for number in range(1, 16))) + b"]" for kind in (0, 1, 2, 5)
)
"""For each kind of value the tags that are one byte."""
_NUMBER = _VARINT + rb"[\x80-\xff]{0,9}[\x00-\x7f]|" + _FOUR + b".{4}|" + _EIGHT + b".{8}"
_TEXT = _LENGTH + b"(?:" + b"|".join(re.escape(bytes([n])) + b".{%d}" % n for n in range(_SHORT)) + b")"


class Malformed(Exception):
    """The bytes are no message; with ``cut`` they are the beginning of one, up to a field of that number."""

    def __init__(self, cut: int = 0) -> None:
        super().__init__(f"cut in field {cut}" if cut else "no message")
        self.cut = cut


@frozen(repr=False)
class Field:
    """A field of a message: where it starts, where its value does, and where it ends.

    The number 0 stands for several fields that are not distinguished.
    """

    number: int
    start: int
    value: int
    end: int


NUMBERS = re.compile(b"(?:" + _NUMBER + b")" + _RUN, re.DOTALL)
"""Fields that are numbers."""
SHORT = re.compile(b"(?:" + _NUMBER + b"|" + _TEXT + b")" + _RUN, re.DOTALL)
"""Fields that are numbers, or texts and messages of a few bytes."""


def fields(view: memoryview, at: int, end: int, together: re.Pattern[bytes] | None = None) -> Iterator[Field]:
    """Yield the fields of a message that lies between two places. Raises Malformed for what is none.

    ``together`` has those that need not be distinguished: models of trees have millions of them, and a loop takes long.
    """
    seen = 0
    while at < end:
        if not seen & STEP:
            look_closely()
        seen += 1
        start = at
        if together is not None and (run := together.match(view, at, end)) is not None:
            at = run.end()
            yield Field(0, start, start, at)
            continue
        tag, at = read_varint(view, at, end, FEW)
        if tag >> 32:
            raise Malformed
        kind, number = tag & 7, tag >> 3
        if kind == 0:
            value = at
            _, at = read_varint(view, at, end, MANY)
        elif kind == 2:
            length, value = read_varint(view, at, end, FEW)
            at = value + length
        elif kind in (1, 5):
            value = at
            at += 8 if kind == 1 else 4
        else:
            raise Malformed
        if not number:
            raise Malformed
        if at > end:
            raise Malformed(number)
        yield Field(number, start, value, at)


def read_varint(view: Bytes, at: int, end: int, longest: int) -> tuple[int, int]:
    """Return the number that stands at a place, seven bits a byte, and where it ends. Raises Malformed."""
    value = shift = 0
    while at < end and shift < 7 * longest:
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Malformed


@functools.lru_cache(maxsize=4096)
def varint(number: int) -> bytes:
    """Return a number as messages hold it, seven bits a byte."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
