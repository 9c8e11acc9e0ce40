"""Arithmetic of sizes: plain on ints, memoised on Dims."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import shapeinfer.dims.terms.product_bounds  # noqa: F401 - installs its law
from shapeinfer.budget import look
from shapeinfer.dims.terms.cancelling import cancelled
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.expression import evaluated, replaced
from shapeinfer.dims.terms.floors import floor
from shapeinfer.dims.terms.numbers import product_of_numbers
from shapeinfer.dims.terms.operators import install_operators
from shapeinfer.dims.terms.polynomials import added, multiplied, product_of
from shapeinfer.dims.terms.selections import Broadcast, Max, Min, Selection, selected
from shapeinfer.dims.terms.sizes import factors_of
from shapeinfer.remembered import forgotten_by

MEMO_LIMIT = 50_000
MAX_POWER = 16
"""The highest power that is taken, of a size or in a text."""
MANY = 64
"""More sizes are combined in one step: one after the other would take quadratic time."""
_F = TypeVar("_F", bound=Callable[..., Any])
_tables: list[dict[Any, Any]] = []


def memoised(function: _F) -> _F:
    """Remember results by operands, which are interned; forget all of them past a limit.

    What is not remembered may be long, so the budget is looked at first.
    """
    table: dict[Any, Any] = {}
    _tables.append(table)
    forgotten_by(table.clear)

    @functools.wraps(function)
    def call(*operands: Any) -> Any:
        found = table.get(operands, table)
        if found is table:
            look()
            if len(table) > MEMO_LIMIT:
                table.clear()
            found = table[operands] = function(*operands)
        return found

    return call  # type: ignore[return-value]


def add(a: Size, b: Size) -> Size:
    """Return ``a + b``."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 and isinstance(a, int):
        return b
    if b == 0 and isinstance(b, int):
        return a
    return _add(a, b)


@memoised
def _add(a: Size, b: Size) -> Size:
    return added([(1, a), (1, b)])


def sub(a: Size, b: Size) -> Size:
    """Return ``a - b``."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    if a is b:
        return 0
    if isinstance(b, int) and b == 0:
        return a
    return _sub(a, b)


@memoised
def _sub(a: Size, b: Size) -> Size:
    return added([(1, a), (-1, b)])


def mul(a: Size, b: Size) -> Size:
    """Return ``a * b``."""
    if isinstance(a, int):
        if isinstance(b, int):
            return a * b
        a, b = b, a
    if isinstance(b, int):
        if b == 1:
            return a
        if b == 0:
            return 0
    return _mul(a, b)


@memoised
def _mul(a: Size, b: Size) -> Size:
    return multiplied(a, b)


def floordiv(a: Size, b: Size) -> Size:
    """Return ``a // b``, rounded down. Raises ZeroDivisionError for a literal 0."""
    if isinstance(b, int):
        if isinstance(a, int):
            return a // b
        if b == 1:
            return a
        if b == 0:
            raise ZeroDivisionError(f"{a} // 0")
    return _floordiv(a, b)


@memoised
def _floordiv(a: Size, b: Size) -> Size:
    return floor(a, b)


def ceildiv(a: Size, b: Size) -> Size:
    """Return ``a / b`` rounded up, for a ``b`` that is a number or positive. Raises as ``floordiv``."""
    if isinstance(b, int):
        if isinstance(a, int):
            return -(-a // b)
        if b == 1:
            return a
        if b < 0:
            a, b = sub(0, a), -b
    return floordiv(sub(add(a, b), 1), b)


def mod(a: Size, b: Size) -> Size:
    """Return ``a - b*(a // b)``, which is the one canonical form of a remainder."""
    if isinstance(a, int) and isinstance(b, int):
        return a % b
    return sub(a, mul(b, floordiv(a, b)))


def power(size: Size, exponent: Size) -> Size:
    """Return ``size**exponent``. Raises ValueError for an exponent that is not from 0 to ``MAX_POWER``."""
    if not isinstance(exponent, int):
        raise TypeError(f"cannot raise a dim to the power {exponent}: it must be a number from 0 to {MAX_POWER}")
    if not 0 <= exponent <= MAX_POWER:
        raise ValueError(f"cannot raise a dim to the power {exponent}: it must be a number from 0 to {MAX_POWER}")
    return product([size] * exponent)


def absolute(size: Size) -> Size:
    """Return the absolute value."""
    return abs(size) if isinstance(size, int) else maximum(size, sub(0, size))


def maximum(*sizes: Size) -> Size:
    """Return the largest."""
    return _select(Max, max, sizes)


def minimum(*sizes: Size) -> Size:
    """Return the smallest."""
    return _select(Min, min, sizes)


def _select(kind: type[Selection], choose: Callable[..., int], sizes: Sequence[Size]) -> Size:
    distinct = tuple(dict.fromkeys(sizes))
    if len(distinct) == 1:
        return distinct[0]
    if all(isinstance(s, int) for s in distinct):
        return choose(distinct)
    return _selected(kind, *distinct)


@memoised
def _selected(kind: type[Selection], *sizes: Size) -> Size:
    return selected(kind, sizes)


def broadcast(*sizes: Size) -> Size:
    """Return what compatible sizes broadcast to: the one that is not 1, or 1.

    Right only under the claim that each two are equal or one of them is 1; nothing is decided between two
    symbols, their Broadcast is a term of its own.
    """
    rest = tuple(dict.fromkeys(s for s in sizes if isinstance(s, Dim) or s != 1))
    if not rest:
        return 1
    if len(rest) == 1:
        return rest[0]
    for s in rest:
        if isinstance(s, int):
            return s
    return _selected(Broadcast, *rest)


def product(sizes: Iterable[Size]) -> Size:
    """Return the product, 1 for none."""
    listed = list(sizes)
    number: Size = product_of_numbers(s for s in listed if isinstance(s, int))
    out = [s for s in listed if not isinstance(s, int)]
    if len(out) > MANY:
        return mul(_multiplied_at_once(*out), number)
    return functools.reduce(mul, out, number)


@memoised
def _multiplied_at_once(*sizes: Size) -> Size:
    """Multiply many sizes, without expanding what is a product of sums."""
    coefficients, factors = zip(*map(factors_of, sizes))
    return added([(product_of_numbers(coefficients), product_of(f for each in factors for f in each))])


def total(sizes: Iterable[Size]) -> Size:
    """Return the sum, 0 for none."""
    terms = list(sizes)
    if len(terms) > MANY:
        return added([(1, s) for s in terms])
    out: Size = 0
    for s in terms:
        out = add(out, s)
    return out


def quotient(numerators: Iterable[Size], denominators: Iterable[Size]) -> Size:
    """Return the product of some sizes over that of others, where the caller promises that it is an integer.

    The promise includes that the denominators are not 0, so equal factors cancel.
    """
    above, below = list(numerators), []
    for d in denominators:
        if isinstance(d, Dim) and d in above:
            above.remove(d)
        else:
            below.append(d)
    return exact_div(product(above), product(below))


def exact_div(a: Size, b: Size) -> Size:
    """Return ``a / b`` where the caller promises that ``b`` is not 0 and divides ``a``."""
    if isinstance(b, int) and b == 1:
        return a
    if isinstance(b, int) and b == 0:
        raise ZeroDivisionError(f"{a} / 0")
    if isinstance(a, int) and a == 0:
        return 0
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    if a is b:
        return 1
    return _exact_div(a, b)


@memoised
def _exact_div(a: Size, b: Size) -> Size:
    if isinstance(a, Dim) and isinstance(b, int) and math.gcd(a.divisor, b) == b:
        return _floordiv(a, b)
    return cancelled(a, b)


def substitute(size: Size, mapping: Mapping[Dim, Size]) -> Size:
    """Replace symbols by sizes, all at once.

    A division that would be by 0 stays as it is, symbols and all: it has no value, whatever stands there.
    """
    if isinstance(size, int):
        return size
    if size.is_symbol:
        return mapping.get(size, size)
    found = {s: mapping[s] for s in size.symbols if s in mapping and mapping[s] is not s}
    if not found:
        return size
    return _substitute(size, tuple(sorted(found.items(), key=lambda item: item[0].order)))


@memoised
def _substitute(size: Dim, pairs: tuple[tuple[Dim, Size], ...]) -> Size:
    return replaced(size, dict(pairs))


def evaluate(size: Size, values: Mapping[str, int]) -> int:
    """Return the number that a size stands for, given its symbols' by name.

    Raises KeyError for a symbol not given, and ZeroDivisionError where these numbers divide by 0.
    """
    if isinstance(size, int):
        return size
    return evaluated(size, {s: values[s.name] for s in size.symbols})


install_operators(add=add, sub=sub, mul=mul, floordiv=floordiv, mod=mod, pow=power, abs=absolute)
install_operators(divmod=lambda a, b: (floordiv(a, b), mod(a, b)))
