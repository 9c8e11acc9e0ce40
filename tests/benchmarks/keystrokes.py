"""How long the language server takes to answer a keystroke, as an editor sees it."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from tests.editors.client import Client, session
from tests.editors.large import large

NODES = 5000
NAME = "large.onnxtxt"
PAGE = 50


def keystrokes(folder: Path, runs: int) -> list[dict[str, Any]]:
    """Edit a model of 5,000 nodes in several ways: the time to the diagnostics, and to a page of hints."""
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
        opened = await _timed(client.open(NAME, text))
        rows.append({"edit": "opening the file", "median ms": opened, "worst ms": opened})
        for what, (start, typed) in edits.items():
            times, hints = [], []
            for _ in range(runs):
                times.append(await _timed(client.edit(NAME, start, start, typed)))
                hints.append(await _timed(client.hints(NAME, middle, middle + PAGE)))
                await _undo(client, start, typed)
            row = {"edit": what, "median ms": statistics.median(times), "worst ms": max(times)}
            rows.append(row | {"hints ms": statistics.median(hints)})
    return rows


async def _timed(answer: Awaitable[object]) -> float:
    start = time.perf_counter()
    await answer
    return (time.perf_counter() - start) * 1e3


async def _undo(client: Client, start: tuple[int, int], typed: str) -> None:
    line, column = start
    added = typed.split("\n")
    end = (line + len(added) - 1, len(added[-1]) + (column if len(added) == 1 else 0))
    await client.edit(NAME, start, end, "")
