"""The values of terms for numbers and for whole arrays of them, exact, with an error where there is no value.

Arrays are int64 where no step of a computation can leave its range, and Python's integers (dtype object) elsewhere, so
nothing ever wraps around.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from shapeinfer.dims.terms.dim import Dim, Factors, Size, Terms
from shapeinfer.dims.terms.floating import Floating
from shapeinfer.dims.terms.floors import Floor
from shapeinfer.dims.terms.ieee import NoValueError
from shapeinfer.dims.terms.names import shortened
from shapeinfer.dims.terms.operators import install_operators
from shapeinfer.dims.terms.rounded import rounded
from shapeinfer.dims.terms.selections import Broadcast

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 2**63 - 1
"""The largest absolute value that is computed with as int64."""


def evaluate(size: Dim, values: object, named: Mapping[str, object]) -> Any:
    """Return the value of a term, an int or, where a symbol has an array, an array. See ``Dim.evaluate``."""
    numbers = numbers_of(size, values, named)
    if are_ints(numbers):
        return evaluate_one(size, numbers)
    import numpy as np

    arrays = Arrays(numbers)
    found = arrays.value(size)
    if not np.all(arrays.defined):
        _refuse_first(size, arrays)
    return np.array(np.broadcast_to(found, arrays.shape))


install_operators(evaluate=evaluate)


# What callers give


class Symbolic(Protocol):
    """A dim or a condition."""

    @property
    def symbols(self) -> frozenset[Dim]:
        """The symbols that occur in it."""

    @property
    def text(self) -> str:
        """Its text."""


def given_for(symbols: Iterable[Dim], values: object, named: Mapping[str, object]) -> dict[Dim, Any]:
    """Return what a caller gives to symbols, by name or symbol. Raises ValueError for two values of a name."""
    if values is not None and not isinstance(values, Mapping):
        raise ValueError(f"values are given as a mapping such as {{'N': 4}}, not as {type(values).__name__}")
    by_symbol: dict[Dim, Any] = {}
    by_name: dict[str, Any] = {}
    for given, passed in (*(values or {}).items(), *named.items()):
        key: object = Dim.from_sympy(given) if getattr(given, "is_Symbol", False) else given
        if isinstance(key, Dim) and key.is_symbol:
            by_symbol[key] = passed
        elif not isinstance(key, str):
            raise ValueError(f"{key!r} is no symbol: values are given by the name of a symbol, or the symbol")
        elif key in by_name:
            raise ValueError(f"{key} is given twice")
        else:
            by_name[key] = passed
    twice = sorted(by_name.keys() & {s.name for s in by_symbol})
    if twice:
        raise ValueError(f"{twice[0]} is given twice")
    # a symbol of the same name and another range, as two models declare it, is meant as well
    by_name |= {s.name: passed for s, passed in by_symbol.items()}
    return {s: by_symbol.get(s, by_name.get(s.name)) for s in symbols if s in by_symbol or s.name in by_name}


def numbers_of(term: Symbolic, values: object, named: Mapping[str, object]) -> dict[Dim, Any]:
    """Return an int or an array of ints for each symbol of a dim or condition.

    Raises ValueError for a symbol without a value, what is no integer, and a value out of its symbol's range.
    """
    found = given_for(term.symbols, values, named)
    missing = sorted({s.name for s in term.symbols if s not in found})
    if missing:
        given = shortened(", ".join(map(str, [*(values if isinstance(values, Mapping) else ()), *named])))
        rest = f"; given are {given}" if given else ""
        raise ValueError(f"cannot evaluate {shortened(term.text)}: no value for {', '.join(missing)}{rest}")
    return {s: _number_or_array(s, passed) for s, passed in found.items()}


def are_ints(numbers: Mapping[Dim, Any]) -> bool:
    """Return whether there is no array among numbers."""
    return all(isinstance(n, int) for n in numbers.values())


def _number_or_array(symbol: Dim, passed: object) -> int | NDArray[Any]:
    try:
        number = operator.index(passed)  # type: ignore[arg-type]
    except TypeError:
        return _array_in_range(symbol, _array_of(symbol, passed))
    for out, wanted in _out_of_range(symbol, number):
        if out:
            raise ValueError(f"{symbol.name} is {number}; it must be {wanted}")
    return number


def _array_in_range(symbol: Dim, array: NDArray[Any]) -> NDArray[Any]:
    for out, wanted in _out_of_range(symbol, array):
        if out.any():
            raise ValueError(f"{symbol.name} is {array[out][0]} in its array; it must be {wanted}")
    return array


def _out_of_range(symbol: Dim, value: Any) -> list[tuple[Any, str]]:
    """Return whether a value, or each of an array, breaks what is known of its symbol, and what that is."""
    low, high, divisor = symbol.low, symbol.high, symbol.divisor
    found = [] if low is None else [(value < low, f"at least {low}")]
    found += [] if high is None else [(value > high, f"at most {high}")]
    return found + ([] if divisor == 1 else [(value % divisor != 0, f"a multiple of {divisor}")])


def _array_of(symbol: Dim, passed: object) -> NDArray[Any]:
    import numpy as np

    if isinstance(passed, str) or not (isinstance(passed, Sequence) or hasattr(passed, "__array__")):
        raise ValueError(f"{symbol.name} is {passed!r}; a value is an integer or an array of integers")
    # a list has no type of its own, and numpy would take floats for numbers of which one is beyond int64
    found = np.asarray(passed) if hasattr(passed, "__array__") else np.array(passed, dtype=object)
    if found.dtype.kind == "O":
        try:
            listed = [operator.index(n) for n in found.flat]
        except TypeError:
            raise ValueError(f"{symbol.name} is an array of other objects than integers") from None
        found = np.fromiter(listed, object, len(listed)).reshape(found.shape)
    elif found.dtype.kind not in "iu":
        raise ValueError(f"{symbol.name} is an array of {found.dtype}; values are integers")
    return _narrowest(found)[0]


# One value for each symbol


def evaluate_one(size: Size, numbers: Mapping[Dim, int]) -> int:
    """Return the value of a size. Raises ZeroDivisionError, and ValueError where two sizes do not broadcast."""
    if isinstance(size, int):
        return size
    done = dict(numbers)
    for part in _parts_first(size, done):
        values = [p if isinstance(p, int) else done[p] for p in part.parts]
        if isinstance(part, Floor) and values[1] == 0:
            raise ZeroDivisionError(f"{shortened(part.text)} divides by 0 where {_where(part.parts[1], numbers)}")
        if isinstance(part, Broadcast) and len({v for v in values if v != 1}) > 1:
            sizes = " and ".join(map(str, values))
            raise ValueError(f"{sizes} do not broadcast in {shortened(part.text)} where {_where(part, numbers)}")
        try:
            done[part] = part.compute(values)
        except NoValueError:
            text = f"{shortened(part.text)} has no finite value where {_where(part, numbers)}"
            raise ZeroDivisionError(text) from None
    return done[size]


def _where(size: Size, numbers: Mapping[Dim, int]) -> str:
    symbols = () if isinstance(size, int) else sorted(size.symbols, key=lambda s: s.order)
    return ", ".join(f"{s.name} = {numbers[s]}" for s in symbols)


def _parts_first(size: Dim, known: Mapping[Dim, object]) -> list[Dim]:
    """Return the distinct terms that a term is computed from, each behind its own parts, without those that are known.

    A loop and no recursion, so that no depth is too great.
    """
    found: dict[Dim, None] = {}
    left = [(size, False)]
    while left:
        part, is_ready = left.pop()
        if is_ready:
            found[part] = None
        elif part not in known and part not in found:
            left.append((part, True))
            left += [(p, False) for p in part.parts if not isinstance(p, int)]
    return list(found)


# Arrays


class Arrays:
    """Computes terms over arrays that broadcast. It is a ``TermVisitor`` whose parts are done before it is called."""

    def __init__(self, numbers: Mapping[Dim, Any]) -> None:
        import numpy as np

        self.np = np
        self.numbers = numbers
        self.defined: Any = np.True_
        """The elements for which every evaluated term is defined."""
        self.shape = _common_shape(numbers)
        self._done: dict[Dim, tuple[NDArray[Any], int]] = {s: _narrowest(_as_array(n)) for s, n in numbers.items()}

    def value(self, size: Size) -> NDArray[Any]:
        """Return the values of a size, anything where it is not defined."""
        if isinstance(size, int):
            return _narrowest(_as_array(size))[0]
        for part in _parts_first(size, self._done):
            self._done[part] = _narrowest(_as_array(part.accept(self)))
        return self._done[size][0]

    def symbol(self, symbol: Dim) -> NDArray[Any]:
        return self._done[symbol][0]

    def plus(self, terms: Terms, number: int) -> Any:
        values = [self._done[t] for _, t in terms]
        wide = abs(number) + sum(abs(c) * max(1, most) for (c, _), (_, most) in zip(terms, values)) > MOST
        out: Any = number
        for (c, _), (v, _) in zip(terms, values):
            out = out + c * (v.astype(object) if wide else v)
        return out

    def times(self, coefficient: int, factors: Factors) -> Any:
        values = [self._done[b] for b, _ in factors]
        wide = abs(coefficient) * math.prod(max(1, most) ** n for (_, n), (_, most) in zip(factors, values)) > MOST
        out: Any = coefficient
        for (_, n), (v, _) in zip(factors, values):
            out = out * (v.astype(object) if wide else v) ** n
        return out

    def floordiv(self, a: Size, n: Size) -> Any:
        above, below = self.value(a), self.value(n)
        self.defined = self.defined & (below != 0)
        return above // self.np.where(below == 0, 1, below)

    def largest(self, args: tuple[Size, ...]) -> Any:
        return functools.reduce(self.np.maximum, map(self.value, args))

    def smallest(self, args: tuple[Size, ...]) -> Any:
        return functools.reduce(self.np.minimum, map(self.value, args))

    def broadcast(self, args: tuple[Size, ...]) -> Any:
        return functools.reduce(self._broadcast, map(self.value, args))

    def rounded(self, way: str, term: Floating) -> Any:
        parts = self.np.broadcast_arrays(*(self._done[leaf][0] for leaf in term.leaves))
        out = self.np.zeros(parts[0].shape, dtype=object)
        has_value = self.np.zeros(parts[0].shape, dtype=bool)
        for at in self.np.ndindex(out.shape):
            try:
                out[at] = rounded(way, term.rebuilt([int(part[at]) for part in parts]))
                has_value[at] = True
            except NoValueError:
                out[at] = 0
        self.defined = self.defined & has_value
        return out

    def _broadcast(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        self.defined = self.defined & ((a == b) | (a == 1) | (b == 1))
        return self.np.where(a != 1, a, b)


def _as_array(value: Any) -> NDArray[Any]:
    import numpy as np

    return np.asarray(value, dtype=object) if isinstance(value, int) else np.asarray(value)


def _narrowest(array: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Return an array of integers as int64 where they fit, else of Python's, with its largest absolute value."""
    most = max(abs(int(array.max())), abs(int(array.min()))) if array.size else 0
    return array.astype("int64" if most <= MOST else object, copy=False), most


def _common_shape(numbers: Mapping[Dim, Any]) -> tuple[int, ...]:
    import numpy as np

    shapes = {s.name: n.shape for s, n in numbers.items() if not isinstance(n, int)}
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in sorted(shapes.items()))
        raise ValueError(f"the arrays of values do not broadcast: {listed}") from None


def _refuse_first(size: Dim, arrays: Arrays) -> None:
    """Raise the error of the first place of arrays where a term has no value."""
    np, shape = arrays.np, arrays.shape
    place = np.unravel_index(int(np.argmin(np.broadcast_to(arrays.defined, shape))), shape)
    evaluate_one(size, {s: int(np.broadcast_to(n, shape)[place]) for s, n in arrays.numbers.items()})
