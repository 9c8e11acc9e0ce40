"""How much is remembered from one model to the next, so that it is forgotten before it takes much memory.

Tables bound how many entries they have; a hostile name, text or list makes one entry as long as it likes. What makes
long ones says so where it makes them, never where they are looked up. Two threads that count at once may lose one of
their counts, which only puts off what is forgotten. What nobody counted shows in how the process grows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from shapeinfer.budget import MEGABYTE, current, resident

MOST = 32 << 20
"""So many bytes of long things are remembered beyond a model."""
LONG = 500
"""What takes no more bytes is not counted; tables bound how many of them there are."""
SHARE = 1 / 8
"""Everything is forgotten when the process grew by this share of what one model may take, since it last was."""

_C = TypeVar("_C", bound=Callable[[], Any])
_tables: list[Callable[[], Any]] = []
_held = 0
_start = resident()
"""How many bytes the process had when everything was last forgotten."""


def forgotten_by(clear: _C) -> _C:
    """Register what empties a table."""
    _tables.append(clear)
    return clear


def note(size: int) -> None:
    """Count about so many bytes that tables may hold on to."""
    global _held  # noqa: PLW0603 - one count for the tables of a process
    if size > LONG:
        _held += size


def note_text(*texts: str) -> None:
    """Count texts that tables may hold on to, of four bytes a character at most."""
    note(4 * sum(map(len, texts)))


def make_room() -> None:
    """Forget everything if much is remembered or the process grew much, as is done before each model.

    What is in use stays with its users.
    """
    global _held, _start
    now = resident()
    if _held > MOST or now - _start > SHARE * current().memory * MEGABYTE:
        forget()
        _held, _start = 0, now


def forget() -> None:
    """Forget everything, as is needed after rules were added."""
    for clear in _tables:
        clear()
