"""Lines and columns of a text, and the places that they stand for."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from weakref import WeakValueDictionary

_END = re.compile(r"\r\n|\r|\n")


class Lines:
    """Where the lines of a text start. Lines and columns are counted from 0 here, columns in characters."""

    def __init__(self, text: str) -> None:
        if "\r" in text:
            self.starts = [0, *[end.end() for end in _END.finditer(text)]]
        else:
            self.starts = list(accumulate([len(line) + 1 for line in text.split("\n")], initial=0))[:-1]

    def position(self, at: int) -> tuple[int, int]:
        """Return the line and the column of a place."""
        line = bisect_right(self.starts, at) - 1
        return line, at - self.starts[line]


_known: WeakValueDictionary[str, Lines] = WeakValueDictionary()


def lines_of(text: str) -> Lines:
    """Return the lines of a text; those of one text are counted once as long as they are in use."""
    found = _known.get(text)
    if found is None:
        found = _known[text] = Lines(text)
    return found
