"""Whether a value is what it was."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.compare.alignment import Alignment, holds, inside, kinds
from shapeinfer.dims import Condition, Equal, Size, equal, has_fresh_symbol, text_of, witness
from shapeinfer.facts import UNKNOWN, Fact, SparseTensor, Tensor

Verdict = tuple[bool, str]
"""Whether a change is breaking, and its message."""


class Comparison:
    """Compares values of a new model with those of an old one, for all sizes for which both run."""

    def __init__(self, alignment: Alignment, given: Sequence[Condition]) -> None:
        self._alignment = alignment
        self._given = given
        self._same: dict[tuple[Size, Size], bool] = {}

    def __call__(self, old: Fact, new: Fact) -> Verdict | None:
        """Return what became of a value, None if it means what it meant."""
        said = f"was {old.text}, is {new.text}"
        if old is UNKNOWN or new is UNKNOWN:
            return None if old is new else (new is UNKNOWN, said)
        if kinds(old) != kinds(new):
            return True, said
        old, new = inside(old), inside(new)
        if not isinstance(old, (Tensor, SparseTensor)) or not isinstance(new, (Tensor, SparseTensor)):
            return None if old.text == new.text else (True, said)
        if old.dtype is not new.dtype:
            return True, said
        if old.shape is None or new.shape is None:
            return None if old.shape is new.shape else (new.shape is None, said)
        if len(old.shape) != len(new.shape):
            return True, said
        found = [self._axis(*axis) for axis in enumerate(zip(old.shape, new.shape))]
        changed = [verdict for verdict in found if verdict is not None]
        return (any(b for b, _ in changed), "; ".join(text for _, text in changed)) if changed else None

    def _axis(self, axis: int, pair: tuple[Size, Size]) -> Verdict | None:
        old, new = pair
        vague = _is_data_dependent(old), _is_data_dependent(new)
        if all(vague):
            self._alignment.meet(old, new)
        theirs = self._alignment.length(new)
        if self._is_same(old, theirs):
            return None
        said = f"axis {axis} was {text_of(old)}, is {text_of(new)}"
        if any(vague):
            return not vague[0], said + ("" if vague[0] else ", which is data-dependent")
        sizes = witness(Equal(old, theirs), self._given)
        if sizes is None:
            return equal(old, theirs).is_no, said
        shown = ", ".join(f"{name} = {size}" for name, size in sizes.items() if not name.endswith("'"))
        return True, said + (f", which differs for {shown}" if shown else "")

    def _is_same(self, old: Size, new: Size) -> bool:
        found = self._same.get((old, new))
        if found is None:
            found = self._same[old, new] = holds(self._given, Equal(old, new))
        return found


def _is_data_dependent(size: Size) -> bool:
    """Whether a length depends on something that the inputs do not determine."""
    return has_fresh_symbol(size)
