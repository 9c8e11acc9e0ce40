"""Lengths for programs that have no model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

from shapeinfer.dims import Dim, Size
from shapeinfer.dims import maximum as kernel_maximum
from shapeinfer.dims import minimum as kernel_minimum
from shapeinfer.dims import symbol as dim_symbol
from shapeinfer.dims.notation.arguments import ByDim, DimLike, SympyExpression, read_dim, read_shape, read_symbol
from shapeinfer.dims.notation.sympified import is_expression
from shapeinfer.dims.terms.names import quoted_if_odd


@overload
def symbol(
    name: str | SympyExpression,
    low: int = 0,
    high: None = None,
    divisor: int = 1,
    *,
    min: int | None = None,
    max: None = None,
) -> Dim: ...
@overload
def symbol(
    name: str | SympyExpression,
    low: int = 0,
    high: int | None = None,
    divisor: int = 1,
    *,
    min: int | None = None,
    max: int | None = None,
) -> Size: ...
def symbol(
    name: str | SympyExpression,
    low: int = 0,
    high: int | None = None,
    divisor: int = 1,
    *,
    min: int | None = None,  # noqa: A002 - the words of torch.export
    max: int | None = None,  # noqa: A002
) -> Size:
    """Return the symbolic size of this name, a multiple of ``divisor`` between ``low`` and ``high`` inclusive.

    >>> heads = symbol("heads", low=1)
    >>> heads * 64
    Dim(64*heads)

    The name is any text, as dims of models are called, or a ``sympy.Symbol``, which stands for its name and what it is
    assumed to be: positive or even. ``min`` and ``max``, as ``torch.export.Dim`` calls them, are ``low`` and ``high``.
    A range of one number is that number. Raises ValueError for an empty range, a negative end, or a sympy expression
    that is no symbol.
    """
    low, high = low if min is None else min, high if max is None else max
    if low < 0:
        raise ValueError(f"a dim cannot be negative: low={low}")
    if not is_expression(name):
        return dim_symbol(str(name), low, high, divisor)
    return read_symbol(name, low, high, divisor)


@overload
def symbols(names: str, /, *, low: int = 0, high: int | None = None, divisor: int = 1) -> Any: ...
@overload
def symbols(
    first: str, second: str, /, *others: str, low: int = 0, high: None = None, divisor: int = 1
) -> tuple[Dim, ...]: ...
@overload
def symbols(
    first: str, second: str, /, *others: str, low: int = 0, high: int | None, divisor: int = 1
) -> tuple[Size, ...]: ...
def symbols(*names: str, low: int = 0, high: int | None = None, divisor: int = 1) -> Any:
    """Return the symbols of these names, which spaces or commas separate: one alone, several as a tuple.

    >>> N = symbols("N")
    >>> B, C, H, W = symbols("B C H W", low=1)
    >>> h, w = symbols("h", "w", divisor=8)

    The range and divisor are those of each, see ``symbol``. It is Any to a type checker what one text holds; ``symbol``
    and names as several arguments have their types. Raises ValueError for what is no name.
    """
    for text in names:
        if not isinstance(text, str):
            raise ValueError(f"symbols() takes names as text, such as symbols('N C H W'), not {text!r}")
    listed = [name for text in names for name in text.replace(",", " ").split()]
    for name in listed:
        if quoted_if_odd(name, is_fresh=False) != name:
            raise ValueError(f"{name!r} is no name such as N or past_seq; symbol() takes any text as a name")
    if not listed:
        raise ValueError("symbols() needs a name, such as symbols('N C H W')")
    found = tuple(symbol(name, low, high, divisor) for name in listed)
    return found[0] if len(found) == 1 else found


def maximum(first: DimLike, /, *others: DimLike) -> Size:
    """Return the largest of sizes, which Python's ``max`` cannot tell where they depend on symbols.

    >>> maximum(N, 3).evaluate(N=2)
    3

    Raises ValueError for what is no size.
    """
    return kernel_maximum(*(read_dim(size, f"size {i}") for i, size in enumerate((first, *others))))


def minimum(first: DimLike, /, *others: DimLike) -> Size:
    """Return the smallest of sizes, which Python's ``min`` cannot tell where they depend on symbols.

    >>> minimum(N, "N + 1", 3)
    Dim(min(3, N))

    Raises ValueError for what is no size.
    """
    return kernel_minimum(*(read_dim(size, f"size {i}") for i, size in enumerate((first, *others))))


@overload
def evaluate(size: DimLike, values: ByDim[int] | None = None, /, **named: int) -> int: ...
@overload
def evaluate(
    shape: tuple[DimLike, ...] | list[Any] | None, values: ByDim[int] | None = None, /, **named: int
) -> tuple[int, ...]: ...
def evaluate(
    passed: DimLike | tuple[DimLike, ...] | list[Any] | None, values: ByDim[int] | None = None, /, **named: int
) -> int | tuple[int, ...]:
    """Return a size or a shape as numbers, given those of its symbols by name or symbol.

    >>> evaluate(("N", 3, N * 2), {"N": 4})
    (4, 3, 8)
    >>> evaluate(7, N=4)
    7

    A size is an int, a Dim, a sympy expression or text; names that do not occur in it are ignored. ``Dim.evaluate``
    takes arrays of sizes, too. Raises ValueError for a symbol without a value or out of its range, for what is no size,
    and for None, the shape of an unknown rank; ZeroDivisionError for a division by 0.
    """
    if passed is None:
        raise ValueError("the shape is None: its rank is unknown")
    if isinstance(passed, (tuple, list)):
        return tuple(_number(size, values, named) for size in read_shape(passed, "the shape"))
    return _number(read_dim(passed, "the size"), values, named)


def _number(size: Size, values: ByDim[int] | None, named: Mapping[str, int]) -> int:
    if isinstance(size, int):
        return size
    found: int = size.evaluate(values or {}, **named)
    return found
