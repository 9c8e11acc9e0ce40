"""Lengths as callers give them: whole numbers, Dims, or text."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from shapeinfer.dims.notation.grammar import DimSyntaxError, parse
from shapeinfer.dims.terms.dim import Dim, Size


def read_length(given: object, where: str) -> Size:
    """Return the length that is given; numpy's integers are whole numbers too.

    Raises ValueError, with the place ``where`` it is given, for what is no length.
    """
    size = given
    if isinstance(given, str):
        try:
            size = parse(given)
        except DimSyntaxError as error:
            raise DimSyntaxError(f"{where} is {given!r}, which is not a dim: {error}") from None
    if isinstance(size, Dim):
        return size
    try:
        number = operator.index(size)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{where} is {given!r}; a dim is a whole number, a Dim or text such as 'N + 1'") from None
    if number < 0:
        raise ValueError(f"{where} is {given}; a dim cannot be negative")
    return int(number)


def read_shape(given: Iterable[object], of: str) -> tuple[Size, ...]:
    """Return the shape ``of`` something that is given. Raises ValueError, with the axis, for what is no length."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ValueError(f"{of} is {given!r}; a shape is a list of dims")
    return tuple(read_length(length, f"axis {axis} of {of}") for axis, length in enumerate(given))
