"""Hold what is known of every value of a model against what a run made of them: types, shapes and contents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from shapeinfer.dims import Dim, Floating, Ratio, Size, evaluate
from shapeinfer.facts import DType, Fact, OptionalType, SequenceType, Tensor, dtype_of

Pair = tuple[str, "Size | Ratio | Floating", "int | float"]
"""Where a length or an entry stands, what it was inferred to be, and what it was in a run."""


class Wrong(Exception):
    """A value is not what was inferred; the text says in what."""


def disagreement(values: Mapping[str, Fact], made: Mapping[str, Any], sizes: Mapping[str, int]) -> str | None:
    """Say how some value of a run differs from what was inferred of it, None where none does.

    A fresh symbol is one number wherever it stands, inside its bounds, and what is computed from it is evaluated.
    """
    try:
        pairs = [p for name, value in made.items() if name in values for p in _pairs(name, values[name], value)]
        _agree(pairs, sizes)
    except Wrong as wrong:
        return str(wrong)
    return None


def _pairs(place: str, fact: Fact, value: Any) -> Iterator[Pair]:
    if isinstance(fact, OptionalType):
        if value is not None:
            yield from _pairs(place, fact.element, value)
    elif isinstance(fact, SequenceType) and isinstance(value, list):
        if fact.length is not None:
            yield f"the length of {place}, inferred as {fact.text}, ", fact.length, len(value)
        for i, item in enumerate(value):
            # A fresh symbol of what holds of every element may be another number in each.
            yield from (p for p in _pairs(f"{place}[{i}]", fact.element, item) if not _is_fresh(p[1]))
        if fact.elements is not None and len(fact.elements) == len(value):
            for i, (known, item) in enumerate(zip(fact.elements, value)):
                yield from _pairs(f"{place}[{i}]", known, item)
    elif isinstance(fact, (SequenceType, Tensor)) and value is not None:
        array = np.asarray(value)
        if isinstance(fact, SequenceType) or isinstance(value, list):
            raise Wrong(f"{place} is inferred as {fact.text}, really {type(value).__name__}")
        yield from _of_tensor(place, fact, array)


def _of_tensor(place: str, fact: Tensor, array: np.ndarray[Any, Any]) -> Iterator[Pair]:
    if fact.dtype and not _is_of(fact.dtype, array):
        raise Wrong(f"{place} is inferred as {fact.text}, really {array.dtype}")
    if fact.shape is not None:
        if len(fact.shape) != array.ndim:
            raise Wrong(f"{place} is inferred as {fact.text}, really {array.dtype}{list(array.shape)}")
        for axis, (size, number) in enumerate(zip(fact.shape, array.shape)):
            yield f"axis {axis} of {place}, inferred as {fact.text}, ", size, number
    if fact.value is not None:
        if len(fact.value) != array.size:
            raise Wrong(f"{place} is inferred to hold {fact.spelled}, really {array.size} entries")
        for i, (entry, real) in enumerate(zip(fact.value, array.ravel().tolist())):
            yield from _of_entry(f"entry {i} of {place}, inferred as {fact.spelled}, ", entry, real)
    elif fact.value_range is not None and array.size and dtype_of(array.dtype) is not DType.STRING:
        for which, size, real in zip(("least", "greatest"), fact.value_range, (array.min(), array.max())):
            yield f"the {which} entry of {place}, inferred as {fact.text}, ", size, real.item()


def _is_of(dtype: DType, array: np.ndarray[Any, Any]) -> bool:
    """Whether entries are of a type; what numpy does not have comes out of the runtime as bytes."""
    return dtype is dtype_of(array.dtype) or (array.dtype == np.uint8 and "8" in dtype.onnx and dtype.is_float)


def _of_entry(place: str, entry: Any, real: Any) -> Iterator[Pair]:
    if entry is None:
        return
    if isinstance(entry, (Dim, Ratio, Floating)):
        yield place, entry, real
    elif entry != real and not (isinstance(entry, float) and math.isnan(entry) and math.isnan(real)):
        raise Wrong(f"{place}is {real}")


def _agree(pairs: list[Pair], sizes: Mapping[str, int]) -> None:
    learned: dict[str, int] = dict(sizes)
    computed: list[Pair] = []
    for place, size, number in pairs:
        if isinstance(size, int):
            if size != number:
                raise Wrong(f"{place}is {number}")
        elif isinstance(size, Dim) and size.is_symbol and size.is_fresh:
            if not _within(size, number):
                raise Wrong(f"{place}is {number}, outside its bounds {size.low}..{size.high}, {size.divisor}")
            if learned.setdefault(size.name, int(number)) != number:
                raise Wrong(f"{place}is {number}, elsewhere {learned[size.name]}")
        else:
            computed.append((place, size, number))
    for place, size, number in computed:
        assert isinstance(size, (Dim, Ratio, Floating))
        if all(s.name in learned for s in size.symbols):
            if isinstance(size, Floating) and not math.isfinite(number):
                continue  # a float has no value there, which is not said of it
            expected = _number(size, learned, place)
            if expected != number:
                raise Wrong(f"{place}is {number}, not {expected}")


def _is_fresh(size: Size | Ratio | Floating) -> bool:
    return isinstance(size, (Dim, Ratio, Floating)) and any(s.is_fresh for s in size.symbols)


def _within(size: Dim, number: float) -> bool:
    low, high = size.low, size.high
    return (low is None or low <= number) and (high is None or number <= high) and number % size.divisor == 0


def _number(size: Size | Ratio | Floating, known: Mapping[str, int], place: str) -> int | float:
    try:
        if isinstance(size, Ratio):
            return evaluate(size.above, known) / size.below
        if isinstance(size, Floating):
            return size.value({leaf: evaluate(leaf, known) for leaf in size.leaves})
        return evaluate(size, known)
    except ZeroDivisionError:
        raise Wrong(f"{place}divides by 0 there") from None
