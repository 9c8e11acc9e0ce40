"""Long names cut in the middle, for text that must fit a width."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from shapeinfer.report.paint import LONGEST, columns, shortened

LEAST = 24
"""Names of at most this many columns are never cut."""
LONGEST_NAME = LONGEST - len('""')
"""Names of more columns are always cut, even if two then look alike."""


class ShortNames:
    """Shortens names for a width: long ones are cut in the middle.

    Names that would look alike are cut less. If the width is None, no name is cut.
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
        """Whether any name is cut."""
        return bool(self._short)

    def __call__(self, name: str) -> str:
        """Return the short form of a name."""
        if self._most is None:
            return name
        return self._short.get(name) or shortened(name, self._most)
