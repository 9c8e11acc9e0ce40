"""Sympy relationals and booleans as conditions, and junctions that keep their order."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import sympy
from sympy.logic.boolalg import BooleanFunction

from shapeinfer.dims.conditions.condition import (
    ALWAYS,
    NEVER,
    AllOf,
    AnyOf,
    AtMost,
    Condition,
    Divides,
    Equal,
    below,
    nonzero,
)
from shapeinfer.dims.conditions.simplify import reading_order
from shapeinfer.dims.notation.sympified.functions import FloorDiv
from shapeinfer.dims.notation.sympified.sizes import REMEMBERED, fraction_of, is_divisible, multiplied, whole
from shapeinfer.dims.terms.arithmetic import sub
from shapeinfer.dims.terms.dim import Size
from shapeinfer.remembered import forgotten_by


class _Ordered:
    """A junction with the parts of a condition in their order, also parts that sympy would drop or merge."""

    @classmethod
    def of(cls, parts: tuple[Any, ...]) -> Any:
        return sympy.Basic.__new__(cls, *parts)

    @property
    def _argset(self) -> frozenset[Any]:
        return frozenset(self.args)  # type: ignore[attr-defined]


class OrderedAnd(_Ordered, sympy.And):  # type: ignore[misc] # sympy has no types
    """An And as it is written; what is computed from it is a plain And."""

    func = sympy.And


class OrderedOr(_Ordered, sympy.Or):  # type: ignore[misc] # sympy has no types
    """An Or as it is written; what is computed from it is a plain Or."""

    func = sympy.Or


def remainder_is_zero(divisor: Any, a: Any) -> tuple[Any, Any]:
    """Return the two parts of "a divisor divides ``a``" where it may be 0, which divides nothing but 0."""
    zero = sympy.Eq(a, 0, evaluate=False)
    rest = a if divisor.is_zero else sympy.Add(a, -divisor * FloorDiv(a, divisor))
    return zero, OrderedAnd.of((sympy.Ne(divisor, 0, evaluate=False), sympy.Eq(rest, 0, evaluate=False)))


def condition_of(expression: object) -> Condition:
    """Return the condition that a sympy relational or boolean is; a Condition is itself.

    Raises TypeError for what is neither, ValueError that names the part that is no condition on sizes.
    """
    if isinstance(expression, Condition):
        return expression
    if isinstance(expression, bool):
        raise TypeError(f"{expression} is no condition; == compares how sympy expressions are written: use sympy.Eq")
    if not isinstance(expression, sympy.logic.boolalg.Boolean) or isinstance(expression, sympy.Symbol):
        raise TypeError(f"{expression!r} is no condition; give a relational such as sympy.Eq(n, 8)")
    try:
        return _condition(expression)
    except RecursionError:
        raise ValueError("the sympy condition is nested too deeply") from None


@functools.lru_cache(maxsize=REMEMBERED, typed=True)
def _condition(expression: Any) -> Condition:
    if expression in (sympy.true, sympy.false):
        return ALWAYS if expression == sympy.true else NEVER
    found = _divides_by_any(expression)
    if found is not None:
        return found
    read = _READERS.get(type(expression))
    if read is None and isinstance(expression, BooleanFunction):
        plain = expression.to_nnf(simplify=False)
        read = None if type(plain) is type(expression) else _condition
        expression = plain
    if read is None:
        raise ValueError(f"{expression} is no condition on sizes; those are relationals, And, Or and Not")
    return read(expression)


forgotten_by(_condition.cache_clear)


def _divides_by_any(expression: Any) -> Condition | None:
    """Return a Divides by what may be 0, None for any other condition."""
    if type(expression) is not OrderedOr or len(expression.args) != 2:
        return None
    zero, other = expression.args
    if type(zero) is not sympy.Eq or type(other) is not OrderedAnd or type(other.args[0]) is not sympy.Ne:
        return None
    divisor, a = other.args[0].lhs, zero.lhs
    if (zero, other) != remainder_is_zero(divisor, a):
        return None
    return Divides(whole(divisor), whole(a))


def _equal(expression: Any) -> Condition:
    a, b = expression.args
    if a.func is sympy.Mod and b == 0:
        return Divides(whole(a.args[1]), whole(a.args[0]))
    return _compared(Equal, a, b)


def _differ(expression: Any) -> Condition:
    return _compared(lambda a, b: nonzero(sub(a, b)), *expression.args)


def _at_most(expression: Any) -> Condition:
    return _ordered(AtMost, expression.lts, expression.gts)


def _below(expression: Any) -> Condition:
    return _ordered(below, expression.lts, expression.gts)


def _ordered(kind: Callable[[Size, Size], Condition], less: Any, greater: Any) -> Condition:
    if less == -sympy.oo or greater == sympy.oo:
        return ALWAYS
    return _compared(kind, less, greater)


def _compared(kind: Callable[[Size, Size], Condition], one: Any, other: Any) -> Condition:
    """Return the comparison of two sides, multiplied by what divides them if that is a number."""
    (a, m), (b, n) = fraction_of(one), fraction_of(other)
    if isinstance(m, int) and isinstance(n, int) and not (is_divisible(a, m) and is_divisible(b, n)):
        return kind(multiplied((a, 1), (n, 1))[0], multiplied((b, 1), (m, 1))[0])
    return kind(whole(one), whole(other))


def _junction(kind: type[AllOf] | type[AnyOf]) -> Callable[[Any], Condition]:
    return lambda expression: kind(tuple(sorted(map(condition_of, expression.args), key=reading_order)))


def _ordered_junction(kind: type[AllOf] | type[AnyOf]) -> Callable[[Any], Condition]:
    return lambda expression: kind(tuple(map(condition_of, expression.args)))


_READERS: dict[Any, Callable[[Any], Condition]] = {
    sympy.Eq: _equal,
    sympy.Ne: _differ,
    sympy.Le: _at_most,
    sympy.Ge: _at_most,
    sympy.Lt: _below,
    sympy.Gt: _below,
    sympy.And: _junction(AllOf),
    sympy.Or: _junction(AnyOf),
    OrderedAnd: _ordered_junction(AllOf),
    OrderedOr: _ordered_junction(AnyOf),
}
