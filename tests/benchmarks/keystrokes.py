"""How long the language server takes to answer a keystroke, as an editor sees it, and the processor's time for it."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from tests.editors.client import Client, session
from tests.editors.large import large

NODES = 5000
NAME = "large.onnxtxt"
PAGE = 50
WARMING_UP = 4.0
"""Seconds after which the server has loaded what it needs."""


def keystrokes(folder: Path, runs: int) -> list[dict[str, Any]]:
    """Edit a model of 5,000 nodes in several ways: milliseconds of the processor for each answer, and on the clock.

    ``keystroke`` is the change, its diagnostics and the hints of a page; ``outline`` is asked for afterwards.
    """
    return asyncio.run(_measured(folder, max(runs, 10)))


async def _measured(folder: Path, runs: int) -> list[dict[str, Any]]:
    text = large(NODES)
    lines = text.splitlines()
    middle = lines.index(f"    r{NODES // 10} = Relu (b{NODES // 10})")
    edits = {
        "an operator's name": ((middle, lines[middle].index("(") - 1), "u"),
        "a line that stays broken": ((middle, len(lines[middle]) - 1), " "),
        "a new line": ((middle, len(lines[middle])), "\n    q = Relu (x)"),
        "a dim of an input": ((1, lines[1].index("64")), "1"),
    }
    rows = []
    async with session(folder) as client:
        opening = Stopwatch(client)
        await opening.timed(client.open(NAME, text))
        await asyncio.sleep(WARMING_UP)
        rows.append({"edit": "opening the file", **opening.row("keystroke")})
        for what, (start, typed) in edits.items():
            answers, outlines = Stopwatch(client), Stopwatch(client)
            for _ in range(runs):
                await answers.timed(_keystroke(client, start, typed, middle))
                await outlines.timed(_outline(client))
                await answers.timed(_undo(client, start, typed, middle))
                await outlines.timed(_outline(client))
            rows.append({"edit": what, **answers.row("keystroke"), **outlines.row("outline")})
    return rows


class Stopwatch:
    """Milliseconds that answers took."""

    def __init__(self, client: Client) -> None:
        self.clock = ~client.process << 3 | 2  # Linux's number of the clock of a process, see clock_getcpuclockid(3)
        self.processor: list[float] = []
        self.wall: list[float] = []

    async def timed(self, answer: Awaitable[object]) -> None:
        """Wait for an answer."""
        spent, start = time.clock_gettime(self.clock), time.perf_counter()
        await answer
        self.wall.append((time.perf_counter() - start) * 1e3)
        self.processor.append((time.clock_gettime(self.clock) - spent) * 1e3)

    def row(self, what: str) -> dict[str, float]:
        """Return the median, the worst and the median on the clock."""
        median, worst = statistics.median(self.processor), max(self.processor)
        return {f"{what} ms": median, f"{what} worst": worst, f"{what} clock": statistics.median(self.wall)}


async def _keystroke(client: Client, start: tuple[int, int], typed: str, line: int) -> None:
    await client.edit(NAME, start, start, typed)
    await client.hints(NAME, line, line + PAGE)


async def _outline(client: Client) -> None:
    await client.lsp.text_document_document_symbol_async(lsp.DocumentSymbolParams(client.document(NAME)))


async def _undo(client: Client, start: tuple[int, int], typed: str, middle: int) -> None:
    line, column = start
    added = typed.split("\n")
    end = (line + len(added) - 1, len(added[-1]) + (column if len(added) == 1 else 0))
    await client.edit(NAME, start, end, "")
    await client.hints(NAME, middle, middle + PAGE)
