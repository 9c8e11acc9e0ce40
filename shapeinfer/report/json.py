"""Reports for programs: the object of ``Report.to_dict``, or one such object for each of several files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib import resources

from shapeinfer.api.report import Report
from shapeinfer.report.paint import Paint, plain

PIECE = 1 << 16
"""So many characters are written at once."""


def render(reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = plain) -> Iterator[str]:  # noqa: ARG001 - a Format
    """Write one JSON object: a report, or ``{"files": {path: report}}`` where several were asked for."""
    files = {name: report.to_dict() for name, report in reports}
    yield from pieces({"files": files} if several else next(iter(files.values())))


def pieces(whole: object) -> Iterator[str]:
    """Write an object in pieces, as large ones are written without being whole in memory.

    ASCII only: a path or a name in a model may hold characters that the reader's locale has not. Of what a server of CI
    would obey, nothing remains either: text that is no part of a string has no ``#``, and no line begins with a colon.
    """
    held: list[str] = []
    size = 0
    for token in json.JSONEncoder(indent=2).iterencode(whole):
        held.append(token.replace("##", "\\u0023\\u0023"))
        size += len(token)
        if size > PIECE:
            yield "".join(held)
            held, size = [], 0
    yield "".join([*held, "\n"])


def schema() -> str:
    """Return the JSON Schema (draft 2020-12) of what is written."""
    return (resources.files("shapeinfer.report") / "schema.json").read_text(encoding="utf-8")
