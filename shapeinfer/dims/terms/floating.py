"""Floats computed from sizes, as IEEE 754 has them: each operation is exact, and then rounded to its precision.

So two of them are the same only where each rounds the same numbers alike: ``f32(h*f32(0.7))`` is neither
``f64(h*f64(0.7))`` nor ``7*h/10``. A term has a value where every operation has a finite one. The sizes in it are
exact: whoever builds it answers for its precision representing them, except in a conversion, which rounds one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from shapeinfer.budget import look
from shapeinfer.dims.terms.dim import ATOM, NUMBER, Dim, Size
from shapeinfer.dims.terms.expression import replaced
from shapeinfer.dims.terms.floors import floor
from shapeinfer.dims.terms.ieee import (
    CONVERT,
    INFIX,
    MANTISSAS,
    MAX,
    MIN,
    SQRT,
    NoValueError,
    Range,
    bounded,
    computed,
    end,
    nearest,
    shortest,
)
from shapeinfer.dims.terms.interning import interned
from shapeinfer.dims.terms.polynomials import added, multiplied
from shapeinfer.dims.terms.printing import MAX_PRINTED, bracketed
from shapeinfer.dims.terms.selections import Max, Min, selected
from shapeinfer.dims.terms.sizes import bounds_of, divisor_of, place, weight_of_size

_CODES = (*INFIX, CONVERT, SQRT, MIN, MAX, *MANTISSAS)
MAX_OPERATIONS = 64
"""A term that is written with more operations is refused: parts are shared, and may be many."""
_PLACE = 9

Operand: TypeAlias = "Size | float | Floating"
"""A number is an int where it is whole."""
_Growth: TypeAlias = tuple[int, int]
_UNKNOWN: _Growth = (MAX_PRINTED, 1 << 1024)
"""Grows beyond what any type holds."""


class Floating:
    """An operation on sizes, numbers and other terms, rounded to a precision. Interned: ``is`` is equality.

    ``is_defined`` is whether it is known to have a value wherever none of its ``denominators`` is 0, for all sizes that
    the precision represents. ``low`` and ``high`` bound its values, an infinity where nothing does.
    """

    __slots__ = (
        "__weakref__",
        "_fields",
        "denominators",
        "high",
        "is_defined",
        "leaves",
        "low",
        "operands",
        "operation",
        "operations",
        "order",
        "precision",
        "reach",
        "weight",
    )

    _fields: tuple[Any, ...]
    precision: str
    operation: str
    operands: tuple[Operand, ...]
    leaves: tuple[Dim, ...]
    """The sizes that it is computed from, in the order in which they occur."""
    is_defined: bool
    denominators: frozenset[Dim]
    """Sizes that may be 0, where it would be infinite or no number."""
    reach: Range
    """Bounds of its values for all sizes that the precision represents."""
    order: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"Floating({self.text})"

    def __copy__(self) -> Floating:
        return self

    def __deepcopy__(self, memo: object) -> Floating:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return interned, (Floating, *self._fields)

    def initialize(self) -> None:
        """Set what follows from the fields."""
        self.precision, self.operation, *operands = self._fields
        self.operands = tuple(operands)
        inner = [a for a in operands if isinstance(a, Floating)]
        found = [a.leaves if isinstance(a, Floating) else (a,) for a in operands if isinstance(a, (Dim, Floating))]
        self.leaves = tuple(dict.fromkeys(itertools.chain.from_iterable(found)))
        self.operations, self.weight = _extent(operands)
        self.order = (_PLACE, self.operation, self.precision, *map(_place, operands))
        several: list[Floating | Dim] = [*inner, *self.leaves]
        self.denominators = frozenset().union(*(a.denominators for a in several))
        if self.operation == "/":
            self.denominators |= _zeros(self.operands[1])
        self.low, self.high = self._bounds(self.denominators)
        self.reach = self._bounds(self.denominators, within_reach=True)
        self.is_defined = all(map(math.isfinite, self.reach)) and self._is_real() and all(a.is_defined for a in inner)

    @property
    def symbols(self) -> frozenset[Dim]:
        """The symbols that occur in it."""
        return frozenset().union(*(leaf.symbols for leaf in self.leaves))

    @property
    def text(self) -> str:
        """The term as text: ``f32`` and ``f64`` round to their precision what is exact within."""
        return self.written(portable=False)

    def written(self, portable: bool) -> str:
        """Return its text as part of an expression."""
        least = 0 if self.operation == CONVERT else ATOM
        texts = [_written(a, self.precision, portable, least) for a in self.operands]
        if self.operation in (MIN, MAX):
            return f"{self.operation}({', '.join(texts)})"
        if self.operation in INFIX:
            inside = (f" {self.operation} " if self.operation in "+-" else self.operation).join(texts)
        else:
            inside = f"sqrt({texts[0]})" if self.operation == SQRT else texts[0]
        return f"{self.precision}({inside})"

    def numbers(self) -> list[int]:
        """Return integers that tell it from every other term with these leaves."""
        out = [_CODES.index(self.operation), _CODES.index(self.precision), len(self.operands)]
        for a in self.operands:
            if isinstance(a, Floating):
                out += a.numbers()
            else:
                out += [0, self.leaves.index(a)] if isinstance(a, Dim) else [1, *a.as_integer_ratio()]
        return out

    def substitute(self, mapping: Mapping[Dim, Size]) -> Operand | None:
        """Return it with symbols replaced by sizes, None where it then has no value."""
        try:
            return self.rebuilt([replaced(leaf, mapping) for leaf in self.leaves])
        except NoValueError:
            return None

    def rebuilt(self, leaves: Sequence[Size]) -> Operand:
        """Return the same of other sizes. Raises NoValueError."""
        return self._rebuilt(dict(zip(self.leaves, leaves)))

    def _rebuilt(self, mapping: Mapping[Dim, Size]) -> Operand:
        return floating(
            self.precision,
            self.operation,
            *(
                a._rebuilt(mapping) if isinstance(a, Floating) else mapping[a] if isinstance(a, Dim) else a
                for a in self.operands
            ),
        )

    def value(self, numbers: Mapping[Dim, int]) -> float:
        """Return the number that it is, given those of its leaves. Raises NoValueError."""
        given = [
            a.value(numbers) if isinstance(a, Floating) else numbers[a] if isinstance(a, Dim) else a
            for a in self.operands
        ]
        return computed(self.precision, self.operation, given)

    def growth(self, leaves: Mapping[Dim, _Growth]) -> tuple[_Growth, _Growth]:
        """Return ``d, c`` as ``decompose.growth`` does, from those of its leaves, and as much for its inverse."""
        ups, downs = zip(*(_growth_of(a, leaves) for a in self.operands))
        up, down = _most(ups), _most(downs)
        if self.operation == "*":
            up, down = _times(*ups), _times(*downs)
        elif self.operation == "/":
            up, down = _times(ups[0], downs[1]), _times(downs[0], ups[1])
        elif self.operation == SQRT:
            up = (up[0] + 1) // 2, math.isqrt(up[1]) + 1
        elif self.operation in "+-":
            up = up[0], sum(c for _, c in ups)
            down = _UNKNOWN
        return _rounded_up(up), _rounded_up(down)

    def _bounds(self, nonzero: frozenset[Dim], within_reach: bool = False) -> Range:
        return bounded(self.precision, self.operation, [self._range(a, nonzero, within_reach) for a in self.operands])

    def _range(self, operand: Operand, nonzero: frozenset[Dim], within_reach: bool = False) -> Range:
        if isinstance(operand, Floating):
            if (nonzero - operand.denominators).isdisjoint(operand.leaves):
                return operand.reach if within_reach else (operand.low, operand.high)
            return operand._bounds(nonzero, within_reach)
        if isinstance(operand, (int, float)):
            return end("f64", operand), end("f64", operand)
        low, high = bounds_of(operand)
        if within_reach and operand.reach:
            return operand.reach
        if operand in nonzero:
            low, high = (1 if low == 0 else low), (-1 if high == 0 else high)
        bits = 63 if self.operation == CONVERT else MANTISSAS[self.precision]
        most = math.ldexp(1.0, bits) if within_reach else math.inf
        return (-most if low is None else end("f64", low)), (most if high is None else end("f64", high))

    def _is_real(self) -> bool:
        if self.operation == "/":
            low, high = self._range(self.operands[1], self.denominators, within_reach=True)
            return low > 0 or high < 0
        return self.operation != SQRT or self._range(self.operands[0], self.denominators, within_reach=True)[0] >= 0


def floating(precision: str, operation: str, *operands: Operand) -> Operand:
    """Return an operation on floats: a term, unless it is a number, one of its operands, or a size.

    Raises NoValueError where it has no value for any sizes, and for a term that would be too large.
    """
    look()
    given = [_canonical(a) for a in operands]
    numbers = [a for a in given if isinstance(a, (int, float))]
    if operation != CONVERT and any(nearest(precision, a) != a for a in numbers):
        raise NoValueError(f"{precision} does not represent an operand")
    if len(numbers) == len(given):
        return _canonical(computed(precision, operation, numbers))
    law = _LAWS.get(operation)
    same = None if law is None else law(precision, given)
    if same is not None:
        return same
    return _interned(precision, operation, sorted(given, key=_place) if operation in "+*" else given)


def _interned(precision: str, operation: str, operands: Sequence[Operand]) -> Floating:
    operations, weight = _extent(operands)
    if operations > MAX_OPERATIONS or weight > MAX_PRINTED:
        raise NoValueError("a term of too many operations")
    return interned(Floating, precision, operation, *operands)


def _extent(operands: Sequence[Operand]) -> tuple[int, int]:
    operations = 1 + sum(a.operations for a in operands if isinstance(a, Floating))
    weights = (
        a.weight if isinstance(a, Floating) else 1 if isinstance(a, float) else weight_of_size(a) for a in operands
    )
    return operations, 1 + sum(weights)


def _canonical(operand: Operand) -> Operand:
    return int(operand) if isinstance(operand, float) and operand.is_integer() else operand


# The laws: what an operation is that is no term of its own. Sums and products of sizes are exact before they are
# rounded, and so conversions of sizes.


def _sizes(operands: Sequence[Operand]) -> list[Size]:
    sizes = [a for a in operands if isinstance(a, (int, Dim))]
    return sizes if len(sizes) == len(operands) else []


def _sum(precision: str, operands: list[Operand]) -> Operand | None:
    for a, b in (operands, operands[::-1]):
        if isinstance(a, int) and a == 0:
            return b
    sizes = _sizes(operands)
    return floating(precision, CONVERT, added([(1, a) for a in sizes])) if sizes else None


def _difference(precision: str, operands: list[Operand]) -> Operand | None:
    if isinstance(operands[1], int) and operands[1] == 0:
        return operands[0]
    sizes = _sizes(operands)
    return floating(precision, CONVERT, added([(1, sizes[0]), (-1, sizes[1])])) if sizes else None


def _product(precision: str, operands: list[Operand]) -> Operand | None:
    for a, b in (operands, operands[::-1]):
        if isinstance(a, int) and a == 1:
            return b
    sizes = _sizes(operands)
    return floating(precision, CONVERT, multiplied(*sizes)) if sizes else None


def _quotient(precision: str, operands: list[Operand]) -> Operand | None:
    a, b = operands
    if not isinstance(b, int):
        return None
    if b == 0:
        raise NoValueError("a division by 0")
    if b == 1:
        return a
    if isinstance(a, Dim):
        common = math.gcd(divisor_of(a), b) * (1 if b > 0 else -1)
        if common != 1:
            return floating(precision, "/", floor(a, common), b // common)
    return None


def _conversion(precision: str, operands: list[Operand]) -> Operand | None:
    (a,) = operands
    # of two precisions the greater one represents all that the other does
    return a if isinstance(a, Floating) and MANTISSAS[a.precision] <= MANTISSAS[precision] else None


def _extreme(precision: str, operation: str, operands: list[Operand]) -> Operand:
    flat: dict[Operand, None] = {}
    for a in operands:
        is_same = isinstance(a, Floating) and (a.precision, a.operation) == (precision, operation)
        flat.update(dict.fromkeys(a.operands if is_same else (a,)))  # type: ignore[union-attr]
    sizes = [a for a in flat if isinstance(a, (int, Dim))]
    kept: list[Operand] = [a for a in flat if not isinstance(a, (int, Dim))]
    if sizes:
        kept.append(selected(Min if operation == MIN else Max, sizes))
    return kept[0] if len(kept) == 1 else _interned(precision, operation, sorted(kept, key=_place))


_LAWS: dict[str, Callable[[str, list[Operand]], Operand | None]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": _quotient,
    MIN: lambda precision, operands: _extreme(precision, MIN, operands),
    MAX: lambda precision, operands: _extreme(precision, MAX, operands),
    CONVERT: _conversion,
}


def _zeros(operand: Operand) -> frozenset[Dim]:
    """Return the sizes that must not be 0 for an operand not to be: as far as it is a product of sizes."""
    if isinstance(operand, Dim):
        low, high = operand.bounds()
        return frozenset() if (low or 0) > 0 or (high or 0) < 0 else frozenset((operand,))
    if not isinstance(operand, Floating) or operand.operation not in ("*", "/", CONVERT, SQRT):
        return frozenset()
    factors = operand.operands[:1] if operand.operation == "/" else operand.operands
    return frozenset().union(*map(_zeros, factors))


def _growth_of(operand: Operand, leaves: Mapping[Dim, _Growth]) -> tuple[_Growth, _Growth]:
    if isinstance(operand, Floating):
        return operand.growth(leaves)
    if isinstance(operand, Dim):
        return leaves[operand], (0, 1)
    return (0, math.ceil(abs(operand))), (0, math.ceil(1 / abs(operand)) if operand else 1)


def _most(several: Sequence[_Growth]) -> _Growth:
    return max(d for d, _ in several), max(1, *(c for _, c in several))


def _times(a: _Growth, b: _Growth) -> _Growth:
    return a[0] + b[0], a[1] * b[1]


def _rounded_up(exact: _Growth) -> _Growth:
    degree, factor = exact
    return degree, factor + 1 + (factor >> 20)


# Text and order of operands.


def _written(operand: Operand, precision: str, portable: bool, least: int) -> str:
    if isinstance(operand, Floating):
        text = operand.written(portable)
        is_clear = operand.precision == precision or operand.operation not in (MIN, MAX)
        return text if is_clear else f"{operand.precision}({text})"
    if not isinstance(operand, float):
        return bracketed(operand, least, portable)
    text = shortest(precision, operand)
    return text if operand > 0 and Fraction(text) == Fraction(operand) else f"{precision}({text})"


def _place(operand: Operand) -> tuple[Any, ...]:
    if isinstance(operand, Floating):
        return operand.order
    return (NUMBER, operand) if isinstance(operand, float) else place(operand)
