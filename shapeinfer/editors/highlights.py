"""What each name is, for editors that colour text by its meaning."""

from __future__ import annotations

from typing import Literal, NamedTuple

from shapeinfer.editors.mentions import dims, mentions, types_in
from shapeinfer.text import FunctionText, Written

Kind = Literal["function", "variable", "parameter", "property", "type", "typeParameter", "class", "label"]
KINDS: tuple[Kind, ...] = ("function", "variable", "parameter", "property", "type", "typeParameter", "class", "label")
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
    last = len(written.text) if end is None else end
    kinds: dict[str, Kind] = {"input": "parameter"}
    found = [
        Highlight(m.start, m.end, kinds.get(m.kind, "variable"), m.makes, m.kind == "initializer")
        for m in mentions(written)
    ]
    for base, type_ in types_in(written):
        word = base + type_.start
        found.append(Highlight(word, word + _length(written.text, word), "type"))
    found += [Highlight(d.at, d.at + d.what.end - d.what.start, "typeParameter") for d in dims(written)]
    for base, body in written.model.bodies():
        kind: Kind = "function" if isinstance(body, FunctionText) else "class"
        found.append(Highlight(base + body.name.start, base + body.name.end, kind, declares=True))
        for node in body.nodes:
            at, what = base + node.at, node.what
            if what.label is not None:
                found.append(Highlight(at + what.label.start, at + what.label.end, "label"))
            if what.operator is not None:
                found.append(Highlight(at + what.operator.start, at + what.operator.end, "function"))
            found += [Highlight(at + a.name.start, at + a.name.end, "property") for a in what.attributes]
    found += [Highlight(e.key.start, e.key.end, "property") for e in written.model.header]
    text = written.text
    return [h for h in sorted(set(found)) if start < h.end and h.start < last and "\n" not in text[h.start : h.end]]


def _length(text: str, at: int) -> int:
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return end - at
