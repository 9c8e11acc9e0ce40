"""A place in the text of a model, and what may stand there: marks, names, strings and numbers."""

from __future__ import annotations

import math
import re
from typing import NoReturn

import numpy as np

from shapeinfer.budget import look
from shapeinfer.frontends.onnxtext.landmarks import Landmarks, landmarks_of
from shapeinfer.frontends.onnxtext.tree import Fault, Name

_SPACE = re.compile(r"[ \t\n\v\f\r]*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NUMBER = re.compile(r"-?(?:(?i:infinity|inf|nan)(?![A-Za-z0-9])|[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]*)?)")
_FLOAT_WORD = re.compile(r"(?i:infinity|inf|nan)(?![A-Za-z0-9])")
_FOUND = re.compile(r'"(?:[^"\\\n]|\\.)*"?|[A-Za-z_][A-Za-z0-9_]*|-?[0-9][0-9.]*|=>|\S')
_LONGEST_INTEGER = 24
MOST_NESTED = 100
"""Types and graphs nested deeper than this are no model to protobuf either."""


def after_blanks(text: str, at: int) -> int:
    """Return the place after the blanks and comments that stand at a place."""
    while True:
        found = _SPACE.match(text, at)
        assert found is not None, "the pattern matches nothing too"
        at = found.end()
        if not text.startswith("#", at):
            return at
        look()
        end = text.find("\n", at)
        at = len(text) if end < 0 else end


class Unexpected(Exception):
    """What stands here cannot stand here. To be kept is only its ``fault``: an exception holds all that was at work."""

    def __init__(self, start: int, end: int, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fault = Fault(start, end, message, fix)


class Cursor:
    """A place in a text that moves forward as it is read.

    Spans that it gives are counted from ``base``, the start of the statement around, so that a statement which only
    moved is the same one still.
    """

    def __init__(self, text: str, known: dict[str, object] | None = None) -> None:
        self.text = text
        self.known = {} if known is None else known
        """Statements of an earlier reading, by their text."""
        self.kept: dict[str, object] = {}
        """Those that stand in this text."""
        self.at = 0
        self.base = 0
        self.depth = 0
        self.ended = False
        """Whether the text was reported to end too early, which need not be reported twice."""
        self.faults: list[Fault] = []
        """What was stepped over, with the places in the whole text."""
        self.nested: dict[int, tuple[object, int, list[Fault]]] = {}
        """Statements of nested graphs by where they start: what was read, up to where, and what is wrong in them.

        A statement whose graph is broken is stepped over, and what stands in that graph comes next, so without these
        it would be read once more at each level.
        """
        self._landmarks: Landmarks | None = None

    def landmarks(self) -> Landmarks:
        """Return the landmarks of the text; they are found when the first broken statement asks."""
        if self._landmarks is None:
            self._landmarks = landmarks_of(self.text)
        return self._landmarks

    def skip(self) -> int:
        """Step over blanks and comments, and return where that leads."""
        self.at = after_blanks(self.text, self.at)
        return self.at

    def peek(self) -> str:
        """Return the next character that is no blank, empty at the end."""
        at = self.skip()
        return self.text[at : at + 1]

    def takes(self, mark: str) -> bool:
        """Step over a mark if it comes next."""
        if self.text.startswith(mark, self.skip()):
            self.at += len(mark)
            return True
        return False

    def expect(self, mark: str, why: str, fix: str = "") -> None:
        """Step over a mark that must come next. Raises Unexpected."""
        if not self.takes(mark):
            self.fail(f"expected {mark} {why}", fix)

    def fail(self, expected: str, fix: str = "") -> NoReturn:
        """Raise Unexpected: the next thing is none of those expected."""
        start = self.skip()
        found = _FOUND.match(self.text, start)
        if found is None:
            raise Unexpected(start, start, f"{expected}, but the text ends here", fix)
        shown = found[0] if len(found[0]) <= 40 else f"{found[0][:37]}..."
        raise Unexpected(start, found.end(), f"{expected}, found {shown}", fix)

    def span(self, start: int) -> tuple[int, int]:
        """Return the span from a place up to here."""
        return start - self.base, self.at - self.base

    def word(self) -> str:
        """Return the identifier that comes next without stepping over it, empty if there is none."""
        found = _IDENTIFIER.match(self.text, self.skip())
        return found[0] if found else ""

    def identifier(self, what: str) -> Name:
        """Read an identifier. Raises Unexpected."""
        found = _IDENTIFIER.match(self.text, self.skip())
        if found is None:
            self.fail(f"expected {what}")
        start, self.at = found.span()
        return Name(found[0], *self.span(start))

    def name(self, what: str) -> Name:
        """Read an identifier or a quoted name. Raises Unexpected."""
        if self.peek() != '"':
            return self.identifier(what)
        start = self.at
        text = self.string(what)
        return Name(text, *self.span(start))

    def string(self, what: str) -> str:
        """Read a quoted string. Raises Unexpected."""
        start = self.skip()
        found = _STRING.match(self.text, start)
        if found is None:
            if not self.text.startswith('"', start):
                self.fail(f"expected {what} in quotes")
            end = self.text.find("\n", start)
            end = len(self.text) if end < 0 else end
            raise Unexpected(start, end, "a string opens here and is never closed", 'close it with "')
        self.at = found.end()
        return _ESCAPE.sub(r"\1", found[1]) if "\\" in found[1] else found[1]

    def is_float_word(self) -> bool:
        """Whether nan or infinity comes next."""
        return _FLOAT_WORD.match(self.text, self.skip()) is not None

    def number(self, what: str = "a number") -> tuple[str, bool]:
        """Read a number; return its text and whether it is an integer's. Raises Unexpected."""
        found = _NUMBER.match(self.text, self.skip())
        if found is None:
            self.fail(f"expected {what}")
        self.at = found.end()
        return found[0], found[0].lstrip("-").isdigit()

    def integer(self, what: str, low: int = -(1 << 63), high: int = (1 << 63) - 1) -> int:
        """Read an integer of a range. Raises Unexpected."""
        start = self.skip()
        text, whole = self.number(what)
        if not whole:
            raise Unexpected(start, self.at, f"expected {what}, found {text}", "write it without a point or exponent")
        value = int(text) if len(text) <= _LONGEST_INTEGER else high + 1
        if not low <= value <= high:
            raise Unexpected(start, self.at, f"{text[:40]} does not fit here: the range is {low} to {high}")
        return value

    def real(self, what: str = "a number", *, double: bool = False) -> float:
        """Read a float, rounded to 32 bits unless ``double``. Raises Unexpected."""
        start = self.skip()
        text, _ = self.number(what)
        return self.as_float(text, start, double=double)

    def as_float(self, text: str, start: int, *, double: bool = False) -> float:
        """Return the float that a number's text stands for. Raises Unexpected for one that is too large."""
        try:
            value = float(text)
        except ValueError:
            raise Unexpected(start, self.at, f"{text[:40]} is not a number", "give the exponent its digits") from None
        with np.errstate(over="ignore"):
            value = value if double else float(np.float32(value))
        if math.isinf(value) and "n" not in text.lower():
            raise Unexpected(start, self.at, f"{text[:40]} is too large for {'64' if double else '32'} bits")
        return value

    def enter(self, levels: int = 1) -> None:
        """Go deeper into what may be nested. Raises Unexpected."""
        self.depth += levels
        if self.depth > MOST_NESTED:
            raise Unexpected(self.at, self.at, f"this is nested more than {MOST_NESTED} levels deep")
