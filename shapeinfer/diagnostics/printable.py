"""Untrusted text, escaped for output."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"#(?=#\w*\[)|^( *):(?=:)", re.MULTILINE)
"""Command prefixes that CI servers look for in output: ``##[`` and ``##vso[`` anywhere, ``::`` at line starts."""


def printable(text: str) -> str:
    """Return text with every control character, line break and lone surrogate spelled as an escape.

    Names in a model are untrusted: without this they could move the cursor or forge lines of a report.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def inert(lines: str) -> str:
    """Return lines with what a server of CI would take for a command of the job's spelled as an escape.

    GitHub sets variables, masks and annotations by such lines (actions/runner, ActionCommand.cs), and Azure Pipelines.
    """
    return _COMMAND.sub(_spelled, lines)


def _spelled(found: re.Match[str]) -> str:
    return "\\x23" if found[1] is None else f"{found[1]}\\x3a"
