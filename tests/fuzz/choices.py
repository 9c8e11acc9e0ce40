"""Choices that bytes make: the same bytes make the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")
NUMBERS = (0, 1, -1, 2, 3, -2, 4, 7, 8, 16, 64, 1000, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1, -(2**31), -(2**63))
"""Numbers at which something may break."""


class Choices:
    """Choices that bytes make; when they are used up, the first of everything is chosen."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_over(self) -> bool:
        return self._at >= len(self._data)

    def of(self, things: Sequence[_T]) -> _T:
        """Return one of some things, of which there is at least one."""
        pair = self._data[self._at : self._at + 2]
        self._at += 2
        return things[int.from_bytes(pair, "little") % len(things)]
