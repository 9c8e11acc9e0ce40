"""Places in a text as editors count them: lines and columns from 0, columns in the units that were agreed on."""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal, NamedTuple

from shapeinfer.text import lines_of

Encoding = Literal["utf-8", "utf-16", "utf-32"]


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

    def of(self, at: int) -> Position:
        """Return the position of a place."""
        line, column = self._lines.position(at)
        if self._plain:
            return Position(line, column)
        start = self._lines.starts[line]
        return Position(line, self._units(self._text[start : start + column]))

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
        if self._plain:
            return start + min(character, len(row))
        taken = 0
        for index, char in enumerate(row):
            if taken >= character:
                return start + index
            taken += self._units(char)
        return start + len(row)

    def width(self, start: int, end: int) -> int:
        """Return how many columns lie between two places of one line."""
        return end - start if self._plain else self._units(self._text[start:end])

    def _units(self, text: str) -> int:
        if self._encoding == "utf-32":
            return len(text)
        coded = text.encode(self._encoding + ("-le" if self._encoding == "utf-16" else ""), "surrogatepass")
        return len(coded) // (2 if self._encoding == "utf-16" else 1)
