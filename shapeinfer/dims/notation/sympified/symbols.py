"""Symbols of ours as sympy's, and sympy's as ours.

A symbol whose range sympy's assumptions express is a plain ``sympy.Symbol``; any other is a ``RangedSymbol``, so that
two that differ in their range alone stay two.
"""

from __future__ import annotations

from typing import Any

import sympy

from shapeinfer.dims.terms.dim import Dim, Size, Symbol, symbol, symbol_of_key
from shapeinfer.dims.terms.names import quoted

_IN_LATEX = {"\\": "\\backslash ", "^": "\\wedge ", "~": "\\sim ", "<": "\\lt ", ">": "\\gt ", " ": "\\ "}
_IN_LATEX |= {c: f"\\{c}" for c in "{}$&#%_"}


class RangedSymbol(sympy.Symbol):  # type: ignore[misc] # sympy has no types
    """A symbol with a range, a divisor or a name that a plain one cannot have."""

    __slots__ = ("key",)
    key: tuple[Any, ...]
    """What identifies the symbol of ours: kind, name, range, divisor, and whether it is fresh."""

    def __new__(cls, *key: Any) -> RangedSymbol:
        own = symbol_of_key(key)
        name = own.name if own.name.isidentifier() else quoted(own.name)
        created: RangedSymbol = sympy.Symbol.__xnew__(cls, name, **_assumptions(own))
        created.key = key
        return created

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return self.key, {}

    def _hashable_content(self) -> tuple[Any, ...]:
        return *super()._hashable_content(), repr(self.key)

    def _latex(self, printer: Any) -> str:
        name = str(self.key[1])
        # the name may be any text of a model, and a notebook shows it: none of it is a command
        return str(printer._print_Symbol(self)) if name.isidentifier() else f"\\mathtt{{{_latex_text(name)}}}"


def _latex_text(name: str) -> str:
    return "".join(_IN_LATEX.get(c, c if c.isprintable() else "?") for c in name)


def symbol_expression(own: Symbol) -> Any:
    """Return the sympy symbol that a symbol of ours is."""
    if own.name.isidentifier() and own.low is not None and own.low >= 0:
        plain = sympy.Symbol(own.name, **_assumptions(own))
        if _of_plain(plain) is own:
            return plain
    return RangedSymbol(*own.key)


def symbol_size(found: Any) -> Size:
    """Return the symbol of ours that one of sympy's is. Raises ValueError for one that is no size."""
    return symbol_of_key(found.key) if isinstance(found, RangedSymbol) else _of_plain(found)


def _assumptions(own: Dim) -> dict[str, bool]:
    low, high = own.bounds()
    assumed = {"integer": True}
    if low is not None and low >= 0:
        assumed["positive" if low else "nonnegative"] = True
    elif high is not None and high <= 0:
        assumed["nonpositive" if high == 0 else "negative"] = True
    if own.divisor % 2 == 0:
        assumed["even"] = True
    return assumed


def _of_plain(found: Any) -> Size:
    """Return the symbol of a user's: an integer of at least 0, or of at least 1 where it is assumed to be positive."""
    if isinstance(found, (sympy.Dummy, sympy.Wild)):
        raise ValueError(f"{found} is a {type(found).__name__}, which has no name of its own; use sympy.Symbol")
    name = str(found.name)
    for fault, is_so in (
        ("is assumed to be no integer", found.is_integer is False),
        ("is assumed to be negative or 0", found.is_nonpositive),
        ("does not commute", found.is_commutative is False),
    ):
        if is_so:
            raise ValueError(f"the symbol {name} {fault}; a dim is an integer of at least 0")
    divisor = 2 if found.is_even else 1
    return symbol(_unquoted(name), low=divisor if found.is_positive else 0, divisor=divisor)


def _unquoted(name: str) -> str:
    """Return the name that a quoted one stands for: it is how such a name of ours is printed."""
    inside = name[1:-1]
    is_quoted = len(name) > 2 and name[0] == name[-1] == "`" and "`" not in inside.replace("``", "")
    return inside.replace("``", "`") if is_quoted else name
