"""Sizes taken apart into terms and factors, and measured, whatever they are stored as."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from attrs import frozen

from shapeinfer.dims.terms.arithmetic import add, floordiv, memoised, mul, product, sub, total
from shapeinfer.dims.terms.dim import Dim, Factors, Size
from shapeinfer.dims.terms.sizes import factors_of, terms_of

MAX_MONOMIALS = 64
"""Longer sums are not factored."""

_Monomial: TypeAlias = "tuple[int, Factors]"


@frozen(repr=False)
class Sum:
    """Terms, each a number times a size that is no number, and a number."""

    terms: tuple[tuple[int, Dim], ...]
    number: int

    @staticmethod
    def of(size: Size) -> Sum:
        """Return a number or a size as a sum of one term."""
        return Sum((), size) if isinstance(size, int) else Sum(((1, size),), 0)

    def minus(self, other: Sum) -> Sum:
        """Return the difference, for sums that share no term."""
        return Sum((*self.terms, *((-c, t) for c, t in other.terms)), self.number - other.number)

    def content(self) -> int:
        """Return the greatest number that divides every term."""
        return math.gcd(*(c for c, _ in self.terms)) or 1

    def over(self, g: int) -> Sum:
        """Return the sum divided by a number that divides all of it."""
        return self if g == 1 else Sum(tuple((c // g, t) for c, t in self.terms), self.number // g)

    def size(self) -> Size:
        """Return the sum as a size."""
        return add(total(mul(t, c) for c, t in self.terms), self.number)

    def sides(self) -> tuple[Size, Size]:
        """Return what is added, and what is taken from it."""
        above = total(mul(t, c) for c, t in self.terms if c > 0)
        below = total(mul(t, -c) for c, t in self.terms if c < 0)
        return (add(above, self.number), below) if self.number > 0 else (above, sub(below, self.number))

    def shared(self) -> tuple[list[Dim], Size]:
        """Return the distinct factors that all terms share, and what the terms leave without them."""
        powers = [dict(t.as_factors()[1]) for _, t in self.terms]
        shared = {f: n for f in powers[0] if (n := min(p.get(f, 0) for p in powers))} if powers else {}
        rest = [
            mul(product(f for f, n in p.items() for _ in range(n - shared.get(f, 0))), c)
            for (c, _), p in zip(self.terms, powers)
        ]
        return list(shared), total(rest)


def as_sum(size: Size) -> Sum:
    """Return a size as a sum."""
    return Sum(*terms_of(size))


def distinct_factors(size: Size) -> tuple[Dim, ...]:
    """Return the distinct factors of a product, a size alone for what is none."""
    return tuple(base for base, _ in factors_of(size)[1])


def as_remainder(size: Size) -> tuple[Dim, int] | None:
    """Return ``a, n`` where a size is ``a - n*(a//n)``, the remainder of ``a`` by a number; None where it is none."""
    if isinstance(size, int):
        return None
    for c, term in terms_of(size)[0]:
        if c < 0 and term.division is not None:
            a = sub(size, mul(term, c))
            if isinstance(a, Dim) and floordiv(a, -c) is term:
                return a, -c
    return None


@memoised
def factored(size: Size) -> tuple[int, tuple[Dim, ...]]:
    """Return a number and sizes whose product is a size: a sum is factored where its factors share no symbols.

    ``a*b - a*c - 2*b + 2*c`` is ``(a - 2)*(b - c)``. A size that is never above 0 comes negated.
    """
    terms, number = terms_of(size)
    monomials = [(c, dict(t.as_factors()[1])) for c, t in terms] + ([(number, {})] if number else [])
    if not 0 < len(monomials) <= MAX_MONOMIALS:
        return (size, ()) if isinstance(size, int) else (1, (size,))
    least = {b: min(p.get(b, 0) for _, p in monomials) for b in monomials[0][1]}
    common = {b: n for b, n in least.items() if n}
    left = [(c, tuple((b, n - common.get(b, 0)) for b, n in p.items() if n > common.get(b, 0))) for c, p in monomials]
    factors: list[Size] = [b for b, n in common.items() for _ in range(n)]
    for group in groups_of([b for _, m in left for b, _ in m]):
        factor, left = _separated(left, group)
        factors.append(factor)
    factors.append(_polynomial(left))
    coefficient = 1
    found: list[Dim] = []
    for factor in factors:
        sign = -1 if isinstance(factor, Dim) and factor.high is not None and factor.high <= 0 else 1
        signed = mul(factor, sign)
        coefficient *= sign * (signed if isinstance(signed, int) else 1)
        found += [signed] if isinstance(signed, Dim) else []
    return coefficient, tuple(found)


def groups_of(sizes: Iterable[Dim]) -> list[frozenset[Dim]]:
    """Return the symbols of sizes in groups: sizes of two groups share none."""
    groups: list[frozenset[Dim]] = []
    for size in sizes:
        met = [g for g in groups if g & size.symbols]
        groups = [g for g in groups if g not in met] + [size.symbols.union(*met)]
    return groups


def _separated(monomials: Sequence[_Monomial], group: frozenset[Dim]) -> tuple[Size, list[_Monomial]]:
    """Return the factor of a polynomial that is of some symbols, and the rest of it; 1 where there is none.

    With the coefficients as a matrix, by what each monomial has of these symbols and of others, it is one of rank 1.
    """
    rows: dict[Factors, dict[Factors, int]] = {}
    for c, monomial in monomials:
        row = tuple(f for f in monomial if f[0].symbols <= group)
        rows.setdefault(row, {})[tuple(f for f in monomial if f not in row)] = c
    first = next(iter(rows.values()))
    g = math.gcd(*first.values())
    primitive = {column: c // g for column, c in first.items()}
    at, unit = next(iter(primitive.items()))
    factor: list[_Monomial] = []
    for monomial, row_of in rows.items():
        k, rest = divmod(row_of.get(at, 0), unit)
        if rest or not k or row_of != {column: k * c for column, c in primitive.items()}:
            return 1, list(monomials)
        factor.append((k, monomial))
    return _polynomial(factor), [(c, column) for column, c in primitive.items()]


def _polynomial(monomials: Iterable[_Monomial]) -> Size:
    return total(mul(product(b for b, n in m for _ in range(n)), c) for c, m in monomials)


@memoised
def growth(size: Size) -> tuple[int, int]:
    """Return ``d, c`` such that ``abs(size) <= c * n**d`` wherever ``abs(symbol) <= n`` for every symbol.

    ``d`` is how many symbols are multiplied; ``n`` is 1 at least.
    """
    if isinstance(size, int):
        return 0, abs(size)
    return (1, 1) if size.is_symbol else size.growth([growth(p) for p in size.parts])
