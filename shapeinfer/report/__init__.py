"""Output formats: one module per format, listed in one table."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, Protocol, TypeAlias, get_args

from shapeinfer.api.options import require_known
from shapeinfer.api.report import Report
from shapeinfer.report.paint import Paint, plain

FormatName: TypeAlias = Literal["text", "concise", "json", "sarif", "github", "junit", "markdown"]


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


FORMATS: dict[str, Format] = {name: _format(name) for name in get_args(FormatName)}
"""The formats by their name in ``--format``."""

WITH_CONTRACT = frozenset({"text", "json", "markdown"})
"""The formats that read a report's contract; it is not computed for the others."""


def render(
    reports: Report | Mapping[str, Report], form: FormatName = "text", *, notes: bool = False, all_sizes: bool = False
) -> str:
    """Return a report, or several by their names, as ``shapeinfer check --format`` prints them, without colour.

    ``notes`` and ``all_sizes`` are the command's ``--notes`` and ``--all-sizes``: text then has the notes in full, and
    the conditions that only the sizes 0 and 1 break. Raises ValueError for an unknown format, TypeError for what is no
    report.
    """
    require_known("format", form, get_args(FormatName))
    for report in reports.values() if isinstance(reports, Mapping) else [reports]:
        if not isinstance(report, Report):
            raise TypeError(f"render() takes a Report or a mapping from names to Reports, not {type(report).__name__}")
    one = isinstance(reports, Report)
    named = [(reports.path or "model", reports)] if isinstance(reports, Report) else reports.items()
    return "".join(FORMATS[form](named, several=not one, paint=Paint(notes=notes, all_sizes=all_sizes)))
