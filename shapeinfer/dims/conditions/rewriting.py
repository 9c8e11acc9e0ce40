"""Equations as term rewriting rules, which put one size in the place of another within larger ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from shapeinfer.dims.conditions.condition import Equal
from shapeinfer.dims.terms.arithmetic import mul, sub
from shapeinfer.dims.terms.decompose import as_sum, distinct_factors
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.expression import replaced

MAX_RULES = 24
"""Only this many equations become rules."""

Rules: TypeAlias = "tuple[tuple[Dim, Size], ...]"
"""Sizes, none of them a symbol, each with another that equals it and does not hold it."""


def rules_of(equations: Iterable[Equal]) -> Rules:
    """Return what equations say of terms that are no symbols: ``(H + 1)//2`` is ``2*((H + 3)//4)``, say.

    The rules are to be followed in their order; each is exact wherever its equation holds.
    """
    rules: list[tuple[Dim, Size]] = []
    for equation in equations:
        difference = rewritten(sub(equation.a, equation.b), rules)
        parts = [(t, c) for c, t in as_sum(difference).terms if abs(c) == 1 and not t.is_symbol]
        parts = [(t, c) for t, c in parts if distinct_factors(t) == (t,)]
        if not parts:
            continue
        term, coefficient = max(parts, key=lambda part: part[0].order)
        rest = mul(sub(mul(term, coefficient), difference), coefficient)
        if replaced(rest, {term: 0}) is rest:
            rules.append((term, rest))
        if len(rules) == MAX_RULES:
            break
    return tuple(rules)


def rewritten(size: Size, rules: Sequence[tuple[Dim, Size]]) -> Size:
    """Return a size with each rule followed, wherever the size holds its left side as a part."""
    for term, other in rules:
        if isinstance(size, Dim) and term.symbols <= size.symbols:
            size = replaced(size, {term: other})
    return size
