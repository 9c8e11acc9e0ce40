"""One line per diagnostic, for editors and for grep; none for a model without any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shapeinfer.api.report import Report
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.report.location import position
from shapeinfer.report.paint import STYLES, Paint, legible, plain, printable
from shapeinfer.report.text import place, shown_diagnostics


def render(reports: Iterable[tuple[str, Report]], *, several: bool, paint: Paint = plain) -> Iterator[str]:  # noqa: ARG001 - a Format
    """Write ``path:line:column: node: severity[code]: message`` for each diagnostic, and its place in the program."""
    for name, report in reports:
        yield "".join(f"{_line(name, d, paint)}\n" for d in shown_diagnostics(report, paint))


def _line(name: str, diagnostic: Diagnostic, paint: Paint) -> str:
    node = f"{printable(place(diagnostic.node))}: " if diagnostic.node else ""
    said = paint(STYLES[diagnostic.severity], f"{diagnostic.severity}[{diagnostic.code.name}]")
    source = diagnostic.source
    places = [diagnostic.module, f"{source.file}:{source.line}" if source else ""]
    own = f" ({legible(', '.join(filter(None, places)))})" if any(places) else ""
    return f"{printable(name)}{position(diagnostic)}: {node}{said}: {legible(diagnostic.message)}{own}"
