"""One cause, one finding: which findings follow from another, or share what is at fault.

A finding follows from another where a dim that it compares was computed by the other's node. Two share their cause
where they compare the same dims of the same initializer or input, read the same undefined value, or use an operator in
the same wrong way.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias

from attrs import evolve

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Severity
from shapeinfer.diagnostics.diagnostic import Diagnostic, NodeRef, Operand
from shapeinfer.facts import Fact, Shape, Tensor
from shapeinfer.infer.diagnosis.diagnose import node_ref
from shapeinfer.infer.diagnosis.origins import Origins
from shapeinfer.infer.scope import Scope

MOST_TRACED = 100
"""The operands of more findings are not traced."""

MOST_COMPARED = 20
"""A finding is compared with so many of a group."""

MOST_RELATED = 1000
"""So many findings of one cause are listed."""

MOST_RESHAPES = 8
"""A dim is followed through so many Reshapes, which keep the entries but not the axes."""

_SAME_MISTAKE = frozenset(
    {
        codes.ATTRIBUTE_TYPE,
        codes.DEPRECATED_OPERATOR,
        codes.MISSING_OPSET_IMPORT,
        codes.NO_SUCH_OPERATOR,
        codes.OPERATOR_TOO_NEW,
        codes.UNDEFINED_VALUE,
        codes.UNKNOWN_ATTRIBUTE,
        codes.UNKNOWN_OPERATOR,
    }
)
"""Faults whose message says all: two of one message are one mistake made twice, such as an opset that was raised."""

ABOUT_SIZES = frozenset({codes.PINNED_DIM, codes.TIED_DIMS, codes.DEGENERATE_SIZES_ONLY})
"""What a model requires of its inputs: what the node computes where they have such sizes is not in doubt."""

_Node: TypeAlias = "tuple[tuple[str, ...], int]"
"""A node as the names of the graphs around it and its index."""
_End: TypeAlias = "tuple[tuple[str, ...] | str, int, int | None]"
"""An input or initializer with the axis that is compared."""


class Causes:
    """Traces what findings compare back to the nodes and values that it comes from, each finding once."""

    def __init__(self, scopes: Iterable[Scope]) -> None:
        self._scopes: dict[tuple[str, ...], list[Scope]] = {}
        for scope in scopes:
            self._scopes.setdefault(scope.path, []).append(scope)
        self._origins: dict[int, Origins] = {}
        self._traced: dict[Diagnostic, tuple[frozenset[_Node], frozenset[_End]]] = {}

    def leads_to(self, cause: Diagnostic, effect: Diagnostic) -> bool:
        """Whether a finding follows from another: it compares what the other's node computed, or is at that node."""
        place = _node_of(cause.node)
        if place is None or effect is cause or (cause.code in ABOUT_SIZES and effect.code in ABOUT_SIZES):
            return False
        if place == _node_of(effect.node):
            return _are_of_one_value(cause, effect)
        return place in self._trace(effect)[0]

    def joins(self, d: Diagnostic, group: Sequence[Diagnostic]) -> bool:
        """Whether a finding has the cause of a group: of its first finding, or of one at a node that leads to it."""
        return any(self.are_one(member, d) or self.leads_to(member, d) for member in group[:MOST_COMPARED])

    def are_one(self, a: Diagnostic, b: Diagnostic) -> bool:
        """Whether two findings have the same cause."""
        if a.code is b.code and a.code in _SAME_MISTAKE and a.message == b.message:
            return True
        if a.code is not b.code or not a.operands or _sizes(a) != _sizes(b):
            return False
        return not self._trace(a)[1].isdisjoint(self._trace(b)[1])

    def own_keys(self, d: Diagnostic) -> Iterator[Hashable]:
        """Yield what later findings of the same cause are found by."""
        if d.code in _SAME_MISTAKE:
            yield d.code, d.message
        if (place := _node_of(d.node)) is not None:
            yield place
        yield from self._trace(d)[1]

    def keys(self, d: Diagnostic) -> Iterator[Hashable]:
        """Yield what groups that a finding may belong to are found by."""
        yield from self.own_keys(d)
        yield from sorted(self._trace(d)[0])

    def nodes(self, diagnostic: Diagnostic) -> set[NodeRef]:
        """Return the places of the nodes that computed what a finding compares."""
        return {ref for path, index in self._trace(diagnostic)[0] if (ref := self._ref(path, index)) is not None}

    def _ref(self, path: tuple[str, ...], index: int) -> NodeRef | None:
        scope = next((s for s in self._scopes.get(path, ()) if index < len(s.graph.nodes)), None)
        return None if scope is None else node_ref(scope.graph.nodes[index], index, path)

    def _trace(self, diagnostic: Diagnostic) -> tuple[frozenset[_Node], frozenset[_End]]:
        found = self._traced.get(diagnostic)
        if found is None:
            steps = list(self._steps(diagnostic)) if len(self._traced) < MOST_TRACED else []
            nodes = frozenset((place, index) for place, index, _ in steps if isinstance(place, tuple))
            ends = frozenset(step for step in steps if not isinstance(step[0], tuple))
            found = self._traced[diagnostic] = (nodes, ends)
        return found

    def _steps(self, diagnostic: Diagnostic) -> Iterator[tuple[tuple[str, ...] | str, int, int | None]]:
        """Yield the nodes on the way of each operand's dim, and the axes of inputs and initializers at its end."""
        scope = self._scope(diagnostic.node)
        if scope is None:
            return
        origins = self._of(scope)
        for operand in diagnostic.operands:
            for name, axis in _origins(origins, operand):
                if (producer := origins.producer(name)) is not None:
                    yield scope.path, producer[0], axis
                elif name in scope.graph.inputs or name in scope.graph.initializers:
                    yield name, 0, axis

    def _of(self, scope: Scope) -> Origins:
        found = self._origins.get(id(scope))  # which lives as long as what traces it
        if found is None:
            found = self._origins[id(scope)] = Origins(scope)
        return found

    def _scope(self, place: NodeRef | None) -> Scope | None:
        """The scope of a node; of a function that was called several times the last call's."""
        for scope in reversed(self._scopes.get(place.graph, ())) if place is not None and place.index >= 0 else ():
            nodes = scope.graph.nodes
            if place is not None and place.index < len(nodes) and place.output in (*nodes[place.index].outputs, ""):
                return scope
        return None


def grouped(diagnostics: Sequence[Diagnostic], causes: Causes) -> list[Diagnostic]:
    """Return one finding for each cause, the others of that cause as its related ones; notes stay as they are.

    The finding that stands first in the graph speaks for the group, with the severity of the worst.
    """
    groups: list[list[Diagnostic]] = []
    by_key: dict[Hashable, list[list[Diagnostic]]] = {}
    for d in diagnostics:
        if d.severity is Severity.NOTE:
            continue
        keys = list(causes.keys(d))
        group = next((g for key in keys for g in by_key.get(key, ()) if causes.joins(d, g)), None)
        if group is None:
            group = []
            groups.append(group)
        group.append(d)
        for key in causes.own_keys(d):
            known = by_key.setdefault(key, [])
            if not any(g is group for g in known):
                known.append(group)
    return [*map(_spokesman, groups), *(d for d in diagnostics if d.severity is Severity.NOTE)]


def _spokesman(group: list[Diagnostic]) -> Diagnostic:
    at_once = [d for d in group if d.node == group[0].node]
    first = min(at_once, key=lambda d: (d.severity is not Severity.ERROR, d.code not in ABOUT_SIZES))
    rest = tuple(d for d in group if d is not first)
    worst = Severity.ERROR if any(d.severity is Severity.ERROR for d in group) else first.severity
    notes = first.notes
    if len(rest) > MOST_RELATED:
        notes = (*notes, f"{len(rest) - MOST_RELATED} more findings of this cause are not listed")
    return evolve(first, severity=worst, notes=notes, related=rest[:MOST_RELATED]) if rest else first


def _are_of_one_value(a: Diagnostic, b: Diagnostic) -> bool:
    """Whether two findings at one node are about the same operand, or one is about what the node computes."""
    values = {o.value for o in a.operands if o.value}
    others = {o.value for o in b.operands if o.value}
    about_output = codes.DECLARED_SHAPE_MISMATCH, codes.DECLARED_TYPE_MISMATCH, codes.LABEL_CONFLICT
    return not values or not others or bool(values & others) or a.code in about_output or b.code in about_output


def _sizes(diagnostic: Diagnostic) -> frozenset[object]:
    return frozenset(o.dim for o in diagnostic.operands)


def _node_of(place: NodeRef | None) -> _Node | None:
    return None if place is None or place.index < 0 else (place.graph, place.index)


def _origins(origins: Origins, operand: Operand) -> Iterator[tuple[str, int | None]]:
    """Yield the axes that an operand's dim came through; through a Reshape, the axes of the same size."""
    if operand.value and operand.axis is None:
        yield operand.value, None
    pending = [(operand.value, operand.axis)] if operand.value and operand.axis is not None else []
    for _ in range(MOST_RESHAPES):
        if not pending:
            return
        steps = origins.axes(*pending.pop())
        yield from steps
        name, axis = steps[-1]
        producer = origins.producer(name)
        if producer is not None and producer[1].call.op_type == "Reshape" and producer[1].inputs:
            source, fact = producer[1].inputs[0], origins.scope.fact
            size = _dims(fact(name))[axis : axis + 1]
            pending += [(source, i) for i, d in enumerate(_dims(fact(source))) if (d,) == size]


def _dims(fact: Fact) -> Shape:
    return (fact.shape or ()) if isinstance(fact, Tensor) else ()
