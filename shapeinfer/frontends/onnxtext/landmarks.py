"""Where statements of a text may begin, and which braces belong together, so that what is broken can be stepped over.

Both are found in one pass: looked for anew behind each broken statement, they would take the square of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from attrs import frozen

from shapeinfer.budget import look

QUOTED = r'"(?:[^"\\\n]|\\.)*"'
_NAME = rf"(?:[A-Za-z_][A-Za-z0-9_]*|{QUOTED})"
NAMES = rf"{_NAME}(?:[ \t]*,[ \t]*{_NAME})*"

_OPENING = re.compile(
    rf"^[ \t]*(?:\}}|(?:\[[^\]\n]*\][ \t]*)?(?:{NAMES}[ \t]*)?=[ \t]*"
    r"(?!(?i:inf|infinity|nan)\b|(?:seq|map|optional|sparse_tensor|opaque)[ \t]*\()[A-Za-z_]"
    r"(?![\w.]*[ \t]*[\[{,>=])(?!.*=>))",
    re.MULTILINE,
)
"""A line with which a node begins, or with which a list of nodes ends."""

_BRACE = re.compile(r'"(?:[^"\\\n]|\\.)*(?:"|\\?$)|\#[^\n]*|[{}]', re.MULTILINE)
"""Braces, and what may hold some that mean none; a quote that is not closed takes its line, which is read once."""


@frozen
class Landmarks:
    """Places in a text, in order: lines that open a statement, with where their matches end, and braces."""

    text: str
    openings: list[int]
    ends: list[int]
    braces: list[int]
    partners: dict[int, int]
    """Of each brace that opens and is closed the one that closes it, both as places in ``braces``."""

    def next_statement(self, start: int) -> int:
        """Return the first line after a broken statement's first that opens another, or what closes the list.

        Graphs inside the statement are stepped over, unless their braces are never closed.
        """
        line = self.text.find("\n", start)
        first = at = len(self.openings) if line < 0 else bisect_left(self.openings, line + 1)
        brace = bisect_left(self.braces, start)
        while brace < len(self.braces):
            place = self.braces[brace]
            if at < len(self.openings) and self.ends[at] <= place:
                return self.openings[at]
            if self.text[place] == "}":
                return place
            closing = self.partners.get(brace)
            if closing is None:
                return self._of(first)
            brace = closing + 1
            at = max(at, bisect_right(self.ends, self.braces[closing]))
        return self._of(at if at < len(self.openings) else first)

    def _of(self, opening: int) -> int:
        if opening == len(self.openings):
            return len(self.text)
        end = self.ends[opening]
        return end - 1 if self.text[end - 1] == "}" else self.openings[opening]


def landmarks_of(text: str) -> Landmarks:
    """Find the landmarks of a text."""
    openings: list[int] = []
    ends: list[int] = []
    braces: list[int] = []
    partners: dict[int, int] = {}
    for found in _OPENING.finditer(text):
        look()
        openings.append(found.start())
        ends.append(found.end())
    unclosed: list[int] = []
    for found in _BRACE.finditer(text):
        look()
        if found[0] == "{":
            unclosed.append(len(braces))
        elif found[0] == "}" and unclosed:
            partners[unclosed.pop()] = len(braces)
        if found[0] in "{}":
            braces.append(found.start())
    return Landmarks(text, openings, ends, braces, partners)
