"""The symbols of a text: graphs and functions with their inputs, outputs and nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from shapeinfer.facts import Fact
from shapeinfer.report.paint import printable
from shapeinfer.text import Body, FunctionText, Name, NodeText, Placed, ValueText, Written, values_of

Kind = Literal["graph", "function", "input", "output", "initializer", "node"]


class Symbol(NamedTuple):
    """A symbol, the span of all that belongs to it and that of its name."""

    name: str
    detail: str
    kind: Kind
    span: tuple[int, int]
    name_span: tuple[int, int]
    children: tuple[Symbol, ...] = ()


def outline(written: Written) -> list[Symbol]:
    """Return the main graph and the functions, with all that is in them."""
    return [_nested(written, body, 0) for body in written.model.outermost]


def _nested(written: Written, body: Body, base: int) -> Symbol:
    facts = written.facts(body)
    nodes = [node_symbol(written, node, base, facts) for node in body.nodes]
    children = (*declared_symbols(body, base, facts), *(n for n in nodes if n is not None))
    return body_symbol(body, base)._replace(children=children)


def body_symbol(body: Body, base: int) -> Symbol:
    """Return the symbol of a graph or a function, without those inside."""
    is_function = isinstance(body, FunctionText)
    start = body.start if isinstance(body, FunctionText) else body.name.start
    name = f"{body.domain}.{body.name.text}" if isinstance(body, FunctionText) else body.name.text
    count = f"{len(body.nodes)} node{'' if len(body.nodes) == 1 else 's'}"
    return Symbol(
        printable(name) or "graph",
        count,
        "function" if is_function else "graph",
        (base + start, base + body.end),
        (base + body.name.start, base + body.name.end),
    )


def declared_symbols(body: Body, base: int, facts: Mapping[str, Fact | None]) -> Iterator[Symbol]:
    """Iterate over the inputs, outputs and initializers that a graph declares."""
    for what, value in values_of(body):
        if what != "value" or value.what.tensor is not None:
            yield _declared(what, value, base, facts)


def _declared(what: str, value: Placed[ValueText], base: int, facts: Mapping[str, Fact | None]) -> Symbol:
    at, name = base + value.at, value.what.name
    kind: Kind = "input" if what == "input" else "output" if what == "output" else "initializer"
    span = (at + name.start, at + name.end)
    return Symbol(printable(name.text) or kind, _type(facts.get(name.text)), kind, (at, at + value.what.end), span)


def node_symbol(written: Written, node: Placed[NodeText], base: int, facts: Mapping[str, Fact | None]) -> Symbol | None:
    """Return the symbol of a node with the graphs inside it, None for a broken one."""
    what, at = node.what, base + node.at
    if what.operator is None:
        return None
    first = what.named_output or what.operator
    inner = tuple([_nested(written, graph, at) for a in what.attributes for graph in a.graphs])
    detail = node_detail(what.operator.text, facts.get(first.text))
    return Symbol(
        node_name(what, first), detail, "node", (at, at + what.end), (at + first.start, at + first.end), inner
    )


def node_name(node: NodeText, first: Name) -> str:
    """Return the name of a node, or else that of its first output."""
    return printable(node.label.text if node.label and node.label.text else first.text)


def node_detail(operator: str, fact: Fact | None) -> str:
    """Return the detail of a node: its operator, and the type of its first output if it is known."""
    return printable(f"{operator}  {_type(fact)}".rstrip())


def _type(fact: Fact | None) -> str:
    return "" if fact is None else printable(fact.text)
