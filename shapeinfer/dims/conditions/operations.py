"""What the operators of dims and conditions compute: comparisons, junctions, and the truth for numbers or arrays."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any

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
)
from shapeinfer.dims.terms.dim import Size
from shapeinfer.dims.terms.evaluation import Arrays, are_ints, evaluate_one, numbers_of
from shapeinfer.dims.terms.operators import install_operators


def junction(kind: type[AllOf] | type[AnyOf], conditions: Iterable[Condition | bool]) -> Condition:
    """Join conditions without brackets of the same kind, and without ``ALWAYS`` and ``NEVER``, as which bools count."""
    neutral, other = (ALWAYS, NEVER) if kind is AllOf else (NEVER, ALWAYS)
    listed = [(ALWAYS if c else NEVER) if isinstance(c, bool) else c for c in conditions]
    if other in listed:
        return other
    parts = tuple(
        dict.fromkeys(p for c in listed for p in (c.parts if isinstance(c, kind) else (c,)) if p is not neutral)
    )
    return parts[0] if len(parts) == 1 else kind(parts)


def holds(condition: Condition, values: object, named: Mapping[str, object]) -> Any:
    """Return whether a condition holds, an array of bools where a symbol has one. See ``Condition.evaluate``."""
    numbers = numbers_of(condition, values, named)
    if are_ints(numbers):
        return bool(condition.accept(_Truth(numbers)))
    import numpy as np

    found = condition.accept(_TruthOfArrays(numbers))
    return np.array(np.broadcast_to(found, np.broadcast_shapes(*(np.shape(n) for n in numbers.values()))), dtype=bool)


install_operators(lt=below, le=AtMost, equals=Equal, divisible_by=lambda a, divisor: Divides(divisor, a), holds=holds)
install_operators(all_of=lambda *parts: junction(AllOf, parts), any_of=lambda *parts: junction(AnyOf, parts))


class _Truth:
    """A ``ConditionVisitor`` of bools; a comparison of what has no value does not hold."""

    def __init__(self, numbers: Mapping[Any, Any]) -> None:
        self.numbers = numbers

    def compared(self, holds: Callable[[Any, Any], Any], a: Size, b: Size) -> Any:
        try:
            return holds(evaluate_one(a, self.numbers), evaluate_one(b, self.numbers))
        except (ValueError, ZeroDivisionError):
            return False

    def equal(self, a: Size, b: Size) -> Any:
        return self.compared(operator.eq, a, b)

    def at_most(self, a: Size, b: Size) -> Any:
        return self.compared(operator.le, a, b)

    def divides(self, divisor: Size, a: Size) -> Any:
        return self.compared(_divides, divisor, a)

    def all_of(self, parts: tuple[Condition, ...]) -> Any:
        return functools.reduce(operator.and_, (p.accept(self) for p in parts), True)

    def any_of(self, parts: tuple[Condition, ...]) -> Any:
        return functools.reduce(operator.or_, (p.accept(self) for p in parts), False)


class _TruthOfArrays(_Truth):
    def compared(self, holds: Callable[[Any, Any], Any], a: Size, b: Size) -> Any:
        arrays = Arrays(self.numbers)
        found = holds(arrays.value(a), arrays.value(b))
        return arrays.defined & found


def _divides(divisor: Any, a: Any) -> Any:
    """Whether a number divides another; only 0 is divisible by 0."""
    zero = divisor == 0
    return (zero & (a == 0)) | ((divisor != 0) & (a % (divisor + zero) == 0))
