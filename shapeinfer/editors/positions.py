"""Places in a text as editors count them: lines and columns from 0, columns in the units that were agreed on."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
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
        self._plain = text.isascii()
        self._wide: list[int] = []
        """The places of characters that are more than one column."""
        self._more = [0]
        """How many columns more than characters there are before each of them, and in all."""
        for found in () if self._plain else _OTHER.finditer(text):
            more = self._units(found[0]) - 1
            if more:
                self._wide.append(found.start())
                self._more.append(self._more[-1] + more)

    def of(self, at: int) -> Position:
        """Return the position of a place."""
        line, column = self._lines.position(at)
        start = self._lines.starts[line]
        return Position(line, self.width(start, start + column))

    def plain_line(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the line that two places lie in and where it starts, if columns in it are characters."""
        starts = self._lines.starts
        line = bisect_right(starts, start) - 1
        return (line, starts[line]) if self._plain and (line + 1 == len(starts) or end < starts[line + 1]) else None

    def at(self, line: int, character: int) -> int:
        """Return the place of a position; one behind the end of a line is that end."""
        starts = self._lines.starts
        if line >= len(starts):
            return len(self._text)
        start = starts[line]
        end = starts[line + 1] if line + 1 < len(starts) else len(self._text)
        row = self._text[start:end].rstrip("\r\n")
        columns = range(len(row) + 1)
        return start + min(bisect_left(columns, character, key=lambda k: self.width(start, start + k)), len(row))

    def width(self, start: int, end: int) -> int:
        """Return how many columns lie between two places of one line."""
        first, last = bisect_left(self._wide, start), bisect_left(self._wide, end)
        return end - start + self._more[last] - self._more[first]

    def _units(self, text: str) -> int:
        if self._encoding == "utf-32":
            return len(text)
        coded = text.encode(self._encoding + ("-le" if self._encoding == "utf-16" else ""), "surrogatepass")
        return len(coded) // (2 if self._encoding == "utf-16" else 1)
