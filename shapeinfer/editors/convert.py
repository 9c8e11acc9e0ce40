"""What was found, in the words of the Language Server Protocol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lsprotocol import types as lsp

from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic
from shapeinfer.editors.actions import Action, Edit
from shapeinfer.editors.completion import Offer
from shapeinfer.editors.highlights import KINDS, Highlight
from shapeinfer.editors.hints import Hint
from shapeinfer.editors.outline import Symbol
from shapeinfer.editors.positions import Positions
from shapeinfer.editors.problems import OF_NO_USE, Problem
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
_SYMBOLS = {
    "graph": lsp.SymbolKind.Class,
    "function": lsp.SymbolKind.Function,
    "input": lsp.SymbolKind.Field,
    "output": lsp.SymbolKind.Property,
    "initializer": lsp.SymbolKind.Constant,
    "node": lsp.SymbolKind.Variable,
}


def span(positions: Positions, start: int, end: int) -> lsp.Range:
    """Return two places as a range."""
    return lsp.Range(lsp.Position(*positions.of(start)), lsp.Position(*positions.of(end)))


def place(positions: Positions, position: lsp.Position) -> int:
    """Return the place of a position."""
    return positions.at(position.line, position.character)


def diagnostic(positions: Positions, problem: Problem) -> lsp.Diagnostic:
    """Return a problem as a diagnostic."""
    tags = [lsp.DiagnosticTag.Unnecessary] if problem.code in OF_NO_USE else None
    return lsp.Diagnostic(
        range=span(positions, problem.start, problem.end),
        message=problem.message,
        severity=SEVERITIES[problem.severity],
        code=problem.code.name,
        source="shapeinfer",
        tags=tags,
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


def hint(positions: Positions, found: Hint) -> lsp.InlayHint:
    """Return a hint as an inlay hint."""
    return lsp.InlayHint(
        lsp.Position(*positions.of(found.at)), found.label, kind=lsp.InlayHintKind.Type, tooltip=found.tooltip
    )


def symbol(positions: Positions, found: Symbol) -> lsp.DocumentSymbol:
    """Return a symbol with those inside it."""
    return lsp.DocumentSymbol(
        name=found.name or "?",
        detail=found.detail,
        kind=_SYMBOLS[found.kind],
        range=span(positions, *found.span),
        selection_range=span(positions, *found.name_span),
        children=[symbol(positions, child) for child in found.children],
    )


def offer(found: Offer, replaced: lsp.Range, order: int) -> lsp.CompletionItem:
    """Return what could be written, to be put in the place of the word before the cursor."""
    return lsp.CompletionItem(
        label=found.label,
        kind=_OFFERS[found.kind],
        detail=found.detail or None,
        documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, found.markdown) if found.markdown else None,
        text_edit=lsp.TextEdit(replaced, found.inserted or found.label),
        sort_text=f"{order:06}",
    )


def edit(positions: Positions, found: Edit) -> lsp.TextEdit:
    """Return a change as a text edit."""
    return lsp.TextEdit(span(positions, found.start, found.end), found.text)


def action(positions: Positions, found: Action, uri: str) -> lsp.CodeAction:
    """Return a change on offer as a code action."""
    problem = found.problem
    return lsp.CodeAction(
        title=found.title,
        kind=lsp.CodeActionKind.RefactorRewrite if problem is None else lsp.CodeActionKind.QuickFix,
        diagnostics=None if problem is None else [diagnostic(positions, problem)],
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
