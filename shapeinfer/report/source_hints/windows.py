"""Matches calls in the source with the recorded operations that one run of a statement may have executed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attrs import define

from shapeinfer.report.source_hints.operators import recorded_as, words
from shapeinfer.report.source_hints.runs import Step, is_of_torch, is_tensor
from shapeinfer.report.source_hints.values import Variable

_BY_AXES = words("transpose permute unsqueeze squeeze select sum mean amax amin cumsum flip cat stack")
"""Operators of which several may read the same tensor; their axes distinguish them."""


@define(eq=False, repr=False)
class Window:
    """Steps in order of execution; those before ``at`` are matched already."""

    steps: Sequence[Step]
    at: int = 0

    def rest(self) -> Sequence[Step]:
        return self.steps[self.at :]


@define(eq=False, repr=False)
class Place:
    """The module path and stack depth of a function's own steps."""

    path: str | None
    depth: int

    def has(self, step: Step) -> bool:
        """Whether a step was executed by this function itself, not by a module or function that it calls."""
        operation = step.operation
        below = operation.stack[self.depth + 1 : self.depth + 2]
        if below and not is_of_torch(below[0].file):
            return False
        last = operation.modules[-1].path if operation.modules else ""
        return self.path is None or last == self.path


@define(eq=False, repr=False)
class Trail:
    """An undo log of the names that were assigned to variables."""

    bound: list[Variable]

    def bind(self, variable: Variable, name: str) -> bool:
        """Assign the exporter's name to a variable; return whether it has no other name."""
        if variable.name is None:
            variable.name = name
            self.bound.append(variable)
            base = variable.like
            if isinstance(base, Variable) and base.name is None and base.like is None:
                base.like = variable  # each has the type of the other
        return variable.name == name

    def undo(self, length: int) -> None:
        for variable in self.bound[length:]:
            variable.name = None
        del self.bound[length:]


def tensors_read(step: Step, is_number: Callable[[str], bool]) -> list[str]:
    """Return the tensors that a step reads, without the numbers."""
    return [name for name in step.operation.operands if not is_number(name)]


def matched(
    window: Window,
    place: Place,
    function: str,
    arguments: Sequence[Variable | None],
    axes: Sequence[int] | None,
    trail: Trail,
    is_number: Callable[[str], bool],
    times: Callable[[], int],
) -> Step | None:
    """Return the step that a call matches, and advance past it; None if no step, or no single one, matches.

    ``arguments`` are its tensors, None in place of each value that may be one; ``axes`` are its integers, None if some
    are unknown. ``times`` returns how many calls of its kind the statement makes, 0 if unknown.
    """
    operators = recorded_as(function)
    known = [v.name for v in arguments if v is not None and v.name is not None]
    for at in range(window.at, len(window.steps)):
        step = window.steps[at]
        if step.operator not in operators or not place.has(step) or not is_tensor(step):
            continue
        read = tensors_read(step, is_number)
        if not _in_order(known, read) or not _has_axes(step, axes):
            continue
        pairs = _paired(arguments, read)
        if not known and (pairs is None or times() != counted(window, place, operators)):
            return None
        for variable, name in pairs or ():
            trail.bind(variable, name)
        window.at = at + 1
        return step
    return None


def _in_order(known: Iterable[str], read: Sequence[str]) -> bool:
    """Whether all known names occur in the read ones, in order."""
    at = 0
    for name in dict.fromkeys(known):
        if name not in read:
            return False
        at = read.index(name)
    return at >= 0


def _paired(arguments: Sequence[Variable | None], read: Sequence[str]) -> list[tuple[Variable, str]] | None:
    """Return pairs of an argument and the tensor read for it; None if ambiguous."""
    distinct = list(dict.fromkeys((v.name or id(v)) if v is not None else object() for v in arguments))
    if len(distinct) != len(read):
        return None
    by_key = {(v.name or id(v)): v for v in arguments if v is not None}
    found = []
    for key, name in zip(distinct, read):
        variable = by_key.get(key)  # type: ignore[call-overload]
        if variable is None:
            continue
        if variable.name not in (None, name):
            return None
        found.append((variable, name))
    return found


def counted(window: Window, place: Place, operators: Iterable[str]) -> int:
    """Return how many steps of a window are of some operators."""
    names = frozenset(operators)
    return sum(s.operator in names and place.has(s) and is_tensor(s) for s in window.steps)


def _has_axes(step: Step, axes: Sequence[int] | None) -> bool:
    if axes is None or step.operator not in _BY_AXES:
        return True
    return step.integers()[: len(axes)] == list(axes)
