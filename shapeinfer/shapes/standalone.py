"""Lengths for programs that have no model."""

from __future__ import annotations

from shapeinfer.dims import Size
from shapeinfer.dims import symbol as dim_symbol


def symbol(name: str, min: int = 0, max: int | None = None) -> Size:  # noqa: A002 - the words users know
    """Return the symbolic size of this name, between ``min`` and ``max`` inclusive.

    Raises ValueError for an empty range or a negative ``min``.
    """
    if min < 0:
        raise ValueError(f"a dim cannot be negative: min={min}")
    return dim_symbol(name, min, max)
