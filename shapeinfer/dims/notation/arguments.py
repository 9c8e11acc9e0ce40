"""Dims, shapes and conditions as callers pass them: integers, Dims, text, or expressions of sympy's."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from shapeinfer.dims.conditions.condition import ALWAYS, NEVER, Condition, SymbolRange
from shapeinfer.dims.notation.grammar import parse
from shapeinfer.dims.notation.sympified import is_expression
from shapeinfer.dims.notation.tokens import DimSyntaxError
from shapeinfer.dims.terms.dim import Dim, Size
from shapeinfer.dims.terms.printing import quoted_text, text_of


class SympyExpression(Protocol):
    """An expression of sympy's, be it of numbers or of truth values."""

    @property
    def free_symbols(self) -> object:
        """The symbols that occur in it."""


DimLike: TypeAlias = "Size | str | SympyExpression"
"""What is accepted where a dim is: a number, a Dim, text such as ``"N + 1"``, or a sympy expression."""
ConditionLike: TypeAlias = "str | Condition | SympyExpression"
"""What is accepted where a condition is: text such as ``"seq % 8 == 0"``, a Condition, or one of sympy's."""
_V = TypeVar("_V")
ByDim: TypeAlias = Mapping[Any, _V]
"""Something for each dim, which a caller names as text, a Dim or a sympy expression, also of differing kinds."""


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
    elif is_expression(passed):
        size = _read_expression(passed, where)
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


def read_symbol(passed: object, low: int, high: int | None, divisor: int = 1) -> Size:
    """Return the symbol that a sympy symbol is, within a range and within what it is assumed to be.

    Raises ValueError for an expression that is no symbol or cannot be a size, and for an empty range.
    """
    own = _read_expression(passed, "the symbol")
    if not isinstance(own, Dim) or not own.is_symbol:
        raise ValueError(f"{passed} is not a symbol, so it has no range of its own")
    found = SymbolRange(own, low, high, divisor).narrowed(own)
    if found is None:
        raise ValueError(f"symbol {own.name!r} has no value between {low} and {high}")
    return found


def text_of_dim(passed: Any, where: str) -> Any:
    """Return a dim that a caller passes as a number or as text, in which names stand for dims of a model.

    What is neither a Dim nor of sympy's stays as it is. Raises ValueError for an expression that is no dim.
    """
    size = _read_expression(passed, where) if is_expression(passed) else passed
    return quoted_text(size) if isinstance(size, Dim) else size


def by_name(passed: ByDim[_V], where: str) -> Mapping[str, _V]:
    """Return a mapping from dims as one from text: the bare name of a symbol, or the text of an expression.

    Raises ValueError for what is no mapping, for a key that is no dim and for a dim that two keys name.
    """
    if not isinstance(passed, Mapping):
        raise ValueError(f"{where} is {passed!r}; give a mapping by the names of dims, such as {{'N': ...}}")
    found: dict[str, _V] = {}
    for key, value in passed.items():
        name = _key(key, f"a key of {where}")
        if name in found:
            raise ValueError(f"{name} is given twice in {where}")
        found[name] = value
    return found


def sizes_by_name(passed: ByDim[int], where: str) -> Mapping[str, int]:
    """Return sizes by the text of dims; numbers of sympy's become ints. Raises ValueError for a key that is no dim."""
    return {key: plain_number(value) for key, value in by_name(passed, where).items()}


def whole_numbers_by_name(passed: ByDim[int], where: str) -> Mapping[str, int]:
    """Return sizes by the text of dims as ints, numpy's and sympy's too.

    Raises ValueError for a key that is no dim and for what is no whole number.
    """
    return {key: _whole_number(key, value) for key, value in sizes_by_name(passed, where).items()}


def _whole_number(name: str, passed: Any) -> int:
    try:
        return operator.index(passed)
    except TypeError:
        raise ValueError(f"{name} is {passed!r}; a size is a whole number") from None


def plain_number(passed: Any) -> Any:
    """Return a number of sympy's as an int; anything else is itself."""
    return int(passed) if is_expression(passed) and passed.is_Integer else passed


def text_of_condition(passed: object) -> str:
    """Return a condition that a caller passes as text, in which names stand for dims of a model.

    Raises ValueError for what is no condition.
    """
    if isinstance(passed, str):
        return passed
    try:
        condition = Condition.from_sympy(passed)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{passed!r} is not a condition: {error}") from None
    return "0 == 0" if condition is ALWAYS else "0 == 1" if condition is NEVER else condition.text


def conditions_as_text(passed: ConditionLike | Sequence[ConditionLike]) -> tuple[str, ...]:
    """Return the conditions that a caller passes, one alone or several, as text. Raises ValueError for what is none."""
    if isinstance(passed, (str, Condition)) or is_expression(passed):
        return (text_of_condition(passed),)
    if not isinstance(passed, Iterable):
        raise ValueError(f"{passed!r} is not a condition; give text such as 'seq % 8 == 0'")
    return tuple(map(text_of_condition, passed))


def _key(passed: object, where: str) -> str:
    if isinstance(passed, str):
        return passed
    return text_of(read_dim(passed, where))


def _read_expression(passed: object, where: str) -> Size:
    try:
        return Dim.from_sympy(passed)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where} is {passed}, which is not a dim: {error}") from None
