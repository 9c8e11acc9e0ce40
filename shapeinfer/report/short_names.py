"""Names without their middle, in text that must fit a width."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from shapeinfer.report.paint import LONGEST, columns, shortened

LEAST = 24
"""Names of so many columns are whole in any width."""
LONGEST_NAME = LONGEST - len('""')
"""A longer name is not written whole in a width, even if another one looks like it."""


class ShortNames:
    """Names as they are written in a width: long ones without their middle.

    Names that would look the same have more of it. Where the width is None every name is whole.
    """

    def __init__(self, names: Iterable[str], width: int | None) -> None:
        self._short: dict[str, str] = {}
        self._most = None if width is None else min(LONGEST_NAME, max(LEAST, width * 2 // 5))
        if width is None or self._most is None:
            return
        most = self._most
        left = {name for name in names if columns(name) > most}
        while left and most <= max(self._most, min(LONGEST_NAME, width - len("    "))):
            for end in (2 * most // 3, most // 2):
                looks = {name: shortened(name, most, end) for name in left}
                self._short.update(looks)
                how_many = Counter(looks.values())
                left = {name for name, look in looks.items() if how_many[look] > 1}
            most += most // 4

    @property
    def are_shortened(self) -> bool:
        """Whether any name is not written whole."""
        return bool(self._short)

    def __call__(self, name: str) -> str:
        """Return a name as it is written."""
        if self._most is None:
            return name
        return self._short.get(name) or shortened(name, self._most)
