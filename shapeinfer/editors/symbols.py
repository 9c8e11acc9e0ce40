"""The outline of a text in the form in which it is sent.

It is asked for after each edit, and long. So a node that is as it was keeps its text, in which only the line is put in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from json.encoder import encode_basestring_ascii as quoted
from typing import NamedTuple

from lsprotocol.types import SymbolKind

from shapeinfer.editors.outline import Symbol, body_symbol, declared_symbols, node_detail, node_name, node_symbol
from shapeinfer.editors.positions import Positions
from shapeinfer.facts import Fact
from shapeinfer.text import Body, Name, NodeText, Written

_LINE = "\0"
"""Stands for the number of the line; in names it is escaped."""
_KINDS = {
    "graph": SymbolKind.Class.value,
    "function": SymbolKind.Function.value,
    "input": SymbolKind.Field.value,
    "output": SymbolKind.Property.value,
    "initializer": SymbolKind.Constant.value,
    "node": SymbolKind.Variable.value,
}


class _Line(NamedTuple):
    """What was written of a node that stands in one line, before and behind its detail, which its fact decides."""

    column: int
    output: str
    operator: str
    before: str
    behind: str


class Symbols:
    """Writes the outline of one text again and again."""

    def __init__(self) -> None:
        self._lines: dict[NodeText, _Line] = {}

    def text(self, written: Written, positions: Positions) -> str:
        """Return the symbols of a text, DocumentSymbols as JSON."""
        known, self._lines = self._lines, {}
        return f"[{','.join([self._body(written, body, positions, known) for body in written.model.outermost])}]"

    def _body(self, written: Written, body: Body, positions: Positions, known: dict[NodeText, _Line]) -> str:
        place = _places(positions)
        inside = [_text(symbol, place) for symbol in declared_symbols(body, 0, written.facts(body))]
        inside += self._nodes(written, body, positions, known)
        return _text(body_symbol(body, 0), place, ",".join(inside))

    def _nodes(self, written: Written, body: Body, positions: Positions, known: dict[NodeText, _Line]) -> Iterator[str]:
        facts, kept = written.facts(body), self._lines
        details: dict[tuple[str, Fact | None], str] = {}
        """A large text has few different ones."""
        for placed in body.nodes:
            node, at = placed.what, placed.at
            number, start = positions.plain_line(at, at + node.end) or (-1, 0)
            line = known.get(node)
            if line is None or line.column != at - start or number < 0:
                if number < 0 or any(a.graphs for a in node.attributes):
                    symbol = node_symbol(written, placed, 0, facts)
                    if symbol is not None:
                        yield _text(symbol, _places(positions))
                    continue
                if node.operator is None:
                    continue
                line = _line(node, node.operator, at - start)
            kept[node] = line
            key = (line.operator, facts.get(line.output))
            detail = details.get(key)
            if detail is None:
                detail = details[key] = quoted(node_detail(*key))
            yield line.before + detail + line.behind.replace(_LINE, str(number))


def _line(node: NodeText, operator: Name, column: int) -> _Line:
    named, end = node.named_output or operator, column + node.end
    first, last = column + named.start, column + named.end
    before = f'{{"name":{quoted(node_name(node, named) or "?")},"detail":'
    behind = (
        f',"kind":{_KINDS["node"]},"range":{{"start":{{"line":{_LINE},"character":{column}}},'
        f'"end":{{"line":{_LINE},"character":{end}}}}},"selectionRange":{{"start":{{"line":{_LINE},'
        f'"character":{first}}},"end":{{"line":{_LINE},"character":{last}}}}},"children":[]}}'
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
