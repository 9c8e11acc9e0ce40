"""Reports for programs: the object of ``Report.to_dict``, or one such object for each of several files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib import resources

from shapeinfer.api import Report
from shapeinfer.report.paint import Paint, plain


def render(reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = plain) -> Iterator[str]:  # noqa: ARG001 - a Format
    """Write one JSON object: a report, or ``{"files": {path: report}}`` where several were asked for."""
    files = {name: report.to_dict() for name, report in reports}
    whole = {"files": files} if several else next(iter(files.values()))
    # ASCII only: a path or a name in a model may hold characters that the reader's locale has not.
    yield json.dumps(whole, indent=2) + "\n"


def schema() -> str:
    """Return the JSON Schema (draft 2020-12) of what is written."""
    return (resources.files("shapeinfer.report") / "schema.json").read_text(encoding="utf-8")
