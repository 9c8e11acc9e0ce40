"""Sequences of tensors."""

from __future__ import annotations

from collections.abc import Iterable

from shapeinfer.diagnostics.codes import (
    ELEMENT_TYPE_MISMATCH,
    INDEX_OUT_OF_RANGE,
    INVALID_ATTRIBUTE,
    INVALID_VALUE,
    LENGTH_MISMATCH,
    SPLIT_SUM,
    TOO_FEW_ELEMENTS,
)
from shapeinfer.diagnostics.detail import Detail
from shapeinfer.dims import (
    AllOf,
    AtMost,
    Dim,
    Equal,
    Size,
    at_least,
    below,
    ceildiv,
    divides,
    mul,
    product,
    text_of,
    total,
)
from shapeinfer.facts import MAX_ELEMENTS, UNKNOWN, DType, Fact, SequenceType, Shape, Tensor, join, tensor
from shapeinfer.ops.context import Context
from shapeinfer.ops.registry import rule
from shapeinfer.shapes.algebra.reduction import is_set
from shapeinfer.shapes.contents import scalar
from shapeinfer.shapes.movement import moves
from shapeinfer.shapes.movement.concat import concatenated, stacked


@rule("SequenceEmpty", since=11)
def sequence_empty(ctx: Context, *, dtype: int = DType.FLOAT) -> Fact:
    """Return a sequence of no tensors of one element type."""
    if dtype not in list(DType)[1:]:
        ctx.fail(INVALID_ATTRIBUTE, f"dtype is {dtype}, which is not an element type of ONNX", detail=Detail("dtype"))
    return SequenceType(tensor(DType(dtype), None), 0)


@rule("SequenceConstruct", since=11)
def sequence_construct(ctx: Context, *inputs: Tensor) -> Fact:
    """Return a sequence of all inputs."""
    return _of_elements(ctx, inputs)


@rule("SequenceInsert", since=11)
def sequence_insert(ctx: Context, sequence: Fact, item: Tensor, position: Tensor | None = None) -> Fact:
    """Return the sequence with one more element."""
    length = _known_length(sequence)
    place = length if position is None else _place(ctx, position, length, end=True)
    element = sequence.element if isinstance(sequence, SequenceType) else UNKNOWN
    if isinstance(element, Tensor) and element.dtype and element.dtype is not item.dtype:
        if item.dtype:
            message = (
                f"the sequence has element type {element.dtype.spelled} but {ctx.port_name('item')} "
                f"is {item.dtype.spelled}"
            )
            ctx.fail(ELEMENT_TYPE_MISMATCH, message, "sequence item", Detail(allowed=(element.dtype.spelled,)))
        item = tensor(element.dtype, item.shape)
    if length == 0:
        return SequenceType(item, 1, (item,))
    elements = _elements(sequence)
    if elements is not None and isinstance(place, int):
        return _of_elements(ctx, (*elements[:place], item, *elements[place:]))
    return SequenceType(joined(ctx, element, item), None if length is None else length + 1)


@rule("SequenceErase", since=11)
def sequence_erase(ctx: Context, sequence: Fact, position: Tensor | None = None) -> Fact | None:
    """Return the sequence without one of its elements."""
    if not isinstance(sequence, SequenceType):
        return None
    length = _known_length(sequence)
    place: Size | None = None if position is None else _place(ctx, position, length)
    if length is None:
        return SequenceType(_single(ctx, sequence.element))
    _not_empty(ctx, length)
    place = length - 1 if position is None else place
    elements = _elements(sequence)
    if elements and isinstance(place, int):
        return _of_elements(ctx, (*elements[:place], *elements[place + 1 :]), sequence.element)
    # Which element is left is not known, so its sizes are not those of another such sequence.
    return SequenceType(_single(ctx, sequence.element), length - 1)


@rule("SequenceAt", since=11)
def sequence_at(ctx: Context, sequence: Fact, position: Tensor) -> Fact | None:
    """Return one element."""
    if not isinstance(sequence, SequenceType):
        return None
    length = _known_length(sequence)
    if length is not None:
        _not_empty(ctx, length)
    place = _place(ctx, position, length)
    elements = _elements(sequence)
    if elements and isinstance(place, int):
        return elements[place]
    return sequence.element if length == 1 else _single(ctx, sequence.element)


@rule("SequenceLength", since=11)
def sequence_length(ctx: Context, sequence: Fact) -> Tensor:
    """Return the number of elements."""
    length = _known_length(sequence)
    return tensor(DType.INT64, (), None if length is None else (length,))


@rule("ConcatFromSequence", since=11)
def concat_from_sequence(ctx: Context, sequence: Fact, *, axis: int, new_axis: int = 0) -> Fact | None:
    """Join all elements along ``axis``, or stack them along a new one."""
    if not isinstance(sequence, SequenceType) or not isinstance(sequence.element, Tensor):
        return None
    elements = [e.shape for e in _elements(sequence) or () if isinstance(e, Tensor)]
    if elements:
        put = stacked if new_axis else concatenated
        return sequence.element.of(*put(ctx, elements, axis, ["sequence"] * len(elements)))
    length = sequence.length if sequence.length is not None else ctx.fresh(1)
    _not_empty(ctx, length)
    x = sequence.element
    if x.shape is None:
        return x
    k = ctx.axis(axis, x.rank + bool(new_axis), at="sequence")
    if new_axis:
        return x.of(*x.dims[:k], length, *x.dims[k:])
    is_uniform = length == 1 or not _varies(x.dims[k])
    return x.of(*x.dims[:k], mul(length, x.dims[k]) if is_uniform else ctx.fresh(), *x.dims[k + 1 :])


@rule("SplitToSequence", since=11)
def split_to_sequence(
    ctx: Context, x: Tensor, split: Tensor | None = None, *, axis: int = 0, keepdims: int = 1
) -> Fact:
    """Cut ``x`` along ``axis`` into parts of size 1, of one listed size, or of several."""
    if x.shape is None:
        return SequenceType(tensor(x.dtype, None))
    k = ctx.axis(axis, x.rank, at="x")
    whole = x.dims[k]
    if split is None:
        part = x.dims[:k] + ((1,) if is_set(keepdims) else ()) + x.dims[k + 1 :]
        of_all = tensor(x.dtype, part)
        if x.value is None or not isinstance(whole, int) or whole > MAX_ELEMENTS:
            return SequenceType(of_all, whole)
        parts = moves.parts(x, k, [1] * whole)
        return _of_elements(ctx, [tensor(x.dtype, part, p.value) for p in parts], of_all)
    length, sizes = _split_sizes(ctx, whole, split)
    if x.value is not None and isinstance(length, int) and len(sizes) == 1 and length <= MAX_ELEMENTS:
        sizes *= length
    parts = moves.parts(x, k, sizes)
    if length != len(parts):
        return SequenceType(parts[0], length)
    return _of_elements(ctx, parts, tensor(x.dtype, x.dims))


def _split_sizes(ctx: Context, whole: Size, split: Tensor) -> tuple[Size | None, Shape]:
    """Return the number of parts and their sizes: one per part, or one for all."""
    if split.shape is None or (split.rank == 1 and isinstance(split.shape[0], Dim)):
        return None, (ctx.fresh(),)
    if split.rank == 0:
        return _chunks(ctx, whole, scalar(ctx, split))
    if split.shape == (0,):
        ctx.fail(TOO_FEW_ELEMENTS, "split has no entries; remove it to split into parts of size 1", "split")
    sizes = ctx.dims(split, "split")
    message = f"the parts {', '.join(map(text_of, sizes))} do not add up to {text_of(whole)}, the size of the axis"
    ctx.require(Equal(total(sizes), whole), SPLIT_SUM, message, "split x")
    return len(sizes), sizes


def _chunks(ctx: Context, whole: Size, size: Size) -> tuple[Size | None, Shape]:
    """Return parts of one size; the last may be smaller."""
    ctx.require(at_least(size, 1), INVALID_VALUE, f"split is {text_of(size)}; it must be positive")
    if isinstance(size, int) and size < 1:
        return None, (ctx.fresh(),)
    count = ceildiv(whole, size)
    if divides(size, whole).is_yes:
        return count, (size,)
    if isinstance(whole, int) and isinstance(size, int) and isinstance(count, int) and count <= MAX_ELEMENTS:
        return count, (*(size,) * (count - 1), whole - size * (count - 1))
    return count, (ctx.fresh(),)


def _of_elements(ctx: Context, elements: Iterable[Fact], of_none: Fact = UNKNOWN) -> Fact:
    """Return the sequence of these elements; ``of_none`` is what an element would be where there is none."""
    every = tuple(elements)
    if not every:
        return SequenceType(of_none, 0)
    element = every[0]
    for other in every[1:]:
        element = joined(ctx, element, other)
    return SequenceType(element, len(every), every)


def _elements(sequence: Fact) -> tuple[Fact, ...] | None:
    """Return the elements one by one where they are known so."""
    if not isinstance(sequence, SequenceType):
        return None
    return () if sequence.length == 0 else sequence.elements


def joined(ctx: Context, a: Fact, b: Fact) -> Fact:
    """Return what holds of both, with a fresh size where they differ."""
    return join(a, b, lambda _, __: ctx.fresh())


def _single(ctx: Context, element: Fact) -> Fact:
    """Return one element; its fresh symbols are renamed, since another element may have other sizes."""
    renamed = {s: ctx.fresh(s.low, s.high) for s in sorted(element.symbols, key=lambda s: s.text) if _varies(s)}
    return element.substitute(renamed)


def _varies(size: Size) -> bool:
    """Whether a size may differ between elements: only those that the author named are one size for all."""
    return isinstance(size, Dim) and any(s.is_fresh or s.is_slot for s in size.symbols)


def _known_length(sequence: Fact) -> Size | None:
    return sequence.length if isinstance(sequence, SequenceType) else None


def _not_empty(ctx: Context, length: Size) -> None:
    ctx.require(at_least(length, 1), TOO_FEW_ELEMENTS, "the sequence must have at least one element", "sequence")


def _place(ctx: Context, position: Tensor, length: Size | None, *, end: bool = False) -> int | None:
    """Return a known position counted from the front, which must be in the sequence or at its ``end``."""
    if position.shape is not None:
        message = f"position must have one element; it is {position.text}"
        ctx.require(Equal(product(position.shape), 1), LENGTH_MISMATCH, message, "position")
    place = position.value[0] if position.value else None
    if length is None or not isinstance(place, int):
        return None
    message = f"position {place} is out of range for a sequence of {text_of(length)} elements"
    inside = below(place, length + end) if place >= 0 else AtMost(-place, length)
    answer = ctx.require(AllOf((inside,)), INDEX_OUT_OF_RANGE, message, "position")
    if not isinstance(length, int) or answer.is_no:
        return None
    return place + length if place < 0 else place
