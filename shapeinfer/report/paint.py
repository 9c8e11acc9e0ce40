"""Text for people: optional styles and wrapped lines, without terminal control sequences."""

from __future__ import annotations

import re
import unicodedata

from attrs import frozen

from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.printable import printable as printable

LONGEST = 80
"""Names longer than this are shortened in text for people; other formats have them whole."""

_WORD = re.compile(r"\s*\S+")
_LONG_WORD = re.compile(rf"\S{{{LONGEST + 1},}}")

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
"""How a severity looks."""


@frozen(repr=False)
class Paint:
    """How text is written: with ANSI styles or without, in lines folded at a width or as long as they are.

    Notes are written out only if they are asked for; else they are counted.

    Called with a style, such as ``"bold red"``, and text, it returns the text as it is to be written.
    """

    styled: bool = False
    width: int | None = None
    notes: bool = False
    all_sizes: bool = False
    """Whether conditions are listed that only the sizes 0 and 1 break."""

    def __call__(self, style: str, text: str) -> str:
        if not self.styled:
            return text
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)

    def fits(self, line: str) -> bool:
        """Whether a line needs no folding."""
        return self.width is None or columns(line) <= self.width

    def folded(self, text: str, indent: str = "", more: str | None = None) -> list[str]:
        """Return a text in lines that fit; words stay whole.

        The first line starts with ``indent``, the others with ``more``: by default four blanks after the indent.
        """
        if self.fits(indent + text):
            return [indent + text]
        more = indent + "    " if more is None else more
        first, *others = _WORD.findall(text) or [""]
        lines = [indent + first]
        for word in others:
            if self.fits(lines[-1] + word):
                lines[-1] += word
            else:
                lines.append(more + word.lstrip())
        return lines


plain = Paint()
"""Text without any style, in lines as long as they are."""


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a wide character, none for one that combines."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shortened(name: str, most: int = LONGEST, end: int | None = None) -> str:
    """Return a name of at most so many columns: the start of a long one, and its end.

    The ``end`` has two thirds of them by default, since it is more specific.
    """
    if columns(name) <= most:
        return name
    end = 2 * most // 3 if end is None else end
    return f"{_start(name, most - end - 3)}...{_start(name[::-1], end)[::-1]}"


def _start(text: str, most: int) -> str:
    """Return as much of a text's start as fits into so many columns."""
    start = text[:most]
    while columns(start) > most:
        start = start[:-1]
    return start


def legible(text: str) -> str:
    """Return a sentence for people: printable, with long words (names) shortened."""
    return _LONG_WORD.sub(lambda word: shortened(word[0]), printable(text))
