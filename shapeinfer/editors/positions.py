"""Places in a text as editors count them: lines and columns from 0, columns in the units that were agreed on."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from shapeinfer.text import lines_of

Encoding = Literal["utf-8", "utf-16", "utf-32"]


_OTHER = re.compile(r"[^\x00-\x7f]")


class Position(NamedTuple):
    """A line and a column, both counted from 0."""

    line: int
    character: int


class Positions:
    """Turns places in a text into lines and columns, and back."""

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self._text = text
        self._lines = lines_of(text)
        self._encoding = encoding
        self._wide: list[int] = []
        """The places of characters that are more than one column."""
        self._more = [0]
        """How many columns more than characters there are before each of them, and in all."""
        for found in () if text.isascii() else _OTHER.finditer(text):
            more = _units(found[0], encoding) - 1
            if more:
                self._wide.append(found.start())
                self._more.append(self._more[-1] + more)

    def of(self, at: int) -> Position:
        """Return the position of a place."""
        line, column = self._lines.position(at)
        start = self._lines.starts[line]
        return Position(line, self.width(start, start + column))

    def plain_lines(self, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield the line and the start column of each span; the spans must be in order.

        The column is -1 for a span of several lines, and for one behind characters wider than one column.
        """
        starts, wide, line = [*self._lines.starts, len(self._text) + 1], self._wide, 0
        for start, end in spans:
            line = bisect_right(starts, start, line) - 1
            first = starts[line]
            if end >= starts[line + 1] or (wide and bisect_left(wide, first) < bisect_left(wide, end)):
                yield -1, 0
            else:
                yield line, first

    def at(self, line: int, character: int) -> int:
        """Return the place of a position; one behind the end of a line is that end."""
        return place(self._text, line, character, self._encoding)

    def width(self, start: int, end: int) -> int:
        """Return how many columns lie between two places of one line."""
        first, last = bisect_left(self._wide, start), bisect_left(self._wide, end)
        return end - start + self._more[last] - self._more[first]


def place(text: str, line: int, character: int, encoding: Encoding) -> int:
    """Return the place of a position in a text; a column beyond the end of a line means that end."""
    starts = lines_of(text).starts
    if line >= len(starts):
        return len(text)
    start = starts[line]
    end = starts[line + 1] if line + 1 < len(starts) else len(text)
    row = text[start:end].rstrip("\r\n")
    if not row.isascii():
        character = bisect_left(range(len(row) + 1), character, key=lambda k: _units(row[:k], encoding))
    return start + min(character, len(row))


def _units(text: str, encoding: Encoding) -> int:
    """Return how many columns a text is."""
    if encoding == "utf-32":
        return len(text)
    coded = text.encode(encoding + ("-le" if encoding == "utf-16" else ""), "surrogatepass")
    return len(coded) // (2 if encoding == "utf-16" else 1)
