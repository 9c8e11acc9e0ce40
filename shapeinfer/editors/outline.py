"""The symbols of a text: graphs and functions with their inputs, outputs and nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from shapeinfer.facts import Fact
from shapeinfer.report.paint import printable
from shapeinfer.text import Body, FunctionText, NodeText, Placed, ValueText, Written, values_of

Kind = Literal["graph", "function", "input", "output", "initializer", "node"]


class Symbol(NamedTuple):
    """A symbol, the span of all that belongs to it and that of its name."""

    name: str
    detail: str
    kind: Kind
    span: tuple[int, int]
    name_span: tuple[int, int]
    children: tuple[Symbol, ...] = ()


_Types: TypeAlias = "dict[tuple[str, Fact | None], str]"
"""The details of nodes by operator and fact; a large text has few different ones."""


def outline(written: Written) -> list[Symbol]:
    """Return the main graph and the functions, with all that is in them."""
    types: _Types = {}
    return [_body(written, body, 0, types) for body in written.model.outermost]


def _body(written: Written, body: Body, base: int, types: _Types) -> Symbol:
    facts = written.facts(body)
    children = [_declared(what, value, base, facts) for what, value in values_of(body)]
    children += [_node(written, node, base, facts, types) for node in body.nodes]
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
        tuple([c for c in children if c is not None]),
    )


def _declared(what: str, value: Placed[ValueText], base: int, facts: Mapping[str, Fact | None]) -> Symbol | None:
    if what == "value" and value.what.tensor is None:
        return None
    at, name = base + value.at, value.what.name
    kind: Kind = "input" if what == "input" else "output" if what == "output" else "initializer"
    span = (at + name.start, at + name.end)
    return Symbol(printable(name.text) or kind, _type(facts, name.text), kind, (at, at + value.what.end), span)


def _node(
    written: Written, node: Placed[NodeText], base: int, facts: Mapping[str, Fact | None], types: _Types
) -> Symbol | None:
    what, at = node.what, base + node.at
    if what.operator is None:
        return None
    first = next((o for o in what.outputs if o.text), what.operator)
    inner = tuple([_body(written, graph, at, types) for a in what.attributes for graph in a.graphs])
    key = (what.operator.text, facts.get(first.text))
    detail = types.get(key)
    if detail is None:
        detail = types[key] = printable(f"{what.operator.text}  {_type(facts, first.text)}".rstrip())
    name = printable(what.label.text if what.label and what.label.text else first.text)
    return Symbol(name, detail, "node", (at, at + what.end), (at + first.start, at + first.end), inner)


def _type(facts: Mapping[str, Fact | None], name: str) -> str:
    fact = facts.get(name)
    return "" if fact is None else printable(fact.text)
