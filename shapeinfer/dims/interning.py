"""One object for equal parts, so that ``is`` is equality."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar
from weakref import WeakValueDictionary


class _Interned(Protocol):
    _fields: tuple[Any, ...]

    def begin(self) -> None:
        """Fill in what follows from the fields."""


_I = TypeVar("_I", bound=_Interned)
_made: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()


def interned(kind: type[_I], *fields: Any) -> _I:
    """Return the one object of a kind with these fields, which must be in normal form."""
    key = (kind, *fields)
    found: _I | None = _made.get(key)
    if found is None:
        found = object.__new__(kind)
        found._fields = fields
        found.begin()
        _made[key] = found
    return found
