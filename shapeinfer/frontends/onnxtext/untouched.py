"""The statements that an edit of a text left untouched: those before it and those behind it need not be read again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from attrs import field, frozen

from shapeinfer.frontends.onnxtext.tree import GraphText, ModelText, NodeText, Placed


@frozen(eq=False)
class Untouched:
    """The nodes of an earlier main graph, seen from a text that came of it by an edit."""

    before: tuple[Placed[NodeText], ...] = ()
    """The nodes before the edit."""
    resume: int = 0
    """Where the first statement after them starts."""
    behind: Sequence[Placed[NodeText]] = ()
    """The nodes behind the edit; they stand ``moved`` characters later now, and their list ends at ``end``."""
    moved: int = 0
    end: int = 0
    others: dict[str, object] = field(factory=dict)
    """The statements between, and those inside them, by their text."""

    def rest(self, at: int) -> tuple[Placed[NodeText], ...] | None:
        """Return all nodes from the one that starts at a place, None unless one behind the edit does."""
        if not self.behind or at < self.behind[0].at + self.moved:
            return None
        index = bisect_left(self.behind, at - self.moved, key=lambda n: n.at)
        if index == len(self.behind) or self.behind[index].at != at - self.moved:
            return None
        left = self.behind[index:]
        return tuple(left if not self.moved else [Placed(n.at + self.moved, n.what) for n in left])


def untouched(text: str, opens: int, earlier: ModelText | None) -> Untouched:
    """Return what is left of an earlier text's main graph in a text whose list of nodes opens at a place.

    How a broken statement is stepped over depends on the text behind it, and what is wrong with it is to be reported
    again: it is read again, as is what lies between it and the edit.
    """
    graph = None if earlier is None else earlier.graph
    if earlier is None or graph is None:
        return Untouched()
    old, nodes, broken = earlier.text, graph.nodes, list(_broken(earlier, graph))
    first, last = 0, len(nodes)
    same = _common_prefix(old, text)
    if graph.opens == opens:
        # A statement ends where the next begins: more attributes may follow behind its inputs.
        first = max(bisect_left(nodes, min(same, *broken, len(old)), key=lambda n: n.at) - 1, 0)
    if graph.opens not in broken:
        changed = len(old) - _common_suffix(old, text, min(len(old), len(text)) - same)
        last = max(bisect_left(nodes, max(changed, *(at + 1 for at in broken), 0), key=lambda n: n.at), first)
    others: dict[str, object] = dict(_statements(old, nodes[first:last], 0))
    moved = len(text) - len(old)
    resume = nodes[first].at if first else 0
    return Untouched(nodes[:first], resume, nodes[last:], moved, graph.end + moved, others)


def _broken(earlier: ModelText, graph: GraphText) -> Iterator[int]:
    """Places of what is wrong in a graph: that of its list of nodes if it is never closed, and those of statements."""
    faults = [fault.start for fault in earlier.faults if fault.start >= graph.opens]
    if faults:
        yield from faults
        # What is wrong with a graph inside a statement may have been noticed far behind it.
        yield from (n.at for n in graph.nodes if n.what.proto is None or any(a.graphs for a in n.what.attributes))


def _statements(text: str, nodes: Sequence[Placed[NodeText]], base: int) -> Iterator[tuple[str, NodeText]]:
    """Statements by their text, those of the graphs inside them too."""
    for placed in nodes:
        at, node = base + placed.at, placed.what
        if node.proto is not None:
            yield text[at : at + node.end], node
        for attribute in node.attributes:
            for graph in attribute.graphs:
                yield from _statements(text, graph.nodes, at)


def _common_prefix(a: str, b: str) -> int:
    """Return how many characters two texts begin with in common."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(a: str, b: str, most: int) -> int:
    """Return how many characters two texts end with in common, no more than ``most``."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low
