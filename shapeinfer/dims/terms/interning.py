"""One object for equal parts, so that ``is`` is equality: on every thread, since all share the tables."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary


class _Interned(Protocol):
    _fields: tuple[Any, ...]

    def begin(self) -> None:
        """Fill in what follows from the fields."""


_I = TypeVar("_I", bound=_Interned)
_V = TypeVar("_V")
_made: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
_adding = threading.RLock()
"""Held by who adds to a table; reentrant, as collecting garbage may run anything in the middle of it."""


def interned(kind: type[_I], *fields: Any) -> _I:
    """Return the one object of a kind with these fields, which must be in normal form."""
    key = (kind, *fields)
    found: _I | None = _made.get(key)
    return insert_once(_made, key, _begun) if found is None else found


def _begun(key: tuple[Any, ...]) -> Any:
    made = object.__new__(key[0])
    made._fields = key[1:]
    made.begin()
    return made


def insert_once(table: WeakValueDictionary[tuple[Any, ...], _V], key: tuple[Any, ...], make: Callable[..., _V]) -> _V:
    """Return what a table holds at a key that was looked for in vain: by now another thread may have added it.

    ``make`` is called with the key, and must return what nobody has to change any more.
    """
    with _adding:
        found = table.get(key)
        if found is None:
            found = table[key] = make(key)
        return found
