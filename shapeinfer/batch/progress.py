"""A progress bar for long runs: on a terminal, never among the output, or in a notebook."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

_T = TypeVar("_T")

FEWEST = 8
"""Fewer models are done before anybody has read a bar."""


def with_progress(items: Iterable[_T], total: int) -> Iterator[_T]:
    """Yield the items, with a bar in the notebook or on standard error while the next one is waited for."""
    if total < FEWEST:
        return iter(items)
    display = _notebook()
    if display is not None:
        return _in_notebook(items, total, display)
    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        return _on_terminal(items, total)
    return iter(items)


def _notebook() -> Any:
    """What shows things in the notebook that this runs in, None where it is none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:
        return None
    from IPython import display

    return display


def _in_notebook(items: Iterable[_T], total: int, display: Any) -> Iterator[_T]:
    bar = display.display(display.HTML(_drawn(0, total)), display_id=True)
    for done, item in enumerate(items, 1):
        yield item
        if done == total or done % max(1, total // 200) == 0:
            bar.update(display.HTML(_drawn(done, total)))


def _drawn(done: int, total: int) -> str:
    return f'<progress value="{done}" max="{total}" aria-label="models checked"></progress> {done} of {total}'


def _on_terminal(items: Iterable[_T], total: int) -> Iterator[_T]:
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
