"""Texts with marks in them: ``|`` stands at the place that a question is about."""

from __future__ import annotations

from shapeinfer.text import Written, check_text

HEADER = '<ir_version: 10, opset_import: ["" : 20, "my" : 1]>\n'


def marked(text: str) -> tuple[Written, int]:
    """Return a text that was checked, and the place of its only mark; a header is put before one without."""
    text = text if text.startswith("<") else HEADER + text
    assert text.count("|") == 1
    at = text.index("|")
    return check_text(text.replace("|", "")), at


def written(text: str) -> Written:
    """Return a text that was checked."""
    return check_text(text if text.startswith("<") else HEADER + text)
