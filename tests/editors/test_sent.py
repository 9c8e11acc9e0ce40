"""What is sent of a large text again and again: it is that of the text as it is, whatever was sent before."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("pygls")

from shapeinfer.editors import convert
from shapeinfer.editors.highlights import highlights
from shapeinfer.editors.hints import hints
from shapeinfer.editors.outline import Symbol, outline
from shapeinfer.editors.positions import Encoding, Positions
from shapeinfer.editors.symbols import Symbols
from shapeinfer.editors.tokens import Tokens
from tests.editors.test_shown import NET
from tests.editors.texts import written


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_an_outline_is_sent_as_it_is_whatever_was_sent_before(encoding: Encoding) -> None:
    def spots(symbol: Symbol) -> list[object]:
        span, name = ([list(positions.of(at)) for at in span] for span in (symbol.span, symbol.name_span))
        return [symbol.name, symbol.detail, span, name, [spots(child) for child in symbol.children]]

    def sent(symbol: dict[str, Any]) -> list[object]:
        ranges = [
            [list(r[end].values()) for end in ("start", "end")] for r in (symbol["range"], symbol["selectionRange"])
        ]
        return [symbol["name"], symbol["detail"], *ranges, [sent(child) for child in symbol["children"]]]

    symbols = Symbols()
    label = '["\N{GRINNING FACE}\\"\u2028"] '
    for text in (
        NET,
        "# moved\n" + NET,
        NET.replace("    v", "  v"),
        NET.replace("[last]", label),
        NET.replace("64", "32"),
    ):
        found = written(text.replace("\n", "\r\n"))
        positions = Positions(found.text, encoding)
        assert [sent(s) for s in json.loads("".join(symbols.parts(found, positions)))] == [
            spots(s) for s in outline(found)
        ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_colours_are_sent_as_they_are_whatever_was_sent_before(encoding: Encoding) -> None:
    tokens, changed = Tokens(), Tokens()
    held: dict[str, Any] = {"resultId": "none yet"}
    edits = [("net (", "# moved\nnet ("), ("    v", "  v"), ("last", "\N{GRINNING FACE}"), ("] h>", "] h2>")]
    edits += [
        ("p, =", "p ="),
        ("float[64, 8] w = ", "float[64, 8] y = "),
        ("MatMul (h", "MatMul (x"),
        ("v = ", "v = ("),
        ("net", ""),
    ]
    for old, new in [("", ""), *edits, ("", ""), *edits]:
        found = written(NET.replace(old, new, 1) if old else NET)
        positions = Positions(found.text, encoding)
        expected = convert.tokens(positions, highlights(found))
        assert json.loads("".join(tokens.all(found, positions)))["data"] == expected
        changes = json.loads("".join(changed.changes(held["resultId"], found, positions)))
        data = changes.get("data") or [*held["data"]]
        for edit in changes.get("edits", ()):
            data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
        held = {"resultId": changes["resultId"], "data": data}
        assert data == expected
    again = json.loads("".join(changed.changes(held["resultId"], found, positions)))
    assert again["edits"] == []
    assert "data" in json.loads("".join(changed.changes(held["resultId"], found, positions))), "it is not the last"


def test_hints_are_sent_as_they_are() -> None:
    found = written(NET)
    positions = Positions(found.text)
    sent = json.loads("".join(convert.hints(positions, hints(found)).json))
    assert [(*h["position"].values(), h["label"], h["tooltip"], h["kind"]) for h in sent] == [
        (*positions.of(h.at), h.label, h.tooltip, 1) for h in hints(found)
    ]
