"""Do something again whenever files change."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from shapeinfer.cli.terminal import write

INTERVAL = 0.5
"""Seconds between two looks at the files."""


def watch(run: Callable[[], object], files: Callable[[], Iterable[str]]) -> None:
    """Run at once, and again after each change of the files, which may be others every time; Ctrl-C ends it."""
    try:
        while True:
            before = _state(files())
            if sys.stdout.isatty():
                click.clear()
            run()
            write(f"\nwatching {len(before)} file{'' if len(before) == 1 else 's'}; Ctrl-C ends\n", err=True)
            while _state(files()) == before:
                time.sleep(INTERVAL)
    except KeyboardInterrupt:
        sys.exit(0)


def _state(files: Iterable[str]) -> dict[str, tuple[int, int] | None]:
    """Each file's time and size, which change when it is written; None for a missing one."""
    found: dict[str, tuple[int, int] | None] = {}
    for file in files:
        try:
            status = Path(file).stat()
            found[file] = status.st_mtime_ns, status.st_size
        except OSError:
            found[file] = None
    return found
