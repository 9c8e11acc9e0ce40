"""Put the nodes of a graph whose order is wrong into one that works, and say what cannot be mended."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence

from attrs import frozen

from shapeinfer.diagnostics import codes
from shapeinfer.diagnostics.codes import Code
from shapeinfer.diagnostics.nearest import did_you_mean
from shapeinfer.graph.graph import Graph

MOST_HINTS = 8
"""For more undefined values no similar name is looked for."""


@frozen(repr=False)
class Fault:
    """A node that reads what is not there when it runs."""

    node: int
    code: Code
    message: str


@frozen(repr=False)
class Order:
    """The nodes in an order that works."""

    nodes: Sequence[int]
    faults: tuple[Fault, ...]
    circular: frozenset[str]
    """Values on a cycle: computed only after they are read, in any order."""
    undefined: frozenset[str]
    """Undefined values: nothing computes them, here or so far in an enclosing graph."""


def sort(graph: Graph, outside: Callable[[str], bool], *, hints: bool = False) -> Order:
    """Sort nodes by what they read, keeping their order where it works. ``outside`` knows names from without.

    With ``hints`` the first undefined values are named with the nearest name that the graph defines.
    """
    makers: dict[str, int] = {}
    for i, node in enumerate(graph.nodes):
        for name in node.outputs:
            makers.setdefault(name, i)
    faults: list[Fault] = []
    circular: set[str] = set()
    undefined: dict[str, str] = {}
    names = {**dict.fromkeys(graph.inputs), **dict.fromkeys(graph.initializers), **makers}
    needs: list[set[int]] = []
    for i in range(len(graph.nodes)):
        needs.append(set())
        for name in dict.fromkeys(reads(graph, i)):
            maker = makers.get(name)
            if maker is not None and maker != i:
                needs[i].add(maker)
            if maker == i:
                faults.append(Fault(i, codes.CYCLE, f"the node reads its own output {name}"))
                circular.add(name)
            elif maker is None and name and not outside(name):
                near = _near(name, names, undefined, MOST_HINTS if hints else 0)
                faults.append(Fault(i, codes.UNDEFINED_VALUE, f"undefined value {name}{near}"))
    order, stuck = _layers(needs)
    for ring in _rings(needs, stuck):
        late = next(n for n in reads(graph, ring[0]) if makers.get(n) == ring[1 % len(ring)])
        through = " and ".join(f"node {i}" for i in ring[1:])
        faults.append(
            Fault(
                ring[0], codes.CYCLE, f"the node reads {late}, which depends on the node's own output through {through}"
            )
        )
    # Cycles share nodes and only one is reported: any remaining node may read what a later one computes.
    circular.update(name for i in stuck for name in graph.nodes[i].outputs)
    place = {node: at for at, node in enumerate([*order, *stuck])}
    for i in order:
        for name in reads(graph, i):
            maker = makers.get(name)
            if maker is not None and maker > i and place[maker] < place[i]:
                message = f"the node reads {name} before node {maker} computes it; sort the nodes topologically"
                faults.append(Fault(i, codes.USED_BEFORE_MADE, message))
    faults.sort(key=lambda f: f.node)
    return Order([*order, *stuck], tuple(faults), frozenset(circular), frozenset(undefined))


def _near(name: str, names: Collection[str], undefined: dict[str, str], most: int) -> str:
    """Return the hint for an undefined value. It looks at all names, so each value has one, however many read it."""
    if name not in undefined:
        undefined[name] = did_you_mean(name, names) if len(undefined) < most else ""
    return undefined[name]


def reads(graph: Graph, index: int) -> list[str]:
    """Return what a node reads: its inputs, and what its subgraphs capture."""
    node = graph.nodes[index]
    names = [n for n in node.inputs if n]
    for inner in (node.graphs or {}).values():
        names += captured(inner)
    return names


def captured(graph: Graph) -> list[str]:
    """Return the names that a subgraph reads and does not make, in order."""
    own = {*graph.inputs, *graph.initializers, *(o for n in graph.nodes for o in n.outputs)}
    names = dict.fromkeys(n for i in range(len(graph.nodes)) for n in reads(graph, i) if n not in own)
    names.update(dict.fromkeys(o for o in graph.outputs if o not in own))
    return list(names)


def _rings(needs: list[set[int]], stuck: list[int]) -> list[list[int]]:
    """Return one cycle for each group of nodes that wait for each other, from its first node on."""
    left, rings = set(stuck), []
    for first in sorted(stuck):
        if first not in left:
            continue
        path, places = [first], {first: 0}
        while (after := min(needs[path[-1]] & left, default=None)) is not None and after not in places:
            places[after] = len(path)
            path.append(after)
        if after is not None:
            ring = path[places[after] :]
            least = ring.index(min(ring))
            rings.append(ring[least:] + ring[:least])
        left.difference_update(path)
    return rings


def _layers(needs: list[set[int]]) -> tuple[list[int], list[int]]:
    """Return the nodes in the earliest order that works, and those left over."""
    users: list[list[int]] = [[] for _ in needs]
    open_needs = [len(n) for n in needs]
    for i, required in enumerate(needs):
        for maker in required:
            users[maker].append(i)
    ready = [i for i, n in enumerate(open_needs) if n == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        i = heapq.heappop(ready)
        order.append(i)
        for user in users[i]:
            open_needs[user] -= 1
            if open_needs[user] == 0:
                heapq.heappush(ready, user)
    placed = set(order)
    return order, [i for i in range(len(needs)) if i not in placed]
