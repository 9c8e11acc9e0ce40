"""Conversion to types of the Language Server Protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import NamedTuple, cast

from cattrs import Converter
from lsprotocol import types as lsp
from pygls.protocol import default_converter
from pygls.workspace import Workspace

from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.editors.actions import Action
from shapeinfer.editors.completion import Offer
from shapeinfer.editors.fixes import Edit
from shapeinfer.editors.highlights import KINDS, Highlight
from shapeinfer.editors.hints import Hint
from shapeinfer.editors.positions import Encoding, Positions
from shapeinfer.editors.problems import OF_NO_USE, Problem
from shapeinfer.editors.signatures import Help, Parameter
from shapeinfer.report.paint import printable

SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_OFFERS = {
    "operator": lsp.CompletionItemKind.Function,
    "attribute": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.Variable,
    "type": lsp.CompletionItemKind.Class,
    "dim": lsp.CompletionItemKind.TypeParameter,
    "key": lsp.CompletionItemKind.Keyword,
}


class Ready(NamedTuple):
    """A result that is serialized already; long and frequent results skip the step through lsprotocol's objects."""

    json: Sequence[str]
    """Its pieces."""


def converter() -> Converter:
    """Return what puts messages in the form in which they are sent, and leaves those that have it."""
    made: Converter = default_converter()  # type: ignore[no-untyped-call]
    made.register_unstructure_hook(Ready, lambda ready: json.loads("".join(ready.json)))
    return made


def encoding_of(workspace: Workspace) -> Encoding:
    """Return the units in which the editor counts columns."""
    agreed = workspace.position_encoding  # one that pygls has a name for, or text
    return cast("Encoding", getattr(agreed, "value", agreed) or "utf-16")


def span(positions: Positions, start: int, end: int) -> lsp.Range:
    """Return two places as a range."""
    return lsp.Range(lsp.Position(*positions.of(start)), lsp.Position(*positions.of(end)))


def place(positions: Positions, position: lsp.Position) -> int:
    """Return the place of a position."""
    return positions.at(position.line, position.character)


def diagnostic(positions: Positions, problem: Problem, uri: str) -> lsp.Diagnostic:
    """Return a problem of a text as a diagnostic."""
    related = [
        lsp.DiagnosticRelatedInformation(lsp.Location(uri, span(positions, start, end)), message)
        for start, end, message in problem.related
    ]
    tags = [lsp.DiagnosticTag.Unnecessary] if problem.code in OF_NO_USE else None
    return lsp.Diagnostic(
        range=span(positions, problem.start, problem.end),
        message=problem.message,
        severity=SEVERITIES[problem.severity],
        code=problem.code.name,
        source="shapeinfer",
        tags=tags,
        related_information=related or None,
    )


def at_source(found: Diagnostic, model: str) -> lsp.Diagnostic:
    """Return a diagnostic of a model at the line of the program that it was exported from."""
    assert found.source is not None, "only what has a line of a program is shown there"
    line = found.source.line - 1
    node = f"{found.node.text} of " if found.node else ""
    details = (found.message, *(o.text for o in found.shown), *found.notes, f"in {node}{model}")
    return lsp.Diagnostic(
        range=lsp.Range(lsp.Position(line, 0), lsp.Position(line + 1, 0)),
        message="\n".join(map(printable, details)),
        severity=SEVERITIES[found.severity],
        code=found.code.name,
        source="shapeinfer",
    )


def hints(positions: Positions, found: Iterable[Hint]) -> Ready:
    """Return hints as inlay hints: some editors ask for those of the whole text after each edit."""
    pieces: list[str] = []
    texts: dict[tuple[str, str], str] = {}
    for at, label, tooltip in found:
        text = texts.get((label, tooltip))
        if text is None:
            text = texts[label, tooltip] = f'"kind":1,"label":{quoted(label)},"tooltip":{quoted(tooltip)}'
        line, character = positions.of(at)
        pieces.append(f',{{"position":{{"line":{line},"character":{character}}},{text}}}')
    return Ready(["[", *(first[1:] for first in pieces[:1]), *pieces[1:], "]"])


def offer(found: Offer, replaced: lsp.Range, order: int) -> lsp.CompletionItem:
    """Return what could be written, to be put in the place of the word before the cursor."""
    return lsp.CompletionItem(
        label=printable(found.label),
        kind=_OFFERS[found.kind],
        detail=found.detail or None,
        documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, found.markdown) if found.markdown else None,
        text_edit=lsp.TextEdit(replaced, found.inserted or found.label),
        filter_text=found.label,
        sort_text=f"{order:06}",
    )


def signature(found: Help, *, with_offsets: bool) -> lsp.SignatureHelp:
    """Return signature help; parameters are label texts, not offsets, for editors that do not support offsets."""

    def parameter(p: Parameter) -> lsp.ParameterInformation:
        before, text = found.label[: p.start], found.label[p.start : p.end]
        start = _utf16(before)
        label = (start, start + _utf16(text)) if with_offsets else text
        return lsp.ParameterInformation(label, _markdown(p.markdown))

    parameters = [parameter(p) for p in found.parameters]
    active = len(parameters) if found.active is None else found.active  # an index out of range: none is active
    information = lsp.SignatureInformation(found.label, _markdown(found.markdown), parameters, active)
    return lsp.SignatureHelp([information], 0, active)


def _markdown(text: str) -> lsp.MarkupContent | None:
    return lsp.MarkupContent(lsp.MarkupKind.Markdown, text) if text else None


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def edit(positions: Positions, found: Edit) -> lsp.TextEdit:
    """Return a change as a text edit."""
    return lsp.TextEdit(span(positions, found.start, found.end), found.text)


def action(positions: Positions, found: Action, uri: str) -> lsp.CodeAction:
    """Return a change on offer as a code action."""
    problem = found.problem
    return lsp.CodeAction(
        title=printable(found.title),
        kind=lsp.CodeActionKind.RefactorRewrite if problem is None else lsp.CodeActionKind.QuickFix,
        diagnostics=None if problem is None else [diagnostic(positions, problem, uri)],
        is_preferred=found.is_preferred or None,
        edit=lsp.WorkspaceEdit(changes={uri: [edit(positions, found.edit)]}),
    )


def tokens(positions: Positions, found: Iterable[Highlight]) -> Sequence[int]:
    """Return names as semantic tokens: five numbers each, relative to the one before."""
    data: list[int] = []
    line = column = 0
    for name in found:
        start = positions.of(name.start)
        passed = start.line - line
        data += (passed, start.character - (0 if passed else column), positions.width(name.start, name.end))
        data += (KINDS.index(name.kind), name.declares | name.readonly << 1)
        line, column = start
    return data
