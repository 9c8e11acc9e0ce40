"""Text of sizes as tokens. Text from a file is untrusted: it is only read."""

from __future__ import annotations

import math
import re

from shapeinfer.dims.terms.ieee import MANTISSAS, SQRT
from shapeinfer.dims.terms.names import NAME
from shapeinfer.dims.terms.rounded import ROUNDED

MAX_LENGTH = 4096

_TOKEN = re.compile(
    rf"\s*(?:(?P<float>\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+))|(?P<int>\d+)|(?P<name>{NAME})|`(?P<quoted>(?:[^`]|``)+)`"
    r"|(?P<op>//|\*\*|[-+*/%(),]))"
)
_CALL = re.compile(r"\s*\(")


class DimSyntaxError(ValueError):
    """Text is not an expression of dims; the message names what was found and where."""


class Tokens:
    """A text, and the token at which its reader is: its ``kind`` and ``value``, and whether it stands in quotes."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_LENGTH:
            raise DimSyntaxError(f"a dim of {len(text)} characters is too long to be an expression")
        self.text = text
        self.at = 0
        self.kind = ""
        self.value = ""
        self.quoted = False
        self.advance()

    def advance(self) -> None:
        rest = self.text[self.at :]
        if not rest.strip():
            self.kind, self.value = "end", "the end"
            return
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            raise self.fault(f"unexpected {rest.strip()[0]!r}")
        self.at = found.end()
        self.kind = str(found.lastgroup)
        self.value = found[self.kind]
        if self.kind == "quoted":
            self.kind, self.value = "name", self.value.replace("``", "`")
            self.quoted = True
        else:
            self.quoted = False

    def fault(self, what: str) -> DimSyntaxError:
        return DimSyntaxError(f"{what} before column {self.at + 1} of {_shown(self.text)}")

    def take(self, *operators: str) -> str:
        if self.kind == "op" and self.value in operators:
            found = self.value
            self.advance()
            return found
        return ""

    def expect(self, operator: str) -> None:
        if not self.take(operator):
            raise self.fault(f"expected {operator!r} before {self.value!r}")

    def calls(self, *names: str) -> bool:
        """Return whether a call of one of these functions follows."""
        return self.kind == "name" and not self.quoted and self.value in names and bool(_CALL.match(self.text, self.at))

    def holds_float(self) -> bool:
        """Return whether a float stands before the bracket that closes what is open, but for what is an integer."""
        kind, value, quoted, at = self.kind, self.value, self.quoted, self.at
        depth, integer = 0, math.inf
        while kind != "end":
            if kind == "op":
                depth += (value == "(") - (value == ")")
            if depth < 0:
                return False
            integer = math.inf if kind == "op" and depth <= integer else integer
            is_call = kind == "name" and not quoted and _CALL.match(self.text, at)
            if integer == math.inf and (kind == "float" or (is_call and value in (*MANTISSAS, SQRT))):
                return True
            if is_call and value in ROUNDED:
                integer = min(integer, depth)
            found = _TOKEN.match(self.text, at)
            if found is None:
                return False
            kind, at = str(found.lastgroup), found.end()
            value, quoted = found[kind], kind == "quoted"
        return False


def _shown(text: str) -> str:
    return repr(text) if len(text) <= 80 else f"{text[:80]!r}…"
