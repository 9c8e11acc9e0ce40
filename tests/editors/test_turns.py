"""The server listens before it works: nothing is worked out that nobody wants any more, and nothing wanted is lost."""

from __future__ import annotations

import asyncio
import json
import weakref
from pathlib import Path

import pytest

pytest.importorskip("pygls")

from shapeinfer.editors.convert import encoding_of
from shapeinfer.editors.documents import Document
from shapeinfer.editors.symbols import Symbols
from tests.editors.large import large
from tests.editors.played import AT, URI, Played, checks, play
from tests.effort import within

NET = """<ir_version: 10, opset_import: ["" : 20]>
net (float[N, 64] x, float[64, 8] w) => (y)
{
    h = MatMul (x, w)
    y = Relu(h)
}
"""
VALUE = {"line": 4, "character": 4}
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 6, "character": 0}}
CANCELLED = -32800


def test_hints_asked_for_with_a_keystroke_do_not_take_its_diagnostics() -> None:
    async def session(editor: Played) -> None:
        editor.open(NET)
        assert await editor.published() == []
        editor.type("u")
        hints = editor.ask_of_text("inlayHint", range=WHOLE)
        assert await editor.published() == ["no-such-operator"]
        assert [h["label"] for h in await editor.answer(hints)] == [": f32[N, 8]"]

    play(session)


def test_a_text_is_published_once() -> None:
    async def session(editor: Played) -> None:
        editor.open(NET)
        await editor.published()
        await editor.answer(editor.ask_of_text("documentSymbol"))
        await editor.answer(editor.ask_of_text("documentSymbol"))
        assert [m["params"]["version"] for m in editor.heard if "diagnostics" in m.get("params", {})] == [1]

    play(session)


def test_keystrokes_that_wait_are_one_change(monkeypatch: pytest.MonkeyPatch) -> None:
    async def session(editor: Played) -> None:
        with checks(monkeypatch) as checked:
            editor.open(NET)
            for letter in "u" * 39:
                editor.type(letter)
                asked = editor.ask_of_text("semanticTokens/full")
            editor.type("v")
            assert await editor.published() == ["no-such-operator"]
            assert (await editor.answer(asked))["data"]
            assert checked == [NET.replace("Relu", f"Relu{'v' + 'u' * 39}")]

    play(session)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("before", ["# \x0c \u2028 \x85 end no lines", "# \U0001f600 is wide"])
def test_lines_and_columns_are_those_of_the_protocol(before: str, encoding: str) -> None:
    text = NET.replace(">\n", f"> {before}\r\n", 1).replace("y = Relu(h)", "y = Relu(h) # \U0001f600")

    async def session(editor: Played) -> None:
        editor.open(text)
        assert await editor.published() == []
        assert encoding_of(editor.server.workspace) == encoding
        editor.type("v")
        assert await editor.published() == ["no-such-operator"]
        (document,) = editor.server.documents.values()
        assert document.text == text.replace("Relu", "Reluv")
        start, typed = (document.positions.at(0, column) for column in (0, 999))
        assert document.text[start:typed] == text.partition("\r\n")[0]

    play(session, general={"positionEncodings": [encoding]})


def test_a_byte_order_mark_is_no_fault_and_counts_as_a_character() -> None:
    async def session(editor: Played) -> None:
        editor.open("\ufeff" + NET)
        assert await editor.published() == []
        (net,) = await editor.answer(editor.ask_of_text("documentSymbol"))
        assert net["range"]["start"] == {"line": 1, "character": 0}
        editor.type("v")
        assert await editor.published() == ["no-such-operator"]

    play(session)


def test_several_changes_of_one_notification_are_applied_in_order() -> None:
    async def session(editor: Played) -> None:
        editor.open(NET)
        changes = [
            {"range": {"start": {"line": 4, "character": 8}, "end": {"line": 4, "character": 12}}, "text": "Tan"},
            {"range": {"start": {"line": 4, "character": 11}, "end": {"line": 4, "character": 11}}, "text": "h "},
            {"range": {"start": {"line": 99, "character": 0}, "end": {"line": 99, "character": 9}}, "text": "# end"},
        ]
        document = {"uri": URI, "version": 2}
        editor.say("textDocument/didChange", textDocument=document, contentChanges=changes)
        editor.say("textDocument/didChange", textDocument={"uri": URI, "version": 3}, contentChanges=[])
        await editor.until(lambda m: m.get("params", {}).get("version") == 3)
        (open_now,) = editor.server.documents.values()
        assert open_now.text == NET.replace("Relu(h)", "Tanh (h)") + "# end"
        editor.say("textDocument/didChange", textDocument={"uri": URI, "version": 4}, contentChanges=[{"text": NET}])
        await editor.until(lambda m: m.get("params", {}).get("version") == 4)
        assert open_now.text == NET

    play(session)


def test_a_changed_configuration_is_asked_for_anew_where_the_editor_can() -> None:
    refreshing = {name: {"refreshSupport": True} for name in ("inlayHint", "codeLens", "semanticTokens")}

    async def session(editor: Played) -> None:
        editor.open(NET)
        await editor.published()
        editor.say("workspace/didChangeConfiguration", settings={"shapeinfer": {"trusted": True}})
        await editor.until(lambda _: len([m for m in editor.heard if "diagnostics" in m.get("params", {})]) > 1)
        asked = {m["method"] for m in editor.heard if m.get("method", "").endswith("/refresh")}
        assert asked == {f"workspace/{what}/refresh" for what in refreshing}
        assert not editor.server.is_trusted  # a workspace brings its own settings

    play(session, workspace=refreshing)


def test_what_was_called_off_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    async def session(editor: Played) -> None:
        with checks(monkeypatch) as checked:
            editor.open(NET)
            asked = [editor.ask_of_text("hover", position=AT) for _ in range(20)]
            for number in asked:
                editor.say("$/cancelRequest", id=number)
            late = editor.ask_of_text("hover", position=AT)
            editor.shut()
            assert {await editor.answer(number) for number in asked} == {CANCELLED}
            assert await editor.answer(late) is None
            assert checked == []

    play(session)


def test_what_was_asked_of_a_place_in_an_earlier_text_has_no_answer() -> None:
    async def session(editor: Played) -> None:
        editor.open(NET)
        await editor.published()
        renamed = editor.ask_of_text("rename", position=VALUE, newName="z")
        coloured = editor.ask_of_text("semanticTokens/full")
        await asyncio.sleep(0)  # both wait for their turn
        editor.type(" ")
        assert await editor.answer(renamed) is None
        assert (await editor.answer(coloured))["data"]
        again = await editor.answer(editor.ask_of_text("rename", position=VALUE, newName="z"))
        assert [len(edits) for edits in again["changes"].values()] == [2]

    play(session)


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (None, {"quickfix"}),
        (["quickfix"], {"quickfix"}),
        ([""], {"quickfix"}),
        (["refactor"], set()),
        (["source.fixAll"], set()),
    ],
)
def test_only_changes_of_a_wanted_kind_are_offered(only: list[str] | None, kinds: set[str]) -> None:
    async def session(editor: Played) -> None:
        editor.open(NET.replace("Relu", "Rellu"))
        await editor.published()
        wanted = {} if only is None else {"only": only}
        asked = editor.ask_of_text("codeAction", range={"start": AT, "end": AT}, context={"diagnostics": [], **wanted})
        found = await editor.answer(asked)
        assert {action["kind"] for action in found} == kinds
        assert [a["title"] for a in found if a.get("isPreferred")] == ["Replace Rellu with Relu"] * bool(kinds)

    play(session)


def test_a_word_is_completed_though_more_of_it_was_typed_meanwhile() -> None:
    """VS Code asks at the first letter, and not again while it waits."""

    async def session(editor: Played) -> None:
        editor.open(NET)
        await editor.published()
        offers = editor.ask_of_text("completion", position=AT)
        await asyncio.sleep(0)  # it waits for its turn
        editor.type("u")
        assert '"Relu"' in json.dumps(await editor.answer(offers))

    play(session)


def test_symbols_come_as_places_and_names_of_all_that_is_there() -> None:
    async def session(editor: Played) -> None:
        editor.open(NET)
        (net,) = await editor.answer(editor.ask_of_text("documentSymbol"))
        assert [c["name"] for c in net["children"]] == ["x", "w", "y", "h", "y"]
        *_, relu = net["children"]
        assert (relu["detail"], relu["kind"], relu["children"]) == ("Relu  f32[N, 8]", 13, [])
        assert relu["range"] == {"start": {"line": 4, "character": 4}, "end": {"line": 4, "character": 15}}
        assert relu["selectionRange"] == {"start": {"line": 4, "character": 4}, "end": {"line": 4, "character": 5}}

    play(session)


def test_the_symbols_of_a_large_text_take_little() -> None:
    document = Document(Path("net.onnxtxt"), large(1000))
    assert document.problems == []
    with within(12 * 1000):
        symbols = json.loads("".join(document.symbols.parts(document.written, document.positions)))
    assert len(symbols[0]["children"]) == 1000 + 4
    document.change(document.text.replace("Relu (b100)", "Tanh (b100)").replace("{\n", "{\n\n", 1))
    assert document.problems == []
    with within(5 * 1000):
        again = document.symbols.parts(document.written, document.positions)
    fresh = Symbols().parts(document.written, document.positions)
    assert again == fresh
    assert json.loads("".join(again)) != symbols


def test_nothing_is_left_of_a_text_that_was_closed() -> None:
    async def session(editor: Played) -> None:
        editor.open(NET)
        for letter in "ux":
            editor.type(letter)
            await editor.published()
            await editor.answer(editor.ask_of_text("references", position=VALUE, context={"includeDeclaration": True}))
        (document,) = editor.server.documents.values()
        kept = weakref.WeakSet([document, document.written.model, document.written.report.graph])
        del document
        editor.shut()
        assert not kept

    play(session)


def test_nothing_is_kept_of_what_was_reported() -> None:
    async def session(editor: Played) -> None:
        editor.open(NET)
        for letter in "abc":
            editor.type(letter)
            await editor.published()
            await editor.answer(editor.ask_of_text("documentSymbol"))
        editor.say("$/setTrace", value="off")
        assert not editor.server.protocol._request_futures

    play(session)
