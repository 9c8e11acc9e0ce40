"""Bounds of expressions, from the ranges of their symbols; loaded only with sympy's expressions.

Every step takes the arguments of a function as what ``bounds_of`` remembers of them, so the cost grows with
the expression's size; only a sum is ever split into cases, and their number is limited.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any, TypeAlias

from sympy import Add, Rational

from shapeinfer.budget import look
from shapeinfer.dims.algebra import Broadcast, FloorDiv, Max, Min, divisor_of
from shapeinfer.dims.expressions import dim_of_symbol

End: TypeAlias = "int | Fraction | None"
Interval: TypeAlias = tuple[End, End]

MAX_TERMS = 40
"""A longer sum is bounded term by term."""
MAX_CASES = 12
MAX_OPENED = 4

_EVERYTHING: Interval = (None, None)


@functools.lru_cache(maxsize=20_000)
def bounds_of(expr: Any) -> tuple[int | None, int | None]:
    """Return the least and the greatest integer that an expression can be, None where not known."""
    look()
    low, high = _sharp(expr, MAX_CASES)
    return (None if low is None else math.ceil(low)), (None if high is None else math.floor(high))


def _sharp(expr: Any, cases: int) -> Interval:
    """Bound a sum case by case over its selections, and with its floors as fractions less a remainder."""
    plain = _plain(expr)
    if expr.is_Add and len(expr.args) > MAX_TERMS:
        return plain
    for term in expr.args if expr.is_Add else ():
        coefficient, rest = term.as_coeff_Mul()
        if isinstance(rest, (Max, Min, Broadcast)) and len(rest.args) <= cases:
            others = Add(*(t for t in expr.args if t is not term))
            each = [_sharp(Add(others, coefficient * a), cases // len(rest.args)) for a in rest.args]
            return _meet(plain, _chosen(rest, coefficient > 0, each))
    return _meet(plain, _opened(expr))


def _chosen(selection: Any, upright: bool, cases: list[Interval]) -> Interval:
    """Bound what holds a selection, from the bounds with each argument in its place."""
    lows, highs = [c[0] for c in cases], [c[1] for c in cases]
    least, greatest = _least(lows), _greatest(highs)
    if isinstance(selection, Broadcast):
        return least, greatest
    if isinstance(selection, Max) == upright:
        # the largest of the cases: no lower than the best of their lower bounds
        return max((x for x in lows if x is not None), default=None), greatest
    return least, min((x for x in highs if x is not None), default=None)


def _least(values: list[End]) -> End:
    known = [v for v in values if v is not None]
    return min(known) if len(known) == len(values) else None


def _greatest(values: list[End]) -> End:
    known = [v for v in values if v is not None]
    return max(known) if len(known) == len(values) else None


def _meet(a: Interval, b: Interval) -> Interval:
    return (
        max((x for x in (a[0], b[0]) if x is not None), default=None),
        min((x for x in (a[1], b[1]) if x is not None), default=None),
    )


def _plain(expr: Any) -> Interval:
    """Bound an expression from bounds of its parts alone."""
    if expr.is_Rational:
        value = _number(expr)
        return value, value
    if expr.is_Symbol:
        return dim_of_symbol(expr)._limits()
    if expr.is_Add:
        return functools.reduce(_plus, (_plain(a) for a in expr.args))
    if expr.is_Mul:
        coefficient, rest = expr.as_coeff_Mul()
        if coefficient != 1:
            return _scaled(_number(coefficient), bounds_of(rest))
        return functools.reduce(_times, (_plain(a) for a in rest.args))
    if expr.is_Pow:
        return _power(bounds_of(expr.args[0]), int(expr.args[1]))
    if isinstance(expr, FloorDiv):
        return _floor(*(bounds_of(a) for a in expr.args))
    if isinstance(expr, (Max, Min, Broadcast)):
        return _chosen(expr, True, [bounds_of(a) for a in expr.args])
    return _EVERYTHING


def _number(value: Any) -> int | Fraction:
    return int(value.p) if value.q == 1 else Fraction(int(value.p), int(value.q))


def _plus(a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else a[0] + b[0],
        None if a[1] is None or b[1] is None else a[1] + b[1],
    )


def _scaled(factor: int | Fraction, a: Interval) -> Interval:
    low, high = (None if end is None else factor * end for end in a)
    return (low, high) if factor >= 0 else (high, low)


def _times(a: Interval, b: Interval) -> Interval:
    ends: list[Any] = []
    for x in (-math.inf if a[0] is None else a[0], math.inf if a[1] is None else a[1]):
        for y in (-math.inf if b[0] is None else b[0], math.inf if b[1] is None else b[1]):
            # an end at infinity is never reached, so 0 times it is 0
            if x == 0 or y == 0:
                ends.append(0)
            elif isinstance(x, float) or isinstance(y, float):
                ends.append(math.inf if (x > 0) == (y > 0) else -math.inf)
            else:
                ends.append(x * y)
    low, high = min(ends), max(ends)
    return (None if isinstance(low, float) else low), (None if isinstance(high, float) else high)


def _power(base: Interval, exponent: int) -> Interval:
    low, high = (None if end is None else end**exponent for end in base)
    if exponent % 2:
        return low, high
    if base[0] is not None and base[0] >= 0:
        return low, high
    if base[1] is not None and base[1] <= 0:
        return high, low
    return 0, (None if low is None or high is None else max(low, high))


def _floor(a: tuple[int | None, int | None], n: tuple[int | None, int | None]) -> Interval:
    if n[1] is not None and n[1] < 0:
        a, n = (_negated(a), _negated(n))
    if n[0] is None or n[0] < 0:
        return _EVERYTHING
    # by 0 there is no value; where n may be 0 the interval holds 0 as well, whatever is made of it
    values: list[list[int]] = [[], []] if n[0] else [[0], [0]]
    for end, found in zip(a, values, strict=True):
        if end is None:
            continue
        found.append(end // max(n[0], 1))
        found.append((0 if end >= 0 else -1) if n[1] is None else end // max(n[1], 1))
    return (None if a[0] is None else min(values[0])), (None if a[1] is None else max(values[1]))


def _negated(a: tuple[int | None, int | None]) -> tuple[int | None, int | None]:
    return (None if a[1] is None else -a[1]), (None if a[0] is None else -a[0])


def _opened(expr: Any) -> Interval:
    """Bound with every ``b//n`` written as ``b/n`` less a remainder in [0, (n-1)/n], layer by layer."""
    best, slack = _EVERYTHING, (Fraction(0), Fraction(0))
    for _ in range(MAX_OPENED):
        terms, changed = [], False
        for term in Add.make_args(expr):
            coefficient, rest = term.as_coeff_Mul()
            if isinstance(rest, FloorDiv) and rest.args[1].is_Integer:
                b, n = rest.args
                changed = True
                terms.append(coefficient * Rational(1, n) * b)
                if divisor_of(b) % int(n):
                    loss = _number(coefficient) * Fraction(int(n) - 1, int(n))
                    slack = (slack[0] - loss, slack[1]) if loss > 0 else (slack[0], slack[1] - loss)
            else:
                terms.append(term)
        if not changed:
            break
        expr = Add(*terms)
        best = _meet(best, _plus(_plain(expr), slack))
    return best
