"""Divisions that leave no remainder, as fractions; loaded only with sympy's expressions."""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Add, Mul

from shapeinfer.dims.algebra import MAX_TERMS, FloorDiv, divisor_of


def as_fractions(expr: Any) -> Any:
    """Return an expression with every division that leaves no remainder written as a fraction, and expanded.

    Products of such divisions have many forms, which differ by where the numbers went: ``(h//2)*w`` and
    ``h*(w//2)`` where 2 divides both.
    """
    terms = Add.make_args(expr)
    if len(terms) > MAX_TERMS or not any(_is_exact(f) for t in terms for f in Mul.make_args(t)):
        return expr
    # Only factors of terms: inside another division a fraction would break its laws.
    return sympy.expand(Add(*(Mul(*map(_as_fraction, Mul.make_args(t))) for t in terms)))


def _is_exact(factor: Any) -> bool:
    """Tell whether a factor is a power of a division that leaves no remainder."""
    base = factor.as_base_exp()[0]
    if not isinstance(base, FloorDiv):
        return False
    a, n = base.args
    return bool(n.is_Integer and n > 0 and len(Add.make_args(a)) <= MAX_TERMS and divisor_of(a) % int(n) == 0)


def _as_fraction(factor: Any) -> Any:
    if not _is_exact(factor):
        return factor
    base, power = factor.as_base_exp()
    a, n = base.args
    return (a / n) ** power
