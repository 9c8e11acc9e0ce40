"""The summary of a report: one word, and counts with their nouns."""

from __future__ import annotations

from shapeinfer.api.report import Report
from shapeinfer.diagnostics import codes


def outcome(report: Report) -> str:
    """Return ``clean``, ``errors``, ``unreadable`` (no model was found to check) or ``incomplete``."""
    if report.graph is None:
        return "unreadable"
    if report.errors:
        return "errors"
    return "incomplete" if any(d.code is codes.BUDGET_EXCEEDED for d in report.diagnostics) else "clean"


def count(number: int, what: str) -> str:
    """Return a number with its noun, such as ``no errors`` or ``1 warning``."""
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
