"""Facts of containers: sequences, optionals, maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from shapeinfer.dims import Dim, Size, substitute, text_of
from shapeinfer.facts.dtype import DType, DTypeLike, dtype_of
from shapeinfer.facts.fact import Fact, SparseTensor, Tensor, Unknown, interned

MAX_ELEMENTS = 64
"""The elements of longer sequences are not followed one by one."""


class SequenceType(Fact):
    """A sequence: the common fact of its elements, its length, and the fact of each element if known."""

    __slots__ = ()

    def __new__(
        cls, element: Fact, length: Size | None = None, elements: tuple[Fact, ...] | None = None
    ) -> SequenceType:
        if elements is not None and len(elements) > MAX_ELEMENTS:
            elements = None
        return interned(cls, element, length, elements)

    @property
    def element(self) -> Fact:
        return self._key[1]  # type: ignore[no-any-return]

    @property
    def length(self) -> Size | None:
        return self._key[2]  # type: ignore[no-any-return]

    @property
    def elements(self) -> tuple[Fact, ...] | None:
        """The fact of each element, None if unknown."""
        return self._key[3]  # type: ignore[no-any-return]

    @property
    def text(self) -> str:
        many = "" if self.length is None else f", {text_of(self.length)}"
        return f"seq({self.element.text}{many})"

    @property
    def symbols(self) -> frozenset[Dim]:
        own = self.length.symbols if isinstance(self.length, Dim) else frozenset()
        return self.element.symbols.union(own, *(e.symbols for e in self.elements or ()))

    def map(self, change: Callable[[Fact], Fact], length: Size | None) -> SequenceType:
        """Return the sequence with every fact of elements replaced."""
        elements = None if self.elements is None else tuple(map(change, self.elements))
        return SequenceType(change(self.element), length, elements)

    def substitute(self, mapping: Mapping[Dim, Size]) -> SequenceType:
        length = self.length if self.length is None else substitute(self.length, mapping)
        return self.map(lambda e: e.substitute(mapping), length)


class OptionalType(Fact):
    """An optional: the fact of its element, if there is one."""

    __slots__ = ()

    def __new__(cls, element: Fact) -> OptionalType:
        return interned(cls, element)

    @property
    def element(self) -> Fact:
        return self._key[1]  # type: ignore[no-any-return]

    @property
    def text(self) -> str:
        return f"optional({self.element.text})"

    @property
    def symbols(self) -> frozenset[Dim]:
        return self.element.symbols

    def substitute(self, mapping: Mapping[Dim, Size]) -> OptionalType:
        return OptionalType(self.element.substitute(mapping))


class MapType(Fact):
    """A map from keys of one element type to values that all satisfy one fact."""

    __slots__ = ()

    def __new__(cls, key: DTypeLike, value: Fact) -> MapType:
        return interned(cls, dtype_of(key), value)

    @property
    def key(self) -> DType:
        return self._key[1]  # type: ignore[no-any-return]

    @property
    def value(self) -> Fact:
        return self._key[2]  # type: ignore[no-any-return]

    @property
    def text(self) -> str:
        return f"map({self.key.text}, {self.value.text})"

    @property
    def symbols(self) -> frozenset[Dim]:
        return self.value.symbols

    def substitute(self, mapping: Mapping[Dim, Size]) -> MapType:
        return MapType(self.key, self.value.substitute(mapping))


Type: TypeAlias = Tensor | SparseTensor | SequenceType | OptionalType | MapType | Unknown
"""What is known of one value: each kind of fact that there is.

All have ``dtype``, ``shape``, ``text`` and ``symbols``; ``shape`` is None for what is not a tensor.
"""
