"""A progress bar for long runs, on a terminal only and never among the output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")

FEWEST = 8
"""Fewer models are done before anybody has read a bar."""


def with_progress(items: Iterable[_T], total: int) -> Iterator[_T]:
    """Yield the items, with a bar on standard error while the next one is waited for."""
    if total < FEWEST or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("checking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    # The bar is taken away before each item is handed on, since what is written of it goes to the same terminal.
    bar = Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    task = bar.add_task("", total=total)
    with bar:
        for item in items:
            bar.stop()
            yield item
            bar.advance(task)
            bar.start()
