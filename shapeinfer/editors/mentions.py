"""Where values and dims are named, and which of them is meant."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from shapeinfer.text import Body, FunctionText, GraphText, Name, Placed, TypeText, Written, values_of


class Mention(NamedTuple):
    """A name of a value: its position, the value, and whether it is the definition."""

    start: int
    end: int
    name: str
    home: int | None
    """The number of the graph that defines the value, None for an undefined one."""
    makes: bool
    kind: str
    """What defines the value: ``input``, ``initializer``, ``node``, or unknown."""


_known: WeakKeyDictionary[Written, list[Mention]] = WeakKeyDictionary()
"""Those of the texts that are open."""


def mentions(written: Written) -> list[Mention]:
    """Return every name of a value in a text, in the order of their places."""
    found = _known.get(written)
    if found is None:
        found = []
        homes: list[dict[str, str]] = []
        for body in written.model.outermost:
            _collect(body, 0, (), homes, found)
        found.sort()
        _known[written] = found
    return found


_Scopes = tuple[tuple[int, dict[str, str]], ...]


def _collect(body: Body, base: int, outer: _Scopes, homes: list[dict[str, str]], found: list[Mention]) -> None:
    """Collect the names of a graph and of those inside it."""
    made = _definitions(body)
    scopes = ((len(homes), made), *outer)
    homes.append(made)

    def mention(name: Name, at: int, makes: bool) -> None:
        if name.text:
            home, kind = next(((i, scope[name.text]) for i, scope in scopes if name.text in scope), (None, ""))
            found.append(Mention(name.start + at, name.end + at, name.text, home, makes, kind))

    for name in body.inputs if isinstance(body, FunctionText) else ():
        mention(name, base, True)
    for name in body.outputs if isinstance(body, FunctionText) else ():
        mention(name, base, False)
    for what, value in values_of(body):
        makes = what == "input" or (what == "value" and value.what.tensor is not None)
        mention(value.what.name, base + value.at, makes)
    for node in body.nodes:
        at = base + node.at
        for name in node.what.outputs:
            mention(name, at, True)
        for name in node.what.inputs:
            mention(name, at, False)
        for attribute in node.what.attributes:
            for inner in attribute.graphs:
                _collect(inner, at, scopes, homes, found)


def _definitions(body: Body) -> dict[str, str]:
    """What defines each value of a graph."""
    made = {o.text: "node" for node in body.nodes for o in node.what.outputs if o.text}
    if isinstance(body, FunctionText):
        return made | {n.text: "input" for n in body.inputs}
    made |= {v.what.name.text: "initializer" for v in body.values if v.what.tensor is not None}
    return made | {v.what.name.text: "input" for v in body.inputs}


def mention_at(written: Written, at: int) -> Mention | None:
    """Return the name of a value that a place lies in or behind."""
    found = mentions(written)
    index = bisect_right(found, at, key=lambda m: m.start) - 1
    return found[index] if index >= 0 and at <= found[index].end else None


def mentions_of_value(written: Written, mention: Mention) -> list[Mention]:
    """Return all mentions of the value of a mention."""
    return [m for m in mentions(written) if (m.home, m.name) == (mention.home, mention.name)]


def definition(written: Written, at: int) -> list[Mention]:
    """Return the definition of the value named at a position."""
    mention = mention_at(written, at)
    return [] if mention is None else [m for m in mentions_of_value(written, mention) if m.makes]


def references(written: Written, at: int, *, with_definition: bool = True) -> list[Mention]:
    """Return all mentions of the value named at a position."""
    mention = mention_at(written, at)
    return [] if mention is None else [m for m in mentions_of_value(written, mention) if with_definition or not m.makes]


def types_in(written: Written) -> Iterator[tuple[int, TypeText]]:
    """Iterate over the types that graphs declare, each with the place from which its spans count."""
    for base, body in written.model.bodies():
        if isinstance(body, GraphText):
            for _, value in values_of(body):
                if value.what.type is not None:
                    yield base + value.at, value.what.type


def dims(written: Written) -> list[Placed[Name]]:
    """Return every name of a dim with its place in the text."""
    return [Placed(at + name.start, name) for at, type_ in types_in(written) for name in type_.dims]


def dim_at(written: Written, at: int) -> Placed[Name] | None:
    """Return the name of a dim that a place lies in or behind."""
    return next((d for d in dims(written) if d.at <= at <= d.at + d.what.end - d.what.start), None)


def occurrences(written: Written, at: int) -> list[tuple[int, int]]:
    """Return the spans to rename together with the name at a position; empty if there is no name."""
    dim = dim_at(written, at)
    if dim is not None:
        alike = [d for d in dims(written) if d.what.text == dim.what.text]
        return [(d.at, d.at + d.what.end - d.what.start) for d in alike]
    return [(m.start, m.end) for m in references(written, at)]
