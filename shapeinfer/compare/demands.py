"""Conditions of one model that another does not imply."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from shapeinfer.api.report import Report
from shapeinfer.compare.alignment import Alignment, axes, holds, inputs_of
from shapeinfer.diagnostics.diagnostic import NodeRef
from shapeinfer.dims import Condition, Equal, Size, witness


@frozen
class Demand:
    """A condition of one model in the terms of another that does not have it; ``spelled`` has it in its own terms.

    ``sizes`` are some that the other takes and this one does not; None where none were found, so that it is not sure
    that there are any. ``axis`` is that of an input where the condition comes from what the input declares.
    """

    condition: Condition
    sizes: dict[str, int] | None
    spelled: str = ""
    input: str = ""
    axis: int | None = None
    lengths: tuple[Size, Size] = (0, 0)
    node: NodeRef | None = None
    known: bool = True
    """Whether the other model has all symbols of the condition."""

    @property
    def sizes_text(self) -> str:
        return ", ".join(f"{name} = {size}" for name, size in (self.sizes or {}).items())


def demands(ours: Report, theirs: Report) -> Iterator[Demand]:
    """Yield what the model of ``theirs`` asks of its inputs and that of ``ours`` does not, in our terms."""
    alignment = Alignment(ours, theirs)
    given = [r.asked for r in ours.contract.all_sizes]
    mine = inputs_of(ours)
    for name, fact in inputs_of(theirs).items():
        for axis, (a, b) in enumerate(axes(mine.get(name), fact)):
            if isinstance(a, int) and isinstance(b, int):
                continue  # two numbers that differ are no matter of more or less
            condition = Equal(a, alignment.length(b))
            if not holds(given, condition):
                known = isinstance(b, int) or alignment.knows(b.symbols)
                yield Demand(condition, witness(condition, given), "", name, axis, (a, b), known=known)
    for requirement in theirs.contract.all_sizes:
        asked = alignment.condition(requirement.asked)
        if not holds(given, asked):
            known = alignment.knows(requirement.asked.symbols)
            yield Demand(asked, witness(asked, given), requirement.condition, node=requirement.node, known=known)
