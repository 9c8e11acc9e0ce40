"""Names for lengths that the inputs do not determine."""

from __future__ import annotations

import re
from collections.abc import Collection

from shapeinfer.dims import Dim, Size, symbol

_ODD = re.compile(r"\W", re.ASCII)


class Namer:
    """Hands out made-up symbols, named after what made them and numbered in the order of the graph."""

    def __init__(self, taken: Collection[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}
        self._made: dict[Dim, int] = {}

    def fresh(self, stem: str, low: int | None = 0, high: int | None = None) -> Dim:
        """Return a new symbol such as ``NonZero_0``: an identifier that nothing in the model bears."""
        stem = _ODD.sub("_", stem)
        if not stem[:1].isalpha():
            stem = f"v{stem}"
        number = self._next.get(stem, 0)
        while f"{stem}_{number}" in self._taken:
            number += 1
        self._next[stem] = number + 1
        made = symbol(f"{stem}_{number}", low, high, fresh=True)
        assert isinstance(made, Dim), "a fresh length has more than one value"
        self._made[made] = len(self._made)
        return made

    def like(self, stem: str, other: Dim) -> Size:
        """Return a new symbol of the range of another, or the one number in that range."""
        low, high = other.bounds()
        return low if low is not None and low == high else self.fresh(stem, low, high)

    @property
    def count(self) -> int:
        """How many symbols were made so far."""
        return len(self._made)

    def since(self, count: int, size: Size) -> bool:
        """Whether a length depends on a symbol that was made after the first ``count``."""
        return isinstance(size, Dim) and any(self._made.get(s, -1) >= count for s in size.symbols)
