"""Python programs in a session of an editor, with the shapes of the models that were exported from them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

pytest.importorskip("pygls")

from lsprotocol import types as lsp

from tests.editors.client import Client, session

SOURCE = Path(__file__).parents[2] / "examples" / "source"
TEXT = (SOURCE / "model.py").read_text(encoding="utf-8")
LINES = TEXT.split("\n")

Play: TypeAlias = Callable[[Client], Awaitable[None]]


def run(folder: Path, play: Play, **capabilities: Any) -> None:
    async def played() -> None:
        async with session(folder, **capabilities) as client:
            await play(client)

    asyncio.run(played())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the program, the model in ``out``, and a configuration that names it."""
    (tmp_path / "out").mkdir()
    shutil.copy(SOURCE / "model.onnx", tmp_path / "out" / "model.onnx")
    (tmp_path / "model.py").write_text(TEXT, encoding="utf-8")
    (tmp_path / "shapeinfer.toml").write_text('models = ["out/*.onnx"]\n', encoding="utf-8")
    return tmp_path


def line(code: str) -> int:
    """The number of a line from 0."""
    (found,) = [i for i, text in enumerate(LINES) if text.strip() == code]
    return found


async def hints(client: Client) -> dict[str, str]:
    """All hints by the text of their lines in the program."""
    found = await client.hints("model.py", 0, 1000)
    return {LINES[int(place.split(":")[0])].strip(): text for place, text in found.items()}


def test_hints(project: Path) -> None:
    async def play(client: Client) -> None:
        assert await client.open("model.py", TEXT, "python") == []
        print(await hints(client))
        print(await client.hover("model.py", line("hidden = self.up(x)"), 12))
        lenses = await client.lsp.text_document_code_lens_async(lsp.CodeLensParams(client.document("model.py")))
        print(lenses)
        span = lsp.Range(lsp.Position(line("hidden = self.up(x)"), 3), lsp.Position(line("hidden = self.up(x)"), 3))
        print(
            await client.lsp.text_document_code_action_async(
                lsp.CodeActionParams(client.document("model.py"), span, lsp.CodeActionContext([]))
            )
        )
        print(await client.edit("model.py", (5, 0), (5, 0), "# hey\n"))
        print(await client.hints("model.py", 0, 30))
        n = line("scores = (q @ k.transpose(-2, -1)) / 2.0") + 1
        print(await client.edit("model.py", (n, 30), (n, 30), "((("))
        print(n, await client.hints("model.py", 0, 30))
        command = lsp.ExecuteCommandParams("shapeinfer.showValue", [client.uri("out/model.onnx"), "linear_2"])
        print(await client.lsp.workspace_execute_command_async(command), client.messages)

    run(project, play)
