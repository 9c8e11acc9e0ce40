"""Folding ranges of a text: graphs, lists of values, headers and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from shapeinfer.text import Body, GraphText, Written, lines_of

Kind = Literal["region", "comment", "imports"]
_COMMENTS = re.compile(r"^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)+", re.MULTILINE)


class Fold(NamedTuple):
    """A range of lines that can be folded; the first one stays visible."""

    first: int
    last: int
    kind: Kind


def folds(written: Written) -> list[Fold]:
    """Return the folding ranges, lines counted from 0; of those that start on one line only the longest."""
    lines = lines_of(written.text)
    longest: dict[int, Fold] = {}
    for start, end, kind in _spans(written):
        first, last = lines.position(start)[0], lines.position(end)[0]
        if first < last and (first not in longest or longest[first].last < last):
            longest[first] = Fold(first, last, kind)
    return [longest[first] for first in sorted(longest)]


def _spans(written: Written) -> Iterator[tuple[int, int, Kind]]:
    """Yield the spans to fold; a line that has only the closing bracket stays visible."""
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
    """Return the end of the line before a bracket that is alone on its line, else the place of the bracket."""
    closing = max(end - 1, 0)
    start = text.rfind("\n", 0, closing)
    return start if start >= 0 and not text[start:closing].strip() else closing
