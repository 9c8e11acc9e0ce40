"""Sizes that callers give in place of symbols: numbers, dims or text."""

from __future__ import annotations

from collections.abc import Mapping

from shapeinfer.dims.conditions.condition import NEVER, AllOf, AnyOf, Condition
from shapeinfer.dims.conditions.operations import junction
from shapeinfer.dims.notation.arguments import read_dim
from shapeinfer.dims.terms.arithmetic import substitute
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.evaluation import given_for
from shapeinfer.dims.terms.floors import Floor
from shapeinfer.dims.terms.names import shortened
from shapeinfer.dims.terms.operators import install_operators
from shapeinfer.dims.terms.sizes import bounds_of


def substituted(term: Dim | Condition, values: object, named: Mapping[str, object]) -> Size | Condition:
    """Return a dim or condition with sizes in place of symbols. See ``Dim.subs``."""
    own: dict[Dim, Size] = {s: s for s in term.symbols}
    passed = given_for(own, values, named)
    sizes = {s: _replacement(s, each, {o.name: o for o in own}) for s, each in passed.items()}
    if isinstance(term, Condition):
        return _in_condition(term, sizes)
    divisor = _zero_divisor(term, sizes)
    if divisor is not None:
        where = ", ".join(f"{s.name} = {shortened(str(sizes[s]))}" for s in sorted(sizes, key=lambda s: s.order))
        raise ZeroDivisionError(
            f"{shortened(term.text)} divides by {shortened(divisor.text)}, which is 0 where {where}"
        )
    return substitute(term, sizes)


install_operators(subs=substituted)


def _replacement(symbol: Dim, passed: object, own: Mapping[str, Dim]) -> Size:
    size = read_dim(passed, symbol.name)
    if isinstance(passed, str) and isinstance(size, Dim):
        # a name in text is that of a symbol in the dim
        size = substitute(size, {s: own[s.name] for s in size.symbols if s.name in own})
    low, high = bounds_of(size)
    text = shortened(str(size))
    if symbol.low is not None and high is not None and high < symbol.low:
        raise ValueError(f"{symbol.name} cannot be {text}: it is at least {symbol.low}")
    if symbol.high is not None and low is not None and low > symbol.high:
        raise ValueError(f"{symbol.name} cannot be {text}: it is at most {symbol.high}")
    if isinstance(size, int) and size % symbol.divisor:
        raise ValueError(f"{symbol.name} cannot be {text}: it is a multiple of {symbol.divisor}")
    return size


def _zero_divisor(size: Size, sizes: Mapping[Dim, Size]) -> Dim | None:
    """Return a dim that a size divides by and that becomes 0, None if there is none."""
    left, seen = [size], set()
    while left:
        part = left.pop()
        if isinstance(part, int) or part in seen:
            continue
        seen.add(part)
        if isinstance(part, Floor) and isinstance(part.parts[1], Dim) and substitute(part.parts[1], sizes) == 0:
            return part.parts[1]
        left += part.parts
    return None


def _in_condition(condition: Condition, sizes: Mapping[Dim, Size]) -> Condition:
    if isinstance(condition, (AllOf, AnyOf)):
        return junction(type(condition), (_in_condition(p, sizes) for p in condition.parts))
    if any(_zero_divisor(side, sizes) is not None for side in condition.sides):
        # what has no value is in no relation
        return NEVER
    return condition.substitute(sizes)
