"""Scheduling in the language server: long work waits until the editor is idle.

An editor sends a keystroke, what it wants to know of the text, that it wants it no more and the next keystroke faster
than a large text is inferred. So nothing is inferred before all that has come is read: keystrokes are then one change,
and what was called off meanwhile is never begun.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pygls.protocol import LanguageServerProtocol

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

    def handle_message(self, message: Any) -> None:
        """Handle a message, and record the activity."""
        super().handle_message(message)
        if self.turns is not None:
            self.turns.note_activity()
        # pygls keeps what became of each notification, and that for ever; of requests it drops it by itself.
        for key in [key for key, future in self._request_futures.items() if future.done()]:
            del self._request_futures[key]
