"""A summary in GitHub's Markdown, for a job's page or a comment: a table of the models, then what was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from shapeinfer.api.report import Report
from shapeinfer.report.paint import Paint, plain, printable
from shapeinfer.report.repeated import condensed
from shapeinfer.report.tally import count, outcome
from shapeinfer.report.text import block

LARGEST = 900_000
"""Blocks are written up to this many characters: GitHub refuses a summary of more than a MiB."""


def render(reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = plain) -> Iterator[str]:  # noqa: ARG001 - a Format
    """Write the table, then the diagnostics of each model that has any."""
    found = list(reports)
    wrong = sum(outcome(report) != "clean" for _, report in found)
    verdict = f"{wrong} of {count(len(found), 'model')} failed" if wrong else f"{count(len(found), 'model')} clean"
    yield f"## shapeinfer: {verdict}\n\n| model | verdict | errors | warnings | conditions |\n|---|---|--:|--:|--:|\n"
    yield from (_row(name, report) for name, report in found)
    written = 0
    told = [(name, report) for name, report in found if report.diagnostics]
    for number, (name, report) in enumerate(told):
        section = _section(name, report)
        written += len(section)
        if written > LARGEST:
            yield f"\nThe diagnostics of {count(len(told) - number, 'more model')} do not fit here.\n"
            return
        yield section


def _row(name: str, report: Report) -> str:
    numbers = f"{len(report.errors)} | {len(report.warnings)} | {len(report.contract)}"
    return f"| {_code(name)} | {outcome(report)} | {numbers} |\n"


def _section(name: str, report: Report) -> str:
    text = "\n\n".join("\n".join(block(name, d)) for d in condensed(report.diagnostics))
    fence = "`" * max(3, _ticks(text) + 1)
    return f"\n### {_code(name)}\n\n{fence}text\n{text}\n{fence}\n"


def _code(name: str) -> str:
    """A code span, in a cell too: a bar would end the cell even within the span."""
    text = printable(name).replace("|", "\\|")
    ticks = "`" * (_ticks(text) + 1)
    space = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _ticks(text: str) -> int:
    """The length of the longest run of backticks."""
    return max(map(len, re.findall("`+", text)), default=0)
