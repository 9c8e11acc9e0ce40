"""How much is remembered from one model to the next, so that it is forgotten before it takes much memory.

Tables bound how many entries they have; a hostile name, text or list makes one entry as long as it likes. What makes
long ones says so where it makes them, never where they are looked up. Two threads that count at once may lose one of
their counts, which only puts off what is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

MOST = 32 << 20
"""So many bytes of long things are remembered beyond a model."""
LONG = 500
"""What takes no more bytes is not counted; tables bound how many of them there are."""

_C = TypeVar("_C", bound=Callable[[], Any])
_tables: list[Callable[[], Any]] = []
_held = 0


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
    """Forget everything if much is remembered, as is done before each model; what is in use stays with its users."""
    global _held  # noqa: PLW0603
    if _held > MOST:
        _held = 0
        for clear in _tables:
            clear()
