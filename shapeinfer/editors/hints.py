"""Inlay hints: the type of each value after the name that defines it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from shapeinfer.facts import UNKNOWN, Fact, Tensor
from shapeinfer.report.paint import printable
from shapeinfer.text import Body, GraphText, NodeText, Written, values_of

LONGEST = 60
"""Types longer than this are cut short; the tooltip has them whole."""


class Hint(NamedTuple):
    """A text to be shown at a place, and what is shown when it is pointed at."""

    at: int
    label: str
    tooltip: str


def hints(written: Written, start: int = 0, end: int | None = None) -> list[Hint]:
    """Return the types of all values defined in a range, in order."""
    last = len(written.text) if end is None else end
    found: list[Hint] = []
    texts: Texts = {}
    for body in written.model.outermost:
        _collect(written, body, 0, (start, last), found, texts)
    return sorted(found)


Texts: TypeAlias = "dict[Fact, tuple[str, str]]"
"""The label and the tooltip of each fact, of which a large model has few."""


def _collect(written: Written, body: Body, base: int, span: tuple[int, int], found: list[Hint], texts: Texts) -> None:
    facts = written.facts(body)
    start, end = span
    found += [h for h in _of_values(body, base, facts, texts) if start <= h.at <= end]
    first = max(bisect_left(body.nodes, start - base, key=lambda n: n.at) - 1, 0)
    for node in body.nodes[first:]:
        at = base + node.at
        if at > end:
            return
        if at + node.what.end >= start:
            found += [h for h in _of_node(node.what, at, facts, texts) if start <= h.at <= end]
            for attribute in node.what.attributes:
                for inner in attribute.graphs:
                    _collect(written, inner, at, span, found, texts)


def _of_node(node: NodeText, at: int, facts: Mapping[str, Fact | None], texts: Texts) -> Iterator[Hint]:
    for name in node.outputs if node.proto is not None else ():
        hint = _hint(at + name.end, facts.get(name.text), texts) if name.text else None
        if hint is not None:
            yield hint


def _of_values(body: Body, base: int, facts: Mapping[str, Fact | None], texts: Texts) -> Iterator[Hint]:
    """Outputs that declare no type, and the inputs of a function or of a branch, which take those of the call."""
    open_ones: list[tuple[int, str, int]] = []
    if isinstance(body, GraphText):
        untyped = [v for _, v in values_of(body) if v.what.type is None]
        open_ones += [(v.at, v.what.name.text, v.what.name.end) for v in untyped]
    else:
        open_ones += [(0, n.text, n.end) for n in (*body.inputs, *body.outputs)]
    for at, name, end in open_ones:
        hint = _hint(base + at + end, facts.get(name), texts)
        if hint is not None:
            yield hint


def _hint(at: int, fact: Fact | None, texts: Texts) -> Hint | None:
    if fact is None or fact is UNKNOWN:
        return None
    if fact not in texts:
        text = printable(fact.text)
        label = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
        texts[fact] = f": {label}", printable(fact.spelled if isinstance(fact, Tensor) else fact.text)
    return Hint(at, *texts[fact])
