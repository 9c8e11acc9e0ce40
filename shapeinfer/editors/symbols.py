"""The outline of a text, serialized as it is sent.

It is long and requested after each edit. So the JSON of an unchanged node is cached, and only its line number replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from json.encoder import encode_basestring_ascii as quoted
from sys import intern

from attrs import define

from shapeinfer.editors.outline import Symbol, body_symbol, declared_symbols, node_detail, node_name, node_symbol
from shapeinfer.editors.positions import Positions
from shapeinfer.facts import Fact
from shapeinfer.text import Body, Name, NodeText, Written

_INSIDE = "\0"
"""The placeholder of a symbol's children in its JSON; it cannot occur in names, where it is escaped."""
_KINDS = {"graph": 5, "function": 12, "input": 8, "output": 7, "initializer": 14, "node": 13}
"""Numbers of the protocol's ``SymbolKind``: Class, Function, Field, Property, Constant and Variable."""


@define(eq=False)
class _Line:
    """The cached JSON of a node that is on one line."""

    column: int
    output: str
    operator: str
    before: str
    """The JSON before the detail, which depends on the type of the output."""
    behind: tuple[str, ...]
    """The parts of the JSON after it, to be joined by the line number."""
    detail: str = ""
    number: int = -1
    text: str = ""
    """The JSON with that detail and line number."""


class Symbols:
    """Writes the outline of one text, reusing what did not change."""

    def __init__(self) -> None:
        self._lines: dict[NodeText, _Line] = {}

    def parts(self, written: Written, positions: Positions) -> list[str]:
        """Return the symbols of a text, DocumentSymbols as JSON, in pieces: together they are long."""
        known, self._lines = self._lines, {}
        place = _places(positions)
        pieces = ["["]
        for body in written.model.outermost:
            start, end = _text(body_symbol(body, 0), place, _INSIDE).split(_INSIDE)
            inside = [f",{_text(symbol, place)}" for symbol in declared_symbols(body, 0, written.facts(body))]
            inside += self._nodes(written, body, positions, known)
            pieces += ["," if len(pieces) > 1 else "", start, *(first[1:] for first in inside[:1]), *inside[1:], end]
        return [*pieces, "]"]

    def _nodes(self, written: Written, body: Body, positions: Positions, known: dict[NodeText, _Line]) -> Iterator[str]:
        facts, kept = written.facts(body), self._lines
        details: dict[tuple[str, Fact | None], str] = {}
        lines = positions.plain_lines([(placed.at, placed.at + placed.what.end) for placed in body.nodes])
        for placed, (number, start) in zip(body.nodes, lines):
            node, at = placed.what, placed.at
            line = known.get(node)
            if line is None or line.column != at - start or number < 0:
                if number < 0 or any(a.graphs for a in node.attributes):
                    symbol = node_symbol(written, placed, 0, facts)
                    if symbol is not None:
                        yield f",{_text(symbol, _places(positions))}"
                    continue
                if node.operator is None:
                    continue
                line = _line(node, node.operator, at - start)
            kept[node] = line
            key = (line.operator, facts.get(line.output))
            detail = details.get(key)
            if detail is None:
                detail = details[key] = intern(quoted(node_detail(*key)))
            if line.number != number or line.detail is not detail:
                line.detail, line.number = detail, number
                line.text = line.before + detail + str(number).join(line.behind)
            yield line.text


def _line(node: NodeText, operator: Name, column: int) -> _Line:
    named, end = node.named_output or operator, column + node.end
    first, last = column + named.start, column + named.end
    before = f',{{"name":{quoted(node_name(node, named) or "?")},"detail":'
    behind = (
        f',"kind":{_KINDS["node"]},"range":{{"start":{{"line":',
        f',"character":{column}}},"end":{{"line":',
        f',"character":{end}}}}},"selectionRange":{{"start":{{"line":',
        f',"character":{first}}},"end":{{"line":',
        f',"character":{last}}}}},"children":[]}}',
    )
    return _Line(column, named.text, operator.text, before, behind)


def _places(positions: Positions) -> Callable[[int], str]:
    def place(at: int) -> str:
        line, column = positions.of(at)
        return f'{{"line":{line},"character":{column}}}'

    return place


def _text(symbol: Symbol, place: Callable[[int], str], inside: str = "") -> str:
    """Return a symbol as JSON, with the text of those ``inside`` or else its children."""
    start, end = map(place, symbol.span)
    first, last = map(place, symbol.name_span)
    return (
        f'{{"name":{quoted(symbol.name or "?")},"detail":{quoted(symbol.detail)},"kind":{_KINDS[symbol.kind]},'
        f'"range":{{"start":{start},"end":{end}}},"selectionRange":{{"start":{first},"end":{last}}},'
        f'"children":[{inside or ",".join([_text(child, place) for child in symbol.children])}]}}'
    )
