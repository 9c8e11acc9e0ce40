"""Python programs in a session of an editor, with the shapes of the models that were exported from them."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

pytest.importorskip("pygls")

from lsprotocol import types as lsp

from tests.editors.client import Client, session

PROGRAMS = Path(__file__).parents[1] / "data" / "programs"
TEXT = (PROGRAMS / "model.py").read_text(encoding="utf-8")
LINES = TEXT.split("\n")
POSITIONS = LINES.index("        x = self.word(tokens) + self.position(positions)")


def line(code: str) -> int:
    """The number of a line from 0."""
    (found,) = [i for i, text in enumerate(LINES) if text.strip() == code]
    return found


class Project:
    """A folder with a program, a configuration and a model in ``out``, in a session that watches files."""

    def __init__(self, folder: Path, client: Client) -> None:
        self.folder, self.client = folder, client
        self.refreshed = asyncio.Event()
        client.lsp.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)(lambda _: self.refreshed.set())

    async def exports(self, name: str, size: int | None = None) -> None:
        """Write the model, or the beginning of it, and wait until the server has seen it."""
        (self.folder / "out" / "model.onnx").write_bytes((PROGRAMS / name).read_bytes()[:size])
        self.refreshed.clear()
        event = lsp.FileEvent(self.client.uri("out/model.onnx"), lsp.FileChangeType.Changed)
        self.client.lsp.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
        await asyncio.wait_for(self.refreshed.wait(), 30)

    async def hints(self) -> dict[str, str]:
        """All hints, by their lines and columns."""
        return await self.client.hints("model.py", 0, 1000)


def test_a_session(tmp_path: Path) -> None:
    """One session for all, as to start a server takes longer than to ask it."""
    for name in ("model.py", "out/model.onnx"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(PROGRAMS / Path(name).name, tmp_path / name)
    (tmp_path / "shapeinfer.toml").write_text('models = ["out/*.onnx"]\n', encoding="utf-8")
    workspace = lsp.WorkspaceClientCapabilities(
        did_change_watched_files=lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True),
    )

    async def played() -> None:
        async with session(tmp_path, workspace=workspace) as client:
            project = Project(tmp_path, client)
            await _shown(client, project)
            await _edited(client, project)
            await _exported(client, project)
            await _named(client, tmp_path)

    asyncio.run(played())


async def _shown(client: Client, project: Project) -> None:
    assert await client.open("model.py", TEXT, "python") == []
    hints = await project.hints()
    scores, after_emoji, wide = (
        line(code)
        for code in (
            "scores = q @ k.transpose(-2, -1)",
            "weights = scores.softmax(dim=-1)  # größer 0, 😀",
            "hidden = self.first(x)",
        )
    )
    assert hints[f"{scores}:{len(LINES[scores])}"] == "# f32[batch, 4, seq, seq]"
    assert hints[f"{after_emoji}:{len(LINES[after_emoji]) + 1}"] == "# f32[batch, 4, seq, seq]"
    assert hints[f"{wide}:{len(LINES[wide])}"] == "# f32[batch, seq, 64] | f32[batch, seq, 96]"
    assert await client.hints("model.py", 0, scores - 1) != hints
    hover = await client.hover("model.py", wide, 20)
    assert "- `layers.0`: `linear_4: f32[batch, seq, 64]`\n- `layers.1`: `linear_10: f32[batch, seq, 96]`" in hover
    assert await client.hover("model.py", 0, 0) == ""
    document = client.document("model.py")
    lenses = await client.lsp.text_document_code_lens_async(lsp.CodeLensParams(document))
    titles = {lens.range.start.line: lens.command.title for lens in lenses or () if lens.command}
    assert titles[POSITIONS - 2].startswith("requires seq <= 64, 53,290 parameters, ")
    here = lsp.Range(lsp.Position(wide, 0), lsp.Position(wide, 0))
    params = lsp.CodeActionParams(document, here, lsp.CodeActionContext([]))
    actions = await client.lsp.text_document_code_action_async(params)
    assert [action.title for action in actions or ()] == [
        f"Show {value} in the graph of model.onnx" for value in ("linear_4 of layers.0", "linear_10 of layers.1")
    ]
    # What only the language server for Python knows is left to it.
    assert await client.lsp.text_document_document_symbol_async(lsp.DocumentSymbolParams(document)) is None
    show = lsp.ExecuteCommandParams("shapeinfer.showValue", [client.uri("out/model.onnx"), "linear_4"])
    leads = str(await client.lsp.workspace_execute_command_async(show))
    assert client.messages == [f"shapeinfer: open {leads} in a browser"]
    page = Path(unquote(leads.removeprefix("file://")))
    assert "url=0.html#value=linear_4" in page.read_text(encoding="utf-8")
    assert page.with_name("0.html").is_file()


async def _edited(client: Client, project: Project) -> None:
    column = LINES[POSITIONS].index(")", LINES[POSITIONS].index("(positions"))
    before = await project.hints()
    assert await client.edit("model.py", (POSITIONS, column), (POSITIONS, column), " + 64") == []
    assert set(before.items()) - set((await project.hints()).items()) == {
        (f"{POSITIONS}:{len(LINES[POSITIONS])}", "# f32[batch, seq, 32]")
    }
    assert await client.edit("model.py", (0, 0), (0, 0), "# on top\n") == []
    assert len(await project.hints()) == len(before) - 1


async def _exported(client: Client, project: Project) -> None:
    """The program is what broken.onnx was exported from but for its first line."""
    await project.exports("broken.onnx")
    found: list[lsp.Diagnostic] = []
    while not found:
        await client.news()
        found = await client.diagnostics("model.py")
    (fault,) = found
    start = LINES[POSITIONS].index("self.position")
    assert (fault.code, fault.range.start) == ("degenerate-sizes-only", lsp.Position(POSITIONS + 1, start))
    assert "indices 64 to seq + 63 are out of range" in fault.message
    assert 'in position, Gather "node_embedding_1" (node 6) of model.onnx' in fault.message
    before = await project.hints()
    await project.exports("broken.onnx", 20_000)
    assert await project.hints() == before, "a file that is half written changes nothing"
    assert await client.edit("model.py", (POSITIONS + 1, start), (POSITIONS + 1, start), "1 + ") == []


async def _named(client: Client, folder: Path) -> None:
    """A model that no configuration names is shown once it was opened, in programs that are open."""
    other = folder.parent / f"{folder.name}-other"
    other.mkdir()
    for name in ("model.py", "model.onnx"):
        shutil.copy(PROGRAMS / name, other)
    client.folder = other
    (other / "shapeinfer.toml").write_text("modles = 1", encoding="utf-8")
    assert await client.open("model.py", TEXT, "python") == []
    assert await client.hints("model.py", 0, 1000) == {}
    assert "shapeinfer.toml:1: modles: unknown key; did you mean models?" in client.messages[-1]
    named = lsp.ExecuteCommandParams("shapeinfer.openModel", [client.uri("model.onnx")])
    assert await client.lsp.workspace_execute_command_async(named) == "model.onnx: no findings"
    while not await client.hints("model.py", 0, 1000):
        await asyncio.sleep(0.05)
