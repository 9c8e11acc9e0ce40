"""Scheduling in the language server: long work waits until the editor is idle.

An editor sends a keystroke, what it wants to know of the text, that it wants it no more and the next keystroke faster
than a large text is inferred. So nothing is inferred before all that has come is read: keystrokes are then one change,
and what was called off meanwhile is never begun.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from lsprotocol import types as lsp
from pygls.protocol import LanguageServerProtocol, lsp_method

from shapeinfer.editors.convert import Ready, encoding_of
from shapeinfer.editors.positions import place

PAUSE = 0.005
"""After this many seconds without a message the editor is idle."""
PATIENCE = 0.5
"""After this many seconds work starts even if the editor is not idle."""


class Turns:
    """Runs long tasks one after the other, in order of arrival."""

    def __init__(self) -> None:
        self._heard = 0.0
        self._turn = asyncio.Lock()

    def note_activity(self) -> None:
        """Record that the editor sent a message, or may have."""
        self._heard = time.monotonic()

    @asynccontextmanager
    async def next(self) -> AsyncIterator[None]:
        """Wait for a turn; what waits can be cancelled."""
        async with self._turn:
            begun = time.monotonic()
            while (left := min(self._heard + PAUSE, begun + PATIENCE) - time.monotonic()) > 0:
                await asyncio.sleep(left)
            begun = time.monotonic()
            yield
            if time.monotonic() - begun > PAUSE:
                self.note_activity()


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, which also records the editor's activity."""

    turns: Turns | None = None
    _sending: Any = None
    """The task that writes a message; asyncio itself holds tasks only weakly."""

    def handle_message(self, message: Any) -> None:
        """Handle a message, and record the activity."""
        super().handle_message(message)
        if self.turns is not None:
            self.turns.note_activity()
        # pygls keeps what became of each notification, and that for ever; of requests it drops it by itself.
        for key in [key for key, future in self._request_futures.items() if future.done()]:
            del self._request_futures[key]

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> Iterator[Any]:
        """Apply an edit to a text, then notify the server.

        pygls does it line by line, and splits lines at characters that do not end a line in the protocol.
        """
        uri, version = params.text_document.uri, params.text_document.version
        old = self.workspace.get_text_document(uri)
        text, encoding = old.source, encoding_of(self.workspace)
        for change in params.content_changes:
            if isinstance(change, lsp.TextDocumentContentChangePartial):
                start, end = change.range.start, change.range.end
                first = place(text, start.line, start.character, encoding)
                last = place(text, end.line, end.character, encoding)
                text = text[:first] + change.text + text[max(first, last) :]
            else:
                text = change.text
        self.workspace.put_text_document(lsp.TextDocumentItem(uri, old.language_id or "", version, text))
        handler = self.fm.features.get(lsp.TEXT_DOCUMENT_DID_CHANGE)
        if handler is not None:
            yield handler, (params,), None

    def _send_data(self, data: Any) -> None:
        """Send a message; a result that is JSON already is sent as it is."""
        result = getattr(data, "result", None)
        if not isinstance(result, Ready) or self.writer is None:
            super()._send_data(data)
            return
        pieces = (f'{{"jsonrpc":"2.0","id":{json.dumps(data.id)},"result":', *result.json, "}")
        length = sum(map(len, pieces))
        header = f"Content-Length: {length}\r\n\r\n" if self._include_headers else ""
        sent = self.writer.write("".join((header, *pieces)).encode("ascii"))
        if inspect.isawaitable(sent):
            self._sending = asyncio.ensure_future(sent)
