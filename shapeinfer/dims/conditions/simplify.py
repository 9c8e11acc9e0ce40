"""Conditions in their smallest readable form: the same truth for all that the symbols may stand for.

What depends on one quantity is decided by its table; sums, products and selections of more are taken apart by
the laws here, each exact for integers within the symbols' ranges, 0 included.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shapeinfer.dims.conditions.condition import (
    ALWAYS,
    NEVER,
    AllOf,
    AnyOf,
    AtMost,
    Condition,
    Divides,
    Equal,
    Junction,
)
from shapeinfer.dims.conditions.congruence import congruence
from shapeinfer.dims.conditions.from_table import from_table
from shapeinfer.dims.conditions.implication import implies
from shapeinfer.dims.conditions.periodic import quantity_of
from shapeinfer.dims.conditions.products import (
    equal_factors,
    equal_products,
    factors_at_most,
    is_natural,
    is_power,
    positive_product,
    product_at_most,
    zero_product,
)
from shapeinfer.dims.terms.arithmetic import add, memoised, mul, sub
from shapeinfer.dims.terms.decompose import Sum, as_remainder, as_sum, distinct_factors
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.sizes import is_symbol

MAX_WEIGHT = 300
"""Larger conditions are not simplified."""
MAX_PARTS = 24
"""Parts are compared with each other only up to this many."""


@memoised
def simplest(condition: Condition) -> Condition:
    """Return the shortest condition that holds exactly where this one does: ALWAYS or NEVER if it is decided."""
    if isinstance(condition, Junction):
        return condition.accept(_LAWS)
    if condition.weight > MAX_WEIGHT:
        return condition
    answer = condition.answer()
    if not answer.is_maybe:
        return ALWAYS if answer.is_yes else NEVER
    by_law = condition.accept(_LAWS)
    by_law = by_law if by_law is condition else _again(by_law)
    found, by_table = [by_law], from_table(condition)
    # of a product or sum that came apart the parts are kept, each of a symbol rather than all of the product
    if by_table is not None and not (isinstance(by_law, Junction) and len(condition.symbols) > 1):
        found.append(_in_order(by_table))
    return min(found, key=_cost_and_text)


class _Laws:
    """Applies the laws of each kind of condition."""

    def equal(self, a: Size, b: Size) -> Condition:
        return _equal(a, b)

    def at_most(self, a: Size, b: Size) -> Condition:
        return _at_most(a, b)

    def divides(self, divisor: Size, a: Size) -> Condition:
        return _divides(divisor, a)

    def all_of(self, parts: tuple[Condition, ...]) -> Condition:
        return _joined(AllOf, parts)

    def any_of(self, parts: tuple[Condition, ...]) -> Condition:
        return _joined(AnyOf, parts)


_LAWS = _Laws()


def _cost_and_text(condition: Condition) -> tuple[int, str]:
    return condition.cost(), condition.text


def _again(condition: Condition) -> Condition:
    """Simplify the result of a law: comparisons are final, parts of a junction are not."""
    if isinstance(condition, Junction):
        return simplest(condition) if condition.parts else condition
    answer = condition.answer()
    return condition if answer.is_maybe else ALWAYS if answer.is_yes else NEVER


def _all(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _any(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


# Equalities


def _equal(a: Size, b: Size) -> Condition:
    if _is_number_or_symbol(a) and _is_number_or_symbol(b):
        return _sided(Sum.of(a).minus(Sum.of(b)), Equal)
    difference = as_sum(sub(a, b))
    g = difference.content()
    if difference.number % g:
        return NEVER
    difference = difference.over(g)
    by_factors = equal_products(a, b)
    if by_factors is not None:
        return by_factors
    for law in (zero_product, equal_factors, _ends, _one_equal, _remainder, _capped):
        found = law(difference)
        if found is not None:
            return found
    return _sided(difference, Equal)


def _is_number_or_symbol(size: Size) -> bool:
    return isinstance(size, int) or is_symbol(size)


def _ends(difference: Sum) -> Condition | None:
    """Split an equality of a sum with its least value: each term is at its least."""
    if len(difference.terms) < 2:
        return None
    for sign in (1, -1):
        ends = [t.low if sign * c > 0 else t.high for c, t in difference.terms]
        if all(e is not None for e in ends):
            least = difference.number + sum(c * e for (c, _), e in zip(difference.terms, ends) if e is not None)
            if least == 0:
                return AllOf(tuple(Equal(t, e) for (_, t), e in zip(difference.terms, ends) if e is not None))
    return None


def _one_equal(difference: Sum) -> Condition | None:
    if len(difference.terms) != 1:
        return None
    ((c, term),) = difference.terms
    value = -difference.number // c
    if term.sign_of_choice > 0 and term.low == value:
        return simplest(AtMost(term, value))
    if term.sign_of_choice < 0 and term.high == value:
        return simplest(AtMost(value, term))
    if term.division is not None:
        b, n = term.division
        both = simplest(AllOf((AtMost(n * value, b), AtMost(b, n * value + n - 1))))
        return min((both, Equal(term, value)), key=_cost_and_text)
    factors = distinct_factors(term)
    if value == 1 and (len(factors) > 1 or is_power(term, factors)) and all(is_natural(f) for f in factors):
        return AllOf(tuple(Equal(f, 1) for f in factors))
    return None


def _remainder(difference: Sum) -> Condition | None:
    """Turn an equality on ``b - n*(b//n)``, a remainder, into divisibility of ``b`` alone."""
    for c, term in difference.terms:
        if term.division is None or c % term.division[1]:
            continue
        b, n = term.division
        q = c // n
        rest = add(sub(difference.size(), mul(term, c)), mul(b, q))
        if isinstance(rest, int):
            # q * (b % n) == rest
            if rest % q or not 0 <= rest // q < n:
                return NEVER
            return simplest(Divides(n, sub(b, rest // q)))
    return None


def _capped(difference: Sum) -> Condition | None:
    """Turn ``max(a, b) == a`` into ``b <= a``, and the like."""
    for c, term in difference.terms:
        if not term.sign_of_choice or abs(c) != 1:
            continue
        other = mul(sub(mul(term, c), difference.size()), c)
        if other in term.alternatives:
            rest = [a for a in term.alternatives if a is not other and a != other]
            return _all([AtMost(other, a) if term.sign_of_choice < 0 else AtMost(a, other) for a in rest])
    return None


# Bounds


def _at_most(a: Size, b: Size) -> Condition:
    if _is_number_or_symbol(a) and _is_number_or_symbol(b):
        difference = Sum.of(b).minus(Sum.of(a))
    else:
        difference = as_sum(sub(b, a))
        g = difference.content()
        # the terms are integers, so the number may be rounded down
        difference = Sum(tuple((c // g, t) for c, t in difference.terms), difference.number // g)
    by_factors = product_at_most(a, b)
    if by_factors is not None:
        return by_factors
    laws = (_one_at_most, _at_end, positive_product, factors_at_most, _selected_at_most)
    for law in laws:
        found = law(difference)
        if found is not None:
            return found
    return _sided(difference, AtMost)


def _one_at_most(difference: Sum) -> Condition | None:
    if len(difference.terms) != 1:
        return None
    ((c, term),) = difference.terms
    upward = c > 0
    value = -(difference.number // c) if upward else difference.number // -c
    if term.division is not None:
        b, n = term.division
        return simplest(AtMost(n * value, b) if upward else AtMost(b, n * value + n - 1))
    if term.sign_of_choice:
        parts = [AtMost(value, a) if upward else AtMost(a, value) for a in term.alternatives]
        return _any(parts) if (term.sign_of_choice > 0) == upward else _all(parts)
    factors = distinct_factors(term)
    if (len(factors) > 1 or is_power(term, factors)) and all(is_natural(f) for f in factors):
        if upward and value == 1:
            return AllOf(tuple(AtMost(1, f) for f in factors))
        if not upward and value == 0:
            return simplest(Equal(term, 0))
    if value == (term.high if upward else term.low):
        return Equal(term, value)
    return AtMost(value, term) if upward else AtMost(term, value)


def _at_end(difference: Sum) -> Condition | None:
    """Turn ``0 <= sum`` into an equality where the sum is never above 0."""
    if len(difference.terms) < 2:
        return None
    ends = [t.high if c > 0 else t.low for c, t in difference.terms]
    if any(e is None for e in ends):
        return None
    most = difference.number + sum(c * e for (c, _), e in zip(difference.terms, ends) if e is not None)
    return simplest(Equal(difference.size(), 0)) if most == 0 else None


def _selected_at_most(difference: Sum) -> Condition | None:
    """Distribute a bound over the one selection in a sum: it holds for one alternative, or for all."""
    found = [(c, term) for c, term in difference.terms if term.sign_of_choice]
    if len(found) != 1:
        return None
    c, term = found[0]
    rest = sub(difference.size(), mul(term, c))
    parts = [AtMost(0, add(rest, mul(a, c))) for a in term.alternatives]
    opened = simplest(_any(parts) if (term.sign_of_choice > 0) == (c > 0) else _all(parts))
    kept = _sided(difference, AtMost)
    return min((opened, kept), key=_cost_and_text)


def _sided(difference: Sum, kind: type[Equal] | type[AtMost]) -> Condition:
    """Return a sum compared with 0 as two sides without a minus, a symbol alone on the left of an equality."""
    above, below = difference.sides()
    if kind is AtMost:
        rest = Sum(difference.terms, 0).size()
        if as_remainder(rest) is not None:
            return AtMost(-difference.number, rest)
        negated = mul(rest, -1)
        return AtMost(below, above) if as_remainder(negated) is None else AtMost(negated, difference.number)
    one, other = sorted((above, below), key=_side)
    return Equal(one, other)


def _side(size: Size) -> tuple[bool, bool, int, str]:
    return isinstance(size, int), not is_symbol(size), 0 if isinstance(size, int) else len(size.symbols), str(size)


# Divisibility


def _divides(divisor: Size, a: Size) -> Condition:
    if isinstance(divisor, Dim):
        return _divides_by_symbol(divisor, a)
    return congruence(abs(divisor), a) if divisor else simplest(Equal(a, 0))


def _divides_by_symbol(divisor: Dim, a: Size) -> Condition:
    if isinstance(a, int):
        return Divides(divisor, abs(a))
    below, above = as_sum(divisor), as_sum(a)
    g = math.gcd(below.content(), below.number, above.content(), above.number)
    if g > 1:
        # also where the divisor is 0: it divides 0 alone
        return simplest(Divides(below.over(g).size(), above.over(g).size()))
    if is_symbol(divisor):
        kept = tuple((c, t) for c, t in above.terms if divisor not in distinct_factors(t))
        if len(kept) < len(above.terms):
            return simplest(Divides(divisor, Sum(kept, above.number).size()))
    return Divides(divisor, a)


# Choices and conjunctions


def _joined(kind: type[AllOf] | type[AnyOf], joined: tuple[Condition, ...]) -> Condition:
    neutral, final = (ALWAYS, NEVER) if kind is AllOf else (NEVER, ALWAYS)
    parts: list[Condition] = []
    for part in joined:
        one = simplest(part)
        if one == final:
            return final
        if one != neutral:
            parts += one.parts if isinstance(one, kind) else (one,)
    parts = sorted(dict.fromkeys(parts), key=reading_order)
    if len(parts) <= MAX_PARTS:
        parts = _absorbed(_merged(parts, kind), kind)
        if final in parts:
            return final
    if not parts:
        return neutral
    return _all(sorted(parts, key=reading_order)) if kind is AllOf else _any(sorted(parts, key=reading_order))


def _merged(parts: list[Condition], kind: type[AllOf] | type[AnyOf]) -> list[Condition]:
    """Merge the parts that are on one quantity."""
    groups: dict[Dim | int, list[Condition]] = {}
    for i, part in enumerate(parts):
        quantity = quantity_of((part,))
        groups.setdefault(i if quantity is None else quantity.size, []).append(part)
    out: list[Condition] = []
    for group in groups.values():
        merged = from_table(kind(tuple(group))) if len(group) > 1 else None
        if merged is not None and merged.cost() <= sum(c.cost() for c in group):
            out += merged.parts if isinstance(merged, kind) and merged.parts else (_in_order(merged),)
        else:
            out += group
    neutral = ALWAYS if kind is AllOf else NEVER
    return [p for p in out if p != neutral]


def _absorbed(parts: list[Condition], kind: type[AllOf] | type[AnyOf]) -> list[Condition]:
    """Drop parts that another part implies (in a conjunction) or that imply another (in a disjunction)."""
    kept = list(parts)
    for part in sorted(parts, key=lambda p: (-p.cost(), p.text)):
        others = [p for p in kept if p is not part]
        if any(implies(p, part) if kind is AllOf else implies(part, p) for p in others):
            kept = others
    return kept


def _in_order(condition: Condition) -> Condition:
    """Return a condition with the parts of a junction in the order of all."""
    if not isinstance(condition, Junction) or len(condition.parts) < 2:
        return condition
    parts = sorted(map(_in_order, condition.parts), key=reading_order)
    return _all(parts) if isinstance(condition, AllOf) else _any(parts)


def reading_order(condition: Condition) -> tuple[int, list[str], int, int, str]:
    """Order by how many symbols a condition relates, then by their names, kind and number."""
    names = sorted(s.name for s in condition.symbols)
    return -len(names), names, condition.rank, condition.bound, condition.text
