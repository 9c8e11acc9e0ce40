"""The language server: it hands what the editor asks to plain functions, and their answers back."""

from __future__ import annotations

import asyncio
import sys
from typing import Any, BinaryIO, cast
from urllib.parse import urlparse

from lsprotocol import types as lsp

from shapeinfer.editors import convert, warmup
from shapeinfer.editors.contents import content_commands
from shapeinfer.editors.documents import Document, settings_for
from shapeinfer.editors.incoming import Incoming
from shapeinfer.editors.lenses import KINDS, Kind, details, title
from shapeinfer.editors.requests import REQUESTS, Request
from shapeinfer.editors.sources import answers as of_programs
from shapeinfer.editors.sources.serving import ProgramsServer, commands, path_of
from shapeinfer.text import exported_suffixes, is_edited, is_exported

LANGUAGE = "onnxtxt"
SHOW_DETAILS = "shapeinfer.showDetails"
"""The command that shows the details of a code lens."""
BEFORE_WARMING_UP = 1.0
"""Seconds to wait, so that the text that the editor opens comes first."""
PROGRAM = "python"
SECTION = "shapeinfer"
"""The section of the editor's settings for shapeinfer."""
READ_ONLY = "shapeinfer"
"""The scheme of the URIs under which an editor shows the texts of binary models."""
EDITS = (lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.TEXT_DOCUMENT_PREPARE_RENAME, lsp.TEXT_DOCUMENT_RENAME)
"""The requests that lead to edits; they have no answer in a read-only text."""
CONFIGURATIONS = ("**/shapeinfer.toml", "**/pyproject.toml")
"""Files whose changes matter beside models and the texts that are open."""


class Server(ProgramsServer):
    """The server with the texts that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.documents: dict[str, Document] = {}
        self._warming: asyncio.Task[None] | None = None

    def answer(self, request: Request) -> None:
        """Register a kind of request; requests about files that are not open are answered with None.

        So are requests whose text changed before they were answered, unless they are steady; editors then ask again.
        """

        @self.feature(request.feature, request.options)
        async def answered(params: Any) -> Any:
            if params.text_document.uri in self.programs:
                return await self.programs.answer(request.feature, params)
            document = self.documents.get(params.text_document.uri)
            if document is None or (document.is_read_only and request.feature in EDITS):
                return None
            version = document.version
            async with self.turns.next():
                is_open = self.documents.get(params.text_document.uri) is document
                serves = is_open and (request.steady or document.version == version)
                return request.answer(document, params) if serves else None

    @property
    def _takes_offsets(self) -> bool:
        capabilities = self.client_capabilities.text_document
        help_ = capabilities and capabilities.signature_help
        information = help_ and help_.signature_information
        parameters = information and information.parameter_information
        return bool(parameters and parameters.label_offset_support)

    def open(self, uri: str, text: str) -> None:
        """Take a text that was opened."""
        path = path_of(uri)
        is_read_only = is_exported(uri) or urlparse(uri).scheme == READ_ONLY
        self.documents[uri] = Document(path, text, self.encoding, self._takes_offsets, is_read_only)
        self.show_config_mistakes(path.parent)
        self.publish_soon(uri)

    def start_warming_up(self) -> None:
        """Start loading in the background what the first request would otherwise wait for."""
        self._warming = asyncio.get_running_loop().create_task(self._warm_up())

    async def _warm_up(self) -> None:
        await asyncio.sleep(BEFORE_WARMING_UP)
        left = warmup.steps()
        done = False
        while not done:
            async with self.turns.next():
                done = next(left, True)

    def reconfigure(self) -> None:
        """Check the open texts again with the current configuration."""
        settings_for.cache_clear()
        for folder in dict.fromkeys(document.path.parent for document in self.documents.values()):
            self.show_config_mistakes(folder)
        for uri, document in self.documents.items():
            document.recheck()
            self.publish_soon(uri)
        self.refresh()

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


def watched_globs() -> list[str]:
    """Return the files whose changes the editor is to report."""
    return [*(f"**/*{suffix}" for suffix in exported_suffixes()), *CONFIGURATIONS]


def start() -> None:
    """Serve an editor on standard input and output until it ends the session."""
    make().start_io(cast("BinaryIO", Incoming(sys.stdin.buffer)))


def make() -> Server:
    """Return the server with all it answers."""
    server = Server()
    for register in (_documents, _files, _lenses, commands, content_commands):
        register(server)
    for request in REQUESTS:
        server.answer(request)
    for feature in of_programs.ANSWERS.keys() - {request.feature for request in REQUESTS}:
        server.answer(Request(feature, None, True, lambda _document, _params: None))
    return server


def _documents(server: Server) -> None:
    """Register the notifications about open texts and programs."""

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        uri, language = params.text_document.uri, params.text_document.language_id
        if is_exported(uri):
            server.begin(server.check_model(path_of(uri)))
        if language == PROGRAM:
            server.open_program(uri, params.text_document.text)
        elif language == LANGUAGE or is_edited(uri):
            server.open(uri, params.text_document.text)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in server.documents:
            server.documents[uri].change(server.workspace.get_text_document(uri).source)
            server.publish_soon(uri)
        elif uri in server.programs:
            server.programs.change(uri, server.workspace.get_text_document(uri).source)
            server.show_soon(uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if uri in server.programs:
            server.programs.close(uri)
        elif server.documents.pop(uri, None) is not None:
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _files(server: Server) -> None:
    """Register the notifications about files; about files not open if the editor supports registration."""

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        if params.text_document.uri in server.programs:
            server.programs.save(params.text_document.uri)

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        options = params.initialization_options
        server.is_trusted = isinstance(options, dict) and options.get("trusted") is True

    @server.feature(lsp.INITIALIZED)
    def initialized(_params: lsp.InitializedParams) -> None:
        server.start_warming_up()
        wanted = _registrations(server)
        server.programs.is_told = any(w.method == lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES for w in wanted)
        if wanted:
            server.client_register_capability(lsp.RegistrationParams(wanted))

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: lsp.DidChangeWatchedFilesParams) -> None:
        paths = [path_of(change.uri) for change in params.changes]
        for path in paths:
            if path in server.shown:
                server.begin(server.check_model(path))
        if any(path.suffix == ".toml" for path in paths):
            server.reconfigure()
        server.programs.renew_soon()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(_params: lsp.DidChangeConfigurationParams) -> None:
        # The sent settings are not read: a workspace can contain settings, which must not declare it trusted.
        server.reconfigure()
        server.programs.renew_soon()

    @server.feature(lsp.SHUTDOWN)
    def ended(_params: None) -> None:
        server.programs.end()


def _lenses(server: Server) -> None:
    """Register the requests for the titles and details of code lenses."""

    def asked(data: object) -> tuple[Document, Kind, int] | None:
        """Return the document, kind and number in the data of a lens, None if they are invalid."""
        if not isinstance(data, (list, tuple)) or len(data) != 3:
            return None
        uri, kind, number = data
        document = server.documents.get(uri) if isinstance(uri, str) else None
        return (document, kind, number) if document and kind in KINDS and isinstance(number, int) else None

    @server.feature(lsp.CODE_LENS_RESOLVE)
    async def resolved(lens: lsp.CodeLens) -> lsp.CodeLens:
        found = asked(lens.data)
        if found is not None:
            async with server.turns.next():
                document, kind, number = found
                lens.command = lsp.Command(title(document.written, kind, number), SHOW_DETAILS, arguments=lens.data)
        return lens

    @server.command(SHOW_DETAILS)
    async def show_details(uri: str, kind: str, number: int) -> str:
        found = asked([uri, kind, number])
        if found is None:
            return ""
        async with server.turns.next():
            document, known, number = found
            text = details(document.written, known, number)
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))
        return text


def _registrations(server: Server) -> list[lsp.Registration]:
    """Return the notifications to register for, of those that the editor can register."""
    workspace = server.client_capabilities.workspace
    found = []
    if workspace and workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration:
        watchers = [lsp.FileSystemWatcher(glob) for glob in watched_globs()]
        files = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
        found.append(lsp.Registration("files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, files))
    if workspace and workspace.did_change_configuration and workspace.did_change_configuration.dynamic_registration:
        settings = lsp.DidChangeConfigurationRegistrationOptions(section=SECTION)
        found.append(lsp.Registration("settings", lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, settings))
    return found
