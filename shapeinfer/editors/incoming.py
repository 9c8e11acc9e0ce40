"""The stream of messages from an editor, limited in size."""

from __future__ import annotations

import re
import sys
from typing import BinaryIO

LARGEST = 1 << 28
"""Bytes of a message; editors send texts of a fifth of that at most."""
_LINE = 1 << 16
"""The maximum length of a header line in bytes."""
_PIECE = 1 << 20
_LENGTH = re.compile(rb"Content-Length:\s*(\d+)", re.IGNORECASE)
_DIGITS = 18


class Incoming:
    """A stream of messages that skips those that are too large, with a note on standard error.

    pygls asks for as many bytes at once as a header announces, and ends where there is no memory for them.
    """

    def __init__(self, stream: BinaryIO, largest: int = LARGEST) -> None:
        self._stream = stream
        self._largest = largest

    def readline(self) -> bytes:
        """Return the next header line of an accepted message, empty at the end."""
        while True:
            line = self._stream.readline(_LINE)
            found = _LENGTH.match(line)
            if found is None:
                return line
            length = int(found[1]) if len(found[1]) <= _DIGITS else 10**_DIGITS
            if length <= self._largest:
                return line
            limit = f"the limit is {self._largest}"
            sys.stderr.write(f"shapeinfer: skipped a message of {length} bytes: {limit}\n")
            self._skip(length)

    def read(self, size: int) -> bytes:
        """Return that many bytes, or fewer at the end."""
        return self._stream.read(size)

    def _skip(self, length: int) -> None:
        """Skip the rest of a header and what it announces."""
        while (line := self._stream.readline(_LINE)) and line.strip():
            pass
        while length > 0 and (piece := self._stream.read(min(length, _PIECE))):
            length -= len(piece)
