"""Keep the facts of a graph true while its nodes are replaced.

Nearly all nodes only hand on facts: their outputs follow from their inputs. After an edit these are
followed from the first changed one to where the facts are the old ones again. A few nodes do more: they teach the
solver, create fresh symbols or report something, and what follows them in the graph may depend on that in ways that
no value shows. Where an edit reaches one of those, the whole graph is inferred again.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import define, field

from shapeinfer.dims import Dim, Size
from shapeinfer.facts import Fact
from shapeinfer.graph import Graph, Node
from shapeinfer.graph.order import captured
from shapeinfer.infer.constraints.caller import Constraints
from shapeinfer.infer.constraints.solver import Solver
from shapeinfer.infer.driver import Run
from shapeinfer.infer.result import Result, enter_body, finished, passes
from shapeinfer.infer.scope import Scope
from shapeinfer.ops.call import Outcome, infer_call

Changes: TypeAlias = "dict[str, Fact | None]"
"""Values with what is known of them now, None for those that are no more."""


class _Trace:
    """At which nodes of the main graph a pass did more than hand on facts, and what it learned there."""

    def __init__(self) -> None:
        self.touched: set[Node] = set()
        self.lessons: list[tuple[Node, Mapping[Dim, Size]]] = []
        """What was known after each node that taught something."""
        self.first: Mapping[Dim, Size] = {}
        self.is_local = True
        """Whether the facts of each value hang on nothing behind the node that computes it."""

    def started(self, known: Mapping[Dim, Size]) -> None:
        self.first = dict(known)

    def acted(self, node: Node, known: Mapping[Dim, Size]) -> None:
        self.touched.add(node)
        if known != (self.lessons[-1][1] if self.lessons else self.first):
            self.lessons.append((node, dict(known)))

    def looked_ahead(self) -> None:
        self.is_local = False


@define
class Incremental:
    """A graph of which the facts are those that a fresh inference would find, whatever became of its nodes.

    ``graph.nodes`` and ``graph.initializers`` change with each edit, and so do the scopes of ``result``.
    """

    graph: Graph
    given: Constraints
    result: Result = field(init=False)
    nodes: list[Node] = field(init=False)
    initializers: dict[str, Fact] = field(init=False)
    values: dict[str, Fact] = field(init=False)
    """What is known of each value of the main graph but the initializers, in its final form."""
    _passes: list[tuple[_Trace, Scope]] = field(init=False)
    _places: dict[Node, float] = field(init=False)
    """Numbers that grow in the order of the nodes."""
    _producers: dict[str, Node] = field(init=False)
    _readers: dict[str, set[Node]] = field(init=False)
    _in_order: bool = field(init=False)
    """Whether each value is computed once and before it is read."""
    _outcomes: dict[tuple[object, ...], Outcome] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.nodes = self.graph.nodes = list(self.graph.nodes)
        self.initializers = self.graph.initializers = dict(self.graph.initializers)
        self._infer()

    def index(self, value: str) -> int | None:
        """Return the index of the node that computes a value, None where none does."""
        producer = self._producers.get(value)
        return (
            None if producer is None else bisect_left(self.nodes, self._places[producer], key=self._places.__getitem__)
        )

    def replace(self, start: int, stop: int, nodes: Sequence[Node], weights: Mapping[str, Fact]) -> Changes:
        """Put nodes in the place of those from ``start`` to ``stop``, with initializers that are new or others now.

        Returns the values of which other things are known than before.
        """
        removed = self.nodes[start:stop]
        other = [name for name, fact in weights.items() if self.initializers.get(name) is not fact]
        self.nodes[start:stop] = nodes
        self.initializers.update(weights)
        followed = None
        if self._in_order:
            self._rewire(start, removed, nodes)
            if self._stays_in_order(removed, nodes):
                followed = self._followed(removed, nodes, other)
        if followed is None:
            return self._infer_anew()
        return self._kept(followed)

    def restart(self, graph: Graph) -> Changes:
        """Take another reading of the model in place of the graph, infer it, and return as ``replace`` does."""
        self.graph = graph
        self.nodes = graph.nodes = list(graph.nodes)
        self.initializers = graph.initializers = dict(graph.initializers)
        return self._infer_anew()

    def _infer(self) -> None:
        """Infer the whole graph, and note its wiring."""
        traces: list[_Trace] = []

        def start(known: Solver | None) -> Run:
            traces.append(_Trace())
            return Run(self.graph, known, enter_body, observer=traces[-1])

        found = list(passes(self.graph, self.given, start))
        self.result = finished(self.graph, self.given, *found[-1])
        self._passes = [(trace, scope) for trace, (_, scope) in zip(traces, found)]
        final = self.result.scopes[self.graph]
        self.values = {n: f for n, f in final.items() if f is not None and n not in self.initializers}
        self._outcomes.clear()
        self._places, self._producers, self._readers = {}, {}, {}
        self._number()
        for node in self.nodes:
            self._connect(node)
        defined = {"", *self.graph.inputs, *self.initializers}
        self._in_order = self._are_in_order(self.nodes) and defined.isdisjoint(self._producers)
        count = sum(1 for node in self.nodes for name in node.outputs if name)
        self._in_order &= count == len(self._producers) and all(map(self._is_defined, self.graph.outputs))

    def _infer_anew(self) -> Changes:
        before = self.values
        self._infer()
        changes: Changes = {name: fact for name, fact in self.values.items() if before.get(name) is not fact}
        return changes | {name: None for name in before if name not in self.values}

    def _kept(self, followed: Sequence[Changes]) -> Changes:
        """Take what was followed, in each pass, and return what is other of it in the final form."""
        for (_, scope), now in zip(self._passes, followed):
            _put(scope, now)
        final: Changes = {name: fact and self.result.final(fact) for name, fact in followed[-1].items()}
        values = self.result.scopes[self.graph]
        assert isinstance(values, dict), "the result of a run has dictionaries"
        _put(values, final)
        kept: Changes = {name: None if name in self.initializers else fact for name, fact in final.items()}
        changes: Changes = {name: fact for name, fact in kept.items() if self.values.get(name) is not fact}
        _put(self.values, changes)
        return changes

    # Wiring

    def _number(self) -> None:
        self._places.update((node, float(i)) for i, node in enumerate(self.nodes))

    def _connect(self, node: Node) -> None:
        self._producers.update((name, node) for name in node.outputs if name)
        for name in _mentions(node):
            self._readers.setdefault(name, set()).add(node)

    def _rewire(self, start: int, removed: Iterable[Node], added: Sequence[Node]) -> None:
        for node in removed:
            del self._places[node]
            for name in node.outputs:
                self._producers.pop(name, None)
            for name in _mentions(node):
                self._readers[name].discard(node)
        end = start + len(added)
        low = self._places[self.nodes[start - 1]] if start else -1.0
        high = self._places[self.nodes[end]] if end < len(self.nodes) else low + len(added) + 1
        for i, node in enumerate(added, 1):
            place = low + (high - low) * i / (len(added) + 1)
            if not low < place < high:
                self._number()
                break
            self._places[node] = place
        for node in added:
            self._connect(node)

    def _stays_in_order(self, removed: Iterable[Node], added: Sequence[Node]) -> bool:
        """Whether, as before, each value is computed once and before it is read."""
        computed = [name for node in added for name in node.outputs if name]
        mine = {*computed}
        before = {name for node in removed for name in node.outputs if name}
        scope, weights = self._passes[-1][1], self.initializers.keys()
        return (
            len(mine) == len(computed)
            and all(name in before or name not in scope for name in mine)
            and not any(self._readers.get(name) or name in self.graph.outputs for name in before - mine - weights)
            and self._are_in_order(added)
            and all(self._are_in_order(self._readers.get(name, ())) for name in mine)
        )

    def _are_in_order(self, nodes: Iterable[Node]) -> bool:
        return all(name == "" or self._is_defined(name, self._places[node]) for node in nodes for name in _reads(node))

    def _is_defined(self, name: str, place: float = float("inf")) -> bool:
        producer = self._producers.get(name)
        if producer is None:
            return name in self.graph.inputs or name in self.initializers
        return self._places[producer] < place

    # Following facts

    def _followed(self, removed: Iterable[Node], added: Iterable[Node], other: Iterable[str]) -> list[Changes] | None:
        """Return what is other in each pass, None where a node is reached that does more than hand on facts."""
        found = []
        for trace, scope in self._passes:
            if not trace.is_local or not trace.touched.isdisjoint(removed):
                return None
            now: Changes = {name: self.initializers[name] for name in other}
            gone = [name for node in removed for name in node.outputs if name and not self._is_defined(name)]
            if not self._follow(trace, scope, {*added, *(n for name in other for n in self._reading(name))}, now):
                return None
            found.append(now | dict.fromkeys(gone))
        return found

    def _follow(self, trace: _Trace, scope: Scope, dirty: set[Node], now: Changes) -> bool:
        """Infer nodes and those that read what is other then, in order; tell whether nothing else hangs on them."""
        waiting = [(self._places[node], id(node), node) for node in dirty]
        heapq.heapify(waiting)
        while waiting:
            place, _, node = heapq.heappop(waiting)
            dirty.discard(node)
            facts = self._known_at(trace, place, [now.get(name) or scope[name] for name in node.inputs])
            outcome = None if node in trace.touched else self._outcome(node, facts)
            if outcome is None:
                return False
            for name, fact in zip(node.outputs, outcome.facts):
                if not name or scope.get(name) is fact:
                    continue
                if name in self.graph.declared and self.graph.declared[name].fact is not fact:
                    return False
                now[name] = fact
                for reader in self._reading(name) - dirty:
                    dirty.add(reader)
                    heapq.heappush(waiting, (self._places[reader], id(reader), reader))
        return True

    def _reading(self, name: str) -> set[Node]:
        return self._readers.get(name, set())

    def _known_at(self, trace: _Trace, place: float, facts: list[Fact | None]) -> list[Fact | None]:
        """Return facts with what was learned from the nodes before a place."""
        count = bisect_left(trace.lessons, place, key=lambda lesson: self._places[lesson[0]])
        known = trace.lessons[count - 1][1] if count else trace.first
        return [fact and fact.substitute(known) for fact in facts] if known else facts

    def _outcome(self, node: Node, facts: list[Fact | None]) -> Outcome | None:
        """Return what a node gives, None where it does more than hand on facts."""
        call = node.call
        if node.graphs is not None or call.function in self.graph.functions:
            return None
        key = (call, *facts)
        outcome = self._outcomes.get(key)
        if outcome is None:
            outcome = self._outcomes[key] = infer_call(call, facts)
        return outcome if outcome.plain else None


def _put(values: dict[str, Any], changes: Changes) -> None:
    for name, fact in changes.items():
        if fact is None:
            values.pop(name, None)
        else:
            values[name] = fact


def _reads(node: Node) -> Iterable[str]:
    """What a node reads from the graph that it is in."""
    if not node.graphs:
        return node.inputs
    return [*node.inputs, *(name for inner in node.graphs.values() for name in captured(inner))]


def _mentions(node: Node) -> Iterable[str]:
    """All names that a node and those inside it read, wherever those are defined."""
    yield from node.inputs
    for inner in node.graphs.values() if node.graphs else ():
        yield from inner.outputs
        for each in inner.nodes:
            yield from _mentions(each)
