"""Text for a terminal: styles where they are wanted, and nothing that a terminal would obey by accident."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from shapeinfer.diagnostics.codes import Severity

Paint: TypeAlias = Callable[[str, str], str]
"""Takes a style, such as ``"bold red"``, and text; returns the text as it is to be written."""

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
"""How a severity looks."""


def plain(style: str, text: str) -> str:  # noqa: ARG001 - the Paint that ignores styles
    """Return the text without any style."""
    return text


def ansi(style: str, text: str) -> str:
    """Return the text with ANSI codes for the style."""
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def printable(text: str) -> str:
    """Return text with every control character, line break and lone surrogate spelled as an escape.

    Names in a model are untrusted: without this they could move the cursor or forge lines of a report.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
