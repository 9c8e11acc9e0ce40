"""The language server: it hands what the editor asks to plain functions, and their answers back."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlparse

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from shapeinfer.batch.one import check_one
from shapeinfer.editors import convert
from shapeinfer.editors.documents import Document, judged_report, mistakes_in, settings_for
from shapeinfer.editors.exported import by_source
from shapeinfer.editors.incoming import Incoming
from shapeinfer.editors.models import Content, page_of, text_of
from shapeinfer.editors.positions import Encoding
from shapeinfer.editors.requests import REQUESTS, Request
from shapeinfer.editors.turns import Protocol, Turns
from shapeinfer.report.concise import render
from shapeinfer.text import exported_suffixes, is_edited, is_exported
from shapeinfer.version import __version__

LANGUAGE = "onnxtxt"
CHECK_MODEL = "shapeinfer.checkModel"
"""The command that checks a model file and shows its faults in the program that it was exported from."""
MODEL_TEXT = "shapeinfer.modelText"
"""The command that returns a binary model as text, for an editor to show as a document of the language."""
MODEL_PAGE = "shapeinfer.modelPage"
"""The command that returns the page of a model."""
READ_ONLY = "shapeinfer"
"""The scheme of the URIs under which an editor shows the texts of binary models."""
EDITS = (lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.TEXT_DOCUMENT_PREPARE_RENAME, lsp.TEXT_DOCUMENT_RENAME)
"""What has no answer in a text that cannot be changed."""

CONFIGURATIONS = ("**/shapeinfer.toml", "**/pyproject.toml")
"""Files whose changes matter beside models and the texts that are open."""


class Server(LanguageServer):
    """The server with the texts that are open."""

    def __init__(self) -> None:
        incremental = lsp.TextDocumentSyncKind.Incremental
        super().__init__(
            "shapeinfer", __version__, incremental, protocol_cls=Protocol, converter_factory=convert.converter
        )
        self.turns = Turns()
        cast("Protocol", self.protocol).turns = self.turns
        self._waiting: dict[str, asyncio.Task[None]] = {}
        """The texts whose problems are to be sent."""
        self.documents: dict[str, Document] = {}
        self.shown: dict[Path, set[str]] = {}
        """The programs in which the faults of each model are shown."""
        self.is_trusted = False
        """Whether the workspace is trusted, according to the editor."""

    def answer(self, request: Request) -> None:
        """Answer a kind of request about an open text; what is asked of other files has no answer.

        Nor has what was asked of a text that has changed since, unless the answer is steady. Editors ask again then.
        """

        @self.feature(request.feature, request.options)
        async def answered(params: Any) -> Any:
            document = self.documents.get(params.text_document.uri)
            if document is None or (document.is_read_only and request.feature in EDITS):
                return None
            version = document.version
            async with self.turns.next():
                is_open = self.documents.get(params.text_document.uri) is document
                serves = is_open and (request.steady or document.version == version)
                return request.answer(document, params) if serves else None

    def open(self, uri: str, text: str) -> None:
        """Take a text that was opened."""
        path = _path(uri)
        encoding = cast("Encoding", str(getattr(self.workspace.position_encoding, "value", "utf-16")))
        is_read_only = is_exported(uri) or urlparse(uri).scheme == READ_ONLY
        self.documents[uri] = Document(path, text, encoding, is_read_only)
        self.show_config_mistakes(path.parent)
        self.publish_soon(uri)

    def publish_soon(self, uri: str) -> None:
        """Send the problems of a text once typing pauses."""
        if uri not in self._waiting:
            self._waiting[uri] = asyncio.get_running_loop().create_task(self._publish(uri))

    async def _publish(self, uri: str) -> None:
        """Send what is wrong with a text, unless it was closed meanwhile or the editor has it already."""
        async with self.turns.next():
            del self._waiting[uri]
            document = self.documents.get(uri)
            if document is not None and document.published != document.version:
                found = [convert.diagnostic(document.positions, p, uri) for p in document.problems]
                document.published = document.version
                number = self.workspace.get_text_document(uri).version
                self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, number))

    def check_model(self, path: Path) -> str:
        """Check a model file, show its faults in the program it was exported from, and return them as text."""
        self.show_config_mistakes(path.parent)
        report = judged_report(check_one(str(path)), path)
        uris = list(self.workspace.folders) or [uri for uri in (self.workspace.root_uri,) if uri]
        folders = [Path(f) for uri in uris if (f := to_fs_path(uri))]
        found = by_source(report.diagnostics, folders, path.parent)
        shown = {cast("str", from_fs_path(str(file))): said for file, said in found.items()}
        for uri in self.shown.get(path, set()) - set(shown):
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
        for uri, said in shown.items():
            diagnostics = [convert.at_source(d, path.name) for d in said]
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics))
        self.shown[path] = set(shown)
        return "".join(render([(path.name, report)], several=False)) or f"{path.name}: no findings"

    def show_config_mistakes(self, folder: Path) -> None:
        """Load the rules that a folder's configuration names, and show what is wrong with it."""
        for mistake in mistakes_in(folder, trusted=self.is_trusted):
            self.show_warning(f"shapeinfer: {mistake}")

    def show_warning(self, message: str) -> None:
        """Show a message to the user."""
        self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, message))


def _path(uri: str) -> Path:
    return Path(to_fs_path(uri) or uri)


def watched_globs() -> list[str]:
    """Return the files whose changes the editor is to report."""
    return [*(f"**/*{suffix}" for suffix in exported_suffixes()), *CONFIGURATIONS]


def start() -> None:
    """Serve an editor on standard input and output until it ends the session."""
    make().start_io(cast("BinaryIO", Incoming(sys.stdin.buffer)))


def make() -> Server:
    """Return the server with all it answers."""
    server = Server()
    for register in (_documents, _files, _commands):
        register(server)
    for request in REQUESTS:
        server.answer(request)
    return server


def _documents(server: Server) -> None:
    """Notifications about open texts."""

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        uri, language = params.text_document.uri, params.text_document.language_id
        if is_exported(uri):
            server.check_model(_path(uri))
        if language == LANGUAGE or is_edited(uri):
            server.open(uri, params.text_document.text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in server.documents:
            server.documents[uri].change(server.workspace.get_text_document(uri).source)
            server.publish_soon(uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if server.documents.pop(uri, None) is not None:
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _files(server: Server) -> None:
    """Notifications about other files, if the editor supports registration."""

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        options = params.initialization_options
        server.is_trusted = isinstance(options, dict) and options.get("trusted") is True

    @server.feature(lsp.INITIALIZED)
    def initialized(_params: lsp.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        asked = None if workspace is None else workspace.did_change_watched_files
        if asked is not None and asked.dynamic_registration:
            watchers = lsp.DidChangeWatchedFilesRegistrationOptions(
                [lsp.FileSystemWatcher(glob) for glob in watched_globs()]
            )
            watched = lsp.Registration("files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, watchers)
            server.client_register_capability(lsp.RegistrationParams([watched]))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        paths = [_path(change.uri) for change in params.changes]
        for path in paths:
            if path in server.shown:
                server.check_model(path)
        if any(path.suffix == ".toml" for path in paths):
            settings_for.cache_clear()
            for uri, document in server.documents.items():
                document.recheck()
                server.publish_soon(uri)


def _commands(server: Server) -> None:
    @server.command(CHECK_MODEL)
    def check_model(model: str) -> str:
        return server.check_model(_path(model))

    @server.command(MODEL_TEXT)
    @server.thread()
    def model_text(model: str) -> Content:
        return text_of(_path(model))

    @server.command(MODEL_PAGE)
    @server.thread()
    def model_page(model: str) -> Content:
        return page_of(_path(model))
