"""What follows from conditions: proven, or not claimed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from shapeinfer.dims.conditions.condition import AllOf, AnyOf, AtMost, Condition, Divides, Equal
from shapeinfer.dims.conditions.decompose import sides, weight
from shapeinfer.dims.conditions.periodic import Quantity, Refused, quantity_of
from shapeinfer.dims.conditions.questions import divides, less_equal
from shapeinfer.dims.terms.arithmetic import memoised, mul, sub
from shapeinfer.dims.terms.dim import Dim, Size, symbol

MAX_CONDITIONS = 200
"""Of more conditions only the first ones are held against each other."""
MAX_DIVISOR = 64
MAX_WEIGHT = 600
"""Of larger conditions nothing is claimed."""


def implies(a: Condition, b: Condition) -> bool:
    """Tell whether ``b`` holds wherever ``a`` does; True only where it is proven."""
    return _implies(a, b) is _PROVEN


_PROVEN, _OPEN = "proven", "open"


@memoised
def _implies(a: Condition, b: Condition) -> str:
    return _PROVEN if _follows(a, b) else _OPEN


def _follows(a: Condition, b: Condition) -> bool:
    if a == b:
        return True
    if weight(a) + weight(b) > MAX_WEIGHT:
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
    told = _in_table((a,), b)
    if told is not None and len(a.symbols | b.symbols) == 1:
        return told
    return told or _narrowed((a,), b) or _by_parts(a, b)


def follows(given: Sequence[Condition], b: Condition) -> bool:
    """Tell whether a condition follows from others together; True only where it is proven."""
    if any(implies(a, b) for a in given):
        return True
    near = [a for a in _flat(given) if a.symbols & b.symbols]
    if not near:
        return False
    if isinstance(b, AllOf):
        return all(follows(given, p) for p in b.parts)
    if len(near) > 1:
        same = quantity_of((b,))
        if same is not None and _in_table([a for a in near if _is_of(same, a)], b):
            return True
    return _narrowed(near, b)


def _flat(conditions: Iterable[Condition]) -> list[Condition]:
    return [p for c in conditions for p in (_flat(c.parts) if isinstance(c, AllOf) else (c,))]


def _is_of(quantity: Quantity, condition: Condition) -> bool:
    found = quantity_of((condition,))
    return found is not None and found.size is quantity.size


def _in_table(given: Sequence[Condition], b: Condition) -> bool | None:
    """Compare where conditions of one quantity hold; None for conditions of more, or beyond a table."""
    quantity = quantity_of((*given, b)) if given else None
    if quantity is None:
        return None
    try:
        allowed, wanted = quantity.truth(AllOf(tuple(given))), quantity.truth(b)
        start, period = max(allowed.start, wanted.start), math.lcm(allowed.period, wanted.period)
        pairs = zip(allowed.extended(start, period), wanted.extended(start, period))
    except Refused:
        return None
    return all(w for i, (a, w) in enumerate(pairs) if a and (quantity.count is None or i < quantity.count))


def _by_parts(a: Condition, b: Condition) -> bool:
    """Compare what two conditions say of one sum."""
    if isinstance(a, Equal) and any(
        _holds_with(b, {x: y})
        for x, y in ((a.a, a.b), (a.b, a.a))
        if isinstance(x, Dim) and x.is_symbol and not (isinstance(y, Dim) and x in y.symbols)
    ):
        return True
    if _is_linear_comparison(a) and _is_linear_comparison(b):
        # of symbols and numbers alone the rest was asked already
        return False
    if isinstance(a, Equal) and isinstance(b, (Equal, AtMost)):
        return _by_difference(sub(a.b, a.a), b, (1, -1))
    if isinstance(a, AtMost) and isinstance(b, AtMost):
        return _by_difference(sub(a.b, a.a), b, (1,))
    if isinstance(a, Divides) and isinstance(b, Divides):
        n, m = b.divisor, a.divisor
        if n is m and not isinstance(n, int):
            return any(divides(n, sub(b.a, mul(a.a, k))).is_yes for k in (1, -1))
        if not isinstance(n, int) or not isinstance(m, int) or not n or m % n:
            return False
        return any(divides(n, sub(b.a, mul(a.a, k))).is_yes for k in range(1, min(abs(n), MAX_DIVISOR)))
    return False


def _is_linear_comparison(condition: Condition) -> bool:
    return not isinstance(condition, (AllOf, AnyOf)) and all(
        isinstance(s, int) or s.is_symbol for s in sides(condition)
    )


def _by_difference(known: Size, b: Equal | AtMost, signs: tuple[int, ...]) -> bool:
    """Tell whether what ``b`` needs is no less than a multiple of what is known to be no less than 0."""
    wanted = sub(b.b, b.a)
    if isinstance(b, Equal):
        return any(sub(wanted, mul(known, k)) == 0 for k in signs)
    return any(less_equal(mul(known, k), wanted).is_yes for k in signs)


def _narrowed(given: Iterable[Condition], b: Condition) -> bool:
    """Ask with every symbol in the range that conditions on it alone leave it."""
    ranges: dict[Dim, Size] = {}
    for condition in _flat(given):
        found = _range(condition, ranges)
        if found is None:
            continue
        of, size = found
        ranges[of] = size
    return bool(ranges) and _holds_with(b, ranges)


def _holds_with(condition: Condition, lengths: Mapping[Dim, Size]) -> bool:
    """Tell whether a condition holds with lengths put in for symbols; one that divides by 0 then does not."""
    found = condition.substitute(lengths)
    # a number put in for a symbol leaves nothing of it but in a division by 0
    is_left = any(isinstance(size, int) and s in found.symbols for s, size in lengths.items())
    return found.answer().is_yes and not is_left


def _range(condition: Condition, ranges: dict[Dim, Size]) -> tuple[Dim, Size] | None:
    if isinstance(condition, (AllOf, AnyOf)):
        return None
    one, other = (condition.a, condition.divisor if isinstance(condition, Divides) else condition.b)
    if isinstance(one, int) and not isinstance(condition, Divides):
        one, other = other, one
    if not isinstance(one, Dim) or not one.is_symbol or not isinstance(other, int):
        return None
    now = ranges.get(one, one)
    if isinstance(now, int):
        return None
    if isinstance(condition, Equal):
        return one, other
    low, high, divisor = now.low, now.high, now.divisor
    if isinstance(condition, Divides):
        divisor = math.lcm(divisor, other) if other else divisor
    elif one is condition.a:
        high = other if high is None else min(high, other)
    else:
        low = other if low is None else max(low, other)
    try:
        return one, symbol(one.name, low, high, divisor, one.is_fresh)
    except ValueError:
        return None


def minimal(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return the conditions without those that follow from the rest, in their order."""
    kept = list(dict.fromkeys(c for c in conditions if weight(c) > MAX_WEIGHT or not c.answer().is_yes))
    held = kept[:MAX_CONDITIONS]
    for condition in reversed(kept[:MAX_CONDITIONS]):
        rest = [c for c in held if c is not condition and c.symbols & condition.symbols]
        if follows(rest, condition):
            held.remove(condition)
    return (*held, *kept[MAX_CONDITIONS:])
