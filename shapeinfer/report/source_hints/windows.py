"""The operations that one run of a statement may have executed, and which of them a call in its text is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attrs import define

from shapeinfer.report.source_hints.operators import recorded_as, words
from shapeinfer.report.source_hints.runs import Step, is_of_torch, is_tensor
from shapeinfer.report.source_hints.values import Variable

_BY_AXES = words("transpose permute unsqueeze squeeze select sum mean amax amin cumsum flip cat stack")
"""Operators of which several may read the same tensor, told apart by the axes that they name."""


@define(eq=False, repr=False)
class Window:
    """Steps in order of execution; those before ``at`` are accounted for."""

    steps: Sequence[Step]
    at: int = 0

    def rest(self) -> Sequence[Step]:
        return self.steps[self.at :]


@define(eq=False, repr=False)
class Place:
    """Where a step must have run to be one of the text's own: in which module, at which depth of the stack."""

    path: str | None
    depth: int

    def has(self, step: Step) -> bool:
        """Whether a step is one of this text, not of a module or function with lines of its own that it calls."""
        operation = step.operation
        below = operation.stack[self.depth + 1 : self.depth + 2]
        if below and not is_of_torch(below[0].file):
            return False
        last = operation.modules[-1].path if operation.modules else ""
        return self.path is None or last == self.path


@define(eq=False, repr=False)
class Trail:
    """What was learned of variables, so that it can be forgotten."""

    bound: list[Variable]

    def bind(self, variable: Variable, name: str) -> bool:
        """Take an exporter's name for a variable; whether that agrees with what is known."""
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
    """Return the step that a call is, and go past it; None where it is none, or cannot be told.

    ``arguments`` are the tensors that it takes, None for what may be one; ``axes`` are the integers that its text has,
    None where some of them are not known. ``times`` says how many calls of its kind
    the text has, 0 where it may repeat.
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
    """Whether names come in an order, others between them."""
    at = 0
    for name in dict.fromkeys(known):
        if name not in read:
            return False
        at = read.index(name)
    return at >= 0


def _paired(arguments: Sequence[Variable | None], read: Sequence[str]) -> list[tuple[Variable, str]] | None:
    """Return which argument is which tensor that is read; None where they cannot be told apart."""
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
