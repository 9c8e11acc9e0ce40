"""The semantic tokens (colours) of a whole text, serialized as they are sent.

They are requested after each edit. The protocol counts each token from the one before. So the numbers of an unchanged
node on one line are cached, and only those of its first name are replaced.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from shapeinfer.editors.highlights import KINDS, Highlight, collect_node, declared_kinds, highlights, in_order
from shapeinfer.editors.highlights import Kinds as KindsOfNames
from shapeinfer.editors.positions import Positions
from shapeinfer.text import GraphText, NodeText, Written

_ANSWERS = itertools.count(1)
"""Numbers of answers, of all texts: no two are the same."""
_NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


@frozen(eq=False)
class _Run:
    """The cached tokens of a node: the columns of its first and last name, from its start, and the numbers."""

    kinds: tuple[object, ...]
    """The kinds of its inputs."""
    first: int
    last: int
    text: str
    """The numbers from the width of the first name on."""


class Tokens:
    """Writes the semantic tokens of one text, reusing what did not change."""

    def __init__(self) -> None:
        self._runs: dict[NodeText, _Run] = {}
        self._sent: list[str] = []
        self._answer = ""

    def all(self, written: Written, positions: Positions) -> list[str]:
        """Return the SemanticTokens of a text as JSON, in pieces."""
        self._answer, self._sent = str(next(_ANSWERS)), self._pieces(written, positions)
        return [f'{{"resultId":"{self._answer}","data":[', *_listed(self._sent), "]}"]

    def changes(self, since: str, written: Written, positions: Positions) -> list[str]:
        """Return the SemanticTokensDelta since an answer, as JSON in pieces; all tokens unless it was the last one."""
        before = self._sent
        if since != self._answer:
            return self.all(written, positions)
        self._answer, self._sent = str(next(_ANSWERS)), self._pieces(written, positions)
        most = min(len(before), len(self._sent))
        first = _same(zip(before, self._sent))
        last = min(_same(zip(reversed(before), reversed(self._sent))), most - first)
        old, new = before[first : len(before) - last], self._sent[first : len(self._sent) - last]
        if not old and not new:
            return [f'{{"resultId":"{self._answer}","edits":[]}}']
        start, gone = (sum(piece.count(",") for piece in pieces) for pieces in (before[:first], old))
        edit = f'"edits":[{{"start":{start},"deleteCount":{gone},"data":['
        return [f'{{"resultId":"{self._answer}",{edit}', *_listed(new), "]}]}"]

    def _pieces(self, written: Written, positions: Positions) -> list[str]:
        """Return the numbers of all tokens in pieces, each number behind a comma."""
        graph = written.model.graph
        numbers = _Numbers(positions)
        if graph is None:
            pieces = [numbers.of(highlights(written))]
        else:
            pieces = [numbers.of(highlights(written, 0, graph.opens))]
            pieces += self._nodes(written, graph, numbers)
            pieces.append(numbers.of(highlights(written, graph.end)))
        return [piece for piece in pieces if piece]

    def _nodes(self, written: Written, graph: GraphText, numbers: _Numbers) -> Iterator[str]:
        known, self._runs = self._runs, {}
        kinds, text = declared_kinds(written.text, graph), written.text
        own = kinds.maps[0]
        lines = numbers.positions.plain_lines([(n.at, n.at + n.what.end) for n in graph.nodes])
        for placed, (line, start) in zip(graph.nodes, lines):
            node, at = placed.what, placed.at
            if line < 0 or any(a.graphs for a in node.attributes):
                yield numbers.of(_names(text, node, at, kinds))
                continue
            for name in node.outputs:
                own.pop(name.text, None)
            of_inputs = tuple([own.get(name.text) for name in node.inputs])
            run = known.get(node)
            if run is None or run.kinds != of_inputs:
                run = _run(of_inputs, _names(text, node, at, kinds), at)
                for name in node.outputs:
                    own.pop(name.text, None)
            self._runs[node] = run
            if run.text:
                yield numbers.next(line, at - start + run.first) + run.text
                numbers.column = at - start + run.last


def _listed(pieces: Sequence[str]) -> list[str]:
    """Return pieces without the comma before the first number."""
    return [*(first[1:] for first in pieces[:1]), *pieces[1:]]


def _same(pairs: Iterable[tuple[str, str]]) -> int:
    """Return how many of the first pairs are of equal texts."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _names(text: str, node: NodeText, at: int, kinds: KindsOfNames) -> list[Highlight]:
    found: list[Highlight] = []
    collect_node(text, node, at, kinds, (at, at + node.end), found)
    return in_order(text, found)


def _run(kinds: tuple[object, ...], names: list[Highlight], at: int) -> _Run:
    """Return the tokens of a node on a line where each column is one character."""
    if not names:
        return _Run(kinds, 0, 0, "")
    pieces, before = [], names[0].start
    for name in names:
        pieces.append(f",0,{name.start - before},{name.end - name.start},{_NUMBERS[name.kind]},{_modifiers(name)}")
        before = name.start
    return _Run(kinds, names[0].start - at, before - at, "".join(pieces).removeprefix(",0,0"))


def _modifiers(name: Highlight) -> int:
    return name.declares | name.readonly << 1


class _Numbers:
    """Encodes names as numbers relative to the name before."""

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.line = self.column = 0

    def next(self, line: int, column: int) -> str:
        """Move to a place, and return the line and column deltas that lead there."""
        passed, before = line - self.line, self.column
        self.line, self.column = line, column
        return f",{passed},{column if passed else column - before}"

    def of(self, names: Iterable[Highlight]) -> str:
        """Return the numbers of names that follow each other, each behind a comma."""
        return "".join(
            f"{self.next(*self.positions.of(name.start))},{self.positions.width(name.start, name.end)}"
            f",{_NUMBERS[name.kind]},{_modifiers(name)}"
            for name in names
        )
