"""Semantic tokens, for syntax highlighting."""

from __future__ import annotations

from bisect import bisect_left
from collections import ChainMap
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from shapeinfer.text import Body, FunctionText, NodeText, Written, values_of

Kind = Literal["function", "variable", "parameter", "property", "type", "typeParameter", "class", "label"]
KINDS: tuple[Kind, ...] = ("function", "variable", "parameter", "property", "type", "typeParameter", "class", "label")
_VARIABLE: tuple[Kind, bool] = ("variable", False)
MODIFIERS = ("declaration", "readonly")


class Highlight(NamedTuple):
    """A name and what it is; one that is ``readonly`` never changes, as an initializer."""

    start: int
    end: int
    kind: Kind
    declares: bool = False
    readonly: bool = False


def highlights(written: Written, start: int = 0, end: int | None = None) -> list[Highlight]:
    """Return the names between two places, in order; none of them overlaps another or goes over a line."""
    text, last = written.text, len(written.text) if end is None else end
    found = [Highlight(e.key.start, e.key.end, "property") for e in written.model.header]
    for body in written.model.outermost:
        _collect(text, body, 0, ChainMap(), (start, last), found)
    return [h for h in in_order(text, found) if start < h.end and h.start < last]


def in_order(text: str, found: Iterable[Highlight]) -> list[Highlight]:
    """Return the highlights that are not empty and lie on one line, in order."""
    return [h for h in sorted(set(found)) if h.start < h.end and "\n" not in text[h.start : h.end]]


Kinds: TypeAlias = "ChainMap[str, tuple[Kind, bool]]"
"""The kinds of the names of values, innermost graphs first; names that are missing are variables."""


def declared_kinds(text: str, body: Body) -> Kinds:
    """Return the kinds of the inputs and initializers of an outermost graph."""
    return ChainMap(_declared(text, body, 0, []))


def _collect(text: str, body: Body, base: int, outer: Kinds, span: tuple[int, int], found: list[Highlight]) -> None:
    """Collect the names of a graph, and of those inside it, as far as they lie between two places."""
    kinds = outer.new_child(_declared(text, body, base, found))  # those outside are never copied, however many
    start, end = span
    first = max(bisect_left(body.nodes, start - base, key=lambda n: n.at) - 1, 0)
    for node in body.nodes[first:]:
        at, what = base + node.at, node.what
        if at > end:
            return
        collect_node(text, what, at, kinds, span, found)


def collect_node(
    text: str, node: NodeText, at: int, kinds: Kinds, span: tuple[int, int], found: list[Highlight]
) -> None:
    """Collect the names of a node at a place; its outputs are variables from there on."""
    for name in node.outputs:
        found.append(Highlight(name.start + at, name.end + at, "variable", declares=True))
        kinds[name.text] = _VARIABLE
    for name in node.inputs:
        kind, readonly = kinds.get(name.text, _VARIABLE)
        found.append(Highlight(name.start + at, name.end + at, kind, False, readonly))
    if node.label is not None:
        found.append(Highlight(at + node.label.start, at + node.label.end, "label"))
    if node.operator is not None:
        found.append(Highlight(at + node.operator.start, at + node.operator.end, "function"))
    for attribute in node.attributes:
        found.append(Highlight(at + attribute.name.start, at + attribute.name.end, "property"))
        for inner in attribute.graphs:
            _collect(text, inner, at, kinds, span, found)


def _declared(text: str, body: Body, base: int, found: list[Highlight]) -> dict[str, tuple[Kind, bool]]:
    """Collect the names that a graph declares before its nodes; return what its inputs and initializers are."""
    is_function = isinstance(body, FunctionText)
    head: Kind = "function" if is_function else "class"
    found.append(Highlight(base + body.name.start, base + body.name.end, head, declares=True))
    kinds: dict[str, tuple[Kind, bool]] = {}
    if isinstance(body, FunctionText):
        kinds = {n.text: ("parameter", False) for n in body.inputs}
        found += [Highlight(n.start, n.end, "parameter", declares=True) for n in body.inputs]
        found += [Highlight(n.start, n.end, "variable") for n in body.outputs]
    for what, placed in values_of(body):
        at, value = base + placed.at, placed.what
        stored = what == "value" and value.tensor is not None
        kind: Kind = "parameter" if what == "input" else "variable"
        found.append(Highlight(at + value.name.start, at + value.name.end, kind, stored or what == "input", stored))
        if stored or what == "input":
            kinds[value.name.text] = (kind, stored)
        if value.type is not None:
            word = at + value.type.start
            found.append(Highlight(word, word + _length(text, word), "type"))
            found += [Highlight(at + dim.start, at + dim.end, "typeParameter") for dim in value.type.dims]
    return kinds


def _length(text: str, at: int) -> int:
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return end - at
