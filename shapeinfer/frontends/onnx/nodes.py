"""Read nodes from their bytes, which is faster than through their fields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import onnx

from shapeinfer.budget import look_closely
from shapeinfer.frontends.onnx.names import require_text
from shapeinfer.frontends.onnx.wire import FEW, read_varint

Parted: TypeAlias = "tuple[tuple[str, ...], tuple[str, ...], bytes]"
"""The names of a node's inputs and outputs, and the rest of its fields but for its own name: what it calls."""

# Tags of NodeProto's fields, which are written in the order of their numbers, each with its length behind it.
_INPUT, _OUTPUT, _NAME, _DOC_STRING, _METADATA = 0x0A, 0x12, 0x1A, 0x32, 0x4A
_NAMES = (_INPUT, _OUTPUT, _NAME)
_LONG = 2
"""The lowest bits of the tag of a field that has a length."""

BATCH = 256
"""So many nodes are written as bytes before the first of them is read: taking turns would take longer."""


def decode(protos: Sequence[onnx.NodeProto]) -> Iterator[Parted]:
    """Yield the parts of each node. Raises ModelError for a name that is no text."""
    for first in range(0, len(protos), BATCH):
        look_closely()
        try:
            yield from _parted([p.SerializeToString() for p in protos[first : first + BATCH]])
        except UnicodeDecodeError as wrong:
            require_text([wrong.object])


def _parted(nodes: Sequence[bytes]) -> list[Parted]:
    parts = []
    for data in nodes:
        inputs, outputs, at = [], [], 0
        try:
            while (tag := data[at]) in _NAMES:
                length, start = data[at + 1], at + 2
                if length > 0x7F:
                    length, start = read_varint(data, at + 1, len(data), FEW)
                at = start + length
                if tag == _INPUT:
                    inputs.append(data[start:at].decode())
                elif tag == _OUTPUT:
                    outputs.append(data[start:at].decode())
        except IndexError:  # it ends here, without an operator
            at = len(data)
        parts.append((tuple(inputs), tuple(outputs), data[at:]))
    return parts


def without_text(called: bytes) -> bytes:
    """Return what a node calls without what is written about it, its text and its metadata."""
    kept, at = [], 0
    while at < len(called):
        tag = called[at]
        if tag & 7 != _LONG or tag > 0x7F:  # a field that ONNX does not have
            return called
        length, start = read_varint(called, at + 1, len(called), FEW)
        if tag not in (_DOC_STRING, _METADATA):
            kept.append(called[at : start + length])
        at = start + length
    return b"".join(kept)
