"""Text as conditions, in the form in which conditions print."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from shapeinfer.dims.conditions.condition import AllOf, AnyOf, AtMost, Condition, Divides, Equal, below
from shapeinfer.dims.notation.grammar import MAX_DEPTH, parse_with
from shapeinfer.dims.notation.tokens import MAX_LENGTH, DimSyntaxError
from shapeinfer.dims.terms.dim import Size

_COMPARISON = re.compile(r"(?P<a>[^=<>]+)(?P<op>==|<=|>=|<|>)(?P<b>[^=<>]+)")
_LANDMARK = re.compile(r"`(?:[^`]|``)*`|[()]|(?<![\w.:$@#])(?:and|or)(?![\w.:$@#])")

_COMPARED: dict[str, Callable[[Size, Size], Condition]] = {
    "==": Equal,
    "<=": AtMost,
    ">=": lambda a, b: AtMost(b, a),
    "<": below,
    ">": lambda a, b: below(b, a),
}


def parse_condition(text: str, names: Mapping[str, Size]) -> Condition:
    """Read a condition such as ``seq % 8 == 0``, or several joined by ``and``, which binds tighter, and ``or``.

    Raises DimSyntaxError for what is none, or holds a name that is not among ``names``.
    """
    if len(text) > MAX_LENGTH:
        raise DimSyntaxError(f"a condition of {len(text)} characters is too long to be read")
    return _any_of(text, names, 0)


def _any_of(text: str, names: Mapping[str, Size], depth: int) -> Condition:
    parts = tuple(_all_of(part, names, depth) for part in _split(text, "or"))
    return parts[0] if len(parts) == 1 else AnyOf(parts)


def _all_of(text: str, names: Mapping[str, Size], depth: int) -> Condition:
    parts = tuple(_one(part, names, depth) for part in _split(text, "and"))
    return parts[0] if len(parts) == 1 else AllOf(parts)


def _one(text: str, names: Mapping[str, Size], depth: int) -> Condition:
    text = text.strip()
    if depth < MAX_DEPTH and _is_bracketed(text):
        return _any_of(text[1:-1], names, depth + 1)
    return _comparison(text, names)


def _is_bracketed(text: str) -> bool:
    """Whether the first character opens a bracket that the last one closes."""
    if not text.startswith("("):
        return False
    depth = 0
    for found in _LANDMARK.finditer(text):
        depth += (found[0] == "(") - (found[0] == ")")
        if depth == 0:
            return found.end() == len(text)
    return False


def _split(text: str, word: str) -> list[str]:
    """Split at a word that stands outside of all brackets and quotes."""
    parts, depth, start = [], 0, 0
    for found in _LANDMARK.finditer(text):
        mark = found[0]
        depth += (mark == "(") - (mark == ")")
        if mark == word and depth == 0:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]]


def _comparison(text: str, names: Mapping[str, Size]) -> Condition:
    found = _COMPARISON.fullmatch(text)
    if found is None:
        raise DimSyntaxError(f"{text!r} is no condition such as 'seq % 8 == 0' or 'H >= 32'")
    a, b = found["a"], parse_with(found["b"], names)
    divided, modulo, divisor = a.rpartition("%")
    if modulo and divided and divisor and found["op"] == "==" and isinstance(b, int) and b == 0:
        return Divides(parse_with(divisor, names), parse_with(divided, names))
    return _COMPARED[found["op"]](parse_with(a, names), b)
