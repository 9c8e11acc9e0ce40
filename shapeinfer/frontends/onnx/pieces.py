"""Read a large message piece by piece, so that a budget can end it: a few bytes may become hundreds in memory."""

from __future__ import annotations

from google.protobuf.message import Message

from shapeinfer.budget import look_closely
from shapeinfer.frontends.onnx.lean import MOST_NESTED
from shapeinfer.frontends.onnx.wire import SHORT, Malformed, fields

PIECE = 1 << 20
"""So many bytes are read at a time."""


def merge(message: Message, view: memoryview, depth: int = MOST_NESTED) -> None:
    """Read a serialized message into an empty one. Raises Malformed, DecodeError, and OverBudget."""
    if not depth:
        raise Malformed
    known = message.DESCRIPTOR.fields_by_number
    begun = 0
    for field in fields(view, 0, len(view), SHORT):
        inner = known.get(field.number)
        is_large = field.end - field.value > PIECE and inner is not None and inner.message_type is not None
        if not is_large and field.end - begun <= PIECE:
            continue
        _read(message, view[begun : field.start])
        begun = field.start
        if is_large and inner is not None:
            held = getattr(message, inner.name)
            merge(held.add() if hasattr(held, "add") else held, view[field.value : field.end], depth - 1)
            begun = field.end
    _read(message, view[begun:])


def _read(message: Message, piece: memoryview) -> None:
    look_closely()
    message.MergeFromString(bytes(piece))
