"""Fresh symbols: names for sizes that the inputs do not determine."""

from __future__ import annotations

import re
from collections.abc import Collection

from shapeinfer.dims import Dim, Size, symbol

_ODD = re.compile(r"\W", re.ASCII)


class Namer:
    """Hands out fresh symbols, named after what computes them and numbered in the order of the graph."""

    def __init__(self, taken: Collection[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}
        self._order: dict[Dim, int] = {}

    def fresh(self, stem: str, low: int | None = 0, high: int | None = None) -> Dim:
        """Return a fresh symbol such as ``NonZero_0``: an identifier that nothing in the model has."""
        stem = _ODD.sub("_", stem)
        if not stem[:1].isalpha():
            stem = f"v{stem}"
        number = self._next.get(stem, 0)
        while f"{stem}_{number}" in self._taken:
            number += 1
        self._next[stem] = number + 1
        fresh = symbol(f"{stem}_{number}", low, high, fresh=True)
        assert isinstance(fresh, Dim), "a fresh length has more than one value"
        self._order[fresh] = len(self._order)
        return fresh

    def like(self, stem: str, other: Dim) -> Size:
        """Return a fresh symbol of the range of another, or the one number in that range."""
        low, high = other.bounds()
        return low if low is not None and low == high else self.fresh(stem, low, high)

    def copy(self) -> Namer:
        """Return a copy: what it hands out is handed out once more here."""
        inner = Namer(self._taken)
        inner._next = dict(self._next)
        inner._order = dict(self._order)
        return inner

    @property
    def count(self) -> int:
        """How many fresh symbols there are so far."""
        return len(self._order)

    def since(self, count: int, size: Size) -> bool:
        """Whether a size depends on a fresh symbol after the first ``count``."""
        return isinstance(size, Dim) and any(self._order.get(s, -1) >= count for s in size.symbols)
