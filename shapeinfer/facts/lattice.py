"""The lattice of facts: join, and completion of one fact by another."""

from __future__ import annotations

from collections.abc import Callable

from shapeinfer.dims import Size
from shapeinfer.facts.containers import MapType, OptionalType, SequenceType
from shapeinfer.facts.dtype import DType
from shapeinfer.facts.fact import (
    UNKNOWN,
    Contents,
    Element,
    Fact,
    Shape,
    SparseTensor,
    Tensor,
    tensor,
)

Merge = Callable[[Size, Size], Size]
"""Returns the dim that replaces two different ones, usually a fresh symbol."""


def join(a: Fact, b: Fact, merge: Merge) -> Fact:
    """Return the least fact that covers ``a`` and ``b``.

    ``merge`` is called for each pair of lengths that differ; ranks that differ give an unknown rank.
    """
    if a is b:
        return a
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        shape = _join_shapes(a.shape, b.shape, merge)
        value = None
        if shape is not None and a.shape == b.shape:
            value = _join_contents(a.value, b.value)
        return tensor(_join_dtypes(a.dtype, b.dtype), shape, value)
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        return SparseTensor(_join_dtypes(a.dtype, b.dtype), _join_shapes(a.shape, b.shape, merge))
    if isinstance(a, SequenceType) and isinstance(b, SequenceType):
        # An empty sequence has no element type.
        if a.length == 0 or b.length == 0:
            element = b.element if a.length == 0 else a.element
        else:
            element = join(a.element, b.element, merge)
        elements = None
        if a.elements is not None and b.elements is not None and len(a.elements) == len(b.elements):
            elements = tuple(join(x, y, merge) for x, y in zip(a.elements, b.elements))
        return SequenceType(element, a.length if a.length is b.length else None, elements)
    if isinstance(a, OptionalType) and isinstance(b, OptionalType):
        return OptionalType(join(a.element, b.element, merge))
    if isinstance(a, MapType) and isinstance(b, MapType):
        return MapType(_join_dtypes(a.key, b.key), join(a.value, b.value, merge))
    return UNKNOWN


def _join_dtypes(a: DType, b: DType) -> DType:
    return a if a is b else DType.UNDEFINED


def _join_shapes(a: Shape | None, b: Shape | None, merge: Merge) -> Shape | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x is y or x == y else merge(x, y) for x, y in zip(a, b))


def _join_contents(a: Contents | None, b: Contents | None) -> Contents | None:
    if a is None or b is None:
        return None
    return tuple(_common_entry(x, y) for x, y in zip(a, b))


def _common_entry(x: Element, y: Element) -> Element:
    return x if x is y or (type(x) is type(y) and x == y) else None


def resized(fact: Fact, change: Callable[[Size], Size]) -> Fact:
    """Return the fact with ``change`` applied to each dim of its shapes."""
    if isinstance(fact, (Tensor, SparseTensor)):
        shape = None if fact.shape is None else tuple(change(d) for d in fact.shape)
        if shape == fact.shape:
            return fact
        return tensor(fact.dtype, shape) if isinstance(fact, Tensor) else SparseTensor(fact.dtype, shape)
    if isinstance(fact, SequenceType):
        return fact.map(lambda e: resized(e, change), fact.length)
    if isinstance(fact, OptionalType):
        return OptionalType(resized(fact.element, change))
    if isinstance(fact, MapType):
        return MapType(fact.key, resized(fact.value, change))
    return fact


def complete(known: Fact, other: Fact) -> Fact:
    """Return ``known`` with the gaps (kind, element type, rank) filled from ``other``.

    Lengths that ``known`` has stay as they are: whether they agree with ``other`` is the caller's question.
    """
    if known is UNKNOWN:
        return other
    if isinstance(known, Tensor) and isinstance(other, Tensor):
        dtype = known.dtype or other.dtype
        shape = other.shape if known.shape is None else known.shape
        if dtype is known.dtype and shape is known.shape:
            return known
        return tensor(DType(dtype), shape, known.value, known.ends)
    if isinstance(known, SequenceType) and isinstance(other, SequenceType):
        return known.map(lambda e: complete(e, other.element), known.length)
    if isinstance(known, OptionalType) and isinstance(other, OptionalType):
        return OptionalType(complete(known.element, other.element))
    if isinstance(known, MapType) and isinstance(other, MapType):
        return MapType(known.key or other.key, complete(known.value, other.value))
    return known
