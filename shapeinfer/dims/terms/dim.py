"""Dim: a symbolic dimension size, hash-consed, so that equal ones are one object.

A kind of term is a subclass: it brings its own canonical form, bounds, text and the rest of what ``Dim`` declares, and
stands beside its laws. What only some kinds have, the others answer with a neutral value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, Protocol, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from shapeinfer.dims.terms.interning import insert_once
from shapeinfer.dims.terms.intervals import IntegerInterval, Interval
from shapeinfer.dims.terms.names import quoted_if_odd
from shapeinfer.dims.terms.notations import visitor_for
from shapeinfer.remembered import note_text

Size: TypeAlias = "int | Dim"
"""A dimension size: a known one is an int, a symbolic one a Dim."""
Terms: TypeAlias = "tuple[tuple[int, Dim], ...]"
"""Coefficients, none of them 0, with dims that are neither sums nor products with a coefficient."""
Factors: TypeAlias = "tuple[tuple[Dim, int], ...]"
"""Dims that are no products, with powers above 0."""

SUM, PRODUCT, ATOM = 1, 2, 3
"""How tightly a text binds: in brackets where more is needed."""

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class TermVisitor(Protocol[_T_co]):
    """What can be computed from a term, kind by kind; it recurses into the parts itself."""

    def symbol(self, symbol: Dim) -> _T_co:
        """Visit a symbol."""

    def plus(self, terms: Terms, number: int) -> _T_co:
        """Visit a sum."""

    def times(self, coefficient: int, factors: Factors) -> _T_co:
        """Visit a product."""

    def floordiv(self, a: Size, n: Size) -> _T_co:
        """Visit a division that rounds down."""

    def largest(self, args: tuple[Size, ...]) -> _T_co:
        """Visit a Max."""

    def smallest(self, args: tuple[Size, ...]) -> _T_co:
        """Visit a Min."""

    def broadcast(self, args: tuple[Size, ...]) -> _T_co:
        """Visit a Broadcast."""

    def rounded(self, way: str, term: Any) -> _T_co:
        """Visit a term of floats that ``floor``, ``ceil``, ``round`` or ``trunc`` rounds to an integer."""


class Dim:
    """A symbolic integer: a symbol, or an expression of symbols.

    Interned: ``is`` is equality. ``low`` and ``high`` bound it, None where unbounded; ``divisor`` divides it.
    ``is_fresh`` marks a fresh symbol, for something the inputs do not determine. Created by ``symbol`` and the
    operations of this package, never directly.
    """

    __slots__ = ("__weakref__", "divisor", "order", "weight")

    is_symbol = False
    is_slot = False
    name = ""
    is_fresh = False

    divisor: int
    weight: int
    """How many nodes its tree has with nothing shared; exponential in the number of distinct parts."""
    order: tuple[Any, ...]
    """Its place among others, by structure and names, the same in every run."""

    parts: tuple[Size, ...] = ()
    """The terms and numbers that it is computed from."""
    precedence = ATOM
    is_sum = False
    is_unexpanded = False
    """Whether it is a product of sums that stayed one."""
    is_exact = False
    """Whether it is, or has as a factor, a division by a number that leaves no remainder."""
    exact_divisor = 1
    """``n`` of a division ``b//n`` that leaves no remainder, 1 for any other term."""
    division: tuple[Size, int] | None = None
    """``b, n`` of a division ``b//n`` by a number, None for any other term."""
    alternatives: tuple[Size, ...] = ()
    """The arguments of a selection, which is always one of them."""
    denominators: frozenset[Dim] = frozenset()
    """What floats in it are divided by and that may be 0: it is right only under the claim that none of them is."""
    reach: tuple[float, float] | None = None
    """Bounds of what floats are rounded to, for all sizes that their precision represents; None if unknown."""
    sign_of_choice = 0
    """1 for a term that is the largest of its alternatives, -1 for one that is the smallest."""

    def __repr__(self) -> str:
        return f"Dim({self.text})"

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> NoReturn:
        raise TypeError(f"the truth of a symbolic dim ({self.text}) is unknown; call equal() or less()")

    def __copy__(self) -> Dim:
        return self

    def __deepcopy__(self, memo: object) -> Dim:
        return self

    @property
    def symbols(self) -> frozenset[Dim]:
        """The symbols that occur in it, itself if it is one."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """A Python integer expression, or the bare name of a symbol."""
        raise NotImplementedError

    def _sympy_(self) -> Any:
        """Return it as a sympy expression, which sympy asks for; without this it would run the text as Python."""
        return visitor_for("sympy").size(self)

    @property
    def low(self) -> int | None:
        return self.bounds()[0]

    @property
    def high(self) -> int | None:
        return self.bounds()[1]

    def bounds(self) -> IntegerInterval:
        """Return the least and the greatest value that it can have, None where there is none or none is known."""
        raise NotImplementedError

    def accept(self, visitor: TermVisitor[_T]) -> _T:
        """Return what the visitor's method for this kind returns."""
        raise NotImplementedError

    def written(self, portable: bool) -> str:
        """Return its text as part of an expression; ``portable`` keeps to functions that every tool knows."""
        raise NotImplementedError

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers written in it that are no parts of it."""
        return ()

    def as_terms(self) -> tuple[Terms, int]:
        """Return it as the terms of a sum and a number."""
        return ((1, self),), 0

    def as_factors(self) -> tuple[int, Factors]:
        """Return it as a coefficient and the factors of a product."""
        return 1, ((self, 1),)

    def times_part_of_divisor(self, factor: int) -> Size:
        """Return its product with a number that divides ``exact_divisor``."""
        assert factor == 1
        return self

    def growth(self, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
        """Return ``d, c`` as ``decompose.growth`` does, from those of its parts."""
        raise NotImplementedError

    def interval(self) -> Interval:
        """Bound it from the bounds of its parts alone."""
        return self.bounds()

    def interval_of_choice(self, cases: Sequence[Interval], upward: bool) -> Interval:
        """Bound what rises (or falls) with this selection, from the bounds with each alternative in its place."""
        raise NotImplementedError

    def compute(self, values: Sequence[int]) -> int:
        """Return the number that it is for numbers in place of its parts. Raises ZeroDivisionError."""
        raise NotImplementedError

    def rebuilt(self, parts: Sequence[Size]) -> Size:
        """Return the same of other parts, with every law applied."""
        raise NotImplementedError

    def __add__(self, other: object) -> Any:
        return _operate("add", self, other)

    def __radd__(self, other: object) -> Any:
        return _operate("add", other, self)

    def __sub__(self, other: object) -> Any:
        return _operate("sub", self, other)

    def __rsub__(self, other: object) -> Any:
        return _operate("sub", other, self)

    def __mul__(self, other: object) -> Any:
        return _operate("mul", self, other)

    def __rmul__(self, other: object) -> Any:
        return _operate("mul", other, self)

    def __floordiv__(self, other: object) -> Any:
        return _operate("floordiv", self, other)

    def __rfloordiv__(self, other: object) -> Any:
        return _operate("floordiv", other, self)

    def __mod__(self, other: object) -> Any:
        return _operate("mod", self, other)

    def __rmod__(self, other: object) -> Any:
        return _operate("mod", other, self)

    def __neg__(self) -> Any:
        return _operate("sub", 0, self)


class Symbol(Dim):
    """A name and what is known of the number that it stands for."""

    __slots__ = ("_bounds", "_key", "is_fresh", "is_slot", "name")

    is_symbol = True
    _bounds: IntegerInterval
    _key: tuple[Any, ...]
    name: str
    is_fresh: bool
    is_slot: bool
    """Whether this is a placeholder inside a memoised result."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _symbol, (self._key,)

    @property
    def symbols(self) -> frozenset[Dim]:
        return frozenset((self,))

    @property
    def text(self) -> str:
        return self.name

    def bounds(self) -> IntegerInterval:
        return self._bounds

    def accept(self, visitor: TermVisitor[_T]) -> _T:
        return visitor.symbol(self)

    def written(self, portable: bool) -> str:  # noqa: ARG002 - every kind takes it
        return quoted_if_odd(self.name, self.is_fresh)


NUMBER, _SYMBOL = 0, 1
"""The kinds that come first in every order."""

_symbols: WeakValueDictionary[tuple[Any, ...], Symbol] = WeakValueDictionary()


def symbol(name: str, low: int | None = 0, high: int | None = None, divisor: int = 1, fresh: bool = False) -> Size:
    """Return the symbol of this name and range; the same arguments give the same object.

    ``low`` and ``high`` are inclusive, None for unbounded, and moved inward to multiples of ``divisor``; a
    range of one number is that number. Raises ValueError for an empty range or a divisor below 1.
    """
    if divisor < 1:
        raise ValueError(f"symbol {name!r} cannot be a multiple of {divisor}")
    least = None if low is None else -(-low // divisor) * divisor
    most = None if high is None else high // divisor * divisor
    if least is not None and most is not None and least >= most:
        if least > most:
            of = f" that is a multiple of {divisor}" if divisor > 1 else ""
            raise ValueError(f"symbol {name!r} has no value between {low} and {high}{of}")
        return least
    low, high = least, most
    return _symbol(("symbol", str(name), low, high, divisor, fresh))


def has_fresh_symbol(size: Size) -> bool:
    """Return whether a fresh symbol occurs in a size: something that the inputs do not determine."""
    return not isinstance(size, int) and any(s.is_fresh for s in size.symbols)


def slot(index: int, low: int | None = 0, high: int | None = None) -> Dim:
    """Return a placeholder for a fresh symbol in a memoised result; it is replaced before anyone sees it."""
    return _symbol(("slot", f"?{index}", low, high, 1, True))


def _symbol(key: tuple[Any, ...]) -> Symbol:
    found = _symbols.get(key)
    return insert_once(_symbols, key, _create_symbol) if found is None else found


def _create_symbol(key: tuple[Any, ...]) -> Symbol:
    created = Symbol.__new__(Symbol)
    kind, created.name, low, high, created.divisor, created.is_fresh = created._key = key
    created.is_slot = kind == "slot"
    created.order = (_SYMBOL, created.name, str(key))
    created.weight = 1
    created._bounds = (low, high)
    note_text(created.name, created.order[2])
    return created


_operations: dict[str, Callable[[Size, Size], Size]] = {}


def install_operators(**operations: Callable[[Size, Size], Size]) -> None:
    """Give dims their operators, which need every kind of term and so stand above all of them."""
    _operations.update(operations)


def _operate(name: str, a: object, b: object) -> Any:
    if isinstance(a, (int, Dim)) and isinstance(b, (int, Dim)):
        return _operations[name](int(a) if isinstance(a, int) else a, int(b) if isinstance(b, int) else b)
    return NotImplemented
