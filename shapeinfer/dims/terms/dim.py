"""Dim: a symbolic length, interned, so that equal ones are one object."""

from __future__ import annotations

from typing import Any, NoReturn, TypeAlias
from weakref import WeakValueDictionary

from shapeinfer.dims.terms.interning import insert_once
from shapeinfer.remembered import note_text

Size: TypeAlias = "int | Dim"
"""A length: a known one is an int, a symbolic one a Dim."""


class Dim:
    """A symbolic integer: a symbol, or an expression of symbols.

    Interned: ``is`` is equality. ``low`` and ``high`` bound it, None where unbounded; ``divisor`` divides it.
    ``is_fresh`` marks a fresh symbol, for something the inputs do not determine. Made by ``symbol`` and the operations
    of this package, never directly.
    """

    __slots__ = ("__weakref__", "_bounds", "_text", "divisor", "order", "weight")

    is_symbol = False
    is_slot = False
    name = ""
    is_fresh = False

    divisor: int
    weight: int
    """How many nodes it would have as a tree that shares none; it may be beyond counting."""
    order: tuple[Any, ...]
    """Its place among others, by structure and names, the same in every run."""
    _bounds: tuple[int | None, int | None] | None
    _text: str | None

    def __repr__(self) -> str:
        return f"Dim({self.text})"

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> NoReturn:
        raise TypeError(f"the truth of a symbolic length ({self.text}) is not known; ask equal() or less()")

    def __copy__(self) -> Dim:
        return self

    def __deepcopy__(self, memo: object) -> Dim:
        return self

    @property
    def symbols(self) -> frozenset[Dim]:
        """The symbols that occur in it, itself if it is one."""
        return frozenset((self,))

    @property
    def text(self) -> str:
        """A Python integer expression, or the bare name of a symbol."""
        if self._text is None:
            from shapeinfer.dims.terms.printing import print_expression

            self._text = print_expression(self)
            note_text(self._text)
        return self._text

    def _sympy_(self) -> Any:
        """Return it as a sympy expression, which sympy asks for; without this it would run the text as Python."""
        from shapeinfer.dims.notation.sympified import expression

        return expression(self)

    @property
    def low(self) -> int | None:
        return self.bounds()[0]

    @property
    def high(self) -> int | None:
        return self.bounds()[1]

    def bounds(self) -> tuple[int | None, int | None]:
        """Return the least and the greatest value that it can have, None where there is none or none is known."""
        if self._bounds is None:
            from shapeinfer.dims.terms.bounds import bounds_of

            self._bounds = bounds_of(self)
        return self._bounds

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

    __slots__ = ("_key", "is_fresh", "is_slot", "name")

    is_symbol = True
    _key: tuple[Any, ...]
    name: str
    is_fresh: bool
    is_slot: bool
    """Whether this is a placeholder inside a memoised result."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _symbol, (self._key,)


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
    """Tell whether a fresh symbol occurs in a length: something that the inputs do not determine."""
    return not isinstance(size, int) and any(s.is_fresh for s in size.symbols)


def slot(index: int, low: int | None = 0, high: int | None = None) -> Dim:
    """Return a placeholder for a new length in a memoised result; it is replaced before anyone sees it."""
    return _symbol(("slot", f"?{index}", low, high, 1, True))


def _symbol(key: tuple[Any, ...]) -> Symbol:
    found = _symbols.get(key)
    return insert_once(_symbols, key, _begun) if found is None else found


def _begun(key: tuple[Any, ...]) -> Symbol:
    begun = Symbol.__new__(Symbol)
    kind, begun.name, low, high, begun.divisor, begun.is_fresh = begun._key = key
    begun.is_slot = kind == "slot"
    begun.order = (_SYMBOL, begun.name, str(key))
    begun.weight = 1
    begun._bounds = (low, high)
    begun._text = begun.name
    note_text(begun.name, begun.order[2])
    return begun


def _operate(name: str, a: object, b: object) -> Any:
    if isinstance(a, (int, Dim)) and isinstance(b, (int, Dim)):
        operation = _operations.get(name)
        if operation is None:
            from shapeinfer.dims.terms import arithmetic

            operation = _operations[name] = getattr(arithmetic, name)
        return operation(int(a) if isinstance(a, int) else a, int(b) if isinstance(b, int) else b)
    return NotImplemented


_operations: dict[str, Any] = {}
