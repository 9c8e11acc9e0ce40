"""Reshape: sizes that are copied, inferred or listed, and the volume, which must not change."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from shapeinfer.diagnostics.codes import (
    AXIS_OUT_OF_RANGE,
    INVALID_VALUE,
    NEGATIVE_LENGTH,
    RANK_MISMATCH,
    VOLUME_MISMATCH,
    Code,
)
from shapeinfer.diagnostics.ledger import Ledger
from shapeinfer.dims import (
    AllOf,
    AnyOf,
    AtMost,
    Condition,
    Dim,
    Divides,
    Equal,
    Size,
    at_least,
    equal,
    evaluate,
    exact_div,
    has_fresh_symbol,
    less_equal,
    mul,
    product,
    quotient,
    simplest,
    text_of,
)
from shapeinfer.facts import Shape, Tensor

Asked: TypeAlias = "tuple[Condition, Code, str]"
"""A condition, and the code and message of the fault where it does not hold."""
INFERRED = -1
"""The entry whose size is inferred from the others."""
MAX_READINGS = 64
FAR = 1 << 20


def need_list(ledger: Ledger, x: Tensor, at: str) -> Tensor:
    """Return a tensor that must have exactly one axis; another known rank is a fault."""
    if x.shape is not None and len(x.shape) != 1:
        ledger.fail(RANK_MISMATCH, f"{ledger.port_name(at)} must have rank 1; it has rank {len(x.shape)}", at)
    return x


def reshaped(
    ledger: Ledger, shape: Shape | None, target: Sequence[Size], *, zero_copies: bool = True, at: str = ""
) -> Shape:
    """Return the shape that the entries of ``target`` describe: -1 infers a size, 0 may copy one.

    A symbolic entry is taken for the size it is meant to be, and a claim excludes the input sizes under which
    it would come to copy or to infer; bound to such a size it is a number, and does just that. What only data
    decides no claim excludes, and what is 0 for all large sizes is hardly meant to be a size: those are open.
    """
    inferred = _inferred(ledger, target, at)
    if shape is None:
        return tuple(_dim_without_input(ledger, e, zero_copies) for e in target)
    infers = inferred is not None
    read = [_dim_of_entry(ledger, shape, i, e, zero_copies, infers, at) for i, e in enumerate(target)]
    parts = [None if i == inferred else e for i, e in enumerate(read)]
    asked = _requested(shape, target, parts, zero_copies, infers)
    fitting = _fitting(shape, parts, infers)
    refuted = (simplest(AllOf((fitting, *(c for c, _, _ in asked)))) if asked else fitting).answer().is_no
    doubtful = [
        p is e and isinstance(e, Dim) and (refuted or (zero_copies and _vanishes_for_large_dims(e)))
        for p, e in zip(parts, target)
    ]
    readings = _readings(shape, target, parts, zero_copies, infers) if any(doubtful) else ()
    if readings:
        message = f"cannot reshape to [{_comma_separated(target)}]: no entry can be 0 (copy) or -1 (infer)"
        ledger.require(simplest(AnyOf(readings)), VOLUME_MISMATCH, message, at)
        return tuple(ledger.fresh() if p is None or open_ else p for p, open_ in zip(parts, doubtful))
    for condition, code, message in asked:
        ledger.require(condition, code, message, at)
    return _filled(ledger, shape, parts, infers, at)


def _inferred(ledger: Ledger, target: Sequence[Size], at: str) -> int | None:
    """Return which entry is -1; none may be below, and no two."""
    numbers = [(i, e) for i, e in enumerate(target) if isinstance(e, int) and e < 0]
    for i, e in numbers:
        if e < INFERRED:
            ledger.fail(NEGATIVE_LENGTH, f"entry {i} of the shape is {e}; the only negative entry allowed is -1", at)
    if len(numbers) > 1:
        ledger.fail(INVALID_VALUE, f"{len(numbers)} entries of the shape are -1; only one can be inferred", at)
    return numbers[0][0] if numbers else None


def _dim_without_input(ledger: Ledger, entry: Size, zero_copies: bool) -> Size:
    """Return the size that an entry stands for if nothing is known of the input."""
    if isinstance(entry, int):
        return entry if entry > 0 or (entry == 0 and not zero_copies) else ledger.fresh()
    return entry if entry.low is not None and entry.low >= (1 if zero_copies else 0) else ledger.fresh()


def _dim_of_entry(
    ledger: Ledger, shape: Shape, i: int, entry: Size, zero_copies: bool, infers: bool, at: str
) -> Size | None:
    """Return the size that an entry stands for by itself, None if it may be meant to infer or to copy."""
    if isinstance(entry, int):
        return entry if entry or not zero_copies else _copied(ledger, shape, i, at)
    if zero_copies and i < len(shape) and _is_data(entry) and not _is_empty_with(entry, shape[i]):
        return None
    if less_equal(0, entry).is_yes or _is_span(entry, shape):
        return entry
    is_open = (_is_data(entry) and not infers) or any(s.low is None or s.low < 0 for s in entry.symbols)
    return None if is_open else entry


def _requested(
    shape: Shape, target: Sequence[Size], parts: Sequence[Size | None], zero_copies: bool, infers: bool
) -> list[Asked]:
    """Return the conditions under which the symbolic entries are sizes."""
    # whether the volumes agree is in the contract if no dim is data-dependent
    volumes_agree = None not in parts and not any(map(_is_data, (*shape, *parts)))
    out: list[Asked] = []
    for i, (e, p) in enumerate(zip(target, parts)):
        if isinstance(e, Dim) and p is e:
            out += _not_negative(shape, i, e, zero_copies)
            if zero_copies and not infers and i < len(shape):
                out += _not_copied(shape, i, e, volumes_agree)
    return [a for a in out if not a[0].answer().is_yes]


def _not_negative(shape: Shape, i: int, entry: Dim, zero_copies: bool) -> Iterator[Asked]:
    """An entry is a size, and not 0 where that would copy an axis that is not there."""
    if not less_equal(0, entry).is_yes and not _is_span(entry, shape):
        least = 1 if zero_copies and i >= len(shape) else 0
        message = f"entry {i} of the shape is {entry.text}; it cannot be negative"
        yield at_least(entry, least), NEGATIVE_LENGTH, message
    elif zero_copies and i >= len(shape):
        message = (
            f"entry {i} of the shape is {entry.text}; when it is 0 it copies axis {i}, which the input does not have"
        )
        yield at_least(entry, 1), AXIS_OUT_OF_RANGE, message


def _copied(ledger: Ledger, shape: Shape, i: int, at: str) -> Size:
    if i >= len(shape):
        message = f"entry {i} of the shape is 0, which copies axis {i}; the input has rank {len(shape)}"
        ledger.fail(AXIS_OUT_OF_RANGE, message, at)
    return shape[i]


def _is_span(entry: Dim, shape: Shape) -> bool:
    """Return whether an entry is the product of neighbouring axes, and so never negative."""
    return any(entry is product(shape[a:b]) for a in range(len(shape)) for b in range(a + 1, len(shape) + 1))


def _is_data(size: Size | None) -> bool:
    """Return whether a dim is data-dependent, so that the contract cannot mention it."""
    return size is not None and has_fresh_symbol(size)


def _vanishes_for_large_dims(entry: Dim) -> bool:
    """Return whether an entry is 0 where all sizes are large, as ``2//n`` is."""
    sizes = {s.name: FAR * s.divisor if s.high is None else s.high for s in entry.symbols}
    try:
        return evaluate(entry, sizes) == 0
    except ZeroDivisionError:
        return True


def _is_empty_with(entry: Dim, x: Size) -> bool:
    """Return whether an entry that is 0 copies an axis of size 0, if it ever is 0."""
    if x is entry or less_equal(1, entry).is_yes or equal(x, 0).is_yes:
        return True
    if equal(mul(exact_div(x, entry), entry), x).is_yes:
        return True
    factor = exact_div(entry, x)
    return equal(mul(factor, x), entry).is_yes and less_equal(1, factor).is_yes


def _not_copied(shape: Shape, i: int, entry: Dim, volumes_agree: bool) -> Iterator[Asked]:
    """An entry that may be 0 is not, where it would copy an axis that has elements.

    ``volumes_agree`` is whether the contract says that the volumes agree.
    """
    x = shape[i]
    if _is_empty_with(entry, x):
        return
    if volumes_agree and less_equal(1, product(d for j, d in enumerate(shape) if j != i)).is_yes:
        # an empty output means an empty input, which can only be empty in this axis
        return
    factor = exact_div(entry, x)
    multiple = equal(mul(factor, x), entry).is_yes
    message = f"entry {i} of the shape is {entry.text}; when it is 0 it copies axis {i}, which is {text_of(x)}"
    yield AnyOf((at_least(factor if multiple else entry, 1), Equal(x, 0))), VOLUME_MISMATCH, message


def _fitting(shape: Shape, parts: Sequence[Size | None], infers: bool) -> Condition:
    """Return the condition that dims (None for open ones) have as many elements as the input."""
    whole, part = product(shape), product(p for p in parts if p is not None)
    if None not in parts:
        return Equal(whole, part)
    if not infers or equal(part, 0).is_yes:
        return Divides(part, whole)
    return AllOf((at_least(part, 1), _divisible(whole, part, True)))


def _readings(
    shape: Shape, target: Sequence[Size], parts: Sequence[Size | None], zero_copies: bool, infers: bool
) -> tuple[Condition, ...]:
    """Return under which conditions a shape fits whose entries are sizes, 0 or -1."""
    readings = []
    for i, (e, p) in enumerate(zip(target, parts)):
        is_size = (at_least(e, 1 if zero_copies else 0),) if isinstance(e, Dim) and p is e else ()
        of_entry: list[tuple[Size | None, tuple[Condition, ...]]] = [(p, is_size)]
        if isinstance(e, Dim) and p is e and zero_copies and i < len(shape) and not less_equal(1, e).is_yes:
            of_entry.append((shape[i], (AtMost(e, 0),)))
        if isinstance(e, Dim) and p is e and not infers and not less_equal(0, e).is_yes:
            of_entry.append((None, (AtMost(e, -1),)))
        readings.append(of_entry)
    found = []
    for reading in itertools.islice(itertools.product(*readings), MAX_READINGS):
        sizes = [size for size, _ in reading]
        fits = _fitting(shape, sizes, infers or None not in parts)
        condition = AllOf((*(c for _, conditions in reading for c in conditions), fits))
        if not condition.answer().is_no:
            found.append(condition)
    return tuple(found)


def _filled(ledger: Ledger, shape: Shape, parts: Sequence[Size | None], infers: bool, at: str) -> Shape:
    """Return the shape with the open sizes inferred from the volume, which they must divide evenly."""
    known = [p for p in parts if p is not None]
    if len(known) == len(parts):
        _same_volume(ledger, shape, known, at)
        return tuple(known)
    for p in known if infers else ():
        zero = "another entry is 0" if isinstance(p, int) else f"{text_of(p)} is 0"
        message = f"Reshape cannot infer its -1 when {zero}"
        if ledger.require(at_least(p, 1), VOLUME_MISMATCH, message, at).is_no:
            return tuple(ledger.fresh() if p is None else p for p in parts)
    certain = infers or less_equal(1, product(known)).is_yes
    left = _inferred_dim(ledger, shape, parts, infers, certain, at)
    if len(known) == len(parts) - 1 and certain and left is not None:
        return tuple(left if p is None else p for p in parts)
    return tuple(ledger.fresh() if p is None else p for p in parts)


def _same_volume(ledger: Ledger, shape: Shape, out: Sequence[Size], at: str) -> None:
    before, after = product(shape), product(out)
    if equal(before, after).is_yes:
        return
    source, target = _comma_separated(shape), _comma_separated(out)
    message = f"cannot reshape [{source}] ({text_of(before)} elements) to [{target}] ({text_of(after)} elements)"
    shared = math.gcd(_content(before), _content(after)) or 1
    ledger.require(Equal(exact_div(before, shared), exact_div(after, shared)), VOLUME_MISMATCH, message, at)


def _inferred_dim(
    ledger: Ledger, shape: Shape, parts: Sequence[Size | None], infers: bool, certain: bool, at: str
) -> Size | None:
    """Return the number of elements over the product of the known dims, which must divide it; None if unknown."""
    known = [p for p in parts if p is not None]
    whole, part = product(shape), product(known)
    if equal(part, 0).is_yes:
        ledger.require(
            Equal(whole, 0), VOLUME_MISMATCH, f"cannot reshape {text_of(whole)} elements to an empty shape", at
        )
        return None
    left = quotient(shape, known)
    if equal(mul(left, part), whole).is_yes:
        return left
    needed = _divisible(whole, part, certain)
    target = ", ".join(("-1" if infers else "?") if p is None else text_of(p) for p in parts)
    message = (
        f"cannot reshape [{_comma_separated(shape)}] to [{target}]: "
        f"{text_of(needed.a)} is not divisible by {text_of(needed.divisor)}"
    )
    wrong = ledger.require(needed, VOLUME_MISMATCH, message, at).is_no
    return None if wrong else left


def _divisible(whole: Size, part: Size, positive: bool) -> Divides:
    """Return ``whole % part == 0`` without common factors; symbols cancel only where ``part`` is positive."""
    for s in sorted(part.symbols, key=lambda s: s.text) if isinstance(part, Dim) and positive else ():
        while equal(mul(exact_div(whole, s), s), whole).is_yes and equal(mul(exact_div(part, s), s), part).is_yes:
            whole, part = exact_div(whole, s), exact_div(part, s)
    if isinstance(part, int) and isinstance(whole, Dim):
        return Divides(part // math.gcd(part, whole.divisor), exact_div(whole, whole.divisor))
    return Divides(part, whole)


def _content(size: Size) -> int:
    return abs(size) if isinstance(size, int) else size.divisor


def _comma_separated(sizes: Iterable[Size]) -> str:
    return ", ".join(text_of(d) for d in sizes)
