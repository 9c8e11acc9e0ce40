"""Completion: operators, attributes, values, types, dims and keys of the header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from shapeinfer.editors import operators
from shapeinfer.editors.mentions import dims
from shapeinfer.editors.spelling import spelled
from shapeinfer.report.paint import printable
from shapeinfer.text import OF_MODELS, TYPES, FunctionText, Written, values_of

Kind = Literal["operator", "attribute", "value", "type", "dim", "key"]

_LOOKED_AT = 4000
_MARKS = re.compile(r'"(?:[^"\\\n]|\\.)*"|\#[^\n]*|[()<>\[\]{}]')
_CLOSING = {")": "(", ">": "<", "]": "[", "}": "{"}
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*$")
_CALLED = re.compile(r"=\s*([A-Za-z_][\w.]*)\s*(?::\s*\w+\s*)?(?:<[^()]*>\s*)?(?:\([^()]*\)\s*)?$")


MOST = 250
"""The most completions in one answer; if there are more it is incomplete, and the editor asks again on typing."""


class Offers(NamedTuple):
    """The completions of a word, and whether these are all."""

    found: list[Offer]
    start: int
    """Where the word starts."""
    are_all: bool


class Offer(NamedTuple):
    """A completion item: its text, a short detail, documentation in Markdown, and the inserted text."""

    label: str
    kind: Kind
    detail: str = ""
    markdown: str = ""
    inserted: str = ""


def completions(written: Written, at: int) -> Offers:
    """Return the completions at a place, which may be in the middle of a broken statement.

    A label matches if it has all letters of the word before the place, in order. Labels that begin with the word come
    first, then those that begin with its first letter.
    """
    start, before = max(at - _LOOKED_AT, 0), written.text[max(at - _LOOKED_AT, 0) : at]
    word = _WORD.search(before)
    head = before[: word.start()] if word else before
    typed = word[0].lower() if word else ""
    mark, outside = _opened(head)
    if _in_string_or_comment(head):
        return Offers([], at, are_all=True)
    offers = _offers(written, at, head, mark, outside)
    found = [o for o in offers if _has(o.label, typed)] if typed else list(islice(offers, MOST + 1))
    found.sort(key=lambda o: (not o.label.lower().startswith(typed), not o.label.lower().startswith(typed[:1])))
    return Offers(found[:MOST], start + len(head), len(found) <= MOST)


def _has(label: str, letters: str) -> bool:
    """Whether a label has these letters in order, with anything between them."""
    left = iter(label.lower())
    return all(letter in left for letter in letters)


def _offers(written: Written, at: int, head: str, mark: str, outside: str) -> Iterator[Offer]:
    line = head.rpartition("\n")[2]
    graph = written.model.graph
    called = _CALLED.search(outside)
    if mark == "[" and re.search(r"[A-Za-z0-9]\s*$", outside):
        yield from _dims(written)
    elif mark == "<" and called:
        yield from _attributes(written, called[1], head[len(outside) + 1 :])
    elif mark == "(" and called:
        yield from _values(written, at)
    elif mark == "<" and (graph is None or at <= graph.name.start):
        yield from (Offer(key, "key", "header", inserted=f"{key}: ") for key in OF_MODELS)
    elif re.search(r"(?:^|[\s,\w\"])=\s*$", line) and mark in ("{", ""):
        yield from _operators(written)
    elif mark in ("(", "<"):
        yield from (Offer(name, "type", "type") for name in sorted(TYPES))


class Call(NamedTuple):
    """An unfinished call: its operator, and the innermost open bracket with its place."""

    operator: str
    mark: str
    opens: int


def call_around(text: str, at: int) -> Call | None:
    """Return the call whose attributes or inputs a place lies in, None outside of calls."""
    start = max(at - _LOOKED_AT, 0)
    head = text[start:at]
    if _in_comment(head):
        return None
    for mark, opens in reversed(_open_marks(head)):
        called = _CALLED.search(head[:opens]) if mark in ("(", "<") else None
        if called is not None:
            return Call(called[1], mark, start + opens)
        if mark != "[":
            return None
    return None


def _opened(head: str) -> tuple[str, str]:
    """The innermost open bracket at the end of a text, and the text before it."""
    mark, start = (_open_marks(head) or [("", len(head))])[-1]
    return mark, head[:start]


def _open_marks(head: str) -> list[tuple[str, int]]:
    """Return the brackets that are open at the end of a text, outermost first, each with its place."""
    open_marks: list[tuple[str, int]] = []
    for found in _MARKS.finditer(head):
        mark = found[0]
        if mark in "([{<":
            open_marks.append((mark, found.start()))
        elif mark == ">" and head[found.start() - 1 : found.start()] == "=":
            continue
        elif mark in _CLOSING:
            while open_marks and open_marks.pop()[0] != _CLOSING[mark]:
                pass
    return open_marks


def _in_string_or_comment(head: str) -> bool:
    return bool(re.search(r'["#]', _last_line_without_strings(head)))


def _in_comment(head: str) -> bool:
    before, mark, _ = _last_line_without_strings(head).partition("#")
    return bool(mark) and '"' not in before


def _last_line_without_strings(head: str) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"', "", head.rpartition("\n")[2])


def _operators(written: Written) -> Iterator[Offer]:
    for name, origin in operators.names(written).items():
        yield Offer(name, "operator", origin, inserted=f"{name} ")


def _attributes(written: Written, operator: str, given: str) -> Iterator[Offer]:
    """The attributes of an operator that are not set yet; empty where a value is expected."""
    if re.search(r"=\s*$", given):
        return
    taken = set(re.findall(r"([A-Za-z_]\w*)\s*(?::\s*\w+\s*)?=", given))
    found = operators.schema(written, operator)
    for name, attribute in sorted(found.attributes.items()) if found is not None else ():
        if name not in taken:
            kind = str(attribute.type).rpartition(".")[2].lower()
            line = operators.attribute_line(attribute)
            yield Offer(name, "attribute", kind + (" (required)" if attribute.required else ""), line, f"{name} = ")
    for function in written.model.functions:
        if operator == ".".join(filter(None, (function.domain, function.name.text))):
            yield from (Offer(n.text, "attribute", inserted=f"{n.text} = ") for n in function.attributes)


def _values(written: Written, at: int) -> Iterator[Offer]:
    """The values defined before a position, those of the innermost graph first."""
    seen: set[str] = set()
    for base, body in reversed(written.around(at)):
        facts = written.facts(body)
        names = [n.text for n in body.inputs] if isinstance(body, FunctionText) else []
        names += [v.what.name.text for what, v in values_of(body) if what == "input" or v.what.tensor is not None]
        before = [o.text for node in body.nodes if base + node.at + node.what.end <= at for o in node.what.outputs]
        for name in (*reversed(before), *names):
            if name and name not in seen:
                seen.add(name)
                fact = facts.get(name)
                yield Offer(name, "value", printable(fact.text) if fact else "", inserted=spelled(name))


def _dims(written: Written) -> Iterator[Offer]:
    for name in dict.fromkeys(d.what.text for d in dims(written)):
        yield Offer(name, "dim", "dim", inserted=spelled(name))
