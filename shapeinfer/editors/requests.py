"""The table of requests about an open text: each LSP feature with the function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from lsprotocol import types as lsp

from shapeinfer.editors import convert
from shapeinfer.editors.actions import actions
from shapeinfer.editors.completion import completions
from shapeinfer.editors.documents import Document
from shapeinfer.editors.folding import folds
from shapeinfer.editors.highlights import KINDS, MODIFIERS, highlights
from shapeinfer.editors.hints import hints
from shapeinfer.editors.hover import hover
from shapeinfer.editors.lenses import lenses
from shapeinfer.editors.mentions import definition, occurrences, references
from shapeinfer.editors.signatures import signature_help
from shapeinfer.editors.spelling import spelled

Answer: TypeAlias = "Callable[[Document, Any], Any]"
_LEGEND = lsp.SemanticTokensLegend(list(KINDS), list(MODIFIERS))


class Request(NamedTuple):
    """An LSP feature, its registration options, and the function that answers it.

    A ``steady`` request, such as one for colours, is answered even if the text changed since it was sent.
    """

    feature: str
    options: Any
    steady: bool
    answer: Answer


REQUESTS: list[Request] = []
"""All requests about a text, filled by ``answers``."""


def answers(feature: str, options: Any = None, *, steady: bool = False) -> Callable[[Answer], Answer]:
    """Return a decorator that adds a function to ``REQUESTS``."""

    def enter(answer: Answer) -> Answer:
        REQUESTS.append(Request(feature, options, steady, answer))
        return answer

    return enter


@answers(lsp.TEXT_DOCUMENT_INLAY_HINT, steady=True)
def _shown_hints(document: Document, params: lsp.InlayHintParams) -> convert.Ready:
    places = (convert.place(document.positions, p) for p in (params.range.start, params.range.end))
    return convert.hints(document.positions, hints(document.written, *places))


@answers(lsp.TEXT_DOCUMENT_HOVER)
def _hovered(document: Document, params: lsp.HoverParams) -> lsp.Hover | None:
    found = hover(document.written, convert.place(document.positions, params.position))
    if found is None:
        return None
    content = lsp.MarkupContent(lsp.MarkupKind.Markdown, found.markdown)
    return lsp.Hover(content, convert.span(document.positions, found.start, found.end))


@answers(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL, steady=True)
def _symbols(document: Document, _params: lsp.DocumentSymbolParams) -> convert.Ready:
    return convert.Ready(document.symbols.parts(document.written, document.positions))


@answers(lsp.TEXT_DOCUMENT_FOLDING_RANGE, steady=True)
def _folding(document: Document, _params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
    return [lsp.FoldingRange(f.first, f.last, kind=f.kind) for f in folds(document.written)]


@answers(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions(resolve_provider=True), steady=True)
def _lenses(document: Document, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    uri = params.text_document.uri
    return [
        lsp.CodeLens(convert.span(document.positions, lens.start, lens.end), data=[uri, lens.kind, lens.number])
        for lens in lenses(document.written)
    ]


@answers(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, _LEGEND, steady=True)
def _all_tokens(document: Document, _params: lsp.SemanticTokensParams) -> convert.Ready:
    return convert.Ready(document.tokens.all(document.written, document.positions))


@answers(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, _LEGEND, steady=True)
def _changed_tokens(document: Document, params: lsp.SemanticTokensDeltaParams) -> convert.Ready:
    since = params.previous_result_id
    return convert.Ready(document.tokens.changes(since, document.written, document.positions))


@answers(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, _LEGEND, steady=True)
def _some_tokens(document: Document, params: lsp.SemanticTokensRangeParams) -> lsp.SemanticTokens:
    places = (convert.place(document.positions, p) for p in (params.range.start, params.range.end))
    return lsp.SemanticTokens(convert.tokens(document.positions, highlights(document.written, *places)))


def _place(document: Document, params: Any) -> int:
    return convert.place(document.positions, params.position)


def _locations(document: Document, params: Any, found: Iterable[tuple[Any, ...]]) -> list[lsp.Location]:
    uri = params.text_document.uri
    return [lsp.Location(uri, convert.span(document.positions, start, end)) for start, end, *_ in found]


@answers(lsp.TEXT_DOCUMENT_DEFINITION)
def _defined(document: Document, params: lsp.DefinitionParams) -> list[lsp.Location]:
    return _locations(document, params, definition(document.written, _place(document, params)))


@answers(lsp.TEXT_DOCUMENT_REFERENCES)
def _referred(document: Document, params: lsp.ReferenceParams) -> list[lsp.Location]:
    own = params.context.include_declaration
    found = references(document.written, _place(document, params), with_definition=own)
    return _locations(document, params, found)


@answers(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
def _highlighted(document: Document, params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
    found = occurrences(document.written, _place(document, params))
    return [lsp.DocumentHighlight(convert.span(document.positions, *span)) for span in found]


# Editors request completions only at the first letter of a word, so further typing must not cancel the answer.
@answers(
    lsp.TEXT_DOCUMENT_COMPLETION,
    lsp.CompletionOptions(trigger_characters=["=", "(", "<", "[", ",", ".", " "]),
    steady=True,
)
def _completed(document: Document, params: lsp.CompletionParams) -> lsp.CompletionList:
    at = convert.place(document.positions, params.position)
    offers = completions(document.written, at)
    replaced = convert.span(document.positions, offers.start, at)
    items = [convert.offer(o, replaced, i) for i, o in enumerate(offers.found)]
    return lsp.CompletionList(is_incomplete=not offers.are_all, items=items)


@answers(
    lsp.TEXT_DOCUMENT_SIGNATURE_HELP,
    lsp.SignatureHelpOptions(trigger_characters=["(", "<", ","], retrigger_characters=[",", "=", ">", ")"]),
)
def _signature(document: Document, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
    found = signature_help(document.written, convert.place(document.positions, params.position))
    return None if found is None else convert.signature(found, with_offsets=document.takes_offsets)


@answers(
    lsp.TEXT_DOCUMENT_CODE_ACTION,
    lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.RefactorRewrite]),
)
def _offered(document: Document, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    start, end = (convert.place(document.positions, p) for p in (params.range.start, params.range.end))
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
    found = actions(document.written, start, end, document.problems)
    offered = [convert.action(document.positions, a, params.text_document.uri) for a in found]
    return [a for a in offered if not only or any(_is_of(str(getattr(a.kind, "value", a.kind)), o) for o in only)]


def _is_of(kind: str, wanted: str) -> bool:
    """Whether a kind of code action is the wanted one or a subkind of it; every kind is a subkind of the empty one."""
    return not wanted or f"{kind}.".startswith(f"{wanted}.")


@answers(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
def _name_to_rename(document: Document, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    at = convert.place(document.positions, params.position)
    spans = occurrences(document.written, at)
    here = next(((start, end) for start, end in spans if start <= at <= end), None)
    return None if here is None else convert.span(document.positions, *here)


@answers(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
def _renamed(document: Document, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
    spans = occurrences(document.written, convert.place(document.positions, params.position))
    name = spelled(params.new_name.strip('"'))
    edits = [lsp.TextEdit(convert.span(document.positions, *span), name) for span in spans]
    return lsp.WorkspaceEdit(changes={params.text_document.uri: edits}) if edits else None
