"""Text for people: optional styles and wrapped lines, without terminal control sequences."""

from __future__ import annotations

import re
import textwrap

from attrs import frozen

from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.printable import printable as printable

LONGEST = 80
"""Names longer than this are shortened in text for people; other formats have them whole."""

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
        return self.width is None or len(line) <= self.width

    def folded(self, text: str, indent: str = "") -> list[str]:
        """Return a text in lines that fit, all but the first indented by four more; words stay whole."""
        line = indent + text
        if self.width is None or self.fits(line):
            return [line]
        return textwrap.wrap(
            text,
            self.width,
            initial_indent=indent,
            subsequent_indent=indent + "    ",
            break_long_words=False,
            break_on_hyphens=False,
        )


plain = Paint()
"""Text without any style, in lines as long as they are."""


def shortened(name: str) -> str:
    """Return a name of limited length: the start of a long one, and more of its end, which is more specific."""
    if len(name) <= LONGEST:
        return name
    end = 2 * LONGEST // 3
    return f"{name[: LONGEST - end - 3]}...{name[-end:]}"


def legible(text: str) -> str:
    """Return a sentence for people: printable, with long words (names) shortened."""
    return _LONG_WORD.sub(lambda word: shortened(word[0]), printable(text))
