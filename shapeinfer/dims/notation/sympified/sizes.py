"""Sympy expressions as sizes, wherever that is exact."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import sympy

from shapeinfer.dims.conditions.decisions import divides
from shapeinfer.dims.notation.sympified.floats import RoundedFloat
from shapeinfer.dims.notation.sympified.functions import Broadcast, FloorDiv
from shapeinfer.dims.notation.sympified.symbols import symbol_size
from shapeinfer.dims.terms.arithmetic import (
    MANY,
    add,
    broadcast,
    ceildiv,
    exact_div,
    floordiv,
    maximum,
    minimum,
    mod,
    mul,
    product,
    sub,
)
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.polynomials import power
from shapeinfer.dims.terms.printing import MAX_PRINTED
from shapeinfer.dims.terms.sizes import bounds_of, factors_of, terms_of, weight_of_size
from shapeinfer.remembered import forgotten_by

REMEMBERED = 4096
MAX_MONOMIALS = 4096
"""A polynomial of more monomials is not examined for being an integer."""

Fraction: TypeAlias = tuple[Size, Size]
"""A numerator and a denominator, positive if a number."""


def size_of(expression: object) -> Size:
    """Return the size that a sympy expression is; an int or a Dim is itself.

    Raises TypeError for what is no sympy expression, ValueError for one that is no integer, or may have no value, or
    is a function that sizes do not have: the message names that part.
    """
    if isinstance(expression, Dim) or (isinstance(expression, int) and not isinstance(expression, bool)):
        return expression
    if not isinstance(expression, sympy.Expr):
        raise TypeError(f"{expression!r} is no sympy expression of numbers, from which a dim could be made")
    try:
        return whole(expression)
    except RecursionError:
        pass
    try:
        _read_parts(expression)
        return whole(expression)
    except RecursionError:
        raise ValueError("the sympy expression is nested too deeply to be a dim") from None


def _read_parts(expression: Any) -> None:
    """Read the subexpressions of an expression bottom-up, each of which is memoised."""
    found: dict[Any, None] = {}
    left = [expression]
    while left:
        one = left.pop()
        if isinstance(one, sympy.Expr) and one not in found:
            found[one] = None
            left += one.args
    for part in reversed(found):
        with contextlib.suppress(ValueError):  # what is no size is reported where it stands
            fraction_of(part)


@functools.lru_cache(maxsize=REMEMBERED, typed=True)
def fraction_of(expression: Any) -> Fraction:
    """Return an expression as a fraction of sizes. Raises ValueError for what is none."""
    if expression.is_Rational:
        return int(expression.p), int(expression.q)
    if expression.is_Symbol:
        return symbol_size(expression), 1
    read = _rounded_float if isinstance(expression, RoundedFloat) else _READERS.get(expression.func)
    if read is None:
        raise ValueError(_no_dim(expression))
    size, below = found = read(expression)
    if weight_of_size(size) > MAX_PRINTED or weight_of_size(below) > MAX_PRINTED:
        raise ValueError(f"the sympy expression {_shown(expression)} is too large to be a dim")
    return found


@functools.lru_cache(maxsize=REMEMBERED, typed=True)
def whole(expression: Any) -> Size:
    """Return an expression as a size. Raises ValueError where it may be a fraction or have no value."""
    size, below = fraction_of(expression)
    if is_divisible(size, below):
        return exact_div(size, below)
    if isinstance(below, int):
        floor = f"; sympy.floor({_shown(expression)}) is" if size != 0 and not isinstance(size, int) else ""
        raise ValueError(f"{_shown(expression)} is not an integer for all values of its symbols{floor}")
    raise ValueError(f"{_shown(expression)} may be a fraction, or be divided by 0; sympy.floor rounds it down")


forgotten_by(fraction_of.cache_clear)
forgotten_by(whole.cache_clear)


def is_divisible(size: Size, below: Size) -> bool:
    """Return whether a fraction is an integer for all values of its symbols, and always has one."""
    if below == 1 and isinstance(below, int):
        return True
    return divides(below, size).is_yes if isinstance(below, Dim) else _always_divides(below, size)


def _always_divides(number: int, size: Size) -> bool:
    """Return whether a number divides a size: a polynomial whose every coefficient in binomials it divides.

    ``x**k`` is the sum of ``j! * S(k, j) * binomial(x, j)`` with Stirling numbers of the second kind, and polynomials
    that are integers for all integers are the integer combinations of products of binomials.
    """
    if isinstance(size, int) or divides(number, size).is_yes:
        return isinstance(size, Dim) or size % number == 0
    terms, constant = terms_of(size)
    found: dict[tuple[tuple[Dim, int], ...], int] = {(): constant}
    for coefficient, term in terms:
        _, factors = factors_of(term)
        if math.prod(n for _, n in factors) > MAX_MONOMIALS:
            return False
        for choice in itertools.product(*(range(1, n + 1) for _, n in factors)):
            c = coefficient
            for (base, n), j in zip(factors, choice):
                c *= base.divisor**n * _onto(n, j)
            at = tuple((base, j) for (base, _), j in zip(factors, choice))
            found[at] = found.get(at, 0) + c
        if len(found) > MAX_MONOMIALS:
            return False
    return all(c % number == 0 for c in found.values())


def _onto(n: int, j: int) -> int:
    """Return how many functions map n things onto j: ``j! * S(n, j)``."""
    return sum((-1) ** i * math.comb(j, i) * (j - i) ** n for i in range(j))


def _sum(expression: Any) -> Fraction:
    return functools.reduce(_added, map(fraction_of, expression.args))


def _added(left: Fraction, right: Fraction) -> Fraction:
    (a, m), (b, n) = left, right
    if isinstance(m, int) and isinstance(n, int):
        both = math.lcm(m, n)
        return add(mul(a, both // m), mul(b, both // n)), both
    return (add(a, b), m) if m is n else (add(mul(a, n), mul(b, m)), mul(m, n))


def _product(expression: Any) -> Fraction:
    powers = map(_as_power, expression.args)
    factors = [(base, int(n)) if n.is_Integer and n > 0 else (base**n, 1) for base, n in powers]
    if sum(n for _, n in factors) > MANY:
        each = [fraction_of(base) for base, n in factors for _ in range(n)]
        return _positive(product(above for above, _ in each), product(below for _, below in each))
    # the longest sums first: a product that would have too many terms then stays one, as it is where it comes from
    fractions = sorted(map(fraction_of, expression.args), key=lambda f: -len(terms_of(f[0])[0]))
    return functools.reduce(multiplied, fractions)


def _as_power(factor: Any) -> tuple[Any, Any]:
    return factor.args if factor.is_Pow else (factor, sympy.S.One)


def multiplied(left: Fraction, right: Fraction) -> Fraction:
    """Return the product of two fractions."""
    above, below = mul(left[0], right[0]), mul(left[1], right[1])
    return _positive(above, below)


def _positive(above: Size, below: Size) -> Fraction:
    """Return a fraction with a positive number below, in lowest terms as far as numbers go."""
    if isinstance(below, Dim):
        return above, below
    if below < 0:
        above, below = sub(0, above), -below
    if isinstance(above, int):
        g = math.gcd(above, below)
        return above // g, below // g
    return above, below


def _power(expression: Any) -> Fraction:
    base, exponent = expression.args
    if not exponent.is_Integer or abs(int(exponent)) > MAX_PRINTED:
        raise ValueError(f"{_shown(expression)} is no dim: an exponent must be a whole number up to {MAX_PRINTED}")
    above, below = fraction_of(base)
    n = abs(int(exponent))
    raised = power(above, n), power(below, n)
    if exponent > 0:
        return raised
    if raised[0] == 0:
        raise ValueError(f"{_shown(expression)} divides by 0, which is no dim")
    return _positive(raised[1], raised[0])


def _floor_div(expression: Any) -> Fraction:
    (a, m), (b, n) = map(fraction_of, expression.args)
    return _rounded(floordiv, (mul(a, n), mul(b, m)), expression), 1


def _floor(expression: Any) -> Fraction:
    return _rounded(floordiv, fraction_of(expression.args[0]), expression), 1


def _ceiling(expression: Any) -> Fraction:
    a, b = fraction_of(expression.args[0])
    if isinstance(b, int) or (bounds_of(b)[0] or 0) >= 1:
        return ceildiv(a, b), 1
    return sub(0, _rounded(floordiv, (sub(0, a), b), expression)), 1


def _remainder(expression: Any) -> Fraction:
    return _rounded(mod, (whole(expression.args[0]), whole(expression.args[1])), expression), 1


def _rounded(operation: Callable[[Size, Size], Size], operands: Fraction, expression: Any) -> Size:
    try:
        return operation(*operands)
    except ZeroDivisionError:
        raise ValueError(f"{_shown(expression)} divides by 0, which is no dim") from None


def _of_sizes(function: Callable[..., Size]) -> Callable[[Any], Fraction]:
    return lambda expression: (function(*map(whole, expression.args)), 1)


def _absolute(expression: Any) -> Fraction:
    size = whole(expression.args[0])
    return maximum(size, sub(0, size)), 1


def _choice(expression: Any) -> Fraction:
    """Read what ``Broadcast`` is as a Piecewise: each argument where it is not 1, and the last one in the end."""
    *cases, (last, always) = expression.args
    if always == sympy.true and all(case.cond == sympy.Ne(case.expr, 1) for case in cases):
        args = [whole(case.expr) for case in cases] + [whole(last)]
        size = broadcast(*args)
        # what the laws of broadcasting shorten is the same only for sizes that broadcast
        if isinstance(size, Dim) and {*size.alternatives} == {*args}:
            return size, 1
    raise ValueError(_no_dim(expression))


def _rounded_float(expression: Any) -> Fraction:
    return expression.size([whole(a) for a in expression.args]), 1


_READERS: dict[Any, Callable[[Any], Fraction]] = {
    sympy.Add: _sum,
    sympy.Mul: _product,
    sympy.Pow: _power,
    FloorDiv: _floor_div,
    Broadcast: _of_sizes(broadcast),
    sympy.floor: _floor,
    sympy.ceiling: _ceiling,
    sympy.Mod: _remainder,
    sympy.Max: _of_sizes(maximum),
    sympy.Min: _of_sizes(minimum),
    sympy.Abs: _absolute,
    sympy.Piecewise: _choice,
    sympy.UnevaluatedExpr: lambda expression: fraction_of(expression.args[0]),
}


def _no_dim(expression: Any) -> str:
    shown = _shown(expression)
    if expression.is_Float:
        return f"{shown} is a float; a dim is an integer"
    if expression.is_number:
        return f"{shown} is no integer"
    return f"{shown} is no dim: dims know + - * //, Mod, floor, ceiling, Max, Min, Abs and powers"


def _shown(expression: Any) -> str:
    """Return an expression as a message shows it."""
    count = sum(1 for _ in itertools.islice(sympy.preorder_traversal(expression), 100))
    return str(expression) if count < 100 else f"of type {type(expression).__name__}"
