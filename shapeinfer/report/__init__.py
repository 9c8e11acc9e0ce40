"""Output formats: one module per format, listed in one table."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Protocol

from shapeinfer.api.report import Report
from shapeinfer.report.paint import Paint, plain


class Format(Protocol):
    """Turns named reports into pieces of text, in order; ``several`` is whether more than one file was requested."""

    def __call__(self, reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = ...) -> Iterator[str]:
        """Write the reports, each as soon as the format allows."""


def _format(name: str) -> Format:
    """Return the format of a module here, which is loaded when it is used."""

    def render(reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = plain) -> Iterator[str]:
        written: Format = importlib.import_module(f"{__name__}.{name}").render
        return written(reports, several=several, paint=paint)

    return render


FORMATS = {name: _format(name) for name in ("text", "concise", "json", "sarif", "github", "junit", "markdown")}
"""The formats by their name in ``--format``."""

WITH_CONTRACT = frozenset({"text", "json", "markdown"})
"""The formats that read a report's contract; it is not computed for the others."""
