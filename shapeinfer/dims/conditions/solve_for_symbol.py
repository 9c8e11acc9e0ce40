"""What a condition says of one symbol: what it equals, or in which narrower range it lies."""

from __future__ import annotations

import math
from collections.abc import Iterable

from shapeinfer.dims.conditions.condition import AtMost, Condition, Divides, Equal, SymbolRange
from shapeinfer.dims.conditions.periodic import Quantity, Refused, Truth, quantity_of
from shapeinfer.dims.terms.arithmetic import floordiv, memoised, mul, sub
from shapeinfer.dims.terms.decompose import as_sum
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.sizes import symbols_of


@memoised
def solve_for_symbol(condition: Condition) -> tuple[Dim, Size] | None:
    """Return a symbol and what it must be wherever the condition holds; None where that is no single symbol.

    A symbol of a narrower range stands for itself: it has the same name.
    """
    if isinstance(condition, Equal):
        solved = _solved(condition.a, condition.b)
        if solved is not None:
            return solved
    if len(condition.symbols) != 1:
        return None
    (one,) = condition.symbols
    # bounds and divisors of the symbol itself are read off, however far from 0 they are
    found = None if isinstance(condition, Equal) else condition.symbol_range()
    narrowed = None if found is None else found.narrowed(one)
    if narrowed is None:
        narrowed = _of_table(one, condition)
    return None if narrowed is None or narrowed is one else (one, narrowed)


def better(a: Size, b: Size) -> Size:
    """Return the better known of two sizes that agree: a number, then the author's symbols, then fresh ones.

    Of two that are alike in that it is the one of the narrower range.
    """
    return min(a, b, key=_obscurity)


def _obscurity(size: Size) -> tuple[int, float, float, int, str]:
    if isinstance(size, int):
        return (0, 0, 0, 0, "")
    fresh = sum(s.is_fresh or s.is_slot for s in size.symbols)
    low, high = (math.inf if bound is None else bound for bound in size.bounds())
    return (1 + fresh, high - low if high < math.inf else math.inf, -low, len(size.text), size.text)


def _solved(a: Size, b: Size) -> tuple[Dim, Size] | None:
    """Solve ``a == b`` for a symbol alone on one side: a fresh one rather than the author's."""
    best = better(a, b)
    other = b if best is a else a
    for side, size in ((other, best), (best, other)):
        inside = symbols_of(size)
        if not isinstance(side, Dim) or not side.is_symbol or side in inside:
            continue
        # An input's dim is never explained by a fresh one.
        if side.is_fresh or not any(s.is_fresh for s in inside):
            return side, size
    return _fresh_term(a, b)


def _fresh_term(a: Size, b: Size) -> tuple[Dim, Size] | None:
    """Solve ``a == b`` for a fresh symbol that is a term of their difference: ``2*m == n`` makes it ``n//2``."""
    difference = as_sum(sub(a, b))
    for c, term in sorted(difference.terms, key=lambda t: (abs(t[0]), t[1].text)):
        rest = sub(mul(term, c), difference.size())
        if term.is_symbol and term.is_fresh and term not in symbols_of(rest):
            return term, floordiv(rest if c > 0 else mul(rest, -1), abs(c))
    return None


def consequences(condition: Condition, fresh: Dim, size: Size) -> Iterable[Condition]:
    """Return what an equality that gave a fresh symbol requires of the rest: to be an integer and in range."""
    if not isinstance(condition, Equal) or not fresh.is_fresh or not isinstance(size, Dim):
        return
    for c, term in as_sum(sub(condition.a, condition.b)).terms:
        if term is fresh and abs(c) > 1:
            yield Divides(abs(c), sub(mul(term, c), sub(condition.a, condition.b)))
    if fresh.low is not None:
        yield AtMost(fresh.low, size)
    if fresh.high is not None:
        yield AtMost(size, fresh.high)


def _of_table(one: Dim, condition: Condition) -> Size | None:
    """Return the symbol in the range of the values for which the condition holds."""
    quantity = quantity_of((condition,))
    if quantity is None or quantity.size is not one:
        return None
    try:
        truth = quantity.truth(condition)
        size = truth.start + 2 * truth.period
        table = truth.extended(size, 0)
    except Refused:
        return None
    return _held(one, quantity, truth, table)


def _held(one: Dim, quantity: Quantity, truth: Truth, table: list[bool]) -> Size | None:
    count = len(table) if quantity.count is None else min(len(table), quantity.count)
    values = [quantity.least + i * quantity.step for i in range(count) if table[i]]
    if not values:
        return None
    ends = not any(truth.table[truth.start :]) or (quantity.count is not None and quantity.count <= count)
    # what divides the values of two periods divides those of all that follow
    high = values[-1] if ends else None
    return SymbolRange(one, values[0], high, max(math.gcd(*values), 1)).narrowed(one)
