"""Sessions of an editor with the server, over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import onnx
import pytest
from onnx import printer

pytest.importorskip("pygls")

from lsprotocol import types as lsp

from tests.editors.client import Client, session
from tests.editors.large import large
from tests.golden import exported

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").rglob("*.onnx"))

NET = """<ir_version: 10, opset_import: ["" : 20]>
net (float[N, 64] x, float[64, 8] w) => (y)
{
    h = MatMul (x, w)
    y = Relu (h)
}
"""


Play: TypeAlias = Callable[[Client], Awaitable[None]]
Shared: TypeAlias = Callable[[Path, Play], None]


def run(folder: Path, play: Play, **capabilities: object) -> None:
    """Play in a session of its own, which a test needs whose folder or capabilities matter."""

    async def played() -> None:
        async with session(folder, **capabilities) as client:
            await play(client)

    asyncio.run(played())


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Plays in one session for all, as an editor has one for all its texts; each in a folder of its own."""
    loop = asyncio.new_event_loop()
    begun = session(tmp_path_factory.mktemp("workspace"))
    client = loop.run_until_complete(begun.__aenter__())

    def run(folder: Path, play: Play) -> None:
        client.folder = folder
        client.published.clear()
        client.messages.clear()
        loop.run_until_complete(play(client))

    yield run
    loop.run_until_complete(begun.__aexit__(None, None, None))
    loop.close()


def test_an_error_appears_and_goes_as_it_is_typed(tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        assert await client.open("net.onnxtxt", NET) == []
        assert await client.hints("net.onnxtxt", 0, 6) == {
            "1:42": ": f32[N, 8]",
            "3:5": ": f32[N, 8]",
            "4:5": ": f32[N, 8]",
        }
        # x becomes w: the inner dims of the product differ.
        (fault,) = [d for d in await client.edit("net.onnxtxt", (3, 16), (3, 17), "w") if d.severity == 1]
        assert (fault.code, fault.range.start) == ("inner-dim-mismatch", lsp.Position(3, 8))
        assert fault.message.splitlines()[0] == "axis -1 of A is 8 but axis -2 of B is 64"
        assert await client.edit("net.onnxtxt", (3, 16), (3, 17), "x") == []

    run(tmp_path, play)


def test_a_half_written_line_leaves_the_hints_of_the_others(shared: Shared, tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        await client.open("net.onnxtxt", NET)
        (fault,) = await client.edit("net.onnxtxt", (3, 21), (3, 21), "\n    t = Soft")
        assert (fault.code, fault.range.start.line) == ("syntax-error", 4)
        assert await client.hints("net.onnxtxt", 2, 7) == {"3:5": ": f32[N, 8]", "5:5": ": f32[N, 8]"}
        offers = await client.lsp.text_document_completion_async(
            lsp.CompletionParams(client.document("net.onnxtxt"), lsp.Position(4, 12))
        )
        assert isinstance(offers, lsp.CompletionList)
        assert [(o.label, o.filter_text) for o in offers.items][:1] == [("Softmax", "Softmax")]
        edits = [o.text_edit for o in offers.items if isinstance(o.text_edit, lsp.TextEdit)]
        assert {e.range.start.character for e in edits} == {8}
        assert len(await client.edit("net.onnxtxt", (4, 12), (4, 12), "max (h)")) == 1  # nothing reads t

    shared(tmp_path, play)


def test_hover_definition_references_and_rename(shared: Shared, tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        await client.open("net.onnxtxt", NET)
        document, at = client.document("net.onnxtxt"), lsp.Position(4, 14)
        assert "h: f32[N, 8]" in await client.hover("net.onnxtxt", 4, 14)
        assert "MatMul" in await client.hover("net.onnxtxt", 3, 10)
        made = await client.lsp.text_document_definition_async(lsp.DefinitionParams(document, at))
        assert isinstance(made, list)
        assert [m.range.start for m in made if isinstance(m, lsp.Location)] == [lsp.Position(3, 4)]
        context = lsp.ReferenceContext(include_declaration=True)
        found = await client.lsp.text_document_references_async(lsp.ReferenceParams(context, document, at))
        assert [f.range.start.line for f in found or ()] == [3, 4]
        edit = await client.lsp.text_document_rename_async(lsp.RenameParams(document, lsp.Position(1, 11), "batch"))
        assert edit is not None
        assert edit.changes is not None
        ((change,),) = edit.changes.values()
        assert (change.new_text, change.range.start) == ("batch", lsp.Position(1, 11))

    shared(tmp_path, play)


def test_symbols_tokens_and_actions(shared: Shared, tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        await client.open("net.onnxtxt", NET)
        document = client.document("net.onnxtxt")
        symbols = await client.lsp.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
        assert [s.name for s in symbols or ()] == ["net"]
        tokens = await client.lsp.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document))
        assert tokens is not None
        assert len(tokens.data) % 5 == 0
        span = lsp.Range(lsp.Position(1, 41), lsp.Position(1, 41))
        params = lsp.CodeActionParams(document, span, lsp.CodeActionContext([]))
        offered = await client.lsp.text_document_code_action_async(params)
        assert [a.title for a in offered or ()] == ["Declare y: float[N, 8]"]

    shared(tmp_path, play)


def test_nodes_of_one_cause_name_each_other(shared: Shared, tmp_path: Path) -> None:
    text = NET.replace("y = Relu (h)", "k = MatMul (x, w) y = Add (h, k)").replace("float[N, 64] x", "float[N, 65] x")

    async def play(client: Client) -> None:
        first, second = [f for f in await client.open("net.onnxtxt", text) if f.code == "inner-dim-mismatch"]
        assert [r.location.range for r in first.related_information or ()] == [second.range]
        assert [r.location.range for r in second.related_information or ()] == [first.range]
        params = lsp.CodeActionParams(client.document("net.onnxtxt"), first.range, lsp.CodeActionContext([]))
        offered = await client.lsp.text_document_code_action_async(params) or []
        assert first in [d for a in offered if isinstance(a, lsp.CodeAction) for d in a.diagnostics or ()]

    shared(tmp_path, play)


def test_columns_are_counted_as_the_editor_counts_them(shared: Shared, tmp_path: Path) -> None:
    text = NET.replace("y = Relu (h)", 'y = Relu ("\U0001f600\U0001f600", h)')

    async def play(client: Client) -> None:
        faults = await client.open("net.onnxtxt", text)
        assert any(f.range.start == lsp.Position(4, 8) for f in faults)
        fixed = await client.edit("net.onnxtxt", (4, 14), (4, 22), "")
        assert [f.code for f in fixed] == []

    shared(tmp_path, play)


def test_the_configuration_of_the_folder_holds(shared: Shared, tmp_path: Path) -> None:
    (tmp_path / "shapeinfer.toml").write_text('ignore = ["inner-dim-mismatch"]\n')

    async def play(client: Client) -> None:
        assert await client.open("net.onnxtxt", NET.replace("(x, w)", "(w, w)").replace("float[N, 64] x, ", "")) == []

    shared(tmp_path, play)


def test_a_change_of_the_configuration_is_noticed(tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        found = await client.open("net.onnxtxt", NET.replace("(h)", "(nothing)"))
        assert [d.code for d in found] == ["undefined-value", "unused-node"]
        (registered,) = client.registered[0].registrations
        assert registered.method == lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
        (tmp_path / "shapeinfer.toml").write_text('ignore = ["undefined-value"]\n')
        event = lsp.FileEvent(client.uri("shapeinfer.toml"), lsp.FileChangeType.Created)
        client.published.clear()
        client.lsp.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
        assert [d.code for d in await client.diagnostics("net.onnxtxt")] == ["unused-node"]

    watching = lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    run(tmp_path, play, workspace=lsp.WorkspaceClientCapabilities(did_change_watched_files=watching))


def test_a_configuration_that_is_broken_is_reported(shared: Shared, tmp_path: Path) -> None:
    (tmp_path / "shapeinfer.toml").write_text("ignore = 3\n")

    async def play(client: Client) -> None:
        assert await client.open("net.onnxtxt", NET) == []
        assert any("invalid configuration" in message for message in client.messages)

    shared(tmp_path, play)


def test_formulas_that_the_configuration_names_hold_in_the_editor(tmp_path: Path) -> None:
    (tmp_path / "shapeinfer.toml").write_text('rules = ["mine.toml"]\n')
    (tmp_path / "mine.toml").write_text('operators = ["mine::Half(x[N, K]) -> [N, K//2]"]\n')

    text = NET.replace('"" : 20', '"" : 20, "mine" : 1').replace("MatMul (x, w)", "mine.Half (x)")

    async def play(client: Client) -> None:
        assert [d.code for d in await client.open("net.onnxtxt", text)] == ["unused-input"]
        assert client.messages == []

    run(tmp_path, play)


@pytest.mark.parametrize(("options", "runs"), [({"trusted": True}, True), ({"trusted": False}, False), (None, False)])
def test_python_rules_run_where_the_editor_s_user_trusts_the_workspace(
    tmp_path: Path, options: object, runs: bool
) -> None:
    (tmp_path / "shapeinfer.toml").write_text('rules = ["mine.py"]\n')
    (tmp_path / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")

    async def play() -> None:
        async with session(tmp_path, options) as client:
            await client.open("net.onnxtxt", NET)
            refused = (
                "shapeinfer: Python rules are not loaded, since neither the workspace nor these files are trusted: "
            )
            assert client.messages == ([] if runs else [refused + str(tmp_path / "mine.py")])

    asyncio.run(play())
    assert (tmp_path / "ran").exists() is runs


def test_the_models_of_the_examples_have_their_hints(shared: Shared, tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        for path in EXAMPLES:
            model = onnx.load(path, load_external_data=False)
            name, text = f"{path.stem}.onnxtxt", printer.to_text(model)
            found = await client.open(name, text)
            assert [d.code for d in found if d.severity == 1] == (["channel-mismatch"] if "wrong" in name else [])
            made = sum(len([o for o in node.output if o]) for node in model.graph.node)
            assert len(await client.hints(name, 0, text.count("\n"))) >= 0.9 * made

    assert len(EXAMPLES) == 8
    shared(tmp_path, play)


def test_a_keystroke_in_5000_nodes_is_answered(tmp_path: Path) -> None:
    text = large(5000)
    line = text.splitlines().index("    r500 = Relu (b500)")

    async def play(client: Client) -> None:
        assert await client.open("net.onnxtxt", text) == []
        (fault,) = await client.edit("net.onnxtxt", (line, 15), (line, 15), "u")
        assert (fault.code, fault.range.start.line) == ("no-such-operator", line)
        assert await client.edit("net.onnxtxt", (line, 15), (line, 16), "") == []
        assert len(await client.hints("net.onnxtxt", line - 20, line + 20)) == 40

    run(tmp_path, play)


def exported_with(length: int) -> onnx.ModelProto:
    """A model that was exported, whose weights have so many rows where 64 are needed."""
    model = exported()
    model.graph.input[1].type.tensor_type.shape.dim[0].dim_value = length
    return model


class TestExported:
    """Models that were exported from a program: their faults stand at its lines."""

    def test_opening_a_model_shows_its_faults_in_the_program(self, tmp_path: Path) -> None:
        (tmp_path / "src").mkdir()
        (tmp_path / "src" / "net.py").write_text("\n" * 20)
        onnx.save(exported_with(32), tmp_path / "net.onnx")

        async def play(client: Client) -> None:
            item = lsp.TextDocumentItem(client.uri("net.onnx"), "onnx", 1, "")
            client.lsp.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
            (fault,) = await client.diagnostics("src/net.py")
            assert (fault.code, fault.range.start.line) == ("inner-dim-mismatch", 6)
            assert "net.onnx" in fault.message

        run(tmp_path, play)

    def test_a_command_checks_a_model_and_takes_back_what_is_fixed(self, tmp_path: Path) -> None:
        (tmp_path / "src").mkdir()
        (tmp_path / "src" / "net.py").write_text("\n" * 20)
        onnx.save(exported_with(32), tmp_path / "net.onnx")

        async def play(client: Client) -> None:
            command = lsp.ExecuteCommandParams("shapeinfer.checkModel", [client.uri("net.onnx")])
            said = await client.lsp.workspace_execute_command_async(command)
            assert 'Gemm "/head/Gemm" (node 0): error[inner-dim-mismatch]' in str(said)
            assert len(await client.diagnostics("src/net.py")) == 1
            onnx.save(exported_with(64), tmp_path / "net.onnx")
            event = lsp.FileEvent(client.uri("net.onnx"), lsp.FileChangeType.Changed)
            client.lsp.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
            await client.lsp.workspace_execute_command_async(command)
            assert not client.published[client.uri("src/net.py")].diagnostics

        run(tmp_path, play)


def test_without_pygls_the_command_states_what_to_install(shell: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.command import Shell

    assert isinstance(shell, Shell)
    for name in ("server", "sources.serving"):
        monkeypatch.delitem(sys.modules, f"shapeinfer.editors.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "pygls", None)
    for name in [n for n in sys.modules if n.startswith("pygls.")]:
        monkeypatch.delitem(sys.modules, name)
    ended = shell("lsp")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "Error: the language server needs pygls: pip install 'shapeinfer[lsp]'\n"


def test_other_files_are_left_alone(shared: Shared, tmp_path: Path) -> None:
    async def play(client: Client) -> None:
        item = lsp.TextDocumentItem(client.uri("notes.txt"), "plaintext", 1, "net (")
        client.lsp.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        assert await client.hover("notes.txt", 0, 0) == ""
        assert await client.hints("notes.txt", 0, 1) == {}
        assert client.uri("notes.txt") not in client.published

    shared(tmp_path, play)


def test_a_binary_model_is_text_that_nothing_offers_to_change_and_a_page(tmp_path: Path, shared: Shared) -> None:
    (model,) = [path for path in EXAMPLES if path.match("models/patches.onnx")]
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")

    async def asked(client: Client, command: str, path: Path) -> tuple[str, str]:
        params = lsp.ExecuteCommandParams(f"shapeinfer.{command}", [path.as_uri()])
        found = await client.lsp.workspace_execute_command_async(params)
        assert isinstance(found, dict)
        return found["content"], found["error"]

    async def play(client: Client) -> None:
        text, error = await asked(client, "modelText", model)
        assert error == ""
        uri = "shapeinfer:///patches.onnx.onnxtxt"
        item = lsp.TextDocumentItem(uri, "onnxtxt", 1, text)
        client.lsp.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        document = lsp.TextDocumentIdentifier(uri)
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
        hints = await client.lsp.text_document_inlay_hint_async(lsp.InlayHintParams(document, whole))
        assert next(h.label for h in hints or ()) == ": f32[batch, 64, height//16, width//16]"
        context = lsp.CodeActionContext([])
        assert await client.lsp.text_document_code_action_async(lsp.CodeActionParams(document, whole, context)) is None
        kernel = lsp.Position(next(i for i, line in enumerate(text.split("\n")) if " kernel =" in line), 28)
        assert await client.lsp.text_document_prepare_rename_async(lsp.PrepareRenameParams(document, kernel)) is None
        page, error = await asked(client, "modelPage", model)
        assert error == ""
        assert "script-src 'sha256-" in page
        for command in ("modelText", "modelPage"):
            content, error = await asked(client, command, broken)
            assert content == ""
            assert error.startswith("broken.onnx: error[not-a-model]: ")

    shared(tmp_path, play)
