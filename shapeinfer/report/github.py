"""Annotations of GitHub Actions: workflow commands, which the runner shows next to the files they name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.diagnostics.printable import inert
from shapeinfer.report.location import shown_location
from shapeinfer.report.paint import Paint, plain, printable
from shapeinfer.report.repeated import condensed
from shapeinfer.report.text import details

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = plain) -> Iterator[str]:  # noqa: ARG001 - a Format
    """Write a command for each diagnostic, the most severe of all models first: GitHub shows ten of a kind."""
    found = [(name, d) for name, report in reports for d in condensed(report.diagnostics)]
    for severity in _COMMANDS:
        yield from (_command(name, d) for name, d in found if d.severity is severity)


def _command(name: str, diagnostic: Diagnostic) -> str:
    at = shown_location(name, diagnostic)
    line = "" if at.line is None else f",line={at.line}"
    line += "" if at.column is None else f",col={at.column}"
    title = _property(f"shapeinfer {diagnostic.code.name}")
    lines = [printable(diagnostic.message), *details(name, diagnostic), f"  help: {printable(diagnostic.help)}"]
    command = f"::{_COMMANDS[diagnostic.severity]} file={_property(at.path)}{line},title={title}"
    return f"{command}::{_data(inert(chr(10).join(lines)))}\n"


def _data(text: str) -> str:
    """Escape text as the runner's parser reads it back (actions/toolkit, command.ts)."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(inert(printable(text))).replace(":", "%3A").replace(",", "%2C")
