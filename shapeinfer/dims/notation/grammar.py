"""Text as sizes. Text from a file is untrusted: it is parsed here, never evaluated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

from shapeinfer.dims.notation.tokens import DimSyntaxError, Tokens
from shapeinfer.dims.terms.arithmetic import (
    MAX_POWER,
    add,
    broadcast,
    ceildiv,
    exact_div,
    floordiv,
    maximum,
    minimum,
    mod,
    mul,
    sub,
)
from shapeinfer.dims.terms.dim import Dim, Size, symbol
from shapeinfer.dims.terms.expression import largest_in
from shapeinfer.dims.terms.floating import Operand, floating
from shapeinfer.dims.terms.ieee import CONVERT, INFIX, MANTISSAS, MAX, MIN, SQRT, NoValueError
from shapeinfer.dims.terms.printing import MAX_PRINTED, text_of
from shapeinfer.dims.terms.rounded import ROUNDED, rounded
from shapeinfer.dims.terms.sizes import divisor_of, weight_of_size

MAX_DEPTH = 64
MAX_DIGITS = 19
MAX_DEGREE = 64
MAX_STEPS = 256
MAX_ARGUMENTS = 64
MAX_NUMBER = 1 << 128

_Value: TypeAlias = tuple[Size, Size]
"""A numerator and a denominator, positive if a number: other tools write halves inside their floors."""


def parse(text: str) -> Size:
    """Read a size from text; names are symbols. Raises DimSyntaxError for what is no expression."""
    return _Parser(text, symbol).whole()


def parse_with(text: str, names: Mapping[str, Size]) -> Size:
    """Read a size whose names must be among ``names``. Raises DimSyntaxError."""

    def resolve(name: str) -> Size:
        if name not in names:
            raise DimSyntaxError(f"{name!r} is no known dim; known are {', '.join(sorted(names)) or 'none'}")
        return names[name]

    return _Parser(text, resolve).whole()


class _Parser(Tokens):
    def __init__(self, text: str, resolve: Callable[[str], Size]) -> None:
        super().__init__(text)
        self.resolve = resolve
        self.depth = 0
        self.steps = 0
        self.degree = 1

    def whole(self) -> Size:
        try:
            result = self.sum()
            if self.kind != "end":
                raise self.fault(f"unexpected {self.value!r}")
            return _whole(result)
        except ZeroDivisionError:
            raise self.fault("division by zero") from None
        except RecursionError:
            raise self.fault("nested too deeply") from None

    def sum(self) -> _Value:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fault("brackets nested too deeply")
        left = self.product()
        while op := self.take("+", "-"):
            (a, m), (b, n) = left, self.product()
            if isinstance(m, int) and isinstance(n, int):
                both: Size = math.lcm(m, n)
                x, y = mul(a, both // m), mul(b, both // n)
            else:
                both, x, y = mul(m, n), mul(a, n), mul(b, m)
            left = self.step(add(x, y) if op == "+" else sub(x, y), both)
        self.depth -= 1
        return left

    def product(self) -> _Value:
        left = self.factor()
        while op := self.take("*", "//", "/", "%"):
            right = self.factor()
            left = self.step(*self.combined(op, left, right))
        return left

    def combined(self, op: str, left: _Value, right: _Value) -> _Value:
        (a, m), (b, n) = left, right
        if op == "*":
            operands = _broadcast_operands(a, b) if m == n == 1 else None
            if operands is not None:
                return broadcast(*operands), 1
            return _reduced(mul(a, b), mul(m, n))
        if isinstance(b, int) and b == 0:
            raise self.fault("division by zero")
        if op == "/":
            sign = -1 if isinstance(b, int) and b < 0 else 1
            return _reduced(mul(a, mul(n, sign)), mul(m, mul(b, sign)))
        if op == "//":
            return floordiv(mul(a, n), mul(b, m)), 1
        return mod(_integer(left), _integer(right)), 1

    def step(self, size: Size, below: Size) -> _Value:
        """Count one operation, and refuse what grows beyond any size."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise self.fault(f"more than {MAX_STEPS} operations")
        for part in (size, below):
            weight, largest = _measured(part)
            if weight > MAX_PRINTED:
                raise self.fault("an expression that unfolds without end")
            if largest >= MAX_NUMBER:
                raise self.fault("a number beyond any size")
        return size, below

    def factor(self) -> _Value:
        sign = 1
        while op := self.take("+", "-"):
            sign = -sign if op == "-" else sign
        size, below = self.power()
        return (size, below) if sign > 0 else (sub(0, size), below)

    def power(self) -> _Value:
        around, self.degree = self.degree, 1
        size, below = self.atom()
        if self.take("**"):
            inside = self.degree
            exponent, of = self.atom()
            if not isinstance(exponent, int) or of != 1 or not 0 <= exponent <= MAX_POWER:
                raise self.fault(f"an exponent must be a number up to {MAX_POWER}")
            self.degree = inside * max(exponent, 1)
            if self.degree > MAX_DEGREE:
                raise self.fault("powers of powers")
            base = size, below
            size, below = 1, 1
            for _ in range(exponent):
                size, below = self.step(mul(size, base[0]), mul(below, base[1]))
        self.degree = max(around, self.degree)
        return size, below

    def atom(self) -> _Value:
        kind, value = self.kind, self.value
        if kind == "int":
            if len(value) > MAX_DIGITS:
                raise self.fault("a number beyond int64")
            self.advance()
            return int(value), 1
        if kind == "name":
            quoted = self.quoted
            self.advance()
            if not quoted and self.kind == "op" and self.value == "(":
                return self.call(value)
            return self.resolve(value), 1
        if self.take("("):
            inside = self.sum()
            self.expect(")")
            return inside
        raise self.fault(f"unexpected {value!r}")

    def call(self, name: str) -> _Value:
        function = _FUNCTIONS.get(name)
        if function is None and name not in ROUNDED:
            raise self.fault(f"unknown function {name!r}")
        self.expect("(")
        if name in ROUNDED and self.calls(*MANTISSAS):
            return self.rounded(name)
        if function is None:
            raise self.fault(f"{name} of what is no float")
        args = [self.sum()]
        while self.take(","):
            args.append(self.sum())
            if len(args) > MAX_ARGUMENTS:
                raise self.fault(f"more than {MAX_ARGUMENTS} operands")
        self.expect(")")
        try:
            return self.step(function(*args), 1)
        except ZeroDivisionError:
            raise self.fault("division by zero") from None
        except TypeError:
            raise self.fault(f"{name} of {len(args)}") from None

    def rounded(self, way: str) -> _Value:
        try:
            size = rounded(way, self.operand(self.value))
        except NoValueError as error:
            raise self.fault(str(error)) from None
        self.expect(")")
        return self.step(size, 1)

    def operand(self, precision: str) -> Operand:
        """Read a number, a term of floats, or a size in brackets unless it is a symbol or a call."""
        if self.kind == "float":
            number = float(self.value)
            self.advance()
            return number
        if self.calls(*MANTISSAS):
            inner = self.value
            self.advance()
            self.expect("(")
            found = self.rounding(inner)
            self.expect(")")
            return found
        before = self.at, self.kind, self.value, self.quoted
        if self.calls(MIN, MAX):
            name = self.value
            self.advance()
            self.expect("(")
            if self.holds_float():
                return self.extreme(name, precision)
            self.at, self.kind, self.value, self.quoted = before
        return _whole(self.atom())

    def rounding(self, precision: str) -> Operand:
        """Read what a precision rounds: a fraction of sizes, or one operation on operands."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fault("brackets nested too deeply")
        if not self.holds_float():
            above, below = self.sum()
            found = floating(precision, CONVERT, above) if below == 1 else floating(precision, "/", above, below)
        elif self.calls(SQRT):
            self.advance()
            self.expect("(")
            found = floating(precision, SQRT, self.operand(precision))
            self.expect(")")
        elif self.take("-"):
            found = floating(precision, CONVERT, self.negative())
        else:
            first = self.operand(precision)
            operation = self.take(*INFIX)
            found = floating(
                precision, *((operation, first, self.operand(precision)) if operation else (CONVERT, first))
            )
        self.depth -= 1
        return found

    def negative(self) -> float:
        if self.kind != "float":
            raise self.fault(f"expected a number before {self.value!r}")
        number = -float(self.value)
        self.advance()
        return number

    def extreme(self, name: str, precision: str) -> Operand:
        """Read the rest of the smallest or the largest of several floats."""
        args = [self.operand(precision)]
        while self.take(","):
            args.append(self.operand(precision))
            if len(args) > MAX_ARGUMENTS:
                raise self.fault(f"more than {MAX_ARGUMENTS} operands")
        self.expect(")")
        return floating(precision, name, *args)


def _measured(size: Size) -> tuple[int, int]:
    return weight_of_size(size), largest_in(size)


def _broadcast_operands(a: Size, b: Size) -> tuple[Size, ...] | None:
    """Return what ``max(x, y)*min(1, x, y)`` is the broadcast of, None for any other product."""
    if isinstance(a, int) or isinstance(b, int) or (a.sign_of_choice, b.sign_of_choice) != (1, -1):
        return None
    return a.parts if {*b.parts} == {1, *a.parts} else None


def _reduced(size: Size, below: Size) -> _Value:
    if isinstance(below, Dim):
        return size, below
    g = math.gcd(divisor_of(size), below)
    return (exact_div(size, g), below // g) if g > 1 else (size, below)


def _whole(value: _Value) -> Size:
    """Return a value that is a size, so that what is divided divides."""
    size, below = value
    if isinstance(size, int) and isinstance(below, int) and size % below:
        raise DimSyntaxError(f"{size}/{below} is no integer")
    return exact_div(size, below)


def _integer(value: _Value) -> Size:
    """Return a value that must be an integer, whatever the names stand for."""
    size, below = value
    if below != 1:
        raise DimSyntaxError(f"a remainder or selection of {text_of(size)}/{text_of(below)}, which may be a fraction")
    return size


def _floor(value: _Value) -> Size:
    return floordiv(*value)


def _ceil(value: _Value) -> Size:
    a, b = value
    return ceildiv(a, b) if isinstance(b, int) else sub(0, floordiv(sub(0, a), b))


def _over(a: _Value, b: _Value) -> _Value:
    return mul(a[0], b[1]), mul(a[1], b[0])


_NAMED: tuple[tuple[tuple[str, ...], Callable[..., Size]], ...] = (
    (("max", "Max"), lambda *args: maximum(*map(_integer, args))),
    (("min", "Min"), lambda *args: minimum(*map(_integer, args))),
    (("broadcast", "Broadcast"), lambda *args: broadcast(*map(_integer, args))),
    (("floor",), _floor),
    (("ceil", "ceiling"), _ceil),
    (("mod", "Mod"), lambda a, b: mod(_integer(a), _integer(b))),
    (("FloorDiv", "floordiv"), lambda a, b: _floor(_over(a, b))),
    (("CeilDiv", "ceildiv", "CeilToInt"), lambda a, b: _ceil(_over(a, b))),
)
_FUNCTIONS = {name: function for names, function in _NAMED for name in names}
