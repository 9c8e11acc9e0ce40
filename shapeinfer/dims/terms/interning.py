"""Hash-consing: one object for equal parts, so that ``is`` is equality, on every thread, since all share the tables."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary


class _Interned(Protocol):
    _fields: tuple[Any, ...]

    def initialize(self) -> None:
        """Set what follows from the fields."""


_I = TypeVar("_I", bound=_Interned)
_V = TypeVar("_V")
_objects: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()
_adding = threading.RLock()
"""Held while a table grows; reentrant, as collecting garbage may run anything in the middle of it."""


def interned(kind: type[_I], *fields: Any) -> _I:
    """Return the one object of a kind with these fields, which must be in canonical form."""
    key = (kind, *fields)
    found: _I | None = _objects.get(key)
    return insert_once(_objects, key, _create) if found is None else found


def _create(key: tuple[Any, ...]) -> Any:
    created = object.__new__(key[0])
    created._fields = key[1:]
    created.initialize()
    return created


def insert_once(table: WeakValueDictionary[tuple[Any, ...], _V], key: tuple[Any, ...], create: Callable[..., _V]) -> _V:
    """Return what a table holds at a key that a look-up missed: by now another thread may have added it.

    ``create`` is called with the key, and must return an object that is complete.
    """
    with _adding:
        found = table.get(key)
        if found is None:
            found = table[key] = create(key)
        return found
