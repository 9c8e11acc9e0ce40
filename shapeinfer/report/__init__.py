"""How is a report written down? One module for each format, all of them in one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from shapeinfer.api import Report
from shapeinfer.report import concise, github, json, junit, markdown, sarif, text
from shapeinfer.report.paint import Paint


class Format(Protocol):
    """Turns named reports into pieces of text, in order; ``several`` says that more than one file was asked for."""

    def __call__(self, reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = ...) -> Iterator[str]:
        """Write the reports, each as soon as the format allows."""


FORMATS: dict[str, Format] = {
    "text": text.render,
    "concise": concise.render,
    "json": json.render,
    "sarif": sarif.render,
    "github": github.render,
    "junit": junit.render,
    "markdown": markdown.render,
}
"""The formats by the name that ``--format`` takes."""
