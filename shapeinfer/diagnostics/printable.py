"""Text of a model's made safe to show."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text with every control character, line break and lone surrogate spelled as an escape.

    Names in a model are untrusted: without this they could move the cursor or forge lines of a report.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
