"""Sizes by name: axes that share a name must have the same size."""

from __future__ import annotations

from shapeinfer.diagnostics.codes import DIM_MISMATCH, RANK_MISMATCH
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import Size, text_of
from shapeinfer.facts import Shape, Tensor


class NamedAxes:
    """Names for the axes of several operands, and the dim bound to each name so far."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._sizes: dict[str, tuple[Size, str, str]] = {}
        """The size, a description of its origin for messages, and its places as in ``at=``."""

    def bind(self, name: str, size: Size, origin: str, of: str = "") -> None:
        """Bind a name to a dim that is not an axis of an operand; ``origin`` describes it.

        It is computed from the sizes whose names ``of`` lists.
        """
        self._sizes[name] = size, origin, self.places(of)

    def places(self, names: str) -> str:
        """Return the places of several names in the notation of ``at=``; empty for those of no operand."""
        found = (place for name in names.split() if name in self._sizes for place in self._sizes[name][2].split())
        return " ".join(dict.fromkeys(found))

    def read(self, x: Tensor | None, port: str, names: str) -> None:
        """Bind an operand's axes to names, left to right; ``_`` is any dim, ``1`` is 1.

        Does nothing for an operand that is absent or of unknown rank; ends the rule for one of another rank.
        """
        if x is None or x.shape is None:
            return
        expected = names.split()
        if len(x.shape) != len(expected):
            message = f"{self._ledger.port_name(port)} must have rank {len(expected)}; it has rank {len(x.shape)}"
            self._ledger.fail(RANK_MISMATCH, message, port)
        for axis, (name, size) in enumerate(zip(expected, x.shape)):
            if name != "_":
                self._bind_axis(name, size, axis, port)

    def _bind_axis(self, name: str, size: Size, axis: int, port: str) -> None:
        here, at = f"axis {axis} of {self._ledger.port_name(port)}", f"{port}[{axis}]"
        if name == "1":
            self._ledger.equal(1, size, DIM_MISMATCH, at, f"{here} is {text_of(size)}; it must be 1")
        else:
            self.bind_size(name, size, here, at)

    def bind_size(self, name: str, size: Size, here: str, at: str) -> None:
        """Require that a dim equals the one bound to a name, or bind it; ``here`` describes it, ``at`` is its place."""
        known, origin, other = self._sizes.get(name, (size, here, at))
        message = f"{here} is {text_of(size)} but {origin} is {text_of(known)}"
        agreed = self._ledger.equal(known, size, DIM_MISMATCH, f"{other} {at}".strip(), message)
        is_better = agreed is size and agreed is not known
        self._sizes[name] = (agreed, here, at) if is_better else (agreed, origin, other)

    def known(self, name: str) -> Size | None:
        """Return the size of a name, None if no operand decides it."""
        return self._sizes[name][0] if name in self._sizes else None

    def __getitem__(self, name: str) -> Size:
        """Return the size of a name; if no operand decides it, a fresh symbol, the same one from then on."""
        if name not in self._sizes:
            self.bind(name, self._ledger.fresh(), name)
        return self._sizes[name][0]

    def shape(self, names: str) -> Shape:
        """Return the sizes of several names."""
        return tuple(1 if name == "1" else self[name] for name in names.split())
