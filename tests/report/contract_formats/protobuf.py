"""Reads as much of protobuf's text format as model configurations have, by the rules of its specification."""

from __future__ import annotations

import ast
import re
from typing import Any

_TOKEN = re.compile(r'\s+|#[^\n]*\n|(?P<token>"(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*|-?\d+|[\[\]{}:,])')
REPEATED = frozenset(("input", "output", "dims", "shape"))


def config(text: str) -> dict[str, Any]:
    """The fields of a message; repeated ones are lists. Raises AssertionError for what is no such text."""
    tokens, at = [], 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        assert found, text[at : at + 40]
        at = found.end()
        tokens += [found["token"]] if found["token"] else []
    fields, rest = _message([*tokens, "}"])
    assert rest == []
    return fields


def _message(tokens: list[str]) -> tuple[dict[str, Any], list[str]]:
    fields: dict[str, Any] = {}
    while tokens[0] != "}":
        name, *tokens = tokens
        assert re.fullmatch(r"[a-z_]+", name), name
        value, tokens = _value(tokens[1:] if tokens[0] == ":" else tokens)
        if name in REPEATED:
            fields.setdefault(name, []).extend(value if isinstance(value, list) else [value])
        else:
            assert name not in fields
            fields[name] = value
    return fields, tokens[1:]


def _value(tokens: list[str]) -> tuple[Any, list[str]]:
    first, *rest = tokens
    if first == "{":
        return _message(rest)
    if first == "[":
        values: list[Any] = []
        while rest[0] != "]":
            value, rest = _value(rest)
            values.append(value)
            assert rest[0] in (",", "]")
            rest = rest[1:] if rest[0] == "," else rest
        return values, rest[1:]
    if first.startswith('"'):
        return ast.literal_eval(f"b{first}").decode(), rest
    return (int(first) if re.fullmatch(r"-?\d+", first) else first), rest
