"""Divisibility by a number in canonical form: of all equivalent multiples the one with the least coefficients."""

from __future__ import annotations

import math

from shapeinfer.dims.conditions.condition import ALWAYS, NEVER, Condition, Divides
from shapeinfer.dims.terms.arithmetic import add, mul, total
from shapeinfer.dims.terms.decompose import as_sum
from shapeinfer.dims.terms.dim import Size

MAX_UNITS = 64
"""For greater divisors only a few units are tried."""


def congruence(n: int, a: Size) -> Condition:
    """Return the shortest condition that a number above 0 divides a size: ALWAYS or NEVER if that is decided.

    ``n`` divides ``a`` exactly where it divides ``unit*a``, for a unit that has no factor in common with ``n``.
    """
    dividend = as_sum(a)
    # what the divisor divides anyway does not count
    terms = [(c % n, t) for c, t in dividend.terms if c * t.divisor % n]
    if not terms:
        return NEVER if dividend.number % n else ALWAYS
    g = math.gcd(n, *(c for c, _ in terms))
    if dividend.number % g:
        return NEVER
    n, terms, number = n // g, [(c // g, t) for c, t in terms], dividend.number // g % (n // g)
    units = [u for u in range(1, n) if math.gcd(u, n) == 1] if n <= MAX_UNITS else [1, n - 1]
    if n > MAX_UNITS and math.gcd(terms[0][0], n) == 1:
        units.append(pow(terms[0][0], -1, n))

    def multiplied(unit: int) -> tuple[list[int], int]:
        return [_centred(c * unit, n) for c, _ in terms], _centred(number * unit, n)

    def reading_length(unit: int) -> tuple[int, int, int, int]:
        coefficients, rest = multiplied(unit)
        return sum(map(abs, coefficients)), sum(c < 0 for c in coefficients), abs(rest), unit

    coefficients, rest = multiplied(min(units or [1], key=reading_length))
    return Divides(n, add(total(mul(t, c) for c, (_, t) in zip(coefficients, terms)), rest))


def _centred(number: int, n: int) -> int:
    number %= n
    return number if 2 * number <= n else number - n
