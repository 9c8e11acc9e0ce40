"""Dims and shapes as callers pass them: integers, Dims, or text."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from shapeinfer.dims.notation.grammar import parse
from shapeinfer.dims.notation.tokens import DimSyntaxError
from shapeinfer.dims.terms.dim import Dim, Size


def read_dim(passed: object, where: str) -> Size:
    """Return the dim that a caller passes; numpy's integers are integers too.

    Raises ValueError, which begins with the place ``where`` it is passed, for what is no dim.
    """
    size = passed
    if isinstance(passed, str):
        try:
            size = parse(passed)
        except DimSyntaxError as error:
            raise DimSyntaxError(f"{where} is {passed!r}, which is not a dim: {error}") from None
    if isinstance(size, Dim):
        return size
    try:
        number = operator.index(size)  # type: ignore[arg-type]
    except TypeError:
        raise ValueError(f"{where} is {passed!r}; a dim is a whole number, a Dim or text such as 'N + 1'") from None
    if number < 0:
        raise ValueError(f"{where} is {passed}; a dim cannot be negative")
    return int(number)


def read_shape(passed: Iterable[object], of: str) -> tuple[Size, ...]:
    """Return the shape ``of`` something that a caller passes. Raises ValueError, with the axis, for what is no dim."""
    if isinstance(passed, str) or not isinstance(passed, Iterable):
        raise ValueError(f"{of} is {passed!r}; a shape is a list of dims")
    return tuple(read_dim(dim, f"axis {axis} of {of}") for axis, dim in enumerate(passed))
