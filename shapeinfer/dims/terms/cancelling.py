"""Fractions of sizes: common factors above and below, and divisions that leave no remainder."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from shapeinfer.dims.terms.dim import Dim, Factors, Size
from shapeinfer.dims.terms.floors import floor
from shapeinfer.dims.terms.polynomials import MAX_TERMS, added, multiplied, over, power, product_of, without
from shapeinfer.dims.terms.sizes import content_of, exponent_of, factors_of, place, terms_of, weight_of_size

MAX_CANCELLED = 300
"""Fractions of more nodes are not reduced."""


def cancelled(a: Size, b: Size) -> Size:
    """Return ``a / b`` with common factors cancelled; what remains below divides without rest by promise."""
    above, below = lowest_terms(a, b)
    return above if below == 1 else floor(above, below)


def lowest_terms(a: Size, b: Size) -> tuple[Size, Size]:
    """Return the fraction ``a / b`` with common factors cancelled, integer coefficients above and below."""
    g = math.gcd(content_of(a), content_of(b))
    above, below = over(a, g), over(b, g)
    if not isinstance(below, int) and below.is_sum:
        above, below = _without_common_sums(above, below)
    else:
        for base, exponent in factors_of(below)[1]:
            terms, number = terms_of(above)
            shared = 0 if number else min([exponent, *(exponent_of(t, base) for _, t in terms)])
            if shared:
                above = added([(c, without(t, base, shared)) for c, t in terms])
                below = without(below, base, shared)
    terms, number = terms_of(below)
    if (terms[0][0] if terms else number) < 0:
        above, below = multiplied(above, -1), multiplied(below, -1)
    return above, below


def _without_common_sums(above: Size, below: Dim) -> tuple[Size, Size]:
    """Cancel what two sums have in common as polynomials: all of the lower one here, a part of it with sympy."""
    if weight_of_size(above) + below.weight > MAX_CANCELLED:
        return above, below
    exact = _divided(above, below)
    if exact is not None:
        return exact, 1
    import sympy  # slow to load, and seldom needed

    atoms: dict[Dim, Any] = {}
    try:
        number, *both = sympy.cancel((_polynomial(above, atoms), _polynomial(below, atoms)))
    except sympy.PolynomialError:
        return above, below
    number = sympy.Rational(number)
    back = {atom: size for size, atom in atoms.items()}
    up, down = (_size(sympy.expand(part), back) for part in both)
    return multiplied(up, int(number.p)), multiplied(down, int(number.q))


def _divided(above: Size, below: Dim) -> Size | None:
    """Return the quotient of two sums where it is a sum, by long division; None where it is none."""
    bases = sorted({b for s in (above, below) for _, t in terms_of(s)[0] for b, _ in factors_of(t)[1]}, key=place)
    rest, by = _by_powers(above, bases), _by_powers(below, bases)
    first = max(by)
    quotient: dict[tuple[int, ...], int] = {}
    while rest and len(quotient) < MAX_TERMS:
        top = max(rest)
        powers = tuple(m - n for m, n in zip(top, first))
        number, remainder = divmod(rest[top], by[first])
        if remainder or min(powers) < 0:
            return None
        quotient[powers] = number
        for more, c in by.items():
            at = tuple(m + n for m, n in zip(powers, more))
            rest[at] = rest.get(at, 0) - number * c
            if not rest[at]:
                del rest[at]
    if rest:
        return None
    return added([(c, product_of((b, n) for b, n in zip(bases, powers) if n)) for powers, c in quotient.items()])


def _by_powers(size: Size, bases: Sequence[Dim]) -> dict[tuple[int, ...], int]:
    """Return the coefficients of a sum by the powers of the bases that they stand before."""
    terms, number = terms_of(size)
    found = {tuple(exponent_of(t, b) for b in bases): c for c, t in terms}
    return found | ({(0,) * len(bases): number} if number else {})


def _polynomial(size: Size, atoms: dict[Dim, Any]) -> Any:
    """Return a size as a sympy expression of atoms, which are named in the order in which they come."""
    import sympy

    def product(factors: Factors) -> Any:
        return sympy.Mul(*(base(b) ** n for b, n in factors))

    def base(size: Dim) -> Any:
        if size.is_sum:
            return _polynomial(size, atoms)
        if size not in atoms:
            atoms[size] = sympy.Symbol(f"x{len(atoms)}", integer=True)
        return atoms[size]

    terms, number = terms_of(size)
    return sympy.Add(number, *(c * product(t.as_factors()[1]) for c, t in terms))


def _size(polynomial: Any, atoms: Mapping[Any, Dim]) -> Size:
    terms: list[tuple[int, Size]] = []
    for term in polynomial.as_ordered_terms():
        coefficient, rest = term.as_coeff_Mul()
        product: Size = 1
        for base, exponent in rest.as_powers_dict().items():
            if base.is_Symbol:
                product = multiplied(product, power(atoms[base], int(exponent)))
        terms.append((int(coefficient), product))
    return added(terms)


def constant_of(size: Size) -> Fraction | None:
    """Return the one value of a size whose divisions without remainder are written as fractions, None if it has more.

    Products of such divisions have many forms, which differ by where the numbers went: ``(h//2)*w`` and
    ``h*(w//2)`` where 2 divides both.
    """
    terms, number = terms_of(size)
    if len(terms) >= MAX_TERMS or not any(_is_exact(b) for _, t in terms for b, _ in factors_of(t)[1]):
        return None
    out: _Polynomial = {(): Fraction(number)}
    for coefficient, term in terms:
        product: _Polynomial = {(): Fraction(coefficient)}
        for base, exponent in factors_of(term)[1]:
            for _ in range(exponent):
                product = _expanded(product, _as_fraction(base))
                if len(product) > MAX_TERMS:
                    return None
        for monomial, c in product.items():
            out[monomial] = out.get(monomial, Fraction(0)) + c
    return out[()] if not any(c for monomial, c in out.items() if monomial) else None


_Polynomial = dict[tuple[Dim, ...], Fraction]
"""Coefficients by products, each the factors in their order, repeated as often as they occur."""


def _is_exact(base: Dim) -> bool:
    return base.division is not None and base.is_exact and len(terms_of(base.division[0])[0]) <= MAX_TERMS


def _as_fraction(base: Dim) -> _Polynomial:
    """Return a factor as a polynomial: only outside other divisions, where a fraction would break their laws."""
    if base.division is None or not _is_exact(base):
        return {(base,): Fraction(1)}
    a, n = base.division
    terms, number = terms_of(a)
    out: _Polynomial = {(): Fraction(number, n)} if number else {}
    for c, t in terms:
        out[tuple(b for b, k in factors_of(t)[1] for _ in range(k))] = Fraction(c, n)
    return out


def _expanded(a: _Polynomial, b: _Polynomial) -> _Polynomial:
    out: _Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            key = tuple(sorted((*m, *n), key=place))
            out[key] = out.get(key, Fraction(0)) + c * d
    return out
