"""Untrusted text within Markdown, escaped."""

from __future__ import annotations

from shapeinfer.report.paint import printable


def literal(text: str) -> str:
    """Return text that ends neither a span nor a block of code: without line breaks, its backticks apostrophes.

    Inside of code Markdown knows no other marks, so it can neither link, nor show a picture, nor run a command.
    """
    return printable(text).replace("`", "'")


def code(text: str) -> str:
    """Return text as a span of code."""
    return f"`{literal(text) or ' '}`"


def block(line: str) -> str:
    """Return a line of ONNX's text syntax as a block of code."""
    return f"```onnxtxt\n{literal(line)}\n```"
