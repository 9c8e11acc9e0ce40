"""What is asked of any sympy expression: its symbols as Dims, its size, its number.

Expressions share their parts and would be exponential as trees, so each answer about a part is remembered.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

import sympy
from sympy import Integer

from shapeinfer.dims import dim as dims
from shapeinfer.dims.dim import Dim, Size

CACHED = 20_000

_by_name: WeakValueDictionary[str, Dim] = WeakValueDictionary()


def expr_of(size: Size) -> Any:
    """Return the sympy expression of a length."""
    if isinstance(size, int):
        return Integer(size)
    if size._expr is None:
        # The whole key is in sympy's name: symbols that differ in range alone must not be one.
        kind, name, low, high, divisor, made = size._key
        unique = f"{name}\0{kind}{low},{high},{divisor},{made}"
        positive = True if low is not None and low >= 0 else None
        size._expr = sympy.Symbol(unique, integer=True, nonnegative=positive)
        _by_name[unique] = size
    return size._expr


def dim_of_symbol(expr: Any) -> Dim:
    """Return the Dim of a sympy symbol that ``expr_of`` made."""
    found = _by_name.get(expr.name)
    if found is None:
        name, _, rest = expr.name.rpartition("\0")
        kind, numbers = ("slot", rest[4:]) if rest.startswith("slot") else ("symbol", rest[6:])
        low, high, divisor, made = (None if p == "None" else p for p in numbers.split(","))
        key = (kind, name, low and int(low), high and int(high), int(divisor or 1), made == "True")
        found = dims._symbol(key)
        expr_of(found)
    return found


@functools.lru_cache(maxsize=CACHED)
def symbols_of(expr: Any) -> frozenset[Dim]:
    """Return the symbols that occur in an expression."""
    if expr.is_Symbol:
        return frozenset({dim_of_symbol(expr)})
    return frozenset().union(*(symbols_of(a) for a in expr.args))


HIGH_POWER = 16


@functools.lru_cache(maxsize=CACHED)
def weight_of(expr: Any) -> int:
    """Return how many nodes an expression would have if it shared none; it may be beyond counting.

    A high power counts as the product that it is, since that is what deciding about it costs.
    """
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > HIGH_POWER:
        return int(expr.exp) * weight_of(expr.base)
    return 1 + sum(weight_of(a) for a in expr.args)


@functools.lru_cache(maxsize=CACHED)
def largest_in(expr: Any) -> int:
    """Return the number farthest from 0 that is written in an expression, as its distance."""
    return abs(int(expr)) if expr.is_Integer else max((largest_in(a) for a in expr.args), default=0)


def evaluated(expr: Any, values: Mapping[Dim, int]) -> int:
    """Return the number of an expression, given its symbols'."""
    done: dict[Any, int] = {}

    def go(e: Any) -> int:
        if e.is_Integer:
            return int(e)
        if e in done:
            return done[e]
        if e.is_Symbol:
            out = values[dim_of_symbol(e)]
        else:
            args = [go(a) for a in e.args]
            if e.is_Add:
                out = sum(args)
            elif e.is_Mul:
                out = math.prod(args)
            else:
                out = args[0] ** args[1] if e.is_Pow else int(e.func.numeric(*args))
        done[e] = out
        return out

    return go(expr)
