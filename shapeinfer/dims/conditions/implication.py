"""What follows from conditions: proven, or not claimed."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from shapeinfer.dims.conditions.condition import AllOf, AnyOf, AtMost, Condition, Divides, Equal
from shapeinfer.dims.conditions.decisions import divides, less_equal
from shapeinfer.dims.conditions.periodic import Quantity, Refused, quantity_of
from shapeinfer.dims.terms.arithmetic import memoised, mul, sub
from shapeinfer.dims.terms.dim import Dim, Size, symbol
from shapeinfer.dims.terms.expression import replaced
from shapeinfer.dims.terms.rounded import Rounded
from shapeinfer.dims.terms.sizes import symbols_of

MAX_CONDITIONS = 200
"""Only this many conditions are compared with each other."""
MAX_DIVISOR = 64
MAX_WEIGHT = 600
"""Implications between larger conditions are not decided."""


def implies(a: Condition, b: Condition) -> bool:
    """Return whether ``b`` holds wherever ``a`` does; True only where it is proven."""
    return _implies(a, b) is _PROVEN


_PROVEN, _OPEN = "proven", "open"


@memoised
def _implies(a: Condition, b: Condition) -> str:
    return _PROVEN if _follows(a, b) else _OPEN


def _follows(a: Condition, b: Condition) -> bool:
    if a == b:
        return True
    if a.weight + b.weight > MAX_WEIGHT:
        return False
    if a.answer().is_no or b.answer().is_yes:
        return True
    if isinstance(b, AllOf):
        return all(implies(a, p) for p in b.parts)
    if isinstance(a, AnyOf):
        return all(implies(p, b) for p in a.parts)
    if not a.symbols & b.symbols:
        return False
    if isinstance(a, AllOf):
        return follows(a.parts, b)
    if isinstance(b, AnyOf) and any(implies(a, p) for p in b.parts):
        return True
    decided = _in_table((a,), b)
    if decided is not None and len(a.symbols | b.symbols) == 1:
        return decided
    return decided or _narrowed((a,), b) or _by_parts(a, b)


def follows(known: Sequence[Condition], b: Condition) -> bool:
    """Return whether a condition follows from others together; True only where it is proven."""
    if any(implies(a, b) for a in known):
        return True
    near = [a for a in _flat(known) if a.symbols & b.symbols]
    if not near:
        return False
    if isinstance(b, AllOf):
        return all(follows(known, p) for p in b.parts)
    if len(near) > 1:
        same = quantity_of((b,))
        if same is not None and _in_table([a for a in near if _is_of(same, a)], b):
            return True
    return _narrowed(near, b)


def _flat(conditions: Iterable[Condition]) -> list[Condition]:
    return [p for c in conditions for p in ((c,) if c.conjuncts == (c,) else _flat(c.conjuncts))]


def _is_of(quantity: Quantity, condition: Condition) -> bool:
    found = quantity_of((condition,))
    return found is not None and found.size is quantity.size


def _in_table(known: Sequence[Condition], b: Condition) -> bool | None:
    """Compare where conditions of one quantity hold; None for conditions of more, or beyond a table."""
    quantity = quantity_of((*known, b)) if known else None
    if quantity is None:
        return None
    try:
        allowed, wanted = quantity.truth(AllOf(tuple(known))), quantity.truth(b)
        start, period = max(allowed.start, wanted.start), math.lcm(allowed.period, wanted.period)
        pairs = zip(allowed.extended(start, period), wanted.extended(start, period))
    except Refused:
        return None
    return all(w for i, (a, w) in enumerate(pairs) if a and (quantity.count is None or i < quantity.count))


def _by_parts(a: Condition, b: Condition) -> bool:
    """Return whether one comparison implies another by substitution, or by a multiple of their difference."""
    if isinstance(a, Equal) and any(
        _holds_with(b, {x: y})
        for x, y in ((a.a, a.b), (a.b, a.a))
        if isinstance(x, Dim) and x.is_symbol and x not in symbols_of(y)
    ):
        return True
    if _is_linear_comparison(a) and _is_linear_comparison(b):
        # of symbols and numbers alone the rest was tried already
        return False
    law = _LAWS.get((type(a), type(b)))
    return law is not None and law(a, b)


def _is_linear_comparison(condition: Condition) -> bool:
    return bool(condition.sides) and all(isinstance(s, int) or s.is_symbol for s in condition.sides)


def _equal_by_difference(a: Equal, b: Equal) -> bool:
    known, wanted = sub(a.b, a.a), sub(b.b, b.a)
    return any(sub(wanted, mul(known, k)) == 0 for k in (1, -1))


def _bound_by_difference(signs: tuple[int, ...], a: Equal | AtMost, b: AtMost) -> bool:
    """Return whether what ``b`` needs is no less than a multiple of what is known to be no less than 0."""
    known, wanted = sub(a.b, a.a), sub(b.b, b.a)
    return any(less_equal(mul(known, k), wanted).is_yes for k in signs)


def _divides_a_multiple(a: Divides, b: Divides) -> bool:
    n, m = b.divisor, a.divisor
    if n is m and not isinstance(n, int):
        return any(divides(n, sub(b.a, mul(a.a, k))).is_yes for k in (1, -1))
    if not isinstance(n, int) or not isinstance(m, int) or not n or m % n:
        return False
    return any(divides(n, sub(b.a, mul(a.a, k))).is_yes for k in range(1, min(abs(n), MAX_DIVISOR)))


_LAWS: dict[tuple[type[Condition], type[Condition]], Callable[[Any, Any], bool]] = {
    (Equal, Equal): _equal_by_difference,
    (Equal, AtMost): functools.partial(_bound_by_difference, (1, -1)),
    (AtMost, AtMost): functools.partial(_bound_by_difference, (1,)),
    (Divides, Divides): _divides_a_multiple,
}


def _narrowed(known: Sequence[Condition], b: Condition) -> bool:
    """Decide a condition with each symbol narrowed by the conditions on it alone."""
    ranges: dict[Dim, Size] = {}
    for condition in _flat(known):
        found = _range(condition, ranges)
        if found is None:
            continue
        of, size = found
        ranges[of] = size
    return (bool(ranges) and _holds_with(b, ranges)) or _bounded_floats(known, b)


def _bounded_floats(known: Sequence[Condition], b: Condition) -> bool:
    """Decide a comparison with a symbol in place of each float that conditions bound below: of more it holds, too."""
    least = {c.b: c.a for c in _flat(known) if isinstance(c, AtMost) and isinstance(c.b, Rounded)}
    stand_ins: dict[Dim, Size] = {term: symbol(term.text, low) for term, low in least.items() if isinstance(low, int)}
    if not stand_ins or not isinstance(b, AtMost):
        return False
    return less_equal(replaced(b.a, stand_ins), replaced(b.b, stand_ins)).is_yes


def _holds_with(condition: Condition, sizes: Mapping[Dim, Size]) -> bool:
    """Return whether a condition holds with sizes put in for symbols; one that divides by 0 then does not."""
    found = condition.substitute(sizes)
    # a number put in for a symbol leaves nothing of it but in a division by 0
    is_left = any(isinstance(size, int) and s in found.symbols for s, size in sizes.items())
    return found.answer().is_yes and not is_left


def _range(condition: Condition, ranges: Mapping[Dim, Size]) -> tuple[Dim, Size] | None:
    """Return a symbol that a condition compares with a number, in the range left to it: a number for an equality."""
    found = condition.symbol_range()
    if found is None:
        return None
    now = ranges.get(found.symbol, found.symbol)
    if isinstance(now, int):
        return None
    if found.low is not None and found.low == found.high:
        return found.symbol, found.low
    narrowed = found.narrowed(now)
    return None if narrowed is None else (found.symbol, narrowed)


def minimal(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return the conditions without those that follow from the rest, in their order."""
    open_ones = dict.fromkeys(c for c in conditions if c.weight > MAX_WEIGHT or not c.answer().is_yes)
    kept = _without_weaker_bounds(list(open_ones))
    held = kept[:MAX_CONDITIONS]
    for condition in reversed(kept[:MAX_CONDITIONS]):
        rest = [c for c in held if c is not condition and c.symbols & condition.symbols]
        if follows(rest, condition):
            held.remove(condition)
    return (*held, *kept[MAX_CONDITIONS:])


def _without_weaker_bounds(conditions: Sequence[Condition]) -> list[Condition]:
    """Return the conditions with the narrowest of several bounds ``n >= 2``, ``n >= 4`` of one symbol alone."""
    narrowest: dict[tuple[Dim, bool], tuple[int, Condition]] = {}
    bounds: dict[Condition, tuple[Dim, bool]] = {}
    for condition in conditions:
        found = condition.symbol_range() if isinstance(condition, AtMost) else None
        if found is None:
            continue
        is_low = found.low is not None
        number = found.low if found.low is not None else -(found.high or 0)
        place = bounds[condition] = (found.symbol, is_low)
        if place not in narrowest or number > narrowest[place][0]:
            narrowest[place] = number, condition
    return [c for c in conditions if c not in bounds or narrowest[bounds[c]][1] is c]
