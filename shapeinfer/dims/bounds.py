"""Bounds of expressions, from the ranges of their symbols; loaded only with sympy's expressions."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any, TypeAlias

from sympy import Add

from shapeinfer.dims import algebra
from shapeinfer.dims.algebra import Broadcast, FloorDiv, Max, Min

Interval: TypeAlias = tuple["Fraction | None", "Fraction | None"]
MAX_TERMS = 40
MAX_SPLITS = 3

_EVERYTHING: Interval = (None, None)


@functools.lru_cache(maxsize=20_000)
def bounds_of(expr: Any) -> tuple[int | None, int | None]:
    """Return the least and the greatest integer that an expression can be, None where unbounded or not known."""
    if len(Add.make_args(expr)) > MAX_TERMS:
        return None, None
    low, high = _sharp(expr, MAX_SPLITS)
    return (None if low is None else math.ceil(low)), (None if high is None else math.floor(high))


def _sharp(expr: Any, splits: int) -> Interval:
    """Bounds of a sum, splitting over selections and writing floors as fractions less a remainder."""
    if expr.is_Add:
        for term in expr.args:
            coefficient, rest = term.as_coeff_Mul()
            if splits and isinstance(rest, (Max, Min, Broadcast)):
                others = Add(*(t for t in expr.args if t is not term))
                cases = [_sharp(algebra.replaced(Add(others, coefficient * a), {}), splits - 1) for a in rest.args]
                return _chosen(rest, int(coefficient), cases)
    return _meet(_plain(expr), _with_remainders(expr))


def _chosen(selection: Any, coefficient: int, cases: list[Interval]) -> Interval:
    """Bounds of ``coefficient * selection + rest`` from the bounds with each argument in its place."""
    lows, highs = [c[0] for c in cases], [c[1] for c in cases]
    if isinstance(selection, Broadcast):
        return _least(lows), _greatest(highs)
    if isinstance(selection, Max) == (coefficient > 0):
        # the largest of the cases: as low as the best of the lower bounds
        known = [x for x in lows if x is not None]
        return (max(known) if known else None), _greatest(highs)
    known = [x for x in highs if x is not None]
    return _least(lows), (min(known) if known else None)


def _least(values: list[Fraction | None]) -> Fraction | None:
    return None if None in values else min(v for v in values if v is not None)


def _greatest(values: list[Fraction | None]) -> Fraction | None:
    return None if None in values else max(v for v in values if v is not None)


def _meet(a: Interval, b: Interval) -> Interval:
    lows = [x for x in (a[0], b[0]) if x is not None]
    highs = [x for x in (a[1], b[1]) if x is not None]
    return (max(lows) if lows else None), (min(highs) if highs else None)


def _plain(expr: Any) -> Interval:
    if expr.is_Rational:
        value = Fraction(int(expr.p), int(expr.q))
        return value, value
    if expr.is_Symbol:
        low, high = algebra.dim_of_symbol(expr)._limits()
        return _fraction(low), _fraction(high)
    if expr.is_Add:
        return functools.reduce(_plus, (_plain(a) for a in expr.args))
    if expr.is_Mul:
        return functools.reduce(_times, (_plain(a) for a in expr.args))
    if expr.is_Pow:
        power = functools.reduce(_times, [_plain(expr.args[0])] * int(expr.args[1]))
        return (max(power[0] or Fraction(0), Fraction(0)), power[1]) if int(expr.args[1]) % 2 == 0 else power
    if isinstance(expr, FloorDiv):
        return _floor(expr)
    if isinstance(expr, (Max, Min, Broadcast)):
        return _chosen(expr, 1, [_sharp(a, 1) for a in expr.args])
    return _EVERYTHING


def _fraction(value: int | None) -> Fraction | None:
    return None if value is None else Fraction(value)


def _plus(a: Interval, b: Interval) -> Interval:
    return (
        None if a[0] is None or b[0] is None else a[0] + b[0],
        None if a[1] is None or b[1] is None else a[1] + b[1],
    )


def _times(a: Interval, b: Interval) -> Interval:
    if None not in a and None not in b:
        ends = [x * y for x in a for y in b if x is not None and y is not None]
        return min(ends), max(ends)
    for point, other in ((a, b), (b, a)):
        if point[0] is not None and point[0] == point[1]:
            ends2 = [None if e is None else point[0] * e for e in other]
            low, high = ends2 if point[0] >= 0 else ends2[::-1]
            return (Fraction(0), Fraction(0)) if point[0] == 0 else (low, high)
    if a[0] is not None and a[0] >= 0 and b[0] is not None and b[0] >= 0:
        return a[0] * b[0], (None if a[1] is None or b[1] is None else a[1] * b[1])
    return _EVERYTHING


def _floor(expr: Any) -> Interval:
    a, n = (_sharp(x, 1) for x in expr.args)
    if n[0] is None or n[0] < 1:
        return _EVERYTHING
    low = high = None
    if a[0] is not None:
        ends = [Fraction(math.floor(a[0] / d)) if d is not None else Fraction(0 if a[0] >= 0 else -1) for d in n]
        low = min(ends)
    if a[1] is not None:
        ends = [Fraction(math.floor(a[1] / d)) if d is not None else Fraction(0 if a[1] >= 0 else -1) for d in n]
        high = max(ends)
    return low, high


def _with_remainders(expr: Any) -> Interval:
    """Bounds with every ``b//n`` written as ``b/n`` less a remainder in [0, (n-1)/n]."""
    terms, slack, changed = [], (Fraction(0), Fraction(0)), False
    for term in Add.make_args(expr):
        coefficient, rest = term.as_coeff_Mul()
        if isinstance(rest, FloorDiv) and rest.args[1].is_Integer and rest.args[1] > 0:
            b, n = rest.args
            changed = True
            terms.append(algebra.sympy.expand_mul(coefficient * b / n))
            loss = Fraction(int(n) - 1, int(n)) * int(coefficient) if coefficient.is_Integer else None
            if loss is None:
                return _EVERYTHING
            slack = (slack[0] - max(loss, Fraction(0)), slack[1] - min(loss, Fraction(0)))
        else:
            terms.append(term)
    if not changed:
        return _EVERYTHING
    whole = Add(*terms)
    return _plus(_with_remainders(whole) if _has_floor(whole) else _plain(whole), slack)


def _has_floor(expr: Any) -> bool:
    return any(
        isinstance(t.as_coeff_Mul()[1], FloorDiv) and t.as_coeff_Mul()[0].is_Integer for t in Add.make_args(expr)
    )
