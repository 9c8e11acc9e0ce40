"""Translate facts of one model into the symbols of another, matched by place."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from shapeinfer.api.report import Report
from shapeinfer.dims import Condition, Dim, Size, equal, follows, substitute, symbol
from shapeinfer.facts import Fact, OptionalType, SequenceType, SparseTensor, Tensor


class Alignment:
    """Translates lengths and conditions of one report into those of another.

    Names do not count: a symbol stands for what the other model has on the axis where it was first met. One that was
    met nowhere is nothing that the other model knows.
    """

    def __init__(self, ours: Report, theirs: Report) -> None:
        self._names: dict[Dim, Size] = {}
        pairs = [pair for name, fact in inputs_of(theirs).items() for pair in axes(inputs_of(ours).get(name), fact)]
        for mine, other in pairs:
            self.meet(mine, other)
        for mine, other in pairs:
            self._meet_inside(mine, other)

    def meet(self, mine: Size, other: Size) -> None:
        """Map the other model's symbol to ours at the same place, unless it is mapped already."""
        if isinstance(other, Dim) and other.is_symbol:
            self._names.setdefault(other, mine)

    def _meet_inside(self, mine: Size, other: Size) -> None:
        """Map the symbols of two formulas to each other if that makes the formulas equal."""
        if isinstance(mine, int) or isinstance(other, int):
            return
        known = set().union(*(v.symbols for v in self._names.values() if isinstance(v, Dim)))
        left, right = (sorted(s, key=lambda d: d.name) for s in (mine.symbols - known, other.symbols - {*self._names}))
        trial: dict[Dim, Size] = {**self._names, **dict(zip(right, left))}
        if right and len(left) == len(right) and equal(mine, substitute(other, trial)).is_yes:
            self._names = trial

    def length(self, other: Size) -> Size:
        """Return another's length in our terms."""
        return other if isinstance(other, int) else substitute(other, self._mapping(other.symbols))

    def condition(self, other: Condition) -> Condition:
        """Return another's condition in our terms."""
        return other.substitute(self._mapping(other.symbols))

    def knows(self, symbols: frozenset[Dim]) -> bool:
        """Whether all symbols of the other model are mapped."""
        return symbols <= {*self._names}

    def _mapping(self, symbols: frozenset[Dim]) -> dict[Dim, Size]:
        # An unmapped symbol must not be confused with one of ours that has its name.
        return {s: self._names.get(s, symbol(f"{s.name}'", s.low, s.high, s.divisor, s.is_fresh)) for s in symbols}


def renamed_to(report: Report, other: Report) -> Report:
    """Return a report renamed to the inputs and outputs of the other model."""
    graph, theirs = report.graph, other.graph
    if graph is None or theirs is None or not graph.aliases:
        return report
    wanted = {*theirs.inputs, *theirs.outputs}
    names = {value: name for name, value in graph.aliases.items() if name in wanted}
    inputs = {names.get(name, name): fact for name, fact in graph.inputs.items()}
    outputs = [names.get(name, name) for name in graph.outputs]
    values = {names.get(name, name): fact for name, fact in report.values.items()}
    return evolve(report, values=values, graph=evolve(graph, inputs=inputs, outputs=outputs))


def inputs_of(report: Report) -> dict[str, Fact]:
    """Return the inputs by name. Raises ValueError for a report of an unreadable model."""
    if report.graph is None:
        raise ValueError(f"cannot compare: {report.diagnostics[0].text if report.diagnostics else report}")
    return {name: report.values.get(name, fact) for name, fact in report.graph.inputs.items()}


def axes(mine: Fact | None, other: Fact) -> list[tuple[Size, Size]]:
    """Return pairs of dims at the same place in two values, none if their kinds or ranks differ."""
    if mine is None or kinds(mine) != kinds(other):
        return []
    a, b = (f.shape if isinstance(f, (Tensor, SparseTensor)) else None for f in (inside(mine), inside(other)))
    return list(zip(a, b)) if a is not None and b is not None and len(a) == len(b) else []


def kinds(fact: Fact) -> tuple[type[Fact], ...]:
    """Return what a value is, from the outside in: a sequence of tensors is two kinds."""
    return (type(fact), *(kinds(fact.element) if isinstance(fact, (SequenceType, OptionalType)) else ()))


def inside(fact: Fact) -> Fact:
    """Return the element of a sequence or an optional, other values themselves."""
    return inside(fact.element) if isinstance(fact, (SequenceType, OptionalType)) else fact


def holds(given: Iterable[Condition], condition: Condition) -> bool:
    """Whether a condition provably follows from others."""
    return condition.answer().is_yes or follows(list(given), condition)
