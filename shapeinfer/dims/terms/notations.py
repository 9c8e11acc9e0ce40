"""Other notations for terms and conditions. Each registers its visitor here, so that no term imports a notation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_visitors: dict[str, Callable[[], Any]] = {}


def register_notation(name: str, make_visitor: Callable[[], Any]) -> None:
    """Register what makes the visitor that converts terms and conditions to a notation."""
    _visitors[name] = make_visitor


def visitor_for(name: str) -> Any:
    """Return a new visitor that converts to a registered notation."""
    return _visitors[name]()
