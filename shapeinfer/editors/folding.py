"""Parts of a text that an editor can fold away: graphs, lists of values, headers and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from shapeinfer.text import Body, GraphText, Written, lines_of

Kind = Literal["region", "comment", "imports"]
_COMMENTS = re.compile(r"^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)+", re.MULTILINE)


class Fold(NamedTuple):
    """Lines that can be folded, the first of which stays."""

    first: int
    last: int
    kind: Kind


def folds(written: Written) -> list[Fold]:
    """Return what can be folded, by lines counted from 0; of those that start in one line the longest."""
    lines = lines_of(written.text)
    longest: dict[int, Fold] = {}
    for start, end, kind in _spans(written):
        first, last = lines.position(start)[0], lines.position(end)[0]
        if first < last and (first not in longest or longest[first].last < last):
            longest[first] = Fold(first, last, kind)
    return [longest[first] for first in sorted(longest)]


def _spans(written: Written) -> Iterator[tuple[int, int, Kind]]:
    """Spans to fold; the line of a closing bracket stays in sight where nothing else stands on it."""
    model, text = written.model, written.text
    if model.header and model.header_end is not None:
        yield model.header[0].key.start, model.header_end - 1, "imports"
    for found in _COMMENTS.finditer(text):
        yield found.start(), found.end(), "comment"
    for base, body in model.bodies():
        yield base + body.opens, _before_closing(text, base + body.end), "region"
        yield from _values(body, base)
        for placed in body.nodes:
            yield base + placed.at, base + placed.at + placed.what.end, "region"


def _values(body: Body, base: int) -> Iterator[tuple[int, int, Kind]]:
    if isinstance(body, GraphText):
        for values in (body.inputs, body.outputs, body.values):
            if values:
                yield base + values[0].at, base + values[-1].at + values[-1].what.end, "region"


def _before_closing(text: str, end: int) -> int:
    """The end of the last line before a bracket that stands alone, or the place of the bracket."""
    closing = max(end - 1, 0)
    start = text.rfind("\n", 0, closing)
    return start if start >= 0 and not text[start:closing].strip() else closing
