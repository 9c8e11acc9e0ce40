"""LSP requests about an open Python program, answered from its view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from lsprotocol import types as lsp
from pygls.uris import from_fs_path

from shapeinfer.editors import convert
from shapeinfer.editors.markdown import code, literal
from shapeinfer.editors.positions import Encoding
from shapeinfer.editors.sources.view import PlacedFinding, StatementTypes, View
from shapeinfer.report.paint import printable

SHOW_VALUE = "shapeinfer.showValue"
"""The command that opens a model's page at a value; it takes the model's URI and the value's name."""
LONGEST = 80
"""Longer hints, in characters, are cut; their tooltip has the whole text."""
MOST_RUNS = 20
"""The most runs of a statement that are listed."""

Answer: TypeAlias = "Callable[[EditorView, Any], Any]"


class EditorView:
    """A view whose columns are counted in the units of the editor."""

    def __init__(self, view: View, encoding: Encoding) -> None:
        self.view = view
        self._encoding = encoding

    def position(self, line: int, column: int) -> lsp.Position:
        """Return the LSP position of a column in characters, on a line counted from 1."""
        text = self.view.lines[line - 1][:column] if line <= len(self.view.lines) else ""
        return lsp.Position(line - 1, self._width(text))

    def span(self, first: int, start: int, last: int, end: int) -> lsp.Range:
        return lsp.Range(self.position(first, start), self.position(last, end))

    def end_of(self, line: int) -> lsp.Position:
        return self.position(line, len(self.view.lines[line - 1].rstrip()))

    def lines(self, first: int, last: int) -> lsp.Range:
        """Return the range of some lines, without the indentation of the first."""
        text = self.view.lines[first - 1]
        return lsp.Range(self.position(first, len(text) - len(text.lstrip())), self.end_of(last))

    def on(self, first: int, last: int) -> Iterator[StatementTypes]:
        """Iterate over the types shown on lines counted from 0."""
        return (s for s in self.view.types if s.first - 1 <= last and s.last - 1 >= first)

    def _width(self, text: str) -> int:
        if self._encoding == "utf-32" or text.isascii():
            return len(text)
        coded = text.encode("utf-8" if self._encoding == "utf-8" else "utf-16-le", "surrogatepass")
        return len(coded) // (1 if self._encoding == "utf-8" else 2)


def uri_of(path: Path) -> str:
    """Return the URI of a path."""
    return from_fs_path(str(path)) or path.as_uri()


def _hints(current: EditorView, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    span = params.range
    return [
        lsp.InlayHint(
            current.end_of(shown.last),
            f"# {_cut(printable(shown.text))}",
            kind=lsp.InlayHintKind.Type,
            tooltip=printable(shown.text),
            padding_left=True,
        )
        for shown in current.on(span.start.line, span.end.line)
        if span.start.line <= shown.last - 1 <= span.end.line
    ]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _hovered(current: EditorView, params: lsp.HoverParams) -> lsp.Hover | None:
    for shown in current.on(params.position.line, params.position.line):
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n".join(_page(shown)))
        return lsp.Hover(content, current.lines(shown.first, shown.last))
    return None


def _page(shown: StatementTypes) -> Iterator[str]:
    """Yield the Markdown of a hover: all values of a statement, by model and module."""
    yield f"```python\n{literal(shown.text)}\n```"
    models = dict.fromkeys(model for model, _ in shown.runs)
    for model in models:
        runs = [run for path, run in shown.runs if path == model]
        yield f"\nin {code(model.name)}\n"
        for run in runs[:MOST_RUNS]:
            values = ", ".join(code(f"{value.name}: {value.type}") for value in run.values)
            yield f"- {code(run.module)}: {values}" if run.module else f"- {values}"
        if len(runs) > MOST_RUNS:
            yield f"- and {len(runs) - MOST_RUNS} more"


def _lenses(current: EditorView, _params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    several = len({lens.model for lens in current.view.lenses}) > 1
    return [
        lsp.CodeLens(
            current.lines(lens.first, lens.first),
            _show((f"{lens.model.name}: " if several else "") + lens.title, lens.model, lens.value),
        )
        for lens in current.view.lenses
    ]


def _offered(current: EditorView, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Return code actions that show the nodes of a statement on the model's page, one for each module."""
    offers: dict[str, lsp.Command] = {}
    for shown in current.on(params.range.start.line, params.range.end.line):
        for model, run in shown.runs:
            value = run.values[-1].name
            where = f"{value} of {run.module}" if run.module else value
            title = f"Show {where} in the graph of {model.name}"
            offers.setdefault(title, _show(title, model, value))
    few = [*offers.items()][:MOST_RUNS]
    return [lsp.CodeAction(printable(title), kind=lsp.CodeActionKind.Empty, command=show) for title, show in few]


def _show(title: str, model: Path, value: str) -> lsp.Command:
    return lsp.Command(printable(title), SHOW_VALUE, arguments=[uri_of(model), value])


ANSWERS: Mapping[str, Answer] = {
    lsp.TEXT_DOCUMENT_INLAY_HINT: _hints,
    lsp.TEXT_DOCUMENT_HOVER: _hovered,
    lsp.TEXT_DOCUMENT_CODE_LENS: _lenses,
    lsp.TEXT_DOCUMENT_CODE_ACTION: _offered,
}
"""The answered requests; others are for the language server for Python."""


def diagnostics(current: EditorView) -> list[lsp.Diagnostic]:
    """Return the findings of all models at the calls that they are about, without duplicates."""
    found: dict[tuple[Any, ...], list[PlacedFinding]] = {}
    for fault in current.view.findings:
        span = (fault.first, fault.start, fault.last, fault.end)
        found.setdefault((span, fault.diagnostic.code.name, fault.diagnostic.message), []).append(fault)
    return [_diagnostic(current, faults) for faults in found.values()]


def _diagnostic(current: EditorView, faults: list[PlacedFinding]) -> lsp.Diagnostic:
    first = faults[0]
    d = first.diagnostic
    fits = () if d.fix is None else (d.fix.text,)
    places = _places((f"in {f.diagnostic.module}, " if f.diagnostic.module else "in ", f) for f in faults)
    return lsp.Diagnostic(
        range=current.span(first.first, first.start, first.last, first.end),
        message="\n".join(map(printable, (d.message, *(o.text for o in d.shown), *d.notes, *fits, *places))),
        severity=convert.SEVERITIES[d.severity],
        code=d.code.name,
        source="shapeinfer",
    )


def _places(faults: Iterable[tuple[str, PlacedFinding]]) -> list[str]:
    """Return the modules and nodes of findings, one per line."""
    lines = []
    for where, fault in faults:
        node = fault.diagnostic.node
        lines.append(f"{where}{f'{node.text} of ' if node else ''}{fault.model.name}")
    few = list(dict.fromkeys(lines))
    return [*few[:MOST_RUNS], *([f"and {len(few) - MOST_RUNS} more"] if len(few) > MOST_RUNS else [])]
