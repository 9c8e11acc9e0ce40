"""The part of the language server for Python programs and the models exported from them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, cast

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from shapeinfer.config.discovery import ConfigError, nearest
from shapeinfer.editors import convert
from shapeinfer.editors.documents import mistakes_in
from shapeinfer.editors.exported import by_source
from shapeinfer.editors.positions import Encoding
from shapeinfer.editors.sources import answers
from shapeinfer.editors.sources.answers import EditorView
from shapeinfer.editors.sources.pages import Pages
from shapeinfer.editors.sources.programs import Programs
from shapeinfer.editors.turns import Protocol, Turns
from shapeinfer.report.concise import render
from shapeinfer.version import __version__

CHECK_MODEL = "shapeinfer.checkModel"
"""The command that checks a model file and shows its faults in the program that it was exported from."""

OPEN_MODEL = "shapeinfer.openModel"
"""The command that shows a model's shapes in the programs that it was exported from; it takes the model's URI."""

MOST_CHARACTERS = 8 << 20
"""The longest program that is parsed; Python's parser would take minutes and gigabytes for longer ones."""


class ProgramsServer(LanguageServer):
    """The server with the open programs, and the findings that it shows in programs that are not open."""

    def __init__(self) -> None:
        incremental = lsp.TextDocumentSyncKind.Incremental
        super().__init__(
            "shapeinfer", __version__, incremental, protocol_cls=Protocol, converter_factory=convert.converter
        )
        self.turns = Turns()
        cast("Protocol", self.protocol).turns = self.turns
        self._waiting: dict[str, asyncio.Task[None]] = {}
        """The texts whose problems will be sent."""
        self.programs = Programs(self)
        self.pages = Pages()
        self.shown: dict[Path, dict[str, list[lsp.Diagnostic]]] = {}
        """The faults of each model in programs that are not open."""
        self._tasks: set[asyncio.Task[Any]] = set()
        self._warned: set[str] = set()
        """Mistakes in configurations that were shown already; opening a program does not repeat them."""
        self.is_trusted = False
        """Whether the workspace is trusted, according to the editor."""

    @property
    def encoding(self) -> Encoding:
        """The units that columns are counted in."""
        return convert.encoding_of(self.workspace)

    def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start a long task in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def show_soon(self, uri: str) -> None:
        """Show the findings in an edited program after a pause in typing."""
        if uri not in self._waiting:
            self._waiting[uri] = asyncio.get_running_loop().create_task(self._show(uri))

    async def _show(self, uri: str) -> None:
        async with self.turns.next():
            del self._waiting[uri]
            self.programs.show(uri)

    def open_program(self, uri: str, text: str) -> None:
        """Add a program that was opened, unless it is in no file or too large."""
        if uri.startswith("file:") and len(text) <= MOST_CHARACTERS:
            path = path_of(uri)
            mistakes = mistakes_in(path.parent, trusted=self.is_trusted) if _names_models(path.parent) else []
            for mistake in mistakes:
                if mistake not in self._warned:
                    self._warned.add(mistake)
                    self.show_warning(f"shapeinfer: {mistake}")
            self.programs.open(uri, path, text, self.encoding)

    async def check_model(self, path: Path) -> str:
        """Check a model file, show its faults in the program it was exported from, and return them as text."""
        self.show_config_mistakes(path.parent)
        report = await self.programs.attach(path)
        uris = list(self.workspace.folders) or [uri for uri in (self.workspace.root_uri,) if uri]
        folders = [Path(f) for uri in uris if (f := to_fs_path(uri))]
        found = by_source(report.diagnostics, folders, path.parent)
        before = self.shown.get(path, {})
        self.shown[path] = {
            cast("str", from_fs_path(str(file))): [convert.at_source(d, path.name) for d in said]
            for file, said in found.items()
        }
        for uri in {**before, **self.shown[path]}:
            if uri not in self.programs:
                self.show_findings(uri, None)
        return "".join(render([(path.name, report)], several=False)) or f"{path.name}: no findings"

    def show_findings(self, uri: str, current: EditorView | None) -> None:
        """Show the findings in a program: at its calls if it is open, else at the recorded lines."""
        if current is None:
            found = [d for of_model in self.shown.values() for d in of_model.get(uri, ())]
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found))
        else:
            version = self.workspace.get_text_document(uri).version
            found = answers.diagnostics(current)
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    def refresh(self) -> None:
        """Make the editor request hints, lenses and colours again, if it supports that."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
        if workspace is not None and workspace.semantic_tokens and workspace.semantic_tokens.refresh_support:
            self.workspace_semantic_tokens_refresh(None)

    def log(self, message: str) -> None:
        """Write a line to the editor's log."""
        self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, message))

    async def show_value(self, model: Path, value: str) -> str:
        """Open the page of a model at a value, and return the URI of the file that redirects there."""
        try:
            uri = answers.uri_of(await self.programs.run(self.pages.at, model, value))
        except ValueError as error:
            self.show_warning(f"shapeinfer: {error}")
            return ""
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            self.window_show_document(lsp.ShowDocumentParams(uri, external=True))
        else:
            self.show_warning(f"shapeinfer: open {uri} in a browser")
        return uri

    def show_config_mistakes(self, folder: Path) -> None:
        """Load the rules that a folder's configuration names, and show its mistakes."""
        for mistake in mistakes_in(folder, trusted=self.is_trusted):
            self.show_warning(f"shapeinfer: {mistake}")

    def show_warning(self, message: str) -> None:
        """Show a warning to the user."""
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, message))


def _names_models(folder: Path) -> bool:
    """Whether the configuration of a folder names models; True if it cannot be read."""
    try:
        return bool(nearest(folder).models)
    except ConfigError:
        return True


def path_of(uri: str) -> Path:
    """Return the path of a URI."""
    return Path(to_fs_path(uri) or uri)


def commands(server: ProgramsServer) -> None:
    """Register the commands about models and programs."""

    @server.command(CHECK_MODEL)
    async def check_model(model: str) -> str:
        return await server.check_model(path_of(model))

    @server.command(OPEN_MODEL)
    async def open_model(model: str) -> str:
        return await server.check_model(path_of(model))

    @server.command(answers.SHOW_VALUE)
    async def show_value(model: str, value: str) -> str:
        return await server.show_value(path_of(model), value)
