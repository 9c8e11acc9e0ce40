"""Python source for sizes and conditions, in names of our own: no text of a model becomes code."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Collection, Iterable, Mapping

from shapeinfer.dims import Condition, Dim, Size
from shapeinfer.dims.terms.dim import ATOM, PRODUCT, SUM, Factors, Terms
from shapeinfer.dims.terms.floating import Floating, Operand
from shapeinfer.dims.terms.ieee import CONVERT, MAX, MIN, SQRT

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}", re.ASCII)
_AMBIGUOUS = frozenset("lOI")
_ROUNDING = {"floor": "math.floor", "ceil": "math.ceil", "round": "round", "trunc": "math.trunc"}
LONGEST_TERM = 40
"""A term of more parts is computed once, in a line of its own."""
MOST_BITS = 1000
"""Longer numbers are written in hexadecimal: Python reads no more than 4300 digits of others."""


def literal(text: str) -> str:
    """Return a string literal that means ``text``, in double quotes where it holds no quotes itself."""
    written = repr(text)
    return written if "'" in text or '"' in text else f'"{written[1:-1]}"'


def identifiers(names: Iterable[str], reserved: Collection[str] = ()) -> dict[str, str]:
    """Return a Python identifier for each name: the name where it is a plain one, else ``dim_1``, ``dim_2``, ..."""
    listed = list(dict.fromkeys(names))
    found = {name: name for name in listed if _is_plain(name) and name not in reserved}
    free = (f"dim_{i}" for i in range(1, 2 * len(listed) + len(reserved) + 2))
    others = (name for name in free if name not in found and name not in reserved)
    return {name: found.get(name) or next(others) for name in listed}


def _is_plain(name: str) -> bool:
    if not _WORD.fullmatch(name) or name in _AMBIGUOUS or re.fullmatch(r"term_\d+|dim_\d+", name):
        return False
    return not (keyword.iskeyword(name) or keyword.issoftkeyword(name) or hasattr(builtins, name))


class Expressions:
    """Writes sizes and conditions as Python expressions of the identifiers of their symbols.

    Long terms are hoisted into ``lines``, which assign them to ``term_1`` and so on. A comparison that divides by 0
    is false, as it is for ``Contract.holds``. ``broadcast`` is written as a call of ``_broadcast``.
    """

    def __init__(self, names: Mapping[Dim, str]) -> None:
        self.names = names
        self.lines: list[str] = []
        self.broadcasts = False
        """Whether ``_broadcast`` is called."""
        self.floats = False
        """Whether ``_f32`` and functions of ``math`` are called."""
        self._done: dict[tuple[Dim, bool], tuple[str, int, tuple[str, ...]]] = {}
        """The text of each term, how tightly it binds, and the divisors in it that may be 0.

        Of each in a hoisted line and elsewhere: a hoisted line runs before the comparison that asks for its divisors.
        """
        self._divisors: dict[str, None] = {}
        self._hoisting = 0

    def size(self, size: Size, least: int = SUM) -> str:
        """Return a size as source, in brackets unless it binds as tightly as ``least``."""
        if isinstance(size, int):
            text = str(size) if size.bit_length() <= MOST_BITS else hex(size)
            return f"({text})" if size < 0 and least > SUM else text
        known = self._done.get((size, self._hoisting > 0))
        text, binds, divisors = self._written(size) if known is None else known
        self._divisors.update(dict.fromkeys(divisors))
        return f"({text})" if binds < least else text

    def condition(self, condition: Condition) -> str:
        """Return a condition as source of a bool."""
        return condition.accept(self)

    def _written(self, size: Dim) -> tuple[str, int, tuple[str, ...]]:
        outside, self._divisors = self._divisors, {}
        hoisted = size.weight > LONGEST_TERM
        self._hoisting += hoisted
        text, binds = size.accept(self)
        self._hoisting -= hoisted
        if hoisted:
            self.lines.append(f"term_{len(self.lines) + 1} = {text}")
            text, binds = f"term_{len(self.lines)}", ATOM
        found = self._done[size, self._hoisting > 0] = text, binds, tuple(self._divisors)
        self._divisors = outside
        return found

    def symbol(self, symbol: Dim) -> tuple[str, int]:
        return self.names[symbol], ATOM

    def plus(self, terms: Terms, number: int) -> tuple[str, int]:
        parts = [(c < 0, self._product(abs(c), [self.size(t, ATOM)], t)) for c, t in terms]
        parts.sort(key=lambda part: part[0])
        if number:
            parts.append((number < 0, self.size(abs(number))))
        (negative, first), *rest = parts
        text = f"-{first}" if negative else first
        return text + "".join((" - " if less else " + ") + part for less, part in rest), SUM

    def times(self, coefficient: int, factors: Factors) -> tuple[str, int]:
        written = [self.size(b, ATOM) + (f"**{n}" if n > 1 else "") for b, n in factors]
        if coefficient == 1:
            return " * ".join(written), PRODUCT
        return " * ".join([self.size(coefficient, ATOM), *written]), PRODUCT

    def floordiv(self, a: Size, n: Size) -> tuple[str, int]:
        above, below = self.size(a, ATOM), self.size(n, ATOM)
        if isinstance(n, int):
            return f"{above} // {below}", PRODUCT
        low, high = n.bounds()
        if (low is not None and low > 0) or (high is not None and high < 0):
            return f"{above} // {below}", PRODUCT
        self._divisors[below] = None
        return (f"({above} // {below} if {below} else 0)", ATOM) if self._hoisting else (f"{above} // {below}", PRODUCT)

    def largest(self, args: tuple[Size, ...]) -> tuple[str, int]:
        return f"max({', '.join(map(self.size, args))})", ATOM

    def smallest(self, args: tuple[Size, ...]) -> tuple[str, int]:
        return f"min({', '.join(map(self.size, args))})", ATOM

    def broadcast(self, args: tuple[Size, ...]) -> tuple[str, int]:
        self.broadcasts = True
        return f"_broadcast({', '.join(map(self.size, args))})", ATOM

    def rounded(self, way: str, term: Floating) -> tuple[str, int]:
        self.floats = True
        outside, self._divisors = self._divisors, {}
        text = f"{_ROUNDING[way]}({self._floating(term)})"
        for dim in sorted(term.denominators, key=lambda d: d.order):
            self._divisors[self.size(dim, ATOM)] = None
        inside, self._divisors = self._divisors, outside
        if self._hoisting:
            return (f"({text} if {' and '.join(inside)} else 0)" if inside else text), ATOM
        self._divisors.update(inside)
        return text, ATOM

    def _floating(self, term: Floating) -> str:
        operands = [self._operand(a) for a in term.operands]
        if term.operation in (MIN, MAX):
            return f"{term.operation}({', '.join(operands)})"
        if term.operation == CONVERT:
            exact = operands[0]
        elif term.operation == SQRT:
            exact = f"math.sqrt({operands[0]})"
        else:
            exact = f" {term.operation} ".join(operands)
        # doubles have so many more bits than single precision that rounding twice makes no difference
        return f"_f32({exact})" if term.precision == "f32" else f"float({exact})"

    def _operand(self, operand: Operand) -> str:
        if isinstance(operand, Floating):
            return self._floating(operand)
        return f"({operand!r})" if isinstance(operand, float) else self.size(operand, ATOM)

    def equal(self, a: Size, b: Size) -> str:
        if isinstance(a, int):
            a, b = b, a
        return self._comparison(lambda: f"{self.size(a)} == {self.size(b)}")

    def at_most(self, a: Size, b: Size) -> str:
        if isinstance(a, int):
            return self._comparison(lambda: f"{self.size(b)} >= {self.size(a)}")
        return self._comparison(lambda: f"{self.size(a)} <= {self.size(b)}")

    def divides(self, divisor: Size, a: Size) -> str:
        def text() -> str:
            above, below = self.size(a, ATOM), self.size(divisor, ATOM)
            if isinstance(divisor, int):
                return f"{above} % {below} == 0" if divisor else f"{above} == 0"
            return f"({above} % {below} if {below} else {above}) == 0"  # 0 divides nothing but 0

        return self._comparison(text)

    def all_of(self, parts: tuple[Condition, ...]) -> str:
        return self._joined(" and ", parts) if parts else "True"

    def any_of(self, parts: tuple[Condition, ...]) -> str:
        return self._joined(" or ", parts) if parts else "False"

    def _joined(self, word: str, parts: tuple[Condition, ...]) -> str:
        written = [self.condition(part) for part in parts]
        return word.join(
            f"({text})" if len(parts) > 1 and re.search(r" (and|or|if) ", text) else text for text in written
        )

    def _comparison(self, write: Callable[[], str]) -> str:
        outside, self._divisors = self._divisors, {}
        text = write()
        guards = [f"{divisor} != 0" for divisor in self._divisors]
        self._divisors = outside
        return " and ".join([*guards, text])

    def _product(self, coefficient: int, written: list[str], term: Dim) -> str:
        if coefficient != 1:
            return " * ".join([self.size(coefficient), *written])
        return self.size(term, PRODUCT)
