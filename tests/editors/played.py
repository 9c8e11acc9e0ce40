"""The language server without a process around it: what an editor says all at once, and what it gets for that."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from lsprotocol import types as lsp

from shapeinfer.editors.server import make
from shapeinfer.text import check_text
from tests.editors.client import PATIENCE

URI = "file:///net.onnxtxt"
AT = {"line": 4, "character": 12}
"""Where ``typed`` types."""


class Played:
    """A session. What is said between two waits, the server hears before it does anything."""

    def __init__(self, **capabilities: object) -> None:
        self.server = make()
        self.heard: list[dict[str, Any]] = []
        """What the editor got, in order."""
        self._numbers = itertools.count(1)
        self._version = 1
        self._news = asyncio.Event()
        self.server.protocol.set_writer(self, include_headers=False)
        self.ask("initialize", capabilities=capabilities)
        self.say("initialized")

    def write(self, data: bytes) -> None:
        self.heard.append(json.loads(data))
        self._news.set()

    def close(self) -> None:
        """End the session, of which nothing is left open."""

    def say(self, method: str, **params: object) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, **params: object) -> int:
        """Send a request and return its number."""
        number = next(self._numbers)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def ask_of_text(self, what: str, **params: object) -> int:
        """Send a request about the text."""
        return self.ask(f"textDocument/{what}", textDocument={"uri": URI}, **params)

    def _send(self, message: dict[str, Any]) -> None:
        protocol = self.server.protocol
        protocol.handle_message(json.loads(json.dumps(message), object_hook=protocol.structure_message))

    def open(self, text: str) -> None:
        """Open the text."""
        item = {"uri": URI, "languageId": "onnxtxt", "version": 1, "text": text}
        self.say(lsp.TEXT_DOCUMENT_DID_OPEN, textDocument=item)

    def type(self, typed: str) -> None:
        """Type something at the same place as ever."""
        self._version += 1
        change = {"range": {"start": AT, "end": AT}, "text": typed}
        document = {"uri": URI, "version": self._version}
        self.say(lsp.TEXT_DOCUMENT_DID_CHANGE, textDocument=document, contentChanges=[change])

    def shut(self) -> None:
        """Close the text."""
        self.say(lsp.TEXT_DOCUMENT_DID_CLOSE, textDocument={"uri": URI})

    async def until(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until something was heard of which this holds, and return it."""
        while True:
            for message in self.heard:
                if holds(message):
                    return message
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), PATIENCE)

    async def answer(self, number: int) -> Any:
        """Wait for the answer to a request: its result, or the number of the error."""
        found = await self.until(lambda m: m.get("id") == number and "method" not in m)
        return found["error"]["code"] if "error" in found else found.get("result")

    async def published(self) -> list[str]:
        """Wait for the diagnostics of the text as it is now, and return their codes."""
        found = await self.until(lambda m: m.get("params", {}).get("version") == self._version)
        return [d["code"] for d in found["params"]["diagnostics"]]


def play(session: Callable[[Played], Awaitable[None]], **capabilities: object) -> None:
    """Play a session with an editor of some capabilities."""

    async def played() -> None:
        await session(Played(**capabilities))

    asyncio.run(played())


@contextmanager
def checks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect the texts that are checked inside."""
    found: list[str] = []

    def noted(text: str, *rest: Any, **options: Any) -> Any:
        found.append(text)
        return check_text(text, *rest, **options)

    with monkeypatch.context() as patch:
        patch.setattr("shapeinfer.editors.documents.check_text", noted)
        yield found
