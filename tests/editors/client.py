"""A language client that starts the server as an editor does, and remembers what it was told."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

PATIENCE = 30.0


class Client:
    """One session: texts that are open, the diagnostics published for each, and messages shown."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lsp = LanguageClient("tests", "1")
        self.published: dict[str, lsp.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.registered: list[lsp.RegistrationParams] = []
        self._versions: dict[str, int] = {}
        self._news = asyncio.Event()

        self.lsp.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._publish(params))  # noqa: PLW0108 - pygls marks it
        self.lsp.feature(lsp.CLIENT_REGISTER_CAPABILITY)(lambda params: self.registered.append(params))  # noqa: PLW0108
        self.lsp.feature(lsp.WINDOW_SHOW_MESSAGE)(lambda params: self._show(params))  # noqa: PLW0108

    def _publish(self, params: lsp.PublishDiagnosticsParams) -> None:
        self.published[params.uri] = params
        self._news.set()

    def _show(self, params: lsp.ShowMessageParams) -> None:
        self.messages.append(params.message)

    @property
    def process(self) -> int:
        """The number of the server's process."""
        server: Any = self.lsp._server
        return int(server.pid)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri(name))

    async def open(self, name: str, text: str, language: str = "onnxtxt") -> list[lsp.Diagnostic]:
        """Open a text and return what is wrong with it."""
        self._versions[name] = 1
        item = lsp.TextDocumentItem(self.uri(name), language, 1, text)
        self.lsp.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return await self.diagnostics(name)

    async def edit(self, name: str, start: tuple[int, int], end: tuple[int, int], text: str) -> list[lsp.Diagnostic]:
        """Put a text between two positions and return what is wrong then."""
        self._versions[name] += 1
        change = lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(*start), lsp.Position(*end)), text)
        document = lsp.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name))
        self.lsp.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
        return await self.diagnostics(name)

    async def diagnostics(self, name: str) -> list[lsp.Diagnostic]:
        """Wait for the diagnostics of the text as it is now."""
        while True:
            found = self.published.get(self.uri(name))
            if found is not None and found.version == self._versions.get(name):
                return list(found.diagnostics)
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), PATIENCE)

    async def news(self) -> None:
        """Wait until diagnostics are published again."""
        self._news.clear()
        await asyncio.wait_for(self._news.wait(), PATIENCE)

    async def hints(self, name: str, first: int, last: int) -> dict[str, str]:
        """The inlay hints of some lines, by line and column."""
        span = lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))
        found = await self.lsp.text_document_inlay_hint_async(lsp.InlayHintParams(self.document(name), span))
        return {f"{h.position.line}:{h.position.character}": str(h.label) for h in found or ()}

    async def hover(self, name: str, line: int, column: int) -> str:
        params = lsp.HoverParams(self.document(name), lsp.Position(line, column))
        found = await self.lsp.text_document_hover_async(params)
        return found.contents.value if found and isinstance(found.contents, lsp.MarkupContent) else ""


@asynccontextmanager
async def session(folder: Path, options: Any = None, **capabilities: Any) -> AsyncIterator[Client]:
    """Start the server, begin a session with it and with initialization options, and end both."""
    client = Client(folder)
    await client.lsp.start_io(sys.executable, "-m", "shapeinfer", "lsp", "--stdio")
    root = lsp.WorkspaceFolder(folder.as_uri(), "tests")
    params = lsp.InitializeParams(
        lsp.ClientCapabilities(**capabilities),
        root_uri=root.uri,
        workspace_folders=[root],
        initialization_options=options,
    )
    await asyncio.wait_for(client.lsp.initialize_async(params), PATIENCE)
    client.lsp.initialized(lsp.InitializedParams())
    try:
        yield client
    finally:
        await asyncio.wait_for(client.lsp.shutdown_async(None), PATIENCE)
        client.lsp.exit(None)
        ended: Any = client.lsp.stop()  # type: ignore[no-untyped-call]
        await asyncio.wait_for(ended, PATIENCE)
