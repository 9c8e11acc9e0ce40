"""What a dim can do by itself: Python's operators, comparisons, and numbers or other dims in place of its symbols.

They need every kind of term, conditions and text, which stand above ``Dim``; what implements them installs them here.
"""

# mypy: disable-error-code="no-any-return"
# what is installed has the type that is declared here

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shapeinfer.dims.conditions.condition import Condition
    from shapeinfer.dims.terms.dim import Dim, Size

    _T = TypeVar("_T")
    ByName: TypeAlias = Mapping[Any, _T]
    """What callers give to symbols, by their names or the symbols themselves; a dict may mix the two."""
    Number: TypeAlias = int | np.integer[Any]
    Numbers: TypeAlias = Sequence[int] | NDArray[Any]

_operations: dict[str, Callable[..., Any]] = {}


_SELDOM = {
    "all_of": "conditions.operations",
    "any_of": "conditions.operations",
    "divisible_by": "conditions.operations",
    "equals": "conditions.operations",
    "evaluate": "terms.evaluation",
    "holds": "conditions.operations",
    "le": "conditions.operations",
    "lt": "conditions.operations",
    "subs": "notation.substitution",
}
"""The modules that install what no inference uses; they load when it is used."""


def install_operators(**operations: Callable[..., Any]) -> None:
    """Give dims and conditions what needs every kind of term, and so stands above all of them."""
    _operations.update(operations)


def call(name: str, *operands: Any) -> Any:
    """Return what an operation returns."""
    return (_operations.get(name) or _loaded(name))(*operands)


def operate(name: str, a: object, b: object) -> Any:
    """Return what an operation makes of two sizes, NotImplemented where one of them is none."""
    if isinstance(a, (int, Operators)) and isinstance(b, (int, Operators)):
        operation = _operations.get(name) or _loaded(name)
        return operation(int(a) if isinstance(a, int) else a, int(b) if isinstance(b, int) else b)
    operands = [_number_of_numpy(x) for x in (a, b)]
    return call(name, *operands) if all(isinstance(x, (int, Operators)) for x in operands) else NotImplemented


def _number_of_numpy(passed: Any) -> Any:
    """Return an integer of numpy as a number, and all else as it is: others may know what to make of a dim."""
    try:
        return operator.index(passed) if hasattr(passed, "dtype") else passed
    except TypeError:
        return passed


def _loaded(name: str) -> Callable[..., Any]:
    importlib.import_module(f"shapeinfer.dims.{_SELDOM[name]}")
    return _operations[name]


class Operators:
    """The operators of a ``Dim``.

    Arithmetic returns an int where the result is a number whatever the symbols stand for, such as ``N - N``, and a Dim
    otherwise; a Dim plus or minus a number is always a Dim. ``==`` is identity, as in sympy: equal by the laws of the
    algebra is the same object, so dims are keys of dicts; ``equals`` gives the condition.

    >>> N, M = symbols("N M")
    >>> (N + 1) * M - M
    Dim(M*N)
    >>> N <= 8
    Condition(N <= 8)
    """

    __slots__ = ()

    @overload
    def __add__(self, other: int) -> Dim: ...
    @overload
    def __add__(self, other: Dim) -> Size: ...
    def __add__(self, other: Size) -> Size:
        return operate("add", self, other)

    def __radd__(self, other: int) -> Dim:
        return operate("add", other, self)

    @overload
    def __sub__(self, other: int) -> Dim: ...
    @overload
    def __sub__(self, other: Dim) -> Size: ...
    def __sub__(self, other: Size) -> Size:
        return operate("sub", self, other)

    def __rsub__(self, other: int) -> Dim:
        return operate("sub", other, self)

    def __mul__(self, other: Size) -> Size:
        return operate("mul", self, other)

    def __rmul__(self, other: int) -> Size:
        return operate("mul", other, self)

    def __floordiv__(self, other: Size) -> Size:
        return operate("floordiv", self, other)

    def __rfloordiv__(self, other: int) -> Size:
        return operate("floordiv", other, self)

    def __mod__(self, other: Size) -> Size:
        return operate("mod", self, other)

    def __rmod__(self, other: int) -> Size:
        return operate("mod", other, self)

    def __divmod__(self, other: Size) -> tuple[Size, Size]:
        return operate("divmod", self, other)

    def __rdivmod__(self, other: int) -> tuple[Size, Size]:
        return operate("divmod", other, self)

    def __pow__(self, exponent: int) -> Size:
        """Return the power, for a number from 0 to 16. Raises ValueError for another number, TypeError for a Dim."""
        return operate("pow", self, exponent)

    if not TYPE_CHECKING:  # type checkers refuse the division

        def __truediv__(self, other):
            return _no_fraction(other, self, other)

        def __rtruediv__(self, other):
            return _no_fraction(other, other, self)

    def __neg__(self) -> Dim:
        return operate("sub", 0, self)

    def __pos__(self) -> Dim:
        return self  # type: ignore[return-value]

    def __abs__(self) -> Size:
        return call("abs", self)

    def __lt__(self, other: Size) -> Condition:
        return operate("lt", self, other)

    def __le__(self, other: Size) -> Condition:
        return operate("le", self, other)

    def __gt__(self, other: Size) -> Condition:
        return operate("lt", other, self)

    def __ge__(self, other: Size) -> Condition:
        return operate("le", other, self)

    def equals(self, other: Size) -> Condition:
        """Return the condition that it has the value of another size; ``==`` asks whether they are one expression.

        >>> N.equals(8)
        Condition(N == 8)

        Raises TypeError for what is no size.
        """
        return _required("equals", self, other)

    def divisible_by(self, divisor: Size) -> Condition:
        """Return the condition that ``divisor`` divides it, as text ``N % 8 == 0``; only 0 is divisible by 0.

        >>> N.divisible_by(8)
        Condition(N % 8 == 0)

        ``N % 8 == 0`` itself compares two objects and is False. Raises TypeError for what is no size.
        """
        return _required("divisible_by", self, divisor)

    @overload
    def evaluate(self, values: ByName[Number] = ..., /, **named: Number) -> int: ...
    @overload
    def evaluate(self, values: ByName[Numbers], /) -> NDArray[Any]: ...
    @overload
    def evaluate(self, values: ByName[Any] = ..., /, **named: Number | Numbers) -> Any: ...
    def evaluate(self, values: ByName[Any] | None = None, /, **named: Any) -> Any:
        """Return its value, given those of its symbols by name or symbol.

        >>> (N * 2 + 1).evaluate({"N": 4})
        9
        >>> (N * 2 + 1).evaluate(N=np.arange(4))
        array([1, 3, 5, 7])

        Where one of the values is an array or a list, the result is an array, of the shape to which all of them
        broadcast. It is exact: int64, or Python's integers (dtype object) where one of them is beyond int64. Names that
        do not occur in the dim are ignored, so that one mapping serves all dims of a model.

        Raises ValueError for a symbol without a value, for one out of its range, and where two sizes do not broadcast;
        ZeroDivisionError where it divides by 0.
        """
        return call("evaluate", self, values, named)

    @overload
    def subs(self, /, **named: Any) -> Size: ...
    @overload
    def subs(self, values: ByName[Any] | None, /, **named: Any) -> Size: ...
    @overload
    def subs(self, symbol: Any, size: Any, /) -> Size: ...
    def subs(self, /, *values: Any, **named: Any) -> Size:
        """Return it with symbols replaced, all at once, by ints, Dims or text; given by name or symbol.

        >>> (N * M).subs({"N": "M + 1"})
        Dim(M**2 + M)
        >>> (N * M).subs(N=2, M=3)
        6
        >>> (N * M).subs("N", 2)
        Dim(2*M)

        Names that do not occur in it are ignored. A name in text is the symbol of that name in this dim, or a new one.
        A replacement has to lie in the range of its symbol: one that never does is refused, and where one may, the
        result holds for the values that do.

        Raises ValueError for what is no size or never in range, ZeroDivisionError for a division by 0.
        """
        return call("subs", self, replacements(values), named)


def replacements(values: tuple[Any, ...]) -> Any:
    """Return the arguments of ``subs`` as one mapping: they are a mapping, or a symbol and its replacement."""
    if len(values) > 2:
        raise TypeError(f"subs() takes a mapping, or a symbol and a size, not {len(values)} arguments")
    return {values[0]: values[1]} if len(values) == 2 else next(iter(values), None)


def _no_fraction(other: object, a: object, b: object) -> Any:
    """Raise TypeError for a / b, or return NotImplemented if ``other``, the operand that is no dim, may define it."""
    if not isinstance(_number_of_numpy(other), (int, float, Operators)):
        return NotImplemented
    raise TypeError(
        f"cannot divide {a} by {b}: a size is a whole number; use //, which rounds down, or .expr for a sympy fraction"
    )


def _required(name: str, a: Any, b: Any) -> Condition:
    found: Condition = operate(name, a, a.from_sympy(b) if hasattr(b, "free_symbols") else b)
    if found is NotImplemented:
        raise TypeError(f"{name}() takes an int or a Dim, not {type(b).__name__}")
    return found
