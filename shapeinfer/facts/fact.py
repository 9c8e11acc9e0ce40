"""Facts: what is known about one value.

Facts are interned: two facts that say the same are one object, so a memo compares them by identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as SequenceOf
from typing import Any, ClassVar, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from shapeinfer.dims import Dim, DimSyntaxError, Floating, Ratio, Size, parse, substitute, text_of
from shapeinfer.dims.notation.arguments import DimLike, read_dim, read_shape
from shapeinfer.dims.terms.arithmetic import memoised
from shapeinfer.dims.terms.interning import insert_once
from shapeinfer.facts.capacity import holds
from shapeinfer.facts.dtype import DType, DTypeLike, dtype_of
from shapeinfer.remembered import note

Shape: TypeAlias = tuple[Size, ...]
Element: TypeAlias = "int | bool | float | str | Dim | Ratio | Floating | None"
"""One known entry of a tensor; None is an entry that is not known."""
Contents: TypeAlias = tuple[Element, ...]
Ends: TypeAlias = tuple[Size, Size]
"""The least and the greatest of some entries, if there are any."""

MAX_CONTENTS = 1024
"""Contents of more elements than this are not followed: no shape has that many axes, indices may."""

MAX_AXES = 32
"""Contents of tensors with more axes are not followed: numpy 1 supports no more, numpy 2 twice as many."""

FEW = 64
"""Tuples of more parts than this are counted among what is remembered."""

SHOWN = 8
"""A listing shows this many entries."""


class UnknownRank(Exception):
    """A rule asked for the axes of a tensor whose rank is not known."""


class Fact:
    """What is known about one value."""

    __slots__ = ("__weakref__", "_key", "_memo")
    _key: tuple[Any, ...]
    _memo: dict[str, Any]

    _pool: ClassVar[WeakValueDictionary[tuple[Any, ...], Fact]] = WeakValueDictionary()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        return interned, self._key

    def __copy__(self) -> Fact:
        return self

    def __deepcopy__(self, memo: object) -> Fact:
        return self

    def __repr__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The fact as listings print it, such as ``f32[N, 3]``."""
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """The element type, UNDEFINED where it is unknown or the value is no tensor."""
        return DType.UNDEFINED

    @property
    def shape(self) -> Shape | None:
        """The length of every axis, None where the rank is unknown or the value is no tensor."""
        return None

    @property
    def symbols(self) -> frozenset[Dim]:
        """The symbols that occur anywhere in it."""
        raise NotImplementedError

    def substitute(self, mapping: Mapping[Dim, Size]) -> Fact:
        """Return the fact with symbols replaced, all at once."""
        raise NotImplementedError


F = TypeVar("F", bound=Fact)


def interned(cls: type[F], *parts: Any) -> F:
    """Return the one fact of this class and these parts."""
    key = (cls, *parts)
    found = Fact._pool.get(key)
    return insert_once(Fact._pool, key, _interned_base) if found is None else found  # type: ignore[return-value]


def _interned_base(key: tuple[Any, ...]) -> Fact:
    made: Fact = object.__new__(key[0])
    object.__setattr__(made, "_key", key)
    object.__setattr__(made, "_memo", {})
    for part in key:
        if type(part) is tuple and (len(part) > FEW or key[1] is DType.STRING):
            note(sum(64 + 4 * len(entry) if isinstance(entry, str) else 64 for entry in part))
    return made


class Tensor(Fact):
    """A dense tensor: element type, shape, and its entries where they are few and known.

    ``shape`` is a sequence of lengths (ints, Dims, sympy expressions, or text such as ``"N + 1"``), or None where
    the rank is unknown. ``value`` holds known entries, as an array, nested sequences or a flat one in row-major order:
    numbers, None for an unknown one, and for a tensor of numbers formulas (Dims, sympy expressions, or text such as
    ``"N"``), whose symbols are those of the shapes. Raises ValueError for what is no length or entry, or a value that
    does not fill the shape.
    """

    __slots__ = ()

    def __new__(cls, dtype: DTypeLike, shape: Iterable[DimLike] | None = None, value: object = None) -> Tensor:
        dims = None if shape is None else read_shape(shape, "the tensor")
        return tensor(dtype_of(dtype), dims, None if value is None else _flatten(value, dims, dtype_of(dtype)))

    @property
    def dtype(self) -> DType:
        return self._key[1]  # type: ignore[no-any-return]

    @property
    def shape(self) -> Shape | None:
        """The length of every axis, None where the rank is unknown."""
        return self._key[2]  # type: ignore[no-any-return]

    @property
    def value(self) -> Contents | None:
        """The known entries in row-major order, None where none is known."""
        return self._key[3]  # type: ignore[no-any-return]

    @property
    def value_range(self) -> tuple[Size, Size] | None:
        """The least and the greatest entry of a tensor of integers that has any, None if unknown."""
        if self.value is None:
            return self.ends[0] if len(self.ends) == 1 else None
        if len(self.value) == 1 and isinstance(self.value[0], Dim):
            return self.value[0], self.value[0]
        numbers = [v for v in self.value if isinstance(v, int)]
        return (min(numbers), max(numbers)) if numbers and len(numbers) == len(self.value) else None

    @property
    def ends(self) -> tuple[Ends | None, ...]:
        """The ranges of entries that are not known one by one: of all, or of each position of the last axis."""
        return self._key[4]  # type: ignore[no-any-return]

    @property
    def dims(self) -> Shape:
        """The shape, for a rule: raises UnknownRank, which ends the rule, where there is none."""
        shape: Shape | None = self._key[2]
        if shape is None:
            raise UnknownRank
        return shape

    @property
    def rank(self) -> int:
        """The number of axes; raises UnknownRank like ``dims``."""
        return len(self.dims)

    @property
    def array(self) -> np.ndarray[Any, np.dtype[np.object_]] | None:
        """The known entries as an array of Python objects in the tensor's shape."""
        if self.value is None:
            return None
        flat = np.empty(len(self.value), dtype=object)
        flat[:] = self.value
        return flat.reshape(self.dims)

    def of(self, *dims: Size) -> Tensor:
        """Return a tensor of the same element type and another shape."""
        return tensor(self.dtype, dims)

    def holding(self, value: Contents | None) -> Tensor:
        """Return the same tensor with these entries."""
        return tensor(self.dtype, self.shape, value)

    def between(self, least: Size, greatest: Size) -> Tensor:
        """Return the same tensor whose entries, if it has any, have this least and this greatest one."""
        return tensor(self.dtype, self.shape, None, ((least, greatest),))

    def between_along_last_axis(self, ends: tuple[Ends | None, ...]) -> Tensor:
        """Return the same tensor with the ends of the entries at each position of the last axis, None if unknown."""
        return tensor(self.dtype, self.shape, None, ends)

    @property
    def text(self) -> str:
        if self.shape is None:
            return f"{self.dtype.text}[...]"
        return f"{self.dtype.text}[{', '.join(text_of(d) for d in self.shape)}]"

    @property
    def spelled(self) -> str:
        """The text with the first entries behind it, such as ``i64[2]{4, H}``."""
        if self.value is None:
            return self.text
        shown = ["?" if v is None else str(getattr(v, "text", v)) for v in self.value[:SHOWN]]
        return f"{self.text}{{{', '.join(shown)}{', ...' if len(self.value) > SHOWN else ''}}}"

    @property
    def symbols(self) -> frozenset[Dim]:
        memo = self._memo
        if "symbols" not in memo:
            every = (*(self.shape or ()), *(self.value or ()), *(end for pair in self.ends for end in pair or ()))
            parts = [p for p in every if isinstance(p, (Dim, Ratio, Floating))]
            memo["symbols"] = frozenset().union(*(p.symbols for p in parts))
        return memo["symbols"]  # type: ignore[no-any-return]

    def substitute(self, mapping: Mapping[Dim, Size]) -> Tensor:
        if mapping.keys().isdisjoint(self.symbols):
            return self
        pairs = tuple([(s, size) for s in self.symbols if (size := mapping.get(s, s)) is not s])
        return _with(self, pairs) if pairs else self


class SparseTensor(Fact):
    """A sparse tensor: element type and dense shape, None if the rank is unknown."""

    __slots__ = ()

    def __new__(cls, dtype: DTypeLike, shape: Iterable[DimLike] | None = None) -> SparseTensor:
        dims = None if shape is None else read_shape(shape, "the tensor")
        return interned(cls, dtype_of(dtype), dims)

    @property
    def dtype(self) -> DType:
        return self._key[1]  # type: ignore[no-any-return]

    @property
    def shape(self) -> Shape | None:
        return self._key[2]  # type: ignore[no-any-return]

    @property
    def text(self) -> str:
        return f"sparse {tensor(self.dtype, self.shape).text}"

    @property
    def symbols(self) -> frozenset[Dim]:
        return tensor(self.dtype, self.shape).symbols

    def substitute(self, mapping: Mapping[Dim, Size]) -> SparseTensor:
        return SparseTensor(self.dtype, tensor(self.dtype, self.shape).substitute(mapping).shape)


class Unknown(Fact):
    """A value of unknown kind."""

    __slots__ = ()

    def __new__(cls) -> Unknown:
        return interned(cls)

    @property
    def text(self) -> str:
        return "?"

    @property
    def symbols(self) -> frozenset[Dim]:
        return frozenset()

    def substitute(self, mapping: Mapping[Dim, Size]) -> Unknown:  # noqa: ARG002 - it holds no symbol
        return self


UNKNOWN = Unknown()


def tensor(
    dtype: DType, shape: Shape | None, value: Contents | None = None, ends: tuple[Ends | None, ...] = ()
) -> Tensor:
    """Intern a tensor from parts that are known to be well-formed."""
    if value is not None and (len(value) > MAX_CONTENTS or all(v is None for v in value)) and value != ():
        value = None
    if value == () and any(isinstance(d, int) and d > MAX_CONTENTS for d in shape or ()):
        value = None  # of no use, and numpy refuses axes that long even where there is no entry
    if len(shape or ()) > MAX_AXES:
        value = None
    if value is not None:
        kind = bool if dtype is DType.BOOL else float if dtype.is_float else int
        value = tuple(_normalized_entry(v, kind) for v in value)
    if value is not None or not any(ends):
        ends = ()  # follows from the entries
    return interned(Tensor, dtype, shape, value, ends)


@memoised
def _with(fact: Tensor, pairs: tuple[tuple[Dim, Size], ...]) -> Tensor:
    mapping = dict(pairs)
    shape = None if fact.shape is None else tuple(substitute(d, mapping) for d in fact.shape)
    value = None if fact.value is None else tuple(_replaced(v, mapping, fact.dtype) for v in fact.value)
    ends = tuple([pair and (substitute(pair[0], mapping), substitute(pair[1], mapping)) for pair in fact.ends])
    return tensor(fact.dtype, shape, value, ends)


def _normalized_entry(entry: Element, kind: type[bool] | type[int] | type[float]) -> Element:
    """Convert a number to its tensor's kind: 1, 1.0 and True are equal, so one fact would have three texts."""
    if not isinstance(entry, (bool, int, float)) or type(entry) is kind:
        return entry
    return kind(entry) if entry == entry and abs(entry) < 2**53 else entry


def of_array(array: np.ndarray[Any, Any]) -> Tensor:
    """Return the fact of a constant, with its entries where they are few.

    Raises ValueError for an array of a type that ONNX does not have.
    """
    dtype = dtype_of(array.dtype)
    if array.dtype.kind == "O" and not all(isinstance(entry, str) for entry in array.flat):
        raise ValueError("its entries are objects; give a Tensor with a value instead")
    is_followed = array.size <= MAX_CONTENTS and (dtype.numpy() is not None or dtype is DType.STRING)
    if not is_followed or array.dtype.kind == "c":
        return tensor(dtype, array.shape)
    return tensor(dtype, array.shape, tuple(array.ravel().tolist()))


def _flatten(value: object, shape: Shape | None, dtype: DType) -> Contents:
    flat = tuple(_leaves(value))
    if dtype is not DType.STRING:
        flat = tuple(_formula(entry) if isinstance(entry, str) else entry for entry in flat)
    volume = 1
    for d in shape if shape is not None else (len(flat),):
        if isinstance(d, Dim):
            raise ValueError(f"a tensor of symbolic shape {[text_of(d) for d in shape or ()]} cannot have a value")
        volume *= d
    if len(flat) != volume:
        raise ValueError(f"{len(flat)} entries do not fill a tensor of {volume} elements")
    return flat


def _formula(text: str) -> Size:
    try:
        return parse(text)
    except DimSyntaxError as error:
        raise DimSyntaxError(f"{text!r} cannot be an entry of a tensor of numbers: {error}") from None


def _leaves(value: object) -> Iterable[Element]:
    if isinstance(value, np.ndarray):
        for v in value.ravel().tolist():
            yield from _leaves(v)
    elif isinstance(value, np.generic):
        yield value.item()
    elif isinstance(value, SequenceOf) and not isinstance(value, (str, bytes)):
        for v in value:
            yield from _leaves(v)
    elif value is None or isinstance(value, (int, float, str, Dim, Ratio, Floating)):
        yield value
    else:
        try:
            yield read_dim(value, "an entry of the tensor")
        except ValueError:
            raise ValueError(f"{type(value).__name__} cannot be an entry of a tensor") from None


def _replaced(element: Element, mapping: Mapping[Dim, Size], dtype: DType) -> Element:
    if not isinstance(element, (Dim, Ratio, Floating)):
        return element
    made = substitute(element, mapping) if isinstance(element, Dim) else element.substitute(mapping)
    return made if made is element or holds(dtype, made) else None
