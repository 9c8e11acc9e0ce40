"""Dim: a symbolic dimension size, hash-consed, so that equal ones are one object.

A kind of term is a subclass: it brings its own canonical form, bounds, text and the rest of what ``Dim`` declares, and
stands beside its laws. What only some kinds have, the others answer with a neutral value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn, Protocol, TypeAlias, TypeVar, overload
from weakref import WeakValueDictionary

from shapeinfer.dims.terms.interning import insert_once
from shapeinfer.dims.terms.intervals import IntegerInterval, Interval
from shapeinfer.dims.terms.names import LONG, public_names, quoted_if_odd, shortened
from shapeinfer.dims.terms.notations import InSympy, algebra
from shapeinfer.dims.terms.operators import Operators
from shapeinfer.remembered import note_text

Size: TypeAlias = "int | Dim"
"""A dimension size: a known one is an int, a symbolic one a Dim."""
Terms: TypeAlias = "tuple[tuple[int, Dim], ...]"
"""Coefficients, none of them 0, with dims that are neither sums nor products with a coefficient."""
Factors: TypeAlias = "tuple[tuple[Dim, int], ...]"
"""Dims that are no products, with powers above 0."""

SUM, PRODUCT, ATOM = 1, 2, 3
"""How tightly a text binds: in brackets where more is needed."""

_OWN = {"bounds", "divisor", "expr", "from_sympy", "high", "is_fresh", "is_symbol", "low", "name", "symbols", "text"}
_PUBLIC = frozenset(_OWN | set(vars(Operators)))
"""The public names of a dim; the others are for the algebra."""

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


class Dim(Operators, InSympy):
    """A symbolic integer: a symbol, or an expression of symbols.

    Interned: ``is`` is equality. ``symbols`` are those that occur in it; ``low`` and ``high`` bound it, None where
    unbounded; ``divisor`` divides it. ``is_fresh`` marks a fresh symbol, for something the inputs do not determine.
    Created by ``symbol`` and the operations of this package, never directly. What it can do by itself is in
    ``Operators``.
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
    is_nonlinear = False
    """Whether it is a product of sizes, or a division by one."""
    is_floor = False
    """Whether it is a division that rounds down, of its first part by its second."""
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
        return f"Dim({shortened(self.text, LONG)})"

    def __dir__(self) -> list[str]:
        return public_names(self, _PUBLIC)

    def __str__(self) -> str:
        return self.text

    def __format__(self, spec: str) -> str:
        """Return the text in a column, such as ``f"{dim:>12}"``, as for an int."""
        return format(self.text, spec)

    def __bool__(self) -> NoReturn:
        raise TypeError(f"the truth of a symbolic dim ({self.text}) is unknown; compare it by <, <=, >, >= or equals()")

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

    @staticmethod
    def from_sympy(expression: object) -> Size:
        """Return the size that a sympy expression is: an int or a Dim, for ``dim.expr`` that very ``dim``.

        A symbol becomes the one of its name, at least 0, or at least 1 where sympy assumes it to be positive. What has
        no sign and no fraction for sure is accepted where it is exact: ``floor``, ``ceiling``, ``Mod``, ``Max``,
        ``Min``, ``Abs``, powers, and fractions that are integers for all values, such as ``n*(n - 1)/2``. Raises
        ValueError that names the part that is no size, TypeError for what is no sympy expression.
        """
        size: Size = algebra("sympy").size_of(expression)
        return size

    @property
    def low(self) -> int | None:
        """A number that it is never below, None if none is known."""
        return self.bounds()[0]

    @property
    def high(self) -> int | None:
        """A number that it never exceeds, None if none is known."""
        return self.bounds()[1]

    def bounds(self) -> IntegerInterval:
        """Return ``(low, high)``: what it is never below and never exceeds, None where no such number is known."""
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


class Symbol(Dim):
    """A name and what is known of the number that it stands for."""

    __slots__ = ("_bounds", "is_fresh", "is_slot", "key", "name")

    is_symbol = True
    _bounds: IntegerInterval
    key: tuple[Any, ...]
    """What identifies it, as ``symbol_of_key`` takes it."""
    name: str
    is_fresh: bool
    is_slot: bool
    """Whether this is a placeholder inside a memoised result."""

    def __reduce__(self) -> tuple[Any, ...]:
        return symbol_of_key, (self.key,)

    def __str__(self) -> str:
        # sympy.lambdify runs what str() makes of an argument: a name that is more than a name must be no Python
        return quoted_if_odd(self.name, self.is_fresh)

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


@overload
def symbol(name: str, low: int | None = 0, high: None = None, divisor: int = 1, fresh: bool = False) -> Dim: ...
@overload
def symbol(name: str, low: int | None, high: int | None, divisor: int = 1, fresh: bool = False) -> Size: ...
@overload
def symbol(name: str, low: int | None = 0, *, high: int | None, divisor: int = 1, fresh: bool = False) -> Size: ...
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
    return symbol_of_key(("symbol", str(name), low, high, divisor, fresh))


def has_fresh_symbol(size: Size) -> bool:
    """Return whether a fresh symbol occurs in a size: something that the inputs do not determine."""
    return not isinstance(size, int) and any(s.is_fresh for s in size.symbols)


def slot(index: int, low: int | None = 0, high: int | None = None) -> Dim:
    """Return a placeholder for a fresh symbol in a memoised result; it is replaced before anyone sees it."""
    return symbol_of_key(("slot", f"?{index}", low, high, 1, True))


def symbol_of_key(key: tuple[Any, ...]) -> Symbol:
    """Return the symbol with the key of another one, even one of another process."""
    found = _symbols.get(key)
    return insert_once(_symbols, key, _create_symbol) if found is None else found


def _create_symbol(key: tuple[Any, ...]) -> Symbol:
    created = Symbol.__new__(Symbol)
    kind, created.name, low, high, created.divisor, created.is_fresh = created.key = key
    created.is_slot = kind == "slot"
    created.order = (_SYMBOL, created.name, str(key))
    created.weight = 1
    created._bounds = (low, high)
    note_text(created.name, created.order[2])
    return created
